# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The rules that hold within a file: sizes, licences, headers, declarations, which code may know
the layout of a datagram, and which test the file has."""
import concurrent.futures
import hashlib
import os
import re
import subprocess

from source import PRODUCT

FUNCTION_LINES = 80
UMAD_ALLOWED = ("libmad/io/umad.c", "sim/shim/", "diags/ask/", "tests/", "bench/",
    "sim/serve/")
NO_LICENCE = (".golden", ".json", ".txt", ".topo", ".mask", ".setup", ".cases", ".gitkeep",
    ".gitignore", ".varlink", ".conf", ".rst", "NEWS", "/files")
# A tool of diags is one file that the system tests run, and bench measures.
WITHOUT_TESTS = ("diags/tools", "bench", "tests")
ELSEWHERE = "build-aux/tests-elsewhere"
# Names that hold the bytes of a datagram or of an attribute wherever they occur.
IMAGE = r"(?:mad|data|image|wire|payload|smp|gmp|details|pkt|(?<![.>])w)"
POINTER_CAST = r"\(\s*(?:const\s+)?(?:%s)\s*\*\s*\)\s*"
OFFSET = "an offset into a datagram: libmad has the layout"
WIRE = (
    ("wire-cast", re.compile(POINTER_CAST % r"struct\s+\w+" + f"(?:{POINTER_CAST % 'void'})?" +
        r"(?:[\w>.-]*[>.])?" + IMAGE + r"\b"), "casts a datagram to a structure: decode it"),
    ("wire-cast", re.compile(r"__attribute__\s*\(\(\s*(?:__)?packed"),
        "a packed structure: decode the bytes"),
    ("wire-cast", re.compile(r"^\s+(?:unsigned|bool|u?int\d*(?:_t)?)(?:\s+int)?\s+\w+\s*:\s*\d+"
        r"\s*[;,]", re.M), "a bit-field: decode the bytes"),
    ("wire-offset", re.compile(r"(?<!\w)(?:[\w\])]+(?:->|\.))*" + IMAGE + 
        r"\s*(?:\[\d+\]|\+\s*\d)"), OFFSET),
    ("wire-offset", re.compile(r"\bwire_(?:get|put)\d+\([^,;()]*(?:\([^()]*\))?[^,;()]*\+"),
        OFFSET),
    ("wire-offset", re.compile(r"\b[A-Z]\w*_(?:AT|OFFSET)\s*=\s*\d"), OFFSET),
    ("wire-order", re.compile(r"\b(?:(?:be|le)\d+toh|hto(?:be|le)\d+|[nh]to[nh][sl]|"
        r"__builtin_bswap\d+)\s*\("), "network order: only libmad knows it"),
)


DECLARATION = re.compile(r"\s*(?:(?:static|const|extern)\s+)*(?!return\b|case\b|else\b|goto\b)"
    r"(?:(?:struct|enum|union)\s+)?\w+[\s*]+(?=\w|$)")


def is_declarator(code, at):
    """Whether the name at 'at' is declared there: it follows a type, or the comma of a
    declaration."""
    before = code[max(code.rfind(c, 0, at) for c in ";{}") + 1:at]
    parameter = before[max(before.rfind("("), before.rfind(",")) + 1:]
    if re.fullmatch(DECLARATION.pattern, parameter) or re.fullmatch(r"\s*,\s*\**", before):
        return True
    whole = before.count("(") == before.count(")") and "=" not in before.rpartition(",")[2]
    return whole and bool(DECLARATION.match(before))


def check_wire(tree):
    for f in tree.product(".c", ".h"):
        if f.startswith("libmad/"):
            continue
        seen = set()
        for rule, pattern, text in WIRE:
            for m in pattern.finditer(tree.code(f)):
                line = tree.code(f).count("\n", 0, m.end()) + 1
                declared = m.group(0).endswith("]") and is_declarator(tree.code(f), m.start())
                if (rule, line) not in seen and not declared and "_at_" not in m.group(0):
                    seen.add((rule, line))
                    yield f, line, rule, text


def check_umad(tree):
    for f in tree.files:
        for n, what, _ in tree.includes(f) if f.endswith((".c", ".h")) else ():
            if what.startswith("infiniband/umad") and not f.startswith(UMAD_ALLOWED):
                yield f, n, "include", f"<{what}> belongs in libmad/io/umad.c and sim/shim only"


def check_sizes(tree):
    for f in tree.product(".c", ".h"):
        for name, line, lines in tree.functions(f):
            if lines > FUNCTION_LINES:
                yield f, line, "size", (f"{name} has {lines} lines, {FUNCTION_LINES} is the limit: "
                                        "split it")


def check_licences(tree):
    for f in tree.files if tree.tracked else tree.product(".c", ".h", ".def"):
        if not f.endswith(NO_LICENCE) and "SPDX-License-Identifier" not in tree.text(f)[:400]:
            yield f, 1, "spdx", "no SPDX line"


def check_paths(tree):
    """Documents name files that exist, or programs made of one.  NAME, ROOM and other words in
    capitals stand for a name of the reader's."""
    named = re.compile(r"`((?:%s|tests|build-aux|docs)/[\w./-]+)`" % "|".join(PRODUCT))
    for f in tree.files:
        if not f.endswith(".md") or f.startswith(("docs/decisions/", "CHANGELOG")):
            continue
        for n, line in enumerate(tree.text(f).split("\n"), 1):
            for m in named.findall(line):
                place = os.path.join(tree.top, m)
                if not re.search(r"[A-Z]{2}", m) and not (
                        os.path.exists(place) or os.path.exists(place + ".c")):
                    yield f, n, "path", f"there is no {m}"


def mirror_tests(tree):
    """{FILE: the directories below tests/unit that have a test_FILE.c}."""
    out = {}
    for f in tree.files:
        m = re.fullmatch(r"tests/unit/(.+)/test_(\w+)\.c", f)
        if m:
            out.setdefault(m.group(2), []).append(m.group(1))
    return out


def read_elsewhere(tree):
    """(line, file, test, reason) of each row of build-aux/tests-elsewhere."""
    for n, row in enumerate(tree.text(ELSEWHERE).split("\n"), 1):
        words = row.split("#")[0].split(None, 2)
        if words:
            yield n, *(words + ["", ""])[:3]


def check_tests(tree, rooms):
    """Each .c file of a room has a test_FILE.c in a directory of tests that is named like the room
    or one around it (tests/unit/route serves sm/route/tree), or a row in build-aux/tests-elsewhere
    that names the test which covers it, and why."""
    if ELSEWHERE not in tree.files:
        return
    tests, elsewhere = mirror_tests(tree), {}
    for n, file, test, reason in read_elsewhere(tree):
        if not reason:
            yield ELSEWHERE, n, "test", f"{file}: a row is 'FILE TEST reason'"
        elif file in elsewhere:
            yield ELSEWHERE, n, "test", f"{file} has a row already"
        elif file not in tree.files or rooms.of(file) in WITHOUT_TESTS + ("",):
            yield ELSEWHERE, n, "test", f"{file} is no file that needs a test: remove the row"
        elif test not in tree.files:
            yield ELSEWHERE, n, "test", f"{file}: there is no {test}"
        elsewhere[file] = n
    for f in tree.product(".c"):
        room = rooms.of(f)
        if not room or room in WITHOUT_TESTS:
            continue
        name = os.path.basename(f)[:-2]
        own = [d for d in tests.get(name, ()) if f"/{d}/" in f"/{room}/"]
        if own and f in elsewhere:
            yield ELSEWHERE, elsewhere[f], "test", f"{f} has a test of its own: remove the row"
        elif not own and f not in elsewhere:
            yield f, 1, "test", f"no test_{name}.c in tests for {room}: write one"


def check_externs(tree):
    """A header declares what a file defines for others, so that the compiler compares the two."""
    for f in tree.files:
        if f.endswith(".c") and not f.startswith("tests/lab/"):
            for m in re.finditer(r"^[ \t]*extern\b(?! *\")", tree.code(f), re.M):
                line = tree.code(f).count("\n", 0, m.end()) + 1
                yield f, line, "extern", "a declaration of its own: include the header"


def header_errors(command, headers, jobs):
    """What the compiler says of headers that are each compiled alone."""
    def compile_headers(batch):
        return subprocess.run(command + batch, capture_output=True, text=True,
                              env=dict(os.environ, LC_ALL="C")).stderr

    batches = [headers[i::jobs * 4] for i in range(jobs * 4)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return "".join(pool.map(compile_headers, [b for b in batches if b]))


def check_headers(tree, build, jobs):
    """Every header compiles alone.  The errors are cached in the build directory until a header, a
    .def file or a flag changes."""
    with open(os.path.join(build, "Makefile")) as f:
        make = dict(re.findall(r"^(\w+) = (.*)$", f.read(), re.M))
    libraries = ("JANSSON", "UMAD", "CMOCKA", "SYSTEMD", "CONFUSE", "SQLITE", "NETTLE")
    flags = [v for library in libraries for v in make.get(library + "_CFLAGS", "").split()]
    command = make.get("CC", "cc").replace("ccache ", "").split() + flags + [
        "-std=gnu11", "-fsyntax-only", "-w", "-I" + build, "-iquote", tree.top, "-iquote", build,
        "-include", "config.h", "-x", "c"]
    headers = [f for f in tree.files if f.endswith(".h") and not f.startswith("tests/lab/") and
               f.split("/")[0] in PRODUCT + ("tests",)]
    texts = [f + tree.text(f) for f in tree.files if f.endswith((".h", ".def"))]
    digest = hashlib.sha256("\0".join(command + texts).encode()).hexdigest()
    kept = os.path.join(build, "check-rooms.headers")
    told = ""
    if os.path.exists(kept):
        with open(kept) as f:
            told = f.read()
    if not told.startswith(digest):
        paths = [os.path.join(tree.top, h) for h in headers]
        told = digest + "\n" + header_errors(command, paths, jobs)
        with open(kept, "w") as f:
            f.write(told)
    seen = set()
    error = r"^([^\s:]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$"
    for path, line, text in re.findall(error, told, re.M):
        path = os.path.relpath(path, tree.top)
        if path not in seen:
            seen.add(path)
            yield path, int(line), "header", f"does not compile alone: {text}"
