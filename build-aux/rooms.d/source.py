# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The source tree as text: its files, and what stands in a C file, found without a compiler.

A Tree lists the files once and caches their text.  `code()` is a C file in which comments, strings
and character constants are blank, so that a match in it has the line number of the file.
Functions, structures and statics are found by their shape: definitions begin at the left margin."""
import os
import re
import subprocess

PRODUCT = ("util", "libmad", "fabric", "sm", "ctlproto", "ctlclient", "cli", "diags", "sim",
    "verbs", "bench")
TOKEN = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
FUNCTION = re.compile(r"^(?![#\s])(?:[A-Za-z_][\w \t*\n]*[\s*])??"
    r"(?:[A-Z_]+\([^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*\)\s+)*"
    r"([A-Za-z_]\w*)[ \t]*(\((?:[^;{}()]|\((?:[^;{}()]|\([^;{}()]*\))*\))*\))[ \t]*\n?\{", re.M)
STRUCT = re.compile(r"\bstruct\s+(\w+)?[^;{}()=]*\{")
STATIC = re.compile(r"^[ \t]*(?:_Thread_local[ \t]+)?static\s+(?!inline\b|_Static_assert)", re.M)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def columns(line):
    return len(line.rstrip("\n").expandtabs(8))


class Tree:
    def __init__(self, top):
        self.top = top
        self.tracked = os.path.exists(os.path.join(top, ".git"))
        self.files = self.list_files()
        self.texts, self.codes = {}, {}

    def list_files(self):
        """What git tracks or would track; in an unpacked distribution, what is there."""
        if self.tracked:
            r = subprocess.run(["git", "-C", self.top, "ls-files", "-co", "--exclude-standard"],
                               capture_output=True, text=True)
            if r.returncode == 0:
                files = set(r.stdout.splitlines())
                return sorted(f for f in files if os.path.isfile(os.path.join(self.top, f)))
        files, self.tracked = [], False
        for root, dirs, names in os.walk(self.top):
            dirs[:] = [d for d in dirs if not d.startswith((".", "build")) or d == "build-aux"]
            files += [os.path.relpath(os.path.join(root, n), self.top) for n in names]
        return sorted(files)

    def text(self, path):
        if path not in self.texts:
            with open(os.path.join(self.top, path), errors="replace") as f:
                self.texts[path] = f.read()
        return self.texts[path]

    def code(self, path):
        if path not in self.codes:
            def erase(m):
                return m.group(0) if m.group(0)[0] == '"' and self.is_include(path, m) else blank(m)

            self.codes[path] = TOKEN.sub(erase, self.text(path))
        return self.codes[path]

    def is_include(self, path, match):
        text = self.text(path)
        before = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        return "#" in before and "include" in before

    def product(self, *ends):
        return [f for f in self.files if f.split("/")[0] in PRODUCT and f.endswith(ends)]

    def includes(self, path):
        """(line, what, with angle brackets) of every include."""
        for n, line in enumerate(self.code(path).split("\n"), 1):
            m = re.match(r'\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', line)
            if m:
                yield n, m.group(1) or m.group(2), bool(m.group(2))

    def functions(self, path):
        """(name, first line, lines of the body) of every function defined there."""
        code = self.code(path)
        for m in FUNCTION.finditer(code):
            end = code.find("\n}", m.end() - 1)
            begin = code.count("\n", 0, m.end() - 1) + 1
            one_line = code.find("\n", m.end())
            if "}" in code[m.end():one_line]:
                end = m.end()
            yield m.group(1), begin, code.count("\n", m.end() - 1, end + 1)

    def structures(self, path):
        """(name, line, members) of every structure defined there.  A structure inside it counts as
        one member if the member has a name, otherwise as its own members."""
        code = self.code(path)
        for m in STRUCT.finditer(code):
            body, _ = braces(code, m.end() - 1)
            yield m.group(1) or "(unnamed)", code.count("\n", 0, m.start()) + 1, self.members(body)

    def members(self, body):
        total, at = 0, 0
        for row in re.finditer(r'^\s*#\s*include\s+"([^"]+)"', body, re.M):
            if row.group(1) in self.files:
                total += len(re.findall(r"^[A-Z]\w*\(", self.text(row.group(1)), re.M))
        body = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", body, flags=re.M)
        while at < len(body):
            end = re.compile(r"[;{]").search(body, at)
            if not end:
                break
            if end.group(0) == "{":
                inner, after = braces(body, end.start())
                named = re.match(r"\s*[^\s;]", body[after:])
                if not named and re.search(r"\b(struct|union)\s*$", body[at:end.start()]):
                    total += self.members(inner)
                rest = body.find(";", after)
                total += 1 + body[after:rest].count(",") if named else 0
                at = rest + 1 if rest >= 0 else len(body)
            else:
                declaration = re.sub(r"\([^()]*\)", "", body[at:end.start()])
                declaration = re.sub(r"\([^()]*\)", "", declaration)
                total += 1 + declaration.count(",") if declaration.strip() else 0
                at = end.end()
        return total

    def statics(self, path):
        """(name, line) of every static object, of the file or of a function, that can change."""
        code = self.code(path)
        for m in STATIC.finditer(code):
            base = None
            for declarator in declarators(code, m.end()):
                base = declarator.split("*")[0] if base is None else base
                last = declarator.rsplit("*", 1)[1] if "*" in declarator else base
                if not re.search(r"\bconst\b", last):
                    yield re.findall(r"\w+", declarator)[-1], code.count("\n", 0, m.end()) + 1


def declarators(code, at):
    """What a declaration at 'at' declares, without initialisers, dimensions and bodies; nothing if
    it is a function."""
    out, depth, text, skip = [], 0, "", False
    for m in re.compile(r"[(){}\[\];,=]|[^(){}\[\];,=]+").finditer(code, at):
        part = m.group(0)
        if part in "([{":
            if not depth and part == "(" and not skip and not re.match(r"\s*\*", code[m.end():]):
                return []
            depth += part != "(" or skip or "*" not in code[m.end():m.end() + 2]
            text += " " if part == "{" else ""
        elif part in ")]}":
            depth -= depth > 0
            pointer = part == ")" and not depth and "*" in text 
            # Behind the name of a pointer to a function follow its arguments.
            skip = skip or (pointer and code[m.end():m.end() + 1] == "(")
        elif depth:
            continue
        elif part in ",;":
            out.append(text)
            text, skip = "", False
            if part == ";":
                return out
        elif part == "=":
            skip = True
        elif not skip:
            text += part
    return out


def braces(code, at):
    """What is between the brace at 'at' and its partner, and the place behind that."""
    depth = 0
    for m in re.compile(r"[{}]").finditer(code, at):
        depth += 1 if m.group(0) == "{" else -1
        if not depth:
            return code[at + 1:m.start()], m.end()
    return code[at + 1:], len(code)
