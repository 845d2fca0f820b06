# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The measures of the tree: a table of its rooms, and the figures whose limits build-aux/measures keeps."""
import os

import source
import symbols as sym

FUNCTION_LINES = 80
SHORT = 5
COLUMNS = 100
MEMBERS = 25
# Names that another interface prescribes: what sim/shim puts before the C library, and the programs' main.
PRESCRIBED = {"main", "open", "close", "read", "write", "poll", "ioctl", "fopen", "stat", "lstat", "fstat", "readv", "select", "dup",
	"dup2", "dup3", "fcntl"}


def room_table(tree, inside):
	"""{room: (C files, lines, largest circle)}; a room is a directory."""
	rooms = {}
	for f in tree.product(".c", ".h", ".def"):
		files, lines, circle = rooms.get(os.path.dirname(f), (0, 0, None))
		rooms[os.path.dirname(f)] = (files + f.endswith(".c"), lines + tree.text(f).count("\n"), circle)
	files = set(tree.files)
	for room, (n, lines, _) in rooms.items():
		# A header without a .c file ties files together, and is not counted as one of them.
		found = [[u for u in c if u + ".c" in files] for c in sym.circles(inside.get(room, {}))]
		rooms[room] = n, lines, max(found, key=len, default=[])
	return rooms


def short_names(tree):
	return [(f, line, name) for f in tree.product(".c", ".h") for name, line, _ in tree.functions(f)
		if len(name) <= SHORT and name not in PRESCRIBED]


def long_functions(tree):
	return [(f, line, name, size) for f in tree.product(".c", ".h") for name, line, size in tree.functions(f) if size > FUNCTION_LINES]


def long_structures(tree):
	return [(f, line, name, n) for f in tree.product(".c", ".h") if f.startswith("sm/") and not f.startswith("sm/conf/")
		for name, line, n in tree.structures(f) if n > MEMBERS]


def manager_files(tree):
	import re
	return [f for f in tree.product(".c", ".h") if re.search(r"\bstruct manager\b", tree.code(f))]


def mutable_statics(tree):
	return [(f, line, name) for f in tree.product(".c", ".h") if f.startswith("diags/") for name, line in tree.statics(f)]


def long_lines(tree):
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
		self.rooms = room_table(tree, inside)
		self.between = sym.circles(between)
		self.short, self.long, self.structures = short_names(tree), long_functions(tree), long_structures(tree)
		self.manager, self.statics = manager_files(tree), mutable_statics(tree)
		self.wide, self.lines = long_lines(tree)
		self.tree = tree

	def figures(self):
		def big(field):
			return max((r[field] for name, r in self.rooms.items() if name.split("/")[0] in ("sm", "diags", "fabric", "sim") and
				name not in ("diags", "diags/tools")), default=0)
		return {
			"room-files": big(0),
			"room-lines": big(1),
			"circle-files": max((len(r[2]) for r in self.rooms.values()), default=0),
			"circle-rooms": sum(len(c) for c in self.between),
			"structure-members": max((n for _, _, _, n in self.structures), default=MEMBERS),
			"structures-over": len(self.structures),
			"manager-files": len([f for f in self.manager if not f.startswith(("sm/manager/", "sm/daemon/"))]),
			"long-functions": len(self.long),
			"short-names": len(self.short),
			"wide-lines-per-mille": round(1000 * len(self.wide) / max(self.lines, 1), 1),
			"diags-statics": len(self.statics),
		}

	def table(self):
		wide, short = {}, {}
		for f, _ in self.wide:
			wide[os.path.dirname(f)] = wide.get(os.path.dirname(f), 0) + 1
		for f, _, _ in self.short:
			short[os.path.dirname(f)] = short.get(os.path.dirname(f), 0) + 1
		print(f"{'room':<18}{'.c files':>9}{'lines':>8}{'circle':>8}{'short':>7}{'wide':>6}  largest circle")
		for room, (files, lines, circle) in sorted(self.rooms.items()):
			names = " ".join(os.path.basename(u) for u in circle)
			print(f"{room:<18}{files:>9}{lines:>8}{len(circle):>8}{short.get(room, 0):>7}{wide.get(room, 0):>6}  {names}".rstrip())
		for name, value in self.figures().items():
			print(f"{name:<24}{value:>8}")
		for c in self.between:
			print("circle of rooms: " + " ".join(c))

	def lists(self):
		for title, rows in (("functions with short names", self.short), ("mutable statics in diags", self.statics),
				("structures with too many members in sm", self.structures), ("long functions", self.long)):
			print(f"\n{title}: {len(rows)}")
			for row in rows:
				print(f"  {row[0]}:{row[1]}: {' '.join(str(x) for x in row[2:])}")
		print(f"\nfiles that name struct manager: {len(self.manager)}")
		for f in self.manager:
			print("  " + f)
