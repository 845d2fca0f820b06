# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# ibsim.sh - what the tests on the distribution's own simulator share.  Sourced by them; brings lib.sh with it, which lies beside it
# ($here).  HEDDLE_PEERS names a directory into which ibsim-utils, its libraries and what else a test needs are unpacked.
#
#   ibsim_begin [PROGRAM...]        lib_begin; skips the test when HEDDLE_PEERS lacks ibsim, whose example nets are in $nets
#   ibsim_find                      for a test of which that is a part, after lib_begin: whether ibsim is there; else $why is the reason to skip
#   ibsim_ours PROGRAM              a program of ours that will run there: whether it can; else $why
#   ibsim_start FILE                a fabric; false when ibsim does not take it, and $dir/out says why.  fabric_stop ends it
#   ibsim_hosts FILE                the hosts of a net
#   ibsim_on HOST COMMAND...        a command of ours as if on that host
#   ibsim_peer HOST TOOL ARGUMENT...    a tool of the distribution there
#   lines FILE                      a net without comments, sorted, for the order of nodes is each program's own
. "$here/lib.sh"
runtime=

ibsim_begin() {
	lib_begin "$@"
	ibsim_find || skip_all "$why"
}

ibsim_find() {
	why="HEDDLE_PEERS names no directory with ibsim"
	[ -n "$peers" ] || return 1
	ibsim=$peers/usr/bin/ibsim
	nets=$peers/usr/share/doc/ibsim-utils/net-examples
	umad2sim=$(find "$peers/usr/lib" -name libumad2sim.so 2>/dev/null | head -n 1)
	[ -x "$ibsim" ] && [ -d "$nets" ] && [ -n "$umad2sim" ] || return 1
	libs=$(dirname "$(dirname "$umad2sim")"):$libs
	# umad2sim reads beyond what it allocated: a sanitized program is to overlook that.
	echo 'interceptor_via_lib:libumad2sim' >"$dir/overlooked"
	overlook=${ASAN_OPTIONS:+$ASAN_OPTIONS:}suppressions=$dir/overlooked
}

ibsim_ours() {
	ldd "$1" >"$dir/linked"
	# Its runtime has to be there before anything that is preloaded.
	runtime=$(sed -n 's/.*=> \(.*libasan[^ ]*\).*/\1/p' "$dir/linked" | head -n 1)
	why="umad2sim and ThreadSanitizer's runtime wait for each other"
	! grep -q libtsan "$dir/linked"
}

ibsim_start() {
	IBSIM_SOCKNAME=$name-$count
	export IBSIM_SOCKNAME
	: >"$dir/ibsim"                 # the last simulator was ready, too
	(cd "$dir" && LD_LIBRARY_PATH=$libs exec "$ibsim" -s -n "$1" >"$dir/ibsim" 2>&1 </dev/null) &
	pids="$pids $!"
	lib_await "$dir/ibsim" 'simulator ready' $! && return
	cp "$dir/ibsim" "$dir/out"
	return 1
}

ibsim_hosts() {
	sed -n 's/^H\{0,1\}[Cc]a[[:space:]]*[0-9]*[[:space:]]*"\([^"]*\)".*/\1/p' "$1"
}

# umad2sim leaves its files where it is started.
ibsim_on() {
	on_node=$1
	shift
	(cd "$dir" && SIM_HOST=$on_node LD_LIBRARY_PATH=$libs LD_PRELOAD="$runtime $umad2sim" ASAN_OPTIONS=$overlook \
		exec timeout "${LIMIT:-60}" "$@")
}

ibsim_peer() (
	runtime=                        # the distribution's own programs run as they are
	on_host=$1 on_tool=$2
	shift 2
	ibsim_on "$on_host" "$peers/usr/sbin/$on_tool" "$@"
)

lines() {
	grep -v '^#' "$1" | LC_ALL=C sort
}
