# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The rules between rooms: build-aux/rooms says which room may use which, and build-aux/prefixes
what public names begin with.

A room may use what its doors may use.  Includes and calls go through the same doors: the text of a
file shows the includes, the symbols of its object show the calls.  A pure room needs only what
PURE_OK names, and calls only what is pure."""
import os
import re

# What a pure room may take from the C library: memory, strings, conversions, formatting, sorting,
# mathematics, JSON values.  It may read and write a FILE that is passed to it, but not open or
# close one; of the process' own only stderr, for a message before abort().  uthash calls exit()
# when memory is exhausted.
PURE_OK = re.compile(r"""(mem\w+ | str\w+ | __mem\w+ | __str\w+ | malloc | calloc | realloc |
    reallocarray | free | abort | exit | qsort | bsearch | v?as?n?printf | (__)?v?snprintf(_chk)? |
    sprintf | sscanf | (__)?v?s?printf_chk | __v?asprintf_chk | (__)?v?fprintf(_chk)? | fputs | fputc |
    putc | fwrite | fread | (f|un)?getc | fgets | ferror | feof | fflush | fseeko | ftello | (__)?getdelim |
    getline | __uflow | __overflow | stderr | jsonp_\w+ |
    json_(?!dump_file|dumpfd|load_file|loadfd)\w+ |
    is(digit|print|space|xdigit|alnum|alpha) | to(upper|lower) | __ctype_\w+ | __isoc\d+_\w+ |
    __errno_location | gmtime_r | inet_(ntop|pton) | fnmatch | __assert_fail | __stack_chk_fail |
    (sqrt|cos|sin|sincos|hypot|log|log2|log10|pow|exp|floor|ceil|l?l?round|fmod)f? |
    __fortify_fail | __(popcount|clz|ctz|u?div|u?mod|mul)\w*[sdt]i\d | _GLOBAL_OFFSET_TABLE_ |
    __(asan|ubsan|tsan|sanitizer|gcov)\w*)""", re.X)


FOREIGN = ("mad", "umad", "smp", "ib")


class Rooms:
    """build-aux/rooms: "room [pure] [impure FILE...] [leaves SYMBOL]...: doors"."""

    def __init__(self, top):
        self.doors, self.pure, self.impure, self.leaves, self.prefixes = {}, set(), set(), {}, {}
        for head, tail in self.rows(os.path.join(top, "build-aux/rooms")):
            room, *words = head.split()
            self.doors[room] = tail.split()
            self.leaves[room] = set()
            while words:
                word = words.pop(0)
                if word == "pure":
                    self.pure.add(room)
                elif word == "impure" and words:
                    while words and words[0].endswith(".c"):
                        self.impure.add(f"{room}/{words.pop(0)}")
                elif word == "leaves" and words:
                    self.leaves[room].add(words.pop(0))
                else:
                    raise SystemExit(f"build-aux/rooms: {room}: what is '{word}'?")
        for room, doors in self.doors.items():
            for door in doors:
                if door != "*" and door not in self.doors:
                    raise SystemExit(f"build-aux/rooms: {room} has a door to {door}, "
                                     "which is no room")
        self.allowed = {room: self.reach(room, {room}) for room in self.doors}
        path = os.path.join(top, "build-aux/prefixes")
        for room, words in self.rows(path) if os.path.exists(path) else ():
            self.prefixes[room] = words.split()

    @staticmethod
    def rows(path):
        with open(path) as f:
            for line in f:
                head, colon, tail = line.split("#")[0].partition(":")
                if colon:
                    yield head.strip(), tail

    def reach(self, room, seen):
        for door in self.doors[room]:
            for to in self.doors if door == "*" else [door]:
                if to not in seen:
                    seen.add(to)
                    self.reach(to, seen)
        return seen

    def of(self, path):
        while path:
            path = path.rpartition("/")[0]
            if path in self.doors:
                return path
        return ""

    def is_pure(self, path):
        return self.of(path) in self.pure and path not in self.impure

    def prefixes_of(self, tree):
        """What public names of each room may begin with: the name of the room, the names of its
        files, and what build-aux/prefixes adds. A room within a room may use the name of the outer one."""
        out = {r: set(r.split("/")[1:] or [r]) | set(self.prefixes.get(r, ())) for r in self.doors}
        for f in tree.product(".c", ".h", ".def"):
            if self.of(f):
                out[self.of(f)].add(os.path.splitext(os.path.basename(f))[0])
        return out


def check_includes(tree, rooms):
    files = set(tree.files)
    for f in tree.files:
        if not f.endswith((".c", ".h")) or not rooms.of(f):
            continue
        for n, what, angle in tree.includes(f):
            if what in files and angle:
                yield f, n, "include", f"<{what}> is ours: include it with quotes"
            if what.startswith("/") or ".." in what:
                yield f, n, "include", f'"{what}": include from the top of the tree'
            to = rooms.of(what) if what in files else ""
            if to and to not in rooms.allowed[rooms.of(f)]:
                yield f, n, "door", (f"{rooms.of(f)} has no door to {to}: move the code, or "
                                     "discuss the door in docs/decisions/")


def check_calls(tree, rooms, symbols):
    for f, makers, symbol in symbols.calls():
        room = rooms.of(f)
        homes = {rooms.of(m) for m in makers}
        if room and not homes & rooms.allowed[room] and symbol not in rooms.leaves[room]:
            where = " ".join(sorted(homes))
            yield f, 1, "call", f"needs {symbol} of {where}, to which {room} has no door"
        pure = any(rooms.is_pure(m) for m in makers) or symbol in rooms.leaves.get(room, ())
        if rooms.is_pure(f) and not pure:
            yield f, 1, "pure", f"a pure room calls {symbol} of {makers[0]}, which is not pure"


def check_pure(tree, rooms, symbols):
    for f in sorted(set(symbols.needed) | set(symbols.defined)):
        if not rooms.is_pure(f):
            continue
        for symbol, shared in sorted(symbols.needed.get(f, ())):
            if (symbol, shared) not in symbols.makers and not PURE_OK.fullmatch(symbol):
                yield f, 1, "pure", f"a pure room needs {symbol}: hand it in instead"
        for name, line in tree.statics(f):
            yield f, line, "pure", f"a pure room keeps state in the static '{name}'"


def check_prefixes(tree, rooms, symbols):
    prefixes = rooms.prefixes_of(tree)
    names = [(f, 1, name) for f in symbols.defined for name in symbols.defined[f] if name != "main"]
    names += [(f, line, name) for f in tree.product(".h") for name, line, _ in tree.functions(f)]
    for f, line, name in sorted(names):
        words = name.split("_")
        room = rooms.of(f)
        if room and words[0] in FOREIGN and room != "sim/shim":
            yield f, line, "prefix", (f"'{name}': names that begin with {words[0]}_ belong to "
                                      "libibmad and libibumad")
        begins = {"_".join(words[:i]) for i in range(1, len(words) + 1)}
        if room and not begins & prefixes[room]:
            yield f, line, "prefix", (f"'{name}' begins with no prefix of {room} "
                                      "(build-aux/prefixes)")
