# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# lib.sh - what the system tests share: a simulated fabric, a manager on it, the distribution's programs, TAP lines.
# Sourced by the tests, after which they call lib_begin.
#
#   lib_begin [PROGRAM...]          a directory $dir; skips the test when HEDDLE_PEERS lacks one of these programs
#   fabric_start SPEC [OPTION...]   a heddle-sim fabric; its name is $name
#   manager_start NODE [OPTION...]  heddled there; waits until the subnet is up
#   opensm_start NODE [OPTION...]   the distribution's opensm there; does not wait.  Its standard output is in $dir/opensm
#   opensm_up NODE                  the same; waits until its subnet administration answers host-0
#   fabric_stop                     ends all of them, and what else is in $pids
#   fabric_right PORTS              whether so many ports are ACTIVE and every walk arrives
#   sees NODE RECORDS               whether the distribution's saquery -N finds so many there
#   within SECONDS COMMAND...       tries until the command succeeds
#   on NODE COMMAND...              a command of ours on that node
#   peer_on NODE TOOL ARGUMENT...   a tool of the distribution there
#   try STATUS COMMAND...           one of ours on host-0: what it prints is in $dir/out and $dir/err; does it end so?  If not, out says why
#   ctl COMMAND...                  heddle-sim ctl; the test ends when it fails.  What it prints is in $dir/ctl
#   report STATUS NAME [FILE]       a TAP line; the file ($dir/out) is shown when it is not ok
#   same FILE FILE NAME             a TAP line; the difference is shown
#   skip NAME REASON
#   lib_end                         the plan
# The variables that begin with on_ are of this file alone: callers have a $node and a $tool.
peers=${HEDDLE_PEERS:-}
build=${top_builddir:-.}
case $build in /*) ;; *) build=$PWD/$build ;; esac
sim=$build/heddle-sim
count=0
pids= manager=

fabric_stop() {
	[ -z "$manager" ] || kill -9 "$manager" 2>/dev/null     # opensm may take its time over SIGTERM
	for p in $pids; do kill "$p" 2>/dev/null; done
	wait 2>/dev/null
	pids= manager=
}

lib_stop() {
	fabric_stop
	rm -rf "$dir"
}

lib_begin() {
	for tool in "$@"; do
		if [ -z "$peers" ] || [ ! -x "$peers/usr/sbin/$tool" ]; then
			echo "1..0 # SKIP HEDDLE_PEERS names no directory with $tool"
			exit 0
		fi
	done
	libs=$(find "$peers/usr/lib" -name libibmad.so.5 2>/dev/null | head -n 1)
	wrap=$(find "$peers" -name libwrap.so.0 2>/dev/null | head -n 1)
	libs=${libs%/*}${wrap:+:${wrap%/*}}
	dir=$(mktemp -d) || exit 99
	export XDG_RUNTIME_DIR="$dir" RUNTIME_DIRECTORY="$dir"
	unset STATE_DIRECTORY NOTIFY_SOCKET
	name=$(basename "$0" .sh)-$$
	trap lib_stop EXIT
	trap 'exit 99' HUP INT TERM
	: >"$dir/out"
}

lib_end() {
	echo "1..$count"
}

report() {
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		sed 's/^/# /' "${3:-$dir/out}" | head -n 30
	fi
}

same() {
	diff "$1" "$2" >"$dir/diff"
	report $? "$3" "$dir/diff"
}

skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

lib_bail() {
	sed 's/^/# /' "$dir/out"
	echo "Bail out! $1"
	exit 99
}

# lib_await FILE PATTERN PID: until the line is in the file; a process that ends first ends the wait.
lib_await() {
	tries=0
	until grep -q "$2" "$1"; do
		tries=$((tries + 1))
		if [ "$tries" -gt 600 ] || ! kill -0 "$3" 2>/dev/null; then
			return 1
		fi
		sleep 0.05
	done
}

fabric_start() {
	spec=$1
	shift
	: >"$dir/ready"
	"$sim" serve --name "$name" --topology "$spec" "$@" >"$dir/ready" 2>"$dir/out" &
	pids="$pids $!"
	lib_await "$dir/ready" '^ready$' $! || lib_bail "heddle-sim does not start"
}

manager_start() {
	on_node=$1
	shift
	: >"$dir/manager"
	"$sim" exec --name "$name" --node "$on_node" -- "$build/heddled" "$@" >"$dir/manager" 2>&1 &
	manager=$!
	pids="$pids $manager"
	lib_await "$dir/manager" 'SUBNET UP' "$manager" || { cp "$dir/manager" "$dir/out"; lib_bail "heddled does not bring the subnet up"; }
}

opensm_start() {
	on_node=$1
	shift
	LD_LIBRARY_PATH=$libs "$sim" exec --name "$name" --node "$on_node" -- "$peers/usr/sbin/opensm" "$@" >"$dir/opensm" 2>&1 &
	manager=$!
	pids="$pids $manager"
}

opensm_up() {
	opensm_start "$1" -f "$dir/opensm.log"
	within 60 peer_on host-0 saquery CPI || lib_bail "opensm does not bring the subnet up"
}

fabric_right() {
	sum=$("$sim" ctl --name "$name" summary) || return 1
	[ "$(printf '%s\n' "$sum" | sed -n 's/^ports active: //p')" = "$1" ] && printf '%s\n' "$sum" | grep -qx 'walks lost: 0'
}

sees() {
	[ "$(peer_on "$1" saquery -N 2>/dev/null | grep -c 'NodeRecord dump')" = "$2" ]
}

within() {
	tries=$(($1 * 5))
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.2
	done
}

on() {
	on_node=$1
	shift
	timeout "${LIMIT:-60}" "$sim" exec --name "$name" --node "$on_node" -- "$@"
}

try() {
	on_want=$1
	shift
	on host-0 "$@" >"$dir/out" 2>"$dir/err"
	on_got=$?
	[ "$on_got" != "$on_want" ] || return 0
	{ head -c 300 "$dir/out"; cat "$dir/err"; echo "exit status $on_got, wanted $on_want"; } >"$dir/short"
	mv "$dir/short" "$dir/out"
	return 1
}

ctl() {
	"$sim" ctl --name "$name" "$@" >"$dir/ctl" 2>&1 || { mv "$dir/ctl" "$dir/out"; lib_bail "heddle-sim ctl $* fails"; }
}

peer_on() {
	on_node=$1 on_tool=$2
	shift 2
	IBPATH=$peers/usr/sbin LD_LIBRARY_PATH=$libs timeout "${LIMIT:-60}" "$sim" exec --name "$name" --node "$on_node" -- "$peers/usr/sbin/$on_tool" "$@"
}
