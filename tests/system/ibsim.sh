# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# ibsim.sh - functions for tests on the distribution's own simulator, ibsim.  A test sources this
# file, which sources lib.sh of the same directory ($here).  HEDDLE_PEERS names a directory into
# which ibsim-utils, its libraries and the other programs of a test are unpacked.
#
#   ibsim_begin [PROGRAM...]    lib_begin; skips the test if HEDDLE_PEERS lacks ibsim.  The example
#                               nets of ibsim are in $nets
#   ibsim_find                  after lib_begin, if only a part of a test needs ibsim: succeeds if
#                               ibsim is there; otherwise $why is the reason for skipping
#   ibsim_ours PROGRAM          succeeds if this program of ours can run there; otherwise $why
#   ibsim_start FILE            starts ibsim with this net; fails if ibsim refuses it, and $dir/out
#                               says why.  fabric_stop ends it
#   ibsim_hosts FILE            prints the hosts of a net
#   ibsim_on HOST COMMAND...    runs a command of ours on that host
#   ibsim_peer HOST TOOL ARGUMENT...    runs a tool of the distribution there
#   lines FILE                  prints a net without comments, sorted, because the order of nodes
#                               differs between programs
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
	# umad2sim reads beyond its allocations: a sanitized program must ignore that.
	echo 'interceptor_via_lib:libumad2sim' >"$dir/overlooked"
	overlook=${ASAN_OPTIONS:+$ASAN_OPTIONS:}suppressions=$dir/overlooked
}

ibsim_ours() {
	ldd "$1" >"$dir/linked"
	# The runtime of the sanitizer has to be loaded before other preloaded libraries.
	runtime=$(sed -n 's/.*=> \(.*libasan[^ ]*\).*/\1/p' "$dir/linked" | head -n 1)
	why="umad2sim and ThreadSanitizer's runtime wait for each other"
	! grep -q libtsan "$dir/linked"
}

ibsim_start() {
	IBSIM_SOCKNAME=$name-$count
	export IBSIM_SOCKNAME
	: >"$dir/ibsim"                 # removes the line of an earlier simulator
	(cd "$dir" && LD_LIBRARY_PATH=$libs exec "$ibsim" -s -n "$1" >"$dir/ibsim" 2>&1 </dev/null) &
	pids="$pids $!"
	lib_await "$dir/ibsim" 'simulator ready' $! && return
	cp "$dir/ibsim" "$dir/out"
	return 1
}

ibsim_hosts() {
	sed -n 's/^H\{0,1\}[Cc]a[[:space:]]*[0-9]*[[:space:]]*"\([^"]*\)".*/\1/p' "$1"
}

# umad2sim leaves its files in the working directory.
ibsim_on() {
	on_node=$1
	shift
	(cd "$dir" && SIM_HOST=$on_node LD_LIBRARY_PATH=$libs LD_PRELOAD="$runtime $umad2sim" ASAN_OPTIONS=$overlook \
		exec timeout "${LIMIT:-60}" "$@")
}

ibsim_peer() (
	runtime=                        # the distribution's programs are not sanitized
	on_host=$1 on_tool=$2
	shift 2
	ibsim_on "$on_host" "$peers/usr/sbin/$on_tool" "$@"
)

lines() {
	grep -v '^#' "$1" | LC_ALL=C sort
}
