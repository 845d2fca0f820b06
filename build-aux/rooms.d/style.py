# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The style of changed lines: what clang-format would make of them, and 100 columns.

clang-format cannot express all of the style, so what it says is not taken where it is known to be wrong: the place of a comment
behind code, four spaces that continue a condition, a case or an inline function in one line, rows of tables, operators beside
casts and macros.  Lines that nobody changed are left alone."""
import difflib
import os
import re
import shutil
import subprocess

from source import PRODUCT, columns

COLUMNS = 100
# Written in rows by intention: a short case, an inline function, a table, an enumeration, a list of macro calls, an initialiser.
ROW = re.compile(r"""\s*(case\b.*:|default:) | \s*[{".\[&].*,?$ | (static|WIRE_).*\binline\b.*\}$ | \s*[A-Z]\w*\(.*\)[,;]?(\s*\\)?$ |
	.*\\$ | \s*[\w",\ ]+,$ | \s*[A-Z][A-Z0-9_]*(\ =\ [^,;]*)?, | .*\{\ \S""", re.X)


def base_of(top, name):
	"""The commit from which a branch left, or None without git."""
	for base in [name] if name else ["origin/main", "main", "HEAD"]:
		r = subprocess.run(["git", "-C", top, "merge-base", "HEAD", base], capture_output=True, text=True)
		if r.returncode == 0:
			return r.stdout.strip()
	return None


def changed_lines(top, base):
	"""{file: numbers of the lines that differ from 'base' in the work tree}; what only moved with its file is not changed."""
	changed, path = {}, None
	r = subprocess.run(["git", "-C", top, "diff", "-U0", "-M", "--no-color", "--diff-filter=d", base], capture_output=True, text=True,
		errors="replace")
	for line in r.stdout.splitlines():
		if line.startswith("+++ b/"):
			path = line[6:]
		m = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
		if m and path:
			first, n = int(m.group(1)), int(m.group(2) or 1)
			changed.setdefault(path, set()).update(range(first, first + n))
	r = subprocess.run(["git", "-C", top, "ls-files", "-o", "--exclude-standard"], capture_output=True, text=True)
	for path in r.stdout.splitlines():
		with open(os.path.join(top, path), errors="replace") as f:
			changed[path] = set(range(1, f.read().count("\n") + 1))
	return changed


def plain(line):
	line = re.sub(r"[ \t]+(/\*|//)", r" \1", line.rstrip())
	line = re.sub(r"^(\t*) {4}(?=\S)", r"\1\t", line)
	return re.sub(r"(?<=\S) ?([*&+~;-]+|\((?=\*)|\[) ?", r"\1", line)


def differences(text, formatted):
	"""(first line, lines, what clang-format makes of them) where the two differ in what clang-format can decide."""
	a, b = text.splitlines(), formatted.splitlines()
	matcher = difflib.SequenceMatcher(None, [plain(x) for x in a], [plain(x) for x in b], autojunk=False)
	for tag, i1, i2, j1, j2 in matcher.get_opcodes():
		if tag != "equal" and i2 > i1 and 2 * sum(bool(ROW.match(x)) for x in a[i1:i2]) < i2 - i1:
			yield i1 + 1, i2 - i1, b[j1:j2]


def check_style(tree, base, formatter="clang-format"):
	"""Findings in changed lines; the second value says why formatting was not looked at."""
	base = base_of(tree.top, base)
	if not base:
		return [], "no git repository: the style of changed lines is not checked"
	found, missing = [], None if shutil.which(formatter) else f"{formatter} is not installed: only the length of changed lines is checked"
	for path, lines in sorted(changed_lines(tree.top, base).items()):
		if path not in tree.files or path.split("/")[0] not in PRODUCT + ("tests",) or not path.endswith((".c", ".h", ".def")):
			continue
		rows = tree.text(path).splitlines()
		found += [(path, n, "columns", f"{columns(rows[n - 1])} columns, {COLUMNS} is the limit") for n in sorted(lines)
			if n <= len(rows) and columns(rows[n - 1]) > COLUMNS]
		if missing or path.endswith(".def"):
			continue
		r = subprocess.run([formatter, "--style=file", "--fallback-style=none", "--assume-filename=" + os.path.join(tree.top, path)],
			input=tree.text(path), capture_output=True, text=True)
		for first, n, better in differences(tree.text(path), r.stdout) if r.returncode == 0 else ():
			touched = set(range(first, first + n))
			if lines & touched and not any(columns(rows[i - 1]) > COLUMNS for i in touched):
				found.append((path, first, "format", "clang-format has: " + " | ".join(x.strip() for x in better[:4])))
	return found, missing
