#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The standard error output of heddled is a pipe that is full and that nobody reads: subnet administration answers, the control
# socket too.  When the pipe is read again, the lines that waited come, and SIGTERM ends heddled with its last line.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
command -v python3 >/dev/null 2>&1 || skip_all "there is no python3"
fabric_start fattree:k=4,levels=3

# A separate program holds the reading end: it fills the pipe, and reads once a file appears.
mkfifo "$dir/fifo"
cat >"$dir/reader.py" <<'END'
import fcntl, os, sys, time
fifo, go, out = sys.argv[1:4]
fd = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
try:
    while True:
        os.write(fd, b"x" * 63 + b"\n")
except BlockingIOError:
    pass
open(out + ".full", "w").close()
while not os.path.exists(go):
    time.sleep(0.05)
fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) & ~os.O_NONBLOCK)
with open(out, "wb", buffering=0) as f:
    while True:
        f.write(os.read(fd, 65536))
END
python3 "$dir/reader.py" "$dir/fifo" "$dir/go" "$dir/log" &
reader=$!
pids="$pids $reader"
within 10 test -e "$dir/log.full" || lib_bail "the pipe is not full"

"$sim" exec --name "$name" --node host-0 -- "$build/heddled" --log-level trace >/dev/null 2>"$dir/fifo" </dev/null &
manager=$!
pids="$pids $manager"

LIMIT=20 on host-0 "$build/heddlectl" wait up --timeout 15 >"$dir/out" 2>&1
report $? "heddled brings the fabric up while nobody reads its log"

status=0
for host in 1 2 3 4 5; do
	kill -HUP "$manager"
	LIMIT=10 on host-$host "$build/saquery" --timeout 2000 -N >"$dir/out" 2>&1 || status=1
	[ "$(grep -c 'NodeRecord dump' "$dir/out")" = 36 ] || status=1
done
report $status "subnet administration answers"

kill -HUP "$manager"
LIMIT=10 on host-0 "$build/heddlectl" --json status >"$dir/out" 2>&1 && grep -q '"log"' "$dir/out"
report $? "the control socket answers, with the log's counters"

: >"$dir/go"
within 10 grep -q 'SUBNET UP' "$dir/log"
report $? "lines that waited are written when the pipe is read"

kill "$manager"
for i in $(seq 50); do kill -0 "$manager" 2>/dev/null || break; sleep 0.1; done
! kill -0 "$manager" 2>/dev/null && within 5 grep -q 'stopping; the fabric is left' "$dir/log"
report $? "SIGTERM ends it, with its last log line"
manager=
lib_end
