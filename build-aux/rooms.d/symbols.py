# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""What the compiler made of the tree: the symbols that each object defines and needs, and the
graphs that follow from them.

An object belongs to the source file from which it was made, whatever library or program holds it.
Objects without a source file, which an earlier build left, are ignored."""
import os
import re
import subprocess


class Symbols:
    def __init__(self, tree, build):
        self.defined, self.needed = {}, {}      # source file: symbols
        self.makers = {}                # (symbol, in a shared library): files that define it
        objects = self.objects(tree, build)
        if objects:
            self.read(objects)

    def objects(self, tree, build):
        files, found = set(tree.files), {}
        for root, dirs, names in os.walk(build):
            room = os.path.relpath(root, build)
            if room.split("/")[0] == "tests":
                dirs[:] = []
                continue
            for name in sorted(names):
                if not name.endswith(".o"):
                    continue
                room = os.path.relpath(root, build)
                room = os.path.dirname(room) if os.path.basename(room) == ".libs" else room
                stem = name[:-2]
                while stem:
                    source = os.path.join(room, stem + ".c")
                    if source in files:
                        found[os.path.join(root, name)] = source
                        break
                    stem = stem.partition("-")[2]
        return found

    def read(self, objects):
        # Not nm: of objects for link-time optimization it shows only what a plugin reports.
        r = subprocess.run(["readelf", "-sW", *sorted(objects)], capture_output=True, text=True)
        path = sorted(objects)[0]
        for line in r.stdout.splitlines():
            word = line.split()
            if line.startswith("File: "):
                path = line[6:]
            if len(word) < 8 or word[4] not in ("GLOBAL", "WEAK"):
                continue
            if "." in word[7] or word[7].startswith("__gnu_lto_"):      # marks of the compiler
                continue
            source, shared, name = objects[path], "/.libs/" in path, word[7]
            if word[6] == "UND":
                self.needed.setdefault(source, set()).add((name, shared))
            else:
                self.defined.setdefault(source, set()).add(name)
                self.makers.setdefault((name, shared), set()).add(source)

    def calls(self):
        """(source file, source files, symbol) of each need that other files of the tree satisfy.
        What a preloaded library defines satisfies nothing outside of it.  A symbol that each
        program defines for itself has several source files."""
        for source, needs in sorted(self.needed.items()):
            for need in sorted(needs):
                makers = self.makers.get(need, set()) - {source}
                if makers:
                    yield source, sorted(makers), need[0]


def unit_of(path):
    """A .c file and its header are one unit."""
    return os.path.splitext(path)[0]


def circles(graph):
    """The strongly connected components of more than one node, largest first (Tarjan's algorithm,
    without recursion)."""
    index, low, stack, on, out, n = {}, {}, [], set(), [], 0
    for root in sorted(graph):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = n = n + 1
        stack.append(root)
        on.add(root)
        while work:
            node, edges = work[-1]
            for to in edges:
                if to not in index:
                    index[to] = low[to] = n = n + 1
                    stack.append(to)
                    on.add(to)
                    work.append((to, iter(sorted(graph.get(to, ())))))
                    break
                if to in on:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while not part or part[-1] != node:
                        part.append(stack.pop())
                        on.discard(part[-1])
                    if len(part) > 1:
                        out.append(sorted(part))
    return sorted(out, key=lambda c: (-len(c), c))


def graphs(tree, symbols):
    """The graph of units inside each room, and the graph of rooms (a room is a directory)."""
    inside, between = {}, {}
    files = set(tree.product(".c", ".h"))
    edges = [(f, what) for f in files for _, what, angle in tree.includes(f) if what in files]
    edges += [(a, makers[0]) for a, makers, _ in symbols.calls()
              if len(makers) == 1 and {a, makers[0]} <= files]
    for a, b in edges:
        room_a, room_b = os.path.dirname(a), os.path.dirname(b)
        if room_a != room_b:
            between.setdefault(room_a, set()).add(room_b)
            between.setdefault(room_b, set())
        elif unit_of(a) != unit_of(b):
            inside.setdefault(room_a, {}).setdefault(unit_of(a), set()).add(unit_of(b))
            inside[room_a].setdefault(unit_of(b), set())
    return inside, between
