#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The shared secret: made once, refused if others may read it, equal or different in two managers,
# and never shown.
here=$(dirname "$0")
. "$here/lib.sh"
lib_begin
unset RUNTIME_DIRECTORY CREDENTIALS_DIRECTORY
spec=fattree:k=4,levels=2

start() {       # start NODE OPTION...
	local node=$1
	shift
	spawn "$node" "$dir/log-$node" "$build/heddled" -F /dev/null -s 2 -v -v "$@"
}

is() {          # is NODE STATE
	on "$1" "$build/heddlectl" --json status 2>/dev/null | tr -d ' \n' | grep -q "\"state\":\"$2\",\"subnet\":\"up\""
}

becomes() {     # becomes NODE STATE SECONDS
	within "$3" is "$1" "$2" && return
	tail -n 20 "$dir/log-$1" >"$dir/out"
	return 1
}

# ---- making it ----
"$build/heddled" -F /dev/null --set secret_file="$dir/one" --make-secret >"$dir/out" 2>&1
[ $? = 0 ] && [ "$(stat -c %a "$dir/one")" = 600 ] && grep -qxE '[0-9a-f]{64}' "$dir/one"
report $? "--make-secret makes one that only its owner can read"
cp -p "$dir/one" "$dir/copy"
"$build/heddled" -F /dev/null --set secret_file="$dir/one" --make-secret >"$dir/out" 2>&1
[ $? = 0 ] && cmp -s "$dir/one" "$dir/copy" && grep -q 'left as it is' "$dir/out"
report $? "--make-secret does not replace a secret"
"$build/heddled" -F /dev/null --set secret_file=/proc/none --make-secret >"$dir/out" 2>&1
[ $? = 255 ] && grep -q '^heddled: cannot make the secret /proc/none: ' "$dir/out"
report $? "--make-secret reports a failure"

# ---- using it ----
fabric_start $spec
chmod 0640 "$dir/copy"
on host-0 "$build/heddled" -F /dev/null --once --set secret_file="$dir/copy" >"$dir/out" 2>&1
[ $? = 2 ] && grep -q 'is open to others (mode 0640)' "$dir/out"
report $? "a secret that others may read is refused"
on host-0 "$build/heddled" -F /dev/null --once --set secret_file="$dir/none" >"$dir/out" 2>&1
[ $? = 2 ] && grep -q 'cannot read the secret .*/none: No such file' "$dir/out"
report $? "a secret named by an option must exist"
mkdir "$dir/credentials"
cp "$dir/one" "$dir/credentials/heddle-secret"
CREDENTIALS_DIRECTORY=$dir/credentials start host-0 -p 3
becomes host-0 master 20
report $? "a credential is a secret, and the fabric comes up"
! grep -q 'no secret in' "$dir/log-host-0"
report $? "with a credential nothing is logged about it" "$dir/log-host-0"
start host-5 -p 9 --set secret_file="$dir/one"
becomes host-5 master 30 && becomes host-0 standby 20
report $? "heddled hands over to a manager with the same secret and a higher priority"
# The process id of heddled is in its status; the shell that starts it is another process.
pid=$(on host-5 "$build/heddlectl" --json status | tr -d ' \n' | sed 's/.*"pid":\([0-9]*\).*/\1/')
grep -q '^Max core file size *0 *0 ' "/proc/$pid/limits"
report $? "no core file is written, which would hold keys" "/proc/$pid/limits"
fabric_stop

fabric_start $spec
start host-0 -p 3
becomes host-0 master 20
report $? "a manager without a secret comes up"
grep -q 'no secret in .*: made .*/secret; managers that stand by' "$dir/log-host-0"
report $? "it makes one in its state directory, and reports that" "$dir/log-host-0"
start host-5 -p 9
becomes host-5 standby 30 && sleep 3 && becomes host-0 master 5
report $? "heddled does not hand over to a manager with another secret"
on host-0 "$build/heddlectl" --json status >"$dir/status"
grep -q 'has another SM_Key' "$dir/status" && on host-0 "$build/heddlectl" status | grep -q '^Other SM .*priority 9, standby: has another SM_Key'
report $? "its status reports the untrusted SM" "$dir/status"
fabric_stop

# ---- never showing it ----
fabric_start $spec
sm=0x5ec4e7515ec4e751
sa=0x5ec4e75a5ec4e75a
m=0x5ec4e75b5ec4e75b
cat >"$dir/conf" <<END
sm_key = $sm
sa_key = $sa
m_key = $m
END
spawn host-0 "$dir/log-host-0" "$build/heddled" -F "$dir/conf" -v -v -v -v
becomes host-0 master 20
report $? "a manager with keys that were set comes up"
pid=$(on host-0 "$build/heddlectl" --json status | tr -d ' \n' | sed 's/.*"pid":\([0-9]*\).*/\1/')
sed -i 's/^m_key.*/m_key = 0x5ec4e75b5ec4e75c/; 1i sm_key = 0x5ec4e7515ec4e751x' "$dir/conf"
kill -HUP "$pid"
within 10 grep -q 'stays as it was' "$dir/log-host-0"
sed -i 1d "$dir/conf"
kill -HUP "$pid"
within 10 grep -q 'needs a restart' "$dir/log-host-0"
grep -q 'stays as it was' "$dir/log-host-0" && grep -q 'another m_key needs a restart' "$dir/log-host-0"
report $? "key faults are reported" "$dir/log-host-0"
{
	cat "$dir/log-host-0"
	"$build/heddled" -F "$dir/conf" --dump-config
	for what in status snapshot; do
		on host-0 "$build/heddlectl" --json $what
		on host-0 "$build/heddlectl" $what
	done
	on host-0 "$build/heddlectl" --json trace host-0 host-5
} >"$dir/all" 2>&1
grep -q '^# sm_key is set, and not shown' "$dir/all" && grep -q '"nodes"' "$dir/all"
report $? "a dump, a status and a snapshot are written" "$dir/all"
! grep -qiE '5ec4e75|6828977[0-9]{10}' "$dir/all"
report $? "they and the log contain no key" "$dir/all"
secrets=$(cat "$dir/one" "$dir/credentials/heddle-secret" | sort -u)
! grep -qF "$secrets" "$dir"/log-* "$dir/status"
report $? "they and the log do not contain the secret"
lib_end
