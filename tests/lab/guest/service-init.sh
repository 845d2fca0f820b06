# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# shellcheck shell=sh
#
# service-init - what systemd starts in the guest: the test `service`, the end of the run.
export PATH=/usr/sbin:/usr/bin:/usr/lib/busybox HOME=/ LC_ALL=C
exec 3>/dev/console
# shellcheck source-path=SCRIPTDIR source=lib.sh
. /lab/lib.sh
mkdir -p /run/lab
run_test service
mark end
poweroff -f
