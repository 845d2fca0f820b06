#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# Does build-aux/check-rooms find what it promises?  A small tree that breaks no rule passes; with one file more, or another, the
# finding is reported.  Each rule has a case that breaks it.
. "${top_srcdir:-.}/tests/system/lib.sh"
checker=$(cd "${top_srcdir:-.}" && pwd)/build-aux/check-rooms
for tool in python3 readelf; do
	command -v $tool >/dev/null || skip_all "no $tool"
done
CC=$(sed -n 's/^CC = //p' "$build/Makefile")
[ -n "$CC" ] || skip_all "no compiler is configured"
lib_begin
licence='SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB'

# write FILE: standard input, behind a licence line
write() {
	mkdir -p "$(dirname "$dir/tree/$1")"
	{
		case $1 in
		*.c | *.h | *.def) echo "/* $licence */" ;;
		*) echo "# $licence" ;;
		esac
		cat
	} >"$dir/tree/$1"
}

compile() {
	(cd "$dir/tree" && find . -name '*.c' | while read -r file; do
		object=build/${file%.c}.o
		mkdir -p "$(dirname "$object")"
		[ "$object" -nt "$file" ] || $CC -w -O1 -I. -c -o "$object" "$file" || exit 1
	done) >"$dir/out" 2>&1 || lib_bail "a file does not compile"
}

# The tree that breaks no rule: a pure room, one above it, and one that reads the clock.
mkdir -p "$dir/tree/build"
echo "CC = $CC" >"$dir/tree/build/Makefile"
: >"$dir/tree/build/config.h"
write build-aux/rooms <<'X'
util pure impure clock.c:
libmad/wire pure: util
sm/plan pure: libmad/wire
sm/daemon: sm/plan
diags: util
X
write build-aux/prefixes <<'X'
util: now
X
write build-aux/measures <<'X'
room-c-files 20 20
room-lines 5000 5000
rooms-too-large 0 0
circle-files 4 4
circles-too-large 0 0
rooms-in-circles 0 0
structure-members 25 25
structures-too-large 0 0
manager-files 0 0
long-functions 0 0
short-names 0 0
wide-lines-percent 0 0
diags-statics 0 0
X
write build-aux/known-findings </dev/null
write util/arena.h <<'X'
#ifndef ARENA_H
#define ARENA_H
#include <stddef.h>
void *arena_alloc(size_t bytes);
static inline int arena_is_empty(void) { return 1; }
#endif
X
write util/arena.c <<'X'
#include <stdlib.h>
#include "util/arena.h"
void *
arena_alloc(size_t bytes)
{
	static const char *const text = "a constant";

	return malloc(bytes + (size_t)text[0]);
}
X
write util/clock.h <<'X'
long now_seconds(void);
X
write util/clock.c <<'X'
#include <time.h>
#include "util/clock.h"
long
now_seconds(void)
{
	return (long)time(NULL);
}
X
write libmad/wire/wire.h <<'X'
#include <stdint.h>
uint16_t wire_get16(const uint8_t *p);
X
write libmad/wire/wire.c <<'X'
#include <endian.h>
#include "libmad/wire/wire.h"
uint16_t
wire_get16(const uint8_t *p)
{
	return be16toh((uint16_t)(p[0] | p[1] << 8));
}
X
write sm/plan/plan.h <<'X'
int plan_make(void);
X
write sm/plan/plan.c <<'X'
#include "util/arena.h"
#include "sm/plan/plan.h"
int
plan_make(void)
{
	return arena_alloc(1) != (void *)0;
}
X
write sm/daemon/daemon.c <<'X'
#include "sm/plan/plan.h"
#include "util/clock.h"
int
main(void)
{
	return plan_make() && now_seconds() > 0;
}
X
write diags/tool.c <<'X'
#include "util/arena.h"
int
tool_start(void)
{
	return arena_is_empty();
}
X
cp -a "$dir/tree" "$dir/clean"

check() {
	compile
	"$checker" "$dir/tree" "$dir/tree/build" >"$dir/out" 2>&1
}

# passes NAME, finds NAME PATTERN: the tree as it is now; then it is clean again
passes() {
	check
	report $? "$1"
	again
}

finds() {
	check
	[ $? = 1 ] && grep -q -- "$2" "$dir/out"
	report $? "$1"
	again
}

again() {
	rm -rf "$dir/tree"
	cp -a "$dir/clean" "$dir/tree"
}

compile
cp -a "$dir/tree/build" "$dir/clean"
passes "a tree that breaks no rule passes"

# ---- doors ----
write sm/plan/late.c <<'X'
#include "sm/daemon/daemon.h"
X
write sm/daemon/daemon.h </dev/null
finds "an include without a door" 'late.c:2: sm/plan has no door to sm/daemon.*\[door\]'
write sm/plan/late.c <<'X'
#include <util/arena.h>
X
finds "our own header with <>" 'late.c:2: <util/arena.h> is ours.*\[include\]'
write sm/plan/late.c <<'X'
#include "sm/plan/../plan/plan.h"
X
finds "an include that climbs" 'late.c:2: .*include from the top of the tree'
write diags/call.c <<'X'
int plan_make(void);
int
call_plan(void)
{
	return plan_make();
}
X
finds "a call without a door" 'call.c:1: needs plan_make of sm/plan, to which diags has no door \[call\]'
write diags/call.c <<'X'
int plan_make(void);
int
call_plan(void)
{
	return plan_make();
}
X
sed -i 's/^diags:/diags leaves plan_make:/' "$dir/tree/build-aux/rooms"
passes "a symbol that a room leaves to the program needs no door"
echo 'sim: nowhere' >>"$dir/tree/build-aux/rooms"
finds "a door to what is no room" 'sim has a door to nowhere, which is no room'

# ---- purity ----
write sm/plan/time.c <<'X'
#include <time.h>
long
plan_time(void)
{
	return (long)time(NULL);
}
X
finds "a clock in a pure room" 'time.c:1: a pure room needs time: .*\[pure\]'
write sm/plan/time.c <<'X'
#include <stdio.h>
void *
plan_file(const char *path)
{
	return fopen(path, "r");
}
X
finds "a file that a pure room opens" 'a pure room needs fopen'
write sm/plan/time.c <<'X'
#include "util/clock.h"
long
plan_time(void)
{
	return now_seconds();
}
X
finds "purity is transitive" 'time.c:1: a pure room calls now_seconds of util/clock.c, which is not pure'
write sm/plan/time.c <<'X'
int
plan_next(void)
{
	static int last;

	return ++last;
}
X
finds "state in a pure room" "time.c:5: a pure room keeps state in the static 'last'"

# ---- prefixes ----
write sm/plan/more.c <<'X'
int
daemon_of(void)
{
	return 1;
}
X
finds "a function without the prefix of its room" "'daemon_of' begins with no prefix of sm/plan .*\[prefix\]"
write sm/plan/more.c <<'X'
int daemon_count;
X
finds "data without a prefix" "'daemon_count' begins with no prefix"
write sm/plan/mad.c <<'X'
int mad_count;
X
finds "a name of libibmad" "'mad_count': names that begin with mad_ belong to"
write sm/plan/more.h <<'X'
static inline int tell(void) { return 1; }
X
finds "an inline function without a prefix" "more.h:2: 'tell' begins with no prefix"
write sm/plan/more.c <<'X'
int
plan_more(void)
{
	return 1;
}
int
more_of_it(void)
{
	return 1;
}
X
passes "the room's name and the file's are prefixes"

# ---- files ----
write sm/plan/lone.h <<'X'
uint16_t plan_lid(void);
X
finds "a header that does not compile alone" "lone.h:2: does not compile alone: .*uint16_t.*\[header\]"
write sm/plan/foreign.c <<'X'
extern int plan_count;
int
plan_foreign(void)
{
	return 1;
}
X
finds "extern in a .c file" 'foreign.c:2: .*\[extern\]'
echo 'int plan_x;' >"$dir/tree/sm/plan/x.c"
finds "a file without a licence line" 'x.c:1: no SPDX line \[spdx\]'
write docs/map.md <<'X'
`util/arena.c` and `util/arena`, `sm/plan/NAME.c`, `sm/plan/gone.c`
X
finds "a file that a document names and that does not exist" 'docs/map.md:2: there is no sm/plan/gone.c \[path\]'
rm -r "$dir/tree/docs"
{
	printf 'int\nplan_long(void)\n{\n'
	yes '	;' | head -n 80
	printf '	return 1;\n}\n'
} | write sm/plan/long.c
finds "a function of more than 80 lines" 'long.c:4: plan_long has 82 lines'

# ---- tests ----
elsewhere() {   # elsewhere ROW...: build-aux/tests-elsewhere of the clean tree, and the rows
	{
		for file in sm/plan/plan.c sm/daemon/daemon.c diags/tool.c util/arena.c util/clock.c libmad/wire/wire.c; do
			[ ! -f "$dir/tree/$file" ] || echo "$file tests/system/all.sh runs everything"
		done
		printf '%s\n' "$@"
	} | write build-aux/tests-elsewhere
	write tests/system/all.sh </dev/null
	write sm/plan/late.c </dev/null
}
elsewhere 'sm/plan/late.c tests/system/all.sh reads no clock   # a comment'
passes "a file whose test is elsewhere"
elsewhere
finds "a file without a test" 'sm/plan/late.c:1: no test_late.c in tests for sm/plan.*\[test\]'
elsewhere
write tests/unit/plan/test_late.c </dev/null
passes "a test in a directory that is named like the room"
elsewhere
write tests/unit/sm/test_late.c </dev/null
passes "a test in the directory of the rooms around it"
elsewhere
write tests/unit/diags/plan/test_late.c </dev/null
finds "a test of the same name for another room" 'sm/plan/late.c:1: no test_late.c'
elsewhere 'sm/plan/late.c tests/system/all.sh reads'
write tests/unit/plan/test_late.c </dev/null
finds "a row for a file that has a test" 'tests-elsewhere:[0-9]*: sm/plan/late.c has a test of its own.*\[test\]'
elsewhere 'sm/plan/late.c tests/system/all.sh reads' 'sm/plan/gone.c tests/system/all.sh reads'
finds "a row for a file that is gone" 'sm/plan/gone.c is no file that needs a test'
elsewhere 'sm/plan/late.c tests/system/gone.sh reads'
finds "a row for a test that is gone" 'sm/plan/late.c: there is no tests/system/gone.sh'
elsewhere 'sm/plan/late.c tests/system/all.sh'
finds "a row without a reason" "sm/plan/late.c: a row is 'FILE TEST reason'"
elsewhere 'sm/plan/late.c tests/system/all.sh reads' 'sm/plan/late.c tests/system/all.sh reads'
finds "two rows for one file" 'sm/plan/late.c has a row already'

# ---- bytes of datagrams ----
bytes() {       # bytes NAME PATTERN STATEMENT: in a function of sm/plan
	printf '#include <stdint.h>\n#include <endian.h>\n#include "libmad/wire/wire.h"\nstruct info { int lid; };\n' >"$dir/body"
	printf 'int\nplan_bytes(uint8_t *mad, const uint8_t *gid)\n{\n\t%s\n}\n' "$3" >>"$dir/body"
	write sm/plan/bytes.c <"$dir/body"
	finds "$1" "bytes.c:9: .*\[$2\]"
}
bytes "a cast of a datagram" wire-cast 'return ((struct info *)mad)->lid;'
bytes "an offset into a datagram" wire-offset 'return *(mad + 64);'
bytes "a byte of a datagram" wire-offset 'return mad[7];'
bytes "a place named in an enum" wire-offset 'enum { NOTICE_AT = 64 }; return NOTICE_AT;'
bytes "an offset handed to an accessor" wire-offset 'return wire_get16(gid + 8);'
bytes "network order" wire-order 'return be16toh(3);'
write sm/plan/packed.h <<'X'
struct __attribute__((packed)) plan_row {
	int a;
};
X
finds "a packed structure" 'packed.h:2: a packed structure.*\[wire-cast\]'
write sm/plan/bytes.c <<'X'
#include <stdint.h>
int
plan_bytes(void)
{
	uint8_t data[64] = { 0 }, mad[256];     /* mad[7] in a comment, "mad + 64" */

	mad[sizeof(data)] = data[sizeof(mad) / 8];
	return mad[sizeof(data)];
}
X
passes "arrays and comments are no offsets"

# ---- known findings ----
write sm/plan/bytes.c <<'X'
#include <stdint.h>
int
plan_bytes(const uint8_t *mad)
{
	return mad[7] +
		mad[8];
}
X
cp "$dir/tree/sm/plan/bytes.c" "$dir/bytes.c"
echo 'sm/plan/bytes.c wire-offset 2' >>"$dir/tree/build-aux/known-findings"
passes "known findings pass"
cp "$dir/bytes.c" "$dir/tree/sm/plan/bytes.c"
echo 'sm/plan/bytes.c wire-offset 1' >>"$dir/tree/build-aux/known-findings"
finds "one more than is known fails" 'bytes.c:6: .*\[wire-offset\]'
cp "$dir/bytes.c" "$dir/tree/sm/plan/bytes.c"
echo 'sm/plan/bytes.c wire-offset 3' >>"$dir/tree/build-aux/known-findings"
check && grep -q 'bytes.c: 2 of 3 known findings \[wire-offset\] are left' "$dir/out" &&
	"$checker" --lower "$dir/tree" "$dir/tree/build" >"$dir/out" && grep -qx 'sm/plan/bytes.c wire-offset 2' "$dir/tree/build-aux/known-findings"
report $? "fewer than are known are reported, and --lower writes them"
again

cp "$dir/bytes.c" "$dir/tree/sm/plan/bytes.c"
echo 'sm/plan/gone.c wire-offset 2' >>"$dir/tree/build-aux/known-findings"
check
[ $? = 1 ] && "$checker" --lower "$dir/tree" "$dir/tree/build" >"$dir/out"
check && grep -qx 'sm/plan/bytes.c wire-offset 2' "$dir/tree/build-aux/known-findings" && ! grep -q gone.c "$dir/tree/build-aux/known-findings"
report $? "--lower lets known findings move with their code"
again
cp "$dir/bytes.c" "$dir/tree/sm/plan/bytes.c"
echo 'sm/plan/gone.c wire-offset 1' >>"$dir/tree/build-aux/known-findings"
check
"$checker" --lower "$dir/tree" "$dir/tree/build" >"$dir/out" 2>&1
finds "but not more of them" 'bytes.c:6: .*\[wire-offset\]'

# ---- measures ----
for i in 1 2 3 4 5; do
	printf 'int plan_ring_%s(void);\nint\nplan_ring_%s(void)\n{\n\treturn plan_ring_%s();\n}\n' $((i % 5 + 1)) $i $((i % 5 + 1)) |
		write sm/plan/ring_$i.c
done
finds "a circle of five files" 'circle-files is 5, 4 is the ceiling'
write libmad/wire/back.c <<'X'
#include "sm/plan/plan.h"
X
write sm/plan/forth.c <<'X'
#include "libmad/wire/wire.h"
X
sed -i 's|^libmad/wire pure:|& sm/plan|' "$dir/tree/build-aux/rooms"
finds "a circle of rooms" 'rooms-in-circles is 2'
{
	echo 'struct plan_large {'
	for i in 1 2 3 4 5 6 7 8 9; do echo "	int a$i, b$i; char *c$i[2];"; done
	echo '};'
} | write sm/plan/large.h
finds "a structure of more than 25 members" 'structure-members is 27'
{
	echo 'struct plan_parts {'
	echo '	struct { int a, b, c, d, e, f, g, h, i, j, k, l, m, n; } one; int (*two)(int a, int b);'
	echo '	struct { int a, b, c, d, e, f, g, h, i, j, k, l, m, n; } three;'
	echo '};'
} | write sm/plan/parts.h
passes "a structure that has its members in parts"
write sm/plan/manager.h <<'X'
struct manager;
X
finds "struct manager outside its room" 'manager-files is 1'
write diags/state.c <<'X'
static const char *const words[] = { "a", "b" };
static const char *last, *first;
static int (*called)(void);
static int tell(void);
static int
tell(void)
{
	return words[0] == last;
}
X
sed -i 's/^short-names 0 0/short-names 0 1/' "$dir/tree/build-aux/measures"
finds "statics of diags that can change" 'diags-statics is 3'
write sm/plan/short.c <<'X'
static int
find(void)
{
	return 1;
}
X
finds "a name of four letters" 'short-names is 1'
printf 'int plan_wide; /* %090d */\n' 1 | write sm/plan/wide.c
finds "lines over 100 columns" 'wide-lines-percent is'
sed -i 's/^room-c-files 20 20/room-c-files 2 30/' "$dir/tree/build-aux/measures"
check && "$checker" --lower "$dir/tree" "$dir/tree/build" >"$dir/out" && grep -q '^room-c-files 2 2$' "$dir/tree/build-aux/measures"
report $? "--lower lowers a ceiling as far as its limit"
again
"$checker" --measures --lists --repo "$dir/tree" "$dir/tree/build" >"$dir/out" 2>&1 && grep -q '^sm/plan  *1  *10  *0' "$dir/out" &&
	grep -q '^short-names  *0$' "$dir/out"
report $? "--measures prints the table of any checkout"

# ---- changed lines ----
if command -v git >/dev/null; then
	git_() { git -C "$dir/tree" -c user.name=t -c user.email=t@localhost -c init.defaultBranch=main "$@" >"$dir/git" 2>&1; }
	cp "${top_srcdir:-.}/.clang-format" "$dir/tree"
	printf 'int  plan_old;\nint plan_wide; /* %090d */\n' 1 | write sm/plan/old.c
	git_ init && git_ add -A && git_ commit -m all || { cp "$dir/git" "$dir/out"; lib_bail "git cannot be used"; }
	fails 0 "lines that nobody changed are left alone" 'check-style: 0 findings' "$checker" --style --base HEAD "$dir/tree"
	printf 'int plan_new; /* %090d */\n' 1 >>"$dir/tree/sm/plan/old.c"
	fails 1 "a changed line over 100 columns" 'old.c:4: .*\[columns\]' "$checker" --style --base HEAD "$dir/tree"
	if command -v clang-format >/dev/null; then
		printf 'int\nplan_new(void)\n{\n  return  1;\n}\n' | write sm/plan/new.c
		fails 1 "a line that clang-format writes otherwise" 'new.c:5: .*return 1; \[format\]' "$checker" --style --base HEAD "$dir/tree"
	else
		skip "a line that clang-format writes otherwise" "no clang-format"
	fi
else
	skip "changed lines" "no git"
fi
lib_end
