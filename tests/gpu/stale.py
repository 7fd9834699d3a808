#!/usr/bin/env python3
"""Which recorded bundles are older than the sources that they depend on?

usage: stale.py REPOSITORY [--alike COMMIT FILE...]

A bundle's manifest names its sources (pathspecs of git) and the commit that recorded it; a capture can only name the
commit, so its sources stand here. It is fresh when the sources of that commit and those of the work tree are the same
code: C, C++ and CUDA as tokens, so that comments, white space and folders do not count; anything else byte for byte.
Where files went and which identifiers were renamed is in moved.txt. The marks of record.cuh leave no code in the build
that is recorded (tests/guards/marks_off.sh), so they do not count. A bundle is stale when it was recorded from a dirty tree.
Prints each stale bundle with a reason, and exits 1 if there is one, or no bundle at all.

A function may have changed for solutions of a task alone, or in what no recording holds. Whoever changed it, and read
that other recordings would be as they were, says so in moved.txt, with a line that --alike prints: it holds for this
code and no later one.
"""
import functools
import glob
import hashlib
import json
import os
import re
import subprocess
import sys

# What made the captures: the guest, of the rooms below it what writes files, cpprof, and the programs that it captured.
COLLECTING = """collector/inject collector/activity collector/dynload include/cpprof/event.h include/cpprof/shard.h
    core/base/shard_writer.c core/base/shard_chunk.c core/base/collective_row.h core/base/json.c core/bundle/seal.c cli/cmd_capture.c cli/record/capture_session.c""".split()
CAPTURED = {
    "examples/captures/vector.cpprof": "tests/gpu/guests/guest_work.cu",
    "examples/captures/graph.cpprof": "tests/gpu/guests/guest_work.cu",
    "examples/captures/copy-batches.cpprof": "tests/gpu/guests/copy_batches.cu",
    "examples/captures/waits.cpprof": "tests/gpu/guests/guest_causal.cu",
    "examples/hidden/launches-direct.cpprof": "tests/gpu/guests/device_launches.cu",
    "examples/hidden/managed.cpprof": "tests/gpu/guests/managed_work.cu",
    "examples/hidden/managed-migrations.cpprof": "tests/gpu/guests/managed_work.cu",
    "examples/captures/train.cpprof": "examples/pytorch-train/train.py",
    "examples/captures/two-ranks.cpprof": "examples/pytorch-train/allreduce.py",
    **{
        f"examples/ranks/{scenario}.cpprof": "examples/ranks/straggler.py"
        for scenario in ("even", "sleep", "work", "link", "sleep-mpirun", "work-mpirun")
    },
    "examples/profile/ops.cpprof": "examples/profile/ops.py collector/counters collector/profiler "
    "core/gpu/sampled_units.c core/gpu/sampled_units.h cli/cmd_profile.c",
}
# Of a file that reads tables or seals, too, what writes them; of options, what decides by itself how a program is sampled:
# a manifest has the command line, and so what else was asked.
# Of variant_library.c, all but what sends a solution to its loader by the name of its file, and the loader of described ones.
WRITING = {
    "cli/cmd_profile.c": "parse_interval check_options cmd_profile".split(),
    "core/io/table_csv.c": "add_number add_cell add_header add_rows table_add_csv append_rows table_append_csv".split(),
    "collector/runner/variant_library.c": """variant_library_copy check_size check_is_new add_copy add_variant check_library
        open_file open_library variant_library_open file_name load_variants exports_task take_task add_judged load_function
        catalogue_load""".split(),
    "core/bundle/seal.c": "is_evidence seal_is_leftover is_unfinished seal_tidy add_file seal_make".split(),
}
# Roles of the runner that leave nothing in a bundle, and those that do only where the manifest has this member.
SILENT_ROLES = ["list", "probe", "metrics"]
CEILING_ROLES = ["ceilings", "peers"]
# Code that runs for `profile` alone.
SAMPLING_SOURCES = "collector/counters/device_samples.*"
# Code that runs for instrumented builds alone, and the tables that it leaves.
INSIDE_SOURCES = "collector/runner/inside/"
INSIDE_TABLES = ["inside_*.csv", "delays.csv"]
# Code that runs for solutions of a task alone, whose libraries the manifest says `as` what were loaded. For other
# variants it is asked whether they are judged, and says no.
JUDGE_SOURCES = ["collector/runner/judge/", "collector/runner/series_timer.*", "include/cpprof/task.h"]
# Code that runs for solutions that are functions of Python files alone, which the manifest names behind a colon: cpprof
# starts another process for them, and in cpprof-runner it only says that it is none.
PYTHON_SOURCES = "collector/runner/python/"
# Code that runs for solutions that a JSON file describes.
DESCRIBED_SOURCES = "collector/runner/described/"

# A bundle older than these may lack them. Which marks are statements of their own, and which stand in a list.
MARK_HEADERS = ["include/cpprof/inside.h", "include/cpprof/record.cuh"]
MARK_INCLUDES = [b'"cpprof/record.cuh"', b"<cpprof/record.cuh>"]
MARKED_HEADERS = [b'"kernels/sdpa/sdpa_wgmma.cuh"']  # which bring the header of the marks along
MARK_TRUTHS = {b"CPPROF_COPIES", b"CPPROF_COMPUTES"}
MARK_STATEMENTS = b"""CPPROF_NAMES CPPROF_PHASE_TABLE CPPROF_RECORDER CPPROF_RECORDER_IF CPPROF_RECORDER_END CPPROF_PHASE
    CPPROF_TILE_END CPPROF_POLL CPPROF_HOLD_F CPPROF_HOLD_R""".split()
MARK_ARGUMENTS = b"CPPROF_PARAM CPPROF_ARG CPPROF_ARG_ADDRESS CPPROF_ANY_REGISTERS CPPROF_TAKES CPPROF_GIVES".split()

TOKEN = re.compile(
    rb"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)|(?P<space>(?:\s|\\\n)+)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?<=include\ )<[^>\n]*>)|(?P<word>[A-Za-z_0-9.$]+)|(?P<mark>.)""",
    re.DOTALL | re.VERBOSE,
)
IDENTIFIER = re.compile(rb"[A-Za-z_][A-Za-z_0-9]*")
INCLUDE = re.compile(rb'^([ \t]*#[ \t]*include[ \t]*")([^"]+)(")', re.MULTILINE)
INCLUDES = re.compile(rb'(^#include "[^"\n]+"\n)+', re.MULTILINE)
NO_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def git(*arguments, check=True):
    done = subprocess.run(["git", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if check and done.returncode:
        raise SystemExit(f"stale: git {' '.join(arguments)} failed")
    return done.stdout


@functools.lru_cache(maxsize=None)
def read_moved():
    """The fields of each line of moved.txt."""
    path = "tests/gpu/moved.txt"
    lines = open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else []
    return [line.split() for line in lines if line and not line.startswith("#")]


def read_alike():
    """What other variants find as they found it: file, function and the code that it has."""
    return {tuple(fields[1:]) for fields in read_moved() if fields[0] == "alike"}


def read_moves():
    """Old prefix and new one, longest first: a path follows the first that it begins with."""
    return sorted((fields for fields in read_moved() if len(fields) == 2), key=lambda pair: -len(pair[0]))


@functools.lru_cache(maxsize=None)
def read_words():
    """Old identifier and new one."""
    words = {}
    for fields in (fields for fields in read_moved() if len(fields) != 2 and fields[0] != "alike"):
        if len(fields) != 3 or fields[0] != "word" or not all(IDENTIFIER.fullmatch(w.encode()) for w in fields[1:]):
            raise SystemExit(f"stale: moved.txt: '{' '.join(fields)}' is neither OLD NEW nor word OLD NEW")
        if words.setdefault(fields[1].encode(), fields[2].encode()) != fields[2].encode():
            raise SystemExit(f"stale: moved.txt: {fields[1]} has two new names")
    return words


def moved(path, moves):
    for old, new in moves:
        if path.startswith(old):
            return new + path[len(old) :]
    return path


def names_of(tokens):
    """Which of the tokens are identifiers, or several with dots between, and which identifiers they hold."""
    are = [TOKEN.match(token).lastgroup == "word" and not token[:1].isdigit() for token in tokens]
    return are, {name for token, is_name in zip(tokens, are) if is_name for name in IDENTIFIER.findall(token)}


def renamed(tokens, today):
    """The tokens with the identifiers that they have today. A name that is still in use was not changed here, and one
    that the file had already, or that two would get, is not given: two things would become one."""
    are_names, then = names_of(tokens)
    now = names_of(today)[1]
    words = {old: new for old, new in read_words().items() if old in then - now and new in now - then}
    words = {old: new for old, new in words.items() if list(words.values()).count(new) == 1}
    give = lambda match: words.get(match[0], match[0])
    return [IDENTIFIER.sub(give, token) if is_name else token for token, is_name in zip(tokens, are_names)]


def is_code(path):
    return re.search(r"\.(c|h|cu|cuh|cpp)$", path)


def tokens_of(content, moves):
    """Its tokens, with includes as they are called today, in the order that the formatter gives them."""
    content = INCLUDE.sub(lambda m: m[1] + moved(m[2].decode(), moves).encode() + m[3], content)
    content = INCLUDES.sub(lambda m: b"".join(sorted(m[0].splitlines(keepends=True))), content)
    tokens = [m.group() for m in TOKEN.finditer(content) if m.lastgroup not in ("comment", "space")]
    return [tokens[place] for place in places_without_marks(tokens)]


def behind_arguments(tokens, at):
    """The place behind the parentheses that open at this one; the same place when none do."""
    depth = 0
    for end in range(at, len(tokens)):
        depth += (tokens[end] == b"(") - (tokens[end] == b")")
        if depth <= 0:
            return end + 1 if tokens[at] == b"(" else at
    return at


def places_without_marks(tokens):
    """Where the tokens are that are no marks of record.cuh. A mark that is the body of an `if` counts: it changes what
    follows."""
    included = [at for at, token in enumerate(tokens) if tokens[at - 1] == b"include"]
    includes = [at for at in included if tokens[at] in MARK_INCLUDES]
    if not includes and not any(tokens[at] in MARKED_HEADERS for at in included):
        return list(range(len(tokens)))
    kept, at = [], 0
    while at < len(tokens):
        before = tokens[kept[-1]] if kept else b";"
        if at + 2 in includes:
            at += 3
        elif tokens[at] in MARK_ARGUMENTS and before != b"define":
            at = behind_arguments(tokens, at + 1)
        elif tokens[at] in MARK_STATEMENTS and before in (b";", b"{", b"}"):
            at = behind_arguments(tokens, at + 1)
            at += tokens[at : at + 1] == [b";"]
        else:
            kept.append(at)
            at += 1
    return kept


def text_without_marks(content):
    """A source as it is without its marks, where nothing is left out; its comments and lines stay."""
    matches = list(TOKEN.finditer(content))
    counting = [at for at, m in enumerate(matches) if m.lastgroup not in ("comment", "space")]
    kept = {counting[place] for place in places_without_marks([matches[at].group() for at in counting])}
    dropped = set(counting) - kept
    return b"".join(
        b"true" if dropped and m.group() in MARK_TRUTHS else m.group()
        for at, m in enumerate(matches)
        if at not in dropped
    )


def what_counts(tokens, new):
    """Of the tokens of a file that is called `new` today."""
    writing = WRITING.get(new)
    return {name: body for name, body in definitions(tokens) if name in writing} if writing else tokens


def definitions(tokens):
    """The functions of a file: their names, and their tokens from behind the definition before."""
    depth, first = 0, 0
    for at, token in enumerate(tokens):
        depth += (token == b"{") - (token == b"}")
        if not depth and token in (b"}", b";"):
            body = tokens[first : at + 1]
            if token == b"}" and b"(" in body:
                yield body[body.index(b"(") - 1].decode(), body
            first = at + 1


OUTSIDE = "*"  # what is in no function


def parts_of(tokens):
    """The functions of a file, and the rest of it."""
    parts = dict(definitions(tokens))
    bodies = {id(token) for body in parts.values() for token in body}
    parts[OUTSIDE] = [token for token in tokens if id(token) not in bodies]
    return parts


def digest(tokens):
    return hashlib.sha256(b"\0".join(tokens)).hexdigest()[:16]


def alike(then, today, path):
    """Do all functions that differ leave the same in a recording without solutions?"""
    then, today = parts_of(then), parts_of(today)
    differing = [name for name in today if then.get(name) != today[name]]
    return all((path, name, digest(today[name])) in read_alike() for name in differing)


def print_alike(commit, paths):
    for path in paths:
        old = next((old for old in files_of(commit, (".",)) if moved(old, read_moves()) == path), path)
        then = git("cat-file", "blob", f"{commit}:{old}", check=False)
        with open(path, "rb") as file:
            today = parts_of(tokens_of(file.read(), read_moves()))
        then = parts_of(tokens_of(then, read_moves()))
        for name in (name for name in today if then.get(name) != today[name]):
            print("alike", path, name, digest(today[name]))


@functools.lru_cache(maxsize=None)
def files_of(commit, specs):
    """Path and blob of the commit's files that the pathspecs select."""
    rows = git("diff", "--raw", "--no-renames", "--no-abbrev", NO_TREE, commit, "--", *specs).decode().splitlines()
    return {row.split("\t", 1)[1]: row.split()[3] for row in rows}


@functools.lru_cache(maxsize=None)
def same_code(blob, old, new, is_judged):
    moves = read_moves()
    with open(new, "rb") as file:
        today = file.read()
    then = git("cat-file", "blob", blob)
    if then == today or not is_code(new):
        return then == today
    then, today = tokens_of(then, moves), tokens_of(today, moves)
    then = renamed(then, today)
    return what_counts(then, new) == what_counts(today, new) or (not is_judged and alike(then, today, new))


def first_change(commit, specs, is_judged):
    """A path of today or of then whose code differs; None when all is the same."""
    moves = read_moves()
    then = files_of(commit, specs)
    for old, blob in sorted(then.items()):
        new = moved(old, moves)
        if not os.path.exists(new) or not same_code(blob, old, new, is_judged):
            return new if os.path.exists(new) else old
    today = git("ls-files", "--cached", "--others", "--exclude-standard", "--", *(moved(spec, moves) for spec in specs))
    known = {moved(old, moves) for old in then}.union(MARK_HEADERS)
    return next((path for path in sorted(today.decode().splitlines()) if path not in known), None)


def is_in_history(commit):
    """A commit of another branch may be in the repository, but is no state that this tree came from."""
    command = ["git", "merge-base", "--is-ancestor", commit, "HEAD"]
    return not subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode


def unwritten():
    """Functions that WRITING names and their file does not define: a change of theirs would go unnoticed."""
    for path, names in WRITING.items():
        tokens = []
        if os.path.exists(path):
            with open(path, "rb") as file:
                tokens = [m.group() for m in TOKEN.finditer(file.read()) if m.lastgroup not in ("comment", "space")]
        defined = {name for name, _ in definitions(tokens)}
        yield from ((path, name) for name in names if name not in defined)


def has_solutions(manifest):
    return any("as" in library for library in manifest.get("libraries", []))


def sources_of(bundle, manifest):
    programs = CAPTURED.get(bundle, "").split()
    named = [s for s in manifest.get("sources", []) if isinstance(s, str)]
    silent = SILENT_ROLES + ([] if "ceilings" in manifest else CEILING_ROLES)
    sources = (COLLECTING + programs if programs else []) + named
    unread = [f"collector/runner/role_{role}.c" for role in silent]
    if "collector/counters" not in programs:
        unread.append(SAMPLING_SOURCES)
    if not any(glob.glob(f"{bundle}/{table}*") for table in INSIDE_TABLES):
        unread += [INSIDE_SOURCES] + [f"{old}*" for old, new in read_moves() if new.startswith(INSIDE_SOURCES)]
    if not has_solutions(manifest):
        unread += JUDGE_SOURCES
    if not any(":" in library.get("as", "") for library in manifest.get("libraries", [])):
        unread.append(PYTHON_SOURCES)
    if not any(library.get("name", "").endswith(".json") for library in manifest.get("libraries", [])):
        unread.append(DESCRIBED_SOURCES)
    for new in list(sources):  # where they were
        sources += [old + new[len(now) :] for old, now in read_moves() if new.startswith(now)]
    return sources, [f":(exclude){path}" for path in unread]


def reason(bundle):
    """Why the bundle is stale; None when it is fresh."""
    with open(bundle + "/manifest.json", encoding="utf-8") as file:
        manifest = json.load(file)
    commit = manifest.get("cpprof", {}).get("commit", "")
    sources, silent = sources_of(bundle, manifest)
    if not sources:
        return "its manifest names no sources"
    if commit.endswith("-dirty"):
        return f"recorded from a tree with uncommitted changes ({commit[:12]}-dirty)"
    if not is_in_history(commit):
        return f"recorded by a commit that is not in this history ({commit[:12]})"
    changed = first_change(commit, tuple(sources + silent), has_solutions(manifest))
    if changed is None:
        return None
    last = git("log", "-1", "--format=%h %s", commit + "..", "--", changed).decode().strip()
    return f"older than {changed} ({last})"


def main():
    os.chdir(sys.argv[1])
    if sys.argv[2:3] == ["--alike"]:
        return print_alike(sys.argv[3], sys.argv[4:])
    stale = False
    for path, name in unwritten():
        print(f"{path} does not define {name}: write what it is called today into WRITING of stale.py")
        stale = True
    manifests = sorted(glob.glob("examples/*/*.cpprof/manifest.json"))
    if not manifests:
        print("there is no bundle examples/*/*.cpprof: nothing was compared")
        stale = True
    for path in manifests:
        bundle = os.path.dirname(path)
        why = reason(bundle)
        if why:
            print(f"{bundle}: {why}")
            stale = True
    return stale


if __name__ == "__main__":
    sys.exit(main())
