# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh disable=SC2154,SC2034
#
# conform - our table of cases on rxe through real libibverbs: what differs from the specification is a known deviation with
# its reason, or a failure. The document is handed to the host.
# shellcheck source-path=SCRIPTDIR source=network.sh
. /lab/network.sh
rxe_up
LIMIT=400
run conform-rxe "$ours/ibhcatest" conform --backend verbs:rxe0 --json
[ ! -s /run/lab/out ] || keep /run/lab/out conform-rxe.json
# With both ends on one device rxe hands packets over by itself; between two they take the wire.
run conform-rxe-wire "$ours/ibhcatest" conform --backend verbs:rxe0 --peer rxe1 --area send-recv,write,read,atomic,rights,error,uc-drop,ud,mw
