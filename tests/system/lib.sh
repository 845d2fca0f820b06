# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# lib.sh - functions for the system tests: a simulated fabric, a subnet manager on it, the
# distribution's programs, TAP lines.  A test sources this file and then calls lib_begin.
#
# Begin and end
#   lib_begin [PROGRAM...]  creates the directory $dir; skips the test if HEDDLE_PEERS lacks one of
#                           these programs of the distribution
#   lib_end                 prints the TAP plan
#   skip_all REASON         ends the test as skipped
# Fabric
#   fabric_start SPEC [OPTION...]   starts heddle-sim; sets $name (of the fabric) and $fabric (its
#                           process id); its standard error is in $dir/sim
#   manager_start NODE [OPTION...]  starts heddled on the node; returns when the subnet is up
#   opensm_start NODE [OPTION...]   starts the distribution's opensm, and does not wait; its output
#                           is in $dir/opensm
#   opensm_up NODE          the same; returns when the SA answers host-0
#   fabric_stop             ends these programs and all processes in $pids
#   fabric_right [PORTS]    succeeds if PORTS ports (default: all with a link) are ACTIVE, each port
#                           has a LID of its own, and every walk over the forwarding tables arrives;
#                           the simulator's summary is in $dir/summary
#   number LABEL            prints the value of that label in $dir/summary
#   sees NODE RECORDS       succeeds if the distribution's saquery -N prints so many records there
#   ctl COMMAND...          heddle-sim ctl, output in $dir/ctl; a failure ends the test
# Programs
#   on NODE COMMAND...      runs one of our programs on the node
#   peer_on NODE TOOL ARGUMENT...       runs a program of the distribution there
#   peer_script NODE TOOL ARGUMENT...   runs a Perl script of the distribution there, with its
#                           programs in PATH; it caches topologies in $dir/perl/cache
#   peer_perl               prepares peer_script; succeeds if the machine has the Perl for it
#   spawn NODE FILE COMMAND...          starts one of our programs there, output in FILE; sets $last
#                           (its process id)
#   peer_spawn NODE FILE TOOL ARGUMENT...   the same with a program of the distribution
#   within SECONDS COMMAND...           repeats the command until it succeeds
#   try STATUS COMMAND...   runs one of ours on host-0, output in $dir/out, standard error in
#                           $dir/err; succeeds if the exit status is STATUS, else $dir/out says why
# TAP lines
#   report STATUS NAME [FILE]   ok if STATUS is 0; else the file ($dir/out) is shown
#   same FILE FILE NAME         ok if the files are equal; else the difference is shown
#   fails STATUS NAME PATTERN COMMAND...    ok if the command, run on this machine, ends with STATUS
#                           and its output matches PATTERN (an empty one matches everything)
#   skip NAME REASON
# Variables with names on_* belong to this file, because callers have a $node and a $tool.
peers=${HEDDLE_PEERS:-}
build=${top_builddir:-.}
case $build in /*) ;; *) build=$PWD/$build ;; esac
sim=$build/heddle-sim
count=0
pids= manager=

fabric_stop() {
	[ -z "$manager" ] || kill -9 "$manager" 2>/dev/null     # opensm may react slowly to SIGTERM
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
			skip_all "HEDDLE_PEERS names no directory with $tool"
		fi
	done
	libs= wrap=
	if [ -n "$peers" ]; then
		libs=$(find "$peers/usr/lib" -name libibmad.so.5 2>/dev/null | head -n 1)
		wrap=$(find "$peers" -name libwrap.so.0 2>/dev/null | head -n 1)
	fi
	libs=${libs%/*}${wrap:+:${wrap%/*}}
	[ "${#TMPDIR}" -le 30 ] || TMPDIR=/tmp          # paths of sockets are short
	dir=$(mktemp -d) || exit 99
	export XDG_RUNTIME_DIR="$dir" RUNTIME_DIRECTORY="$dir" HEDDLE_SIM_DIR="$dir"
	unset STATE_DIRECTORY NOTIFY_SOCKET
	name=t$$                        # likewise
	trap lib_stop EXIT
	trap 'exit 99' HUP INT TERM PIPE
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

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

fails() {
	on_want=$1 on_name=$2 on_pattern=$3
	shift 3
	timeout 20 "$@" >"$dir/out" 2>&1 </dev/null
	[ $? = "$on_want" ] && { [ -z "$on_pattern" ] || grep -q -- "$on_pattern" "$dir/out"; }
	report $? "$on_name"
}

lib_bail() {
	sed 's/^/# /' "$dir/out"
	echo "Bail out! $1"
	exit 99
}

# lib_await FILE PATTERN PID: waits until a line of the file matches; fails if the process ends.
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
	"$sim" serve --name "$name" --topology "$spec" "$@" >"$dir/ready" 2>"$dir/sim" &
	fabric=$!
	pids="$pids $fabric"
	lib_await "$dir/ready" '^ready$' "$fabric" || { cp "$dir/sim" "$dir/out"; lib_bail "heddle-sim does not start"; }
}

manager_start() {
	on_node=$1
	shift
	spawn "$on_node" "$dir/manager" "$build/heddled" "$@"
	manager=$last
	lib_await "$dir/manager" 'SUBNET UP' "$manager" || { cp "$dir/manager" "$dir/out"; lib_bail "heddled does not bring the subnet up"; }
}

opensm_start() {
	on_node=$1
	shift
	peer_spawn "$on_node" "$dir/opensm" opensm "$@"
	manager=$last
}

opensm_up() {
	opensm_start "$1" -f "$dir/opensm.log"
	within 60 peer_on host-0 saquery CPI || lib_bail "opensm does not bring the subnet up"
}

fabric_right() {
	"$sim" ctl --name "$name" summary >"$dir/summary" 2>&1 || return 1
	[ "$(number 'ports active')" = "${1:-$(number 'ports linked')}" ] && [ "$(number 'ports active')" -gt 0 ] &&
		[ "$(number 'lids missing')" = 0 ] && [ "$(number 'lids duplicate')" = 0 ] && [ "$(number 'walks lost')" = 0 ]
}

number() {
	sed -n "s/^$1: //p" "$dir/summary"
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

peer_perl() {
	if [ ! -d "$dir/perl" ]; then
		mkdir "$dir/perl" "$dir/perl/cache"
		sed "s|/var/cache/infiniband-diags|$dir/perl/cache|" "$peers/usr/share/perl5/IBswcountlimits.pm" >"$dir/perl/IBswcountlimits.pm" 2>/dev/null
	fi
	perl -I "$dir/perl" -e 'use IBswcountlimits; use Getopt::Std' 2>/dev/null
}

peer_script() {
	on_node=$1 on_tool=$2
	shift 2
	LD_LIBRARY_PATH=$libs PERL5LIB=$dir/perl PATH=$peers/usr/sbin:$PATH timeout "${LIMIT:-60}" "$sim" exec --name "$name" --node "$on_node" -- \
		perl "$peers/usr/sbin/$on_tool" "$@"
}

spawn() {
	on_node=$1 on_file=$2
	shift 2
	: >"$on_file"                   # no output of an earlier process stays there
	"$sim" exec --name "$name" --node "$on_node" -- "$@" >"$on_file" 2>&1 &
	last=$!
	pids="$pids $last"
}

peer_spawn() {
	on_node=$1 on_file=$2 on_tool=$3
	shift 3
	: >"$on_file"
	LD_LIBRARY_PATH=$libs "$sim" exec --name "$name" --node "$on_node" -- "$peers/usr/sbin/$on_tool" "$@" >"$on_file" 2>&1 &
	last=$!
	pids="$pids $last"
}
