#!/usr/bin/env python3
"""Is the house in order: no include circle, no room too large or unknown, no folder with too many modules, no reason of a verdict
compared as text, no counter called by a literal name?

usage: house.py TREE

A module is a .c (.cu, .cuh) with its .h. Circles are between modules: what a .c includes counts for its module.
Of tests/ only the folders count: it is no part of the production lines.
"""
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

ROOMS = """include core/base core/io core/stats core/gpu core/bundle core/trace core/run analyzers rules cli/doctor reports
    cli/record cli kernels collector""".split()  # the first that a path begins with is its room
BESIDE = "tests examples".split()  # sources that are no part of the production lines
ROOM_SHARE = 0.20  # of all production lines, but for the room of rooms
ROOM_OF_ROOMS = "analyzers"
QUESTION_SHARE = 0.05
FOLDER_MODULES = 40
SOURCE = re.compile(r"\.(c|h|cu|cuh)$")
COMPARED = re.compile(r"\bstrn?cmp\([^);]*\b(?:reason|code)\b")
METRIC_ROW = re.compile(r'^    \{"(\w+)",', re.MULTILINE)  # of core/gpu/metrics.c
METRIC_NAME = re.compile(r'#define METRIC_(\w+) +"(\w+)"')  # of core/gpu/metrics.h
OF_TABLES = re.compile(r"(_columns|capture_program)\.[ch]$")  # members of rows and options, some of which are called so
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]', re.MULTILINE)


def room_of(path):
    return next((room for room in [*ROOMS, *BESIDE] if path.startswith(room + "/")), None)


def sources(tree, folders_at_top):
    for room in folders_at_top:
        for folder, _, names in os.walk(os.path.join(tree, room)):
            for name in names:
                if SOURCE.search(name):
                    yield os.path.relpath(os.path.join(folder, name), tree)


def tree_files(tree):
    """As tree_files.sh: what git tracks or would add, or all but what is built where the tree is no checkout."""
    if os.path.exists(os.path.join(tree, ".git")):
        command = ["git", "-C", tree, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
        return [path for path in listed if os.path.isfile(os.path.join(tree, path))]
    found = []
    for folder, folders, names in os.walk(tree):
        if folder == tree:
            folders[:] = [name for name in folders if not re.match("build|dist|out", name)]
        found += [os.path.relpath(os.path.join(folder, name), tree) for name in names]
    return found


def unknown_rooms(tree):
    of = defaultdict(list)
    for path in tree_files(tree):
        if SOURCE.search(path) and not room_of(path):
            of[os.path.dirname(path)].append(path)
    for name in sorted(of):
        where = f"{name}/ is a room that nobody knows" if name else "a source lies in no room"
        yield (
            f"{where} ({min(of[name])}): move it into a room, or give the room a row in docs/architecture.md, in"
            " ROOMS of tests/guards/house.py and in the arrows of tests/guards/floors.sh"
        )


def module(path):
    return os.path.splitext(path)[0]


def read_house(tree):
    lines, includes = {}, defaultdict(set)
    for path in sources(tree, sorted({room.split("/")[0] for room in ROOMS})):
        with open(os.path.join(tree, path), encoding="utf-8") as file:
            text = file.read()
        lines[path] = text.count("\n")
        for target in INCLUDE.findall(text):
            target = "include/" + target if target.startswith("cpprof/") else target
            if os.path.exists(os.path.join(tree, target)) and module(target) != module(path):
                includes[module(path)].add(module(target))
    return lines, includes


def compared_reasons(tree):
    for path in sorted(sources(tree, "core analyzers rules reports cli".split())):
        with open(os.path.join(tree, path), encoding="utf-8") as file:
            text = file.read()
        for found in COMPARED.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{path}:{line}: a reason is compared as text: compare its enum (core/base/reason.h)"


def literal_counters(tree):
    """Rows of metrics.c whose id stands in code, and constants of metrics.h that are no row's."""
    texts = []
    for name in ("metrics.c", "metrics.h"):
        path = os.path.join(tree, "core/gpu", name)
        texts.append(open(path, encoding="utf-8").read() if os.path.exists(path) else "")
    ids = set(METRIC_ROW.findall(texts[0]))
    for name, value in METRIC_NAME.findall(texts[1]):
        if value not in ids or name != value.upper():
            yield f"core/gpu/metrics.h: METRIC_{name} is no counter of core/gpu/metrics.c"
    for path in sorted(sources(tree, "analyzers rules reports cli core/run".split())):
        with open(os.path.join(tree, path), encoding="utf-8") as file:
            lines = [] if OF_TABLES.search(path) else file.read().split("\n")
        for at, line in enumerate(lines, 1):
            for text in re.findall(r'"(\w+)"', line.partition("/*")[0]):
                if text in ids and "json_get_" not in line:
                    yield f'{path}:{at}: "{text}" is a counter: call it METRIC_{text.upper()} (core/gpu/metrics.h)'


def circles(includes):
    """Groups of modules that reach each other (Tarjan, without recursion)."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for root in sorted(includes):
        work = [(root, iter(sorted(includes[root])))] if root not in index else []
        if work:
            index[root] = low[root] = len(index)
            stack.append(root)
            on_stack.add(root)
        while work:
            at, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(includes.get(target, ())))))
                    break
                if target in on_stack:
                    low[at] = min(low[at], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == index[at]:
                    group = []
                    while not group or group[-1] != at:
                        group.append(stack.pop())
                        on_stack.discard(group[-1])
                    if len(group) > 1:
                        found.append(sorted(group))
    return found


def full_folders(paths):
    modules = defaultdict(set)
    for path in paths:
        modules[os.path.dirname(path)].add(module(path))
    for name, inside in sorted(modules.items()):
        if len(inside) > FOLDER_MODULES:
            yield f"{name}/ has {len(inside)} modules, more than {FOLDER_MODULES}: divide it"


def complaints(lines, includes):
    for group in circles(includes):
        yield "a circle of includes: " + ", ".join(group)
    total = sum(lines.values())
    rooms, questions = Counter(), Counter()
    for path, count in lines.items():
        rooms[room_of(path)] += count
        if room_of(path) == ROOM_OF_ROOMS:
            questions[os.path.dirname(path)] += count
    for name, count in sorted(rooms.items()):
        if name != ROOM_OF_ROOMS and count > ROOM_SHARE * total:
            yield f"{name}/ has {100 * count / total:.1f}% of the lines, more than {100 * ROOM_SHARE:.0f}%: divide it"
    for name, count in sorted(questions.items()):
        if count > QUESTION_SHARE * total:
            yield f"{name}/ has {100 * count / total:.1f}% of the lines, more than {100 * QUESTION_SHARE:.0f}%: divide it"


def main():
    tree = sys.argv[1]
    lines, includes = read_house(tree)
    found = list(complaints(lines, includes)) if lines else ["no source files"]
    found += unknown_rooms(tree)
    found += compared_reasons(tree)
    found += literal_counters(tree)
    found += full_folders([*lines, *sources(tree, ["tests"])])
    for text in found:
        print("house:", text)
    return bool(found)


sys.exit(main())
