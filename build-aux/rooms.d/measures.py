# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The measures of the tree: a table of its rooms, and figures whose limits and ceilings
build-aux/measures keeps."""
import math
import os
import re

import source
import symbols as sym

SHORT = 5
FUNCTION_LINES = 80
COLUMNS = 100
MEMBERS = 25
ROOM_FILES, ROOM_LINES, CIRCLE_FILES = 20, 5000, 4
# Names that the C library prescribes: sim/shim takes the place of these functions.
LIBC = {"open", "close", "read", "write", "poll", "ppoll", "ioctl"}


def room_table(tree, inside):
    """{room: (C files, lines, files of the largest circle)}; a room is a directory here."""
    rooms, files = {}, set(tree.files)
    for f in tree.product(".c", ".h", ".def"):
        n, lines, circle = rooms.get(os.path.dirname(f), (0, 0, None))
        rooms[os.path.dirname(f)] = (n + f.endswith(".c"), lines + tree.text(f).count("\n"), circle)
    for room, (n, lines, _) in rooms.items():
        # A header without a .c file ties files together, and is not counted as one of them.
        found = [[u for u in c if u + ".c" in files] for c in sym.circles(inside.get(room, {}))]
        rooms[room] = n, lines, max(found, key=len, default=[])
    return rooms


def sources(tree, top=""):
    return [f for f in tree.product(".c", ".h") if f.startswith(top)]


def short_names(tree):
    def prescribed(f, name):
        return name == "main" or name in LIBC and f.startswith("sim/shim/")

    return [(f, line, name) for f in sources(tree) for name, line, _ in tree.functions(f)
            if len(name) <= SHORT and not prescribed(f, name)]


def long_functions(tree, limit):
    return [(f, line, name, n) for f in sources(tree) for name, line, n in tree.functions(f)
            if n > limit]


def long_structures(tree):
    return [(f, line, name, n) for f in sources(tree, "sm/") if not f.startswith("sm/conf/")
            for name, line, n in tree.structures(f) if n > MEMBERS]


def manager_files(tree):
    return [f for f in sources(tree, "sm/") if re.search(r"\bstruct manager\b", tree.code(f))]


def mutable_statics(tree):
    return [(f, line, name) for f in sources(tree, "diags/") for name, line in tree.statics(f)]


def wide_lines(tree):
    """[(file, line)], and how many lines there are."""
    out, total = [], 0
    for f in tree.product(".c", ".h", ".def"):
        lines = tree.text(f).splitlines()
        total += len(lines)
        out += [(f, n) for n, line in enumerate(lines, 1) if source.columns(line) > COLUMNS]
    return out, total


class Measures:
    def __init__(self, tree, symbols):
        inside, between = sym.graphs(tree, symbols)
        self.rooms, self.between = room_table(tree, inside), sym.circles(between)
        self.short, self.long = short_names(tree), long_functions(tree, FUNCTION_LINES)
        self.structures, self.manager = long_structures(tree), manager_files(tree)
        self.statics = mutable_statics(tree)
        self.wide, self.lines = wide_lines(tree)

    def figures(self):
        tools = "diags/tools" if "diags/tools" in self.rooms else "diags"    # a file for each tool
        sized = [r for name, r in self.rooms.items()
                 if name != tools and name.split("/")[0] in ("sm", "diags", "fabric", "sim")]
        outside = [f for f in self.manager if not f.startswith(("sm/manager/", "sm/daemon/"))]
        return {
            "room-c-files": max((r[0] for r in sized), default=0),
            "room-lines": max((r[1] for r in sized), default=0),
            "rooms-too-large": sum(r[0] > ROOM_FILES or r[1] > ROOM_LINES for r in sized),
            "circle-files": max((len(r[2]) for r in self.rooms.values()), default=0),
            "circles-too-large": sum(len(r[2]) > CIRCLE_FILES for r in self.rooms.values()),
            "rooms-in-circles": sum(len(c) for c in self.between),
            "structure-members": max((n for _, _, _, n in self.structures), default=0),
            "structures-too-large": len(self.structures),
            "manager-files": len(outside),
            "long-functions": len(self.long),
            "short-names": len(self.short),
            "wide-lines-percent": round(100 * len(self.wide) / max(self.lines, 1), 2),
            "diags-statics": len(self.statics),
        }

    def table(self, limits=None):
        wide, short = {}, {}
        for counts, rows in ((wide, self.wide), (short, self.short)):
            for row in rows:
                counts[os.path.dirname(row[0])] = counts.get(os.path.dirname(row[0]), 0) + 1
        print(f"{'room':<18}{'.c files':>9}{'lines':>8}{'circle':>8}{'short':>7}{'wide':>6}"
              "  largest circle")
        for room, (files, lines, circle) in sorted(self.rooms.items()):
            names = " ".join(os.path.basename(u) for u in circle)
            print(f"{room:<18}{files:>9}{lines:>8}{len(circle):>8}{short.get(room, 0):>7}"
                  f"{wide.get(room, 0):>6}  {names}".rstrip())
        print()
        for name, value in self.figures().items():
            limit = f"   limit {limits[name][0]:g}" if limits and name in limits else ""
            print(f"{name:<22}{value:>9}{limit}")
        for c in self.between:
            print("circle of rooms: " + " ".join(c))

    def lists(self):
        for title, rows in (("functions with short names", self.short),
                            ("mutable statics in diags", self.statics),
                            ("structures with too many members in sm", self.structures),
                            ("long functions", self.long)):
            print(f"\n{title}: {len(rows)}")
            for row in rows:
                print(f"  {row[0]}:{row[1]}: {' '.join(str(x) for x in row[2:])}")
        print(f"\nfiles of sm that name struct manager: {len(self.manager)}")
        for f in self.manager:
            print("  " + f)
        print("\nlines over 100 columns, by file:")
        counts = {}
        for f, _ in self.wide:
            counts[f] = counts.get(f, 0) + 1
        for f, n in sorted(counts.items(), key=lambda x: (-x[1], x[0])):
            print(f"  {n:>4} {f}")


def read_limits(path):
    """{measure: [limit, ceiling]} of lines "measure limit ceiling"."""
    with open(path) as f:
        rows = [line.split("#")[0].split() for line in f]
    return {r[0]: [float(r[1]), float(r[2])] for r in rows if len(r) == 3}


def check_measures(m, limits):
    """(findings, what may be lowered) of the figures beside their ceilings."""
    found, lower = [], {}
    for name, value in m.figures().items():
        limit, ceiling = limits.get(name, (0, 0))
        if value > ceiling:
            text = f"{name} is {value}, {ceiling:g} is the ceiling (and {limit:g} the limit)"
            found.append(("build-aux/measures", 1, "measure", text))
        elif value < ceiling and ceiling > limit:
            value = math.ceil(10 * value) / 10      # a percentage also rises when other lines go
            lower.update({name: max(value, limit)} if value < ceiling else {})
    return found, lower
