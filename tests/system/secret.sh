#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# The secret: made once, refused when others may read it, shared by two managers or not, and never shown.
build=${top_builddir:-.}
dir=$(mktemp -d) || exit 99
export XDG_RUNTIME_DIR=$dir
unset STATE_DIRECTORY RUNTIME_DIRECTORY NOTIFY_SOCKET CREDENTIALS_DIRECTORY
name=k$$
sim=
pids=
cleanup() {
	[ -z "$pids" ] || kill $pids 2>/dev/null
	[ -z "$sim" ] || kill "$sim" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$dir"
}
trap cleanup EXIT
trap 'exit 99' HUP INT TERM
count=0

report() {      # report STATUS NAME
	count=$((count + 1))
	if [ "$1" = 0 ]; then echo "ok $count - $2"; else echo "not ok $count - $2"; fi
}

serve() {
	: >"$dir/sim.out"
	"$build/heddle-sim" serve --name $name --topology fattree:k=4,levels=2 >"$dir/sim.out" 2>"$dir/sim.err" &
	sim=$!
	for _ in $(seq 200); do grep -qx ready "$dir/sim.out" && return 0; sleep 0.1; done
	echo "Bail out! heddle-sim does not serve"
	exit 99
}

end_sim() {
	kill $pids 2>/dev/null
	kill "$sim" 2>/dev/null
	wait 2>/dev/null
	pids=
	sim=
}

on() {          # on NODE COMMAND...
	local node=$1
	shift
	timeout 60 "$build/heddle-sim" exec --name $name --node "$node" -- "$@"
}

start() {       # start NODE OPTION...
	local node=$1
	shift
	"$build/heddle-sim" exec --name $name --node "$node" -- "$build/heddled" -F /dev/null -s 2 -v -v "$@" >"$dir/log-$node" 2>&1 &
	last=$!
	pids="$pids $!"
}

becomes() {     # becomes NODE STATE SECONDS
	for _ in $(seq $(($3 * 5))); do
		on "$1" "$build/heddlectl" --json status 2>/dev/null | tr -d ' \n' | grep -q "\"state\":\"$2\",\"subnet\":\"up\"" && return 0
		sleep 0.2
	done
	sed 's/^/# /' "$dir/log-$1" | tail -n 20
	return 1
}

# ---- making it ----
"$build/heddled" -F /dev/null --set secret_file="$dir/one" --make-secret >"$dir/out" 2>&1
[ $? = 0 ] && [ "$(stat -c %a "$dir/one")" = 600 ] && grep -qxE '[0-9a-f]{64}' "$dir/one"
report $? "--make-secret makes one that only its owner reads"
cp -p "$dir/one" "$dir/copy"
"$build/heddled" -F /dev/null --set secret_file="$dir/one" --make-secret >"$dir/out" 2>&1
[ $? = 0 ] && cmp -s "$dir/one" "$dir/copy" && grep -q 'left as it is' "$dir/out"
report $? "and never makes it anew"
"$build/heddled" -F /dev/null --set secret_file=/proc/none --make-secret >"$dir/out" 2>&1
[ $? = 255 ] && grep -q '^heddled: cannot make the secret /proc/none: ' "$dir/out"
report $? "or says why it cannot"

# ---- using it ----
serve
chmod 0640 "$dir/copy"
on host-0 "$build/heddled" -F /dev/null --once --set secret_file="$dir/copy" >"$dir/out" 2>&1
[ $? = 2 ] && grep -q 'is open to others (mode 0640)' "$dir/out"
report $? "a secret that others may read is refused"
on host-0 "$build/heddled" -F /dev/null --once --set secret_file="$dir/none" >"$dir/out" 2>&1
[ $? = 2 ] && grep -q 'cannot read the secret .*/none: No such file' "$dir/out"
report $? "a secret that is named must be there"
mkdir "$dir/credentials"
cp "$dir/one" "$dir/credentials/heddle-secret"
CREDENTIALS_DIRECTORY=$dir/credentials start host-0 -p 3
becomes host-0 master 20
report $? "a credential is a secret, and the fabric comes up"
! grep -q 'no secret in' "$dir/log-host-0"
report $? "without a word"
start host-5 -p 9 --set secret_file="$dir/one"
becomes host-5 master 30 && becomes host-0 standby 20
report $? "one with the same secret and more priority is handed the subnet"
# The shell that starts it is not it: its own pid is in the status.
pid=$(on host-5 "$build/heddlectl" --json status | tr -d ' \n' | sed 's/.*"pid":\([0-9]*\).*/\1/')
grep -q '^Max core file size *0 *0 ' "/proc/$pid/limits"
report $? "no core file is written, which would hold keys"
end_sim

serve
start host-0 -p 3
becomes host-0 master 20
report $? "a manager without a secret comes up"
grep -q 'no secret in .*: made .*/secret; managers that stand by' "$dir/log-host-0"
report $? "makes one where its state is, and says so"
start host-5 -p 9
becomes host-5 standby 30 && sleep 3 && becomes host-0 master 5
report $? "another one without a secret is handed nothing"
on host-0 "$build/heddlectl" --json status >"$dir/status"
grep -q 'has another SM_Key' "$dir/status" && on host-0 "$build/heddlectl" status | grep -q '^Other SM .*priority 9, standby: has another SM_Key'
report $? "which its status tells"
end_sim

# ---- never showing it ----
serve
sm=0x5ec4e7515ec4e751
sa=0x5ec4e75a5ec4e75a
m=0x5ec4e75b5ec4e75b
cat >"$dir/conf" <<END
sm_key = $sm
sa_key = $sa
m_key = $m
END
"$build/heddle-sim" exec --name $name --node host-0 -- "$build/heddled" -F "$dir/conf" -v -v -v -v >"$dir/log-host-0" 2>&1 &
pids="$pids $!"
becomes host-0 master 20
report $? "a manager with keys that were set comes up"
pid=$(on host-0 "$build/heddlectl" --json status | tr -d ' \n' | sed 's/.*"pid":\([0-9]*\).*/\1/')
sed -i 's/^m_key.*/m_key = 0x5ec4e75b5ec4e75c/; 1i sm_key = 0x5ec4e7515ec4e751x' "$dir/conf"
kill -HUP "$pid"
for _ in $(seq 100); do grep -q 'stays as it was' "$dir/log-host-0" && break; sleep 0.1; done
sed -i 1d "$dir/conf"
kill -HUP "$pid"
for _ in $(seq 100); do grep -q 'needs a restart' "$dir/log-host-0" && break; sleep 0.1; done
grep -q 'stays as it was' "$dir/log-host-0" && grep -q 'another m_key needs a restart' "$dir/log-host-0"
report $? "faults in keys are told"
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
report $? "there is a dump, a status and a snapshot"
! grep -qiE '5ec4e75|6828977[0-9]{10}' "$dir/all"
report $? "no key is in them, nor in the log"
secrets=$(cat "$dir/one" "$dir/credentials/heddle-secret" | sort -u)
! grep -qF "$secrets" "$dir"/log-* "$dir/status"
report $? "nor the secret"
end_sim
echo "1..$count"
