# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The style of changed lines: what clang-format would make of them, and 100 columns.

clang-format cannot express all of the style.  Differences that are known to be its own are ignored:
the column of a comment behind code, four spaces that continue a condition, a case or an inline
function in one line, rows of tables, operators beside casts and macros.  Lines that did not change
are not checked."""
import difflib
import os
import re
import shutil
import subprocess

from source import PRODUCT, columns

COLUMNS = 100
# Written in rows by intention: a short case, an inline function, a table, an enumeration, a list of
# macro calls, an initialiser.
ROW = re.compile(r"""\s*(case\b.*:|default:) | \s*[{".\[&].*,?$ | (static|WIRE_).*\binline\b.*\}$ |
    \s*[A-Z]\w*\(.*\)[,;]?(\s*\\)?$ | .*\\$ | \s*[\w",\ ]+,$ | \s*[A-Z][A-Z0-9_]*(\ =\ [^,;]*)?, |
    .*\{\ \S""", re.X)


def git(top, *arguments):
    """What git prints, or None if it fails."""
    r = subprocess.run(["git", "-C", top, *arguments], capture_output=True, text=True,
                       errors="replace")
    return r.stdout if r.returncode == 0 else None


def base_of(top, name):
    """The commit from which a branch left, or None without git."""
    for base in [name] if name else ["origin/main", "main", "HEAD"]:
        commit = git(top, "merge-base", "HEAD", base)
        if commit:
            return commit.strip()
    return None


def changed_lines(top, base):
    """{file: numbers of the lines that differ from 'base' in the work tree}.  A line that moved
    with its file did not change."""
    changed, path = {}, None
    diff = git(top, "diff", "-U0", "-M", "--no-color", "--no-ext-diff", "--diff-filter=d", base)
    for line in (diff or "").splitlines():
        if line.startswith("+++ b/"):
            path = line[6:]
        m = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if m and path:
            first, n = int(m.group(1)), int(m.group(2) or 1)
            changed.setdefault(path, set()).update(range(first, first + n))
    for path in (git(top, "ls-files", "-o", "--exclude-standard") or "").splitlines():
        with open(os.path.join(top, path), errors="replace") as f:
            changed[path] = set(range(1, f.read().count("\n") + 1))
    return changed


def plain(line):
    line = re.sub(r"[ \t]+(/\*|//)", r" \1", line.rstrip())
    line = re.sub(r"^(\t*) {4}(?=\S)", r"\1\t", line)
    return re.sub(r"(?<=\S) ?([*&+~;-]+|\((?=\*)|\[) ?", r"\1", line)


def differences(text, formatted):
    """(first line, number of lines, what clang-format makes of them) where the two differ in what
    clang-format can decide."""
    a, b = text.splitlines(), formatted.splitlines()
    matcher = difflib.SequenceMatcher(None, [plain(x) for x in a], [plain(x) for x in b], False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal" and i2 > i1 and 2 * sum(bool(ROW.match(x)) for x in a[i1:i2]) < i2 - i1:
            yield i1 + 1, i2 - i1, b[j1:j2]


def check_style(tree, base):
    """Findings in changed lines, and a sentence if formatting could not be checked, else None."""
    base = base_of(tree.top, base)
    if not base:
        return [], "no git repository: the style of changed lines is not checked"
    found, missing = [], None
    if not shutil.which("clang-format"):
        missing = "clang-format is not installed: only the length of changed lines is checked"
    for path, lines in sorted(changed_lines(tree.top, base).items()):
        ours = path in tree.files and path.split("/")[0] in PRODUCT + ("tests",)
        if not ours or not path.endswith((".c", ".h", ".def")):
            continue
        rows = tree.text(path).splitlines()
        wide = {n: columns(row) for n, row in enumerate(rows, 1) if columns(row) > COLUMNS}
        found += [(path, n, "columns", f"{wide[n]} columns, {COLUMNS} is the limit")
                  for n in sorted(lines & set(wide))]
        if missing or path.endswith(".def"):
            continue
        r = subprocess.run(["clang-format", "--style=file", "--fallback-style=none",
                            "--assume-filename=" + os.path.join(tree.top, path)],
                           input=tree.text(path), capture_output=True, text=True)
        for first, n, better in differences(tree.text(path), r.stdout) if r.returncode == 0 else ():
            touched = set(range(first, first + n))
            if lines & touched and not touched & set(wide):
                text = " | ".join(x.strip() for x in better[:4])
                found.append((path, first, "format", "clang-format has: " + text))
    return found, missing
