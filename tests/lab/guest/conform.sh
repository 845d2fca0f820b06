# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh disable=SC2154,SC2034
#
# conform - our table of cases on rxe through real libibverbs: what differs from the specification is a known deviation with
# its reason, or a failure. The document is handed to the host.
# shellcheck source-path=SCRIPTDIR source=network.sh
. /lab/network.sh
rxe_up
LIMIT=400
run conform-rxe "$ours/ibhcatest" conform --backend verbs:rxe0 --peer rxe1 --json
[ ! -s /run/lab/out ] || keep /run/lab/out conform-rxe.json
# Between two devices packets take the wire; with both ends on one rxe hands them over by itself.
run conform-rxe-alone "$ours/ibhcatest" conform --backend verbs:rxe0 --peer rxe0 --area send-recv,write,read,atomic,rights,error,uc-drop,ud,mw
