#!/usr/bin/env python3
"""Is the index of tests/gpu/cheats/ what the first comments of its files say?

usage: cheats_index.py TREE [--refresh]

The comment: what it is (cheat, unfound, honest, uncounted), its task, and what it does. A cheat also says of which kind
it is, whose description it follows, where there is one, and what finds it.
"""
import os
import re
import sys

FOLDER = "tests/gpu/cheats"
KINDS = {
    "wrong": "wrong outputs, or writes where it must not",
    "left out": "work is left out where nobody seems to look",
    "kept": "outputs of an earlier launch, by the place of buffers or by time",
    "kept by content": "results under a hash of a part of the inputs",
    "patient": "results under a hash of all inputs; honest for a while behind new ones",
    "by role": "another solution where it is verified, traced or counted",
    "in silence": "results under a hash, where inputs take long to draw",
    "fake work": "useless work in the place of what is left out",
    "no capture": "results under a hash, and no graph can be made",
    "ahead": "work before its launch",
    "large": "results under a hash, where a launch moves more than half of the L2 cache",
    "idle traffic": "a thread that disturbs while the other solution runs",
    "other arm": "a launch that leaves behind what disturbs the other solution",
    "batch": "one launch works for others",
    "overlap": "launches of a graph at once",
    "late": "work when the clock has stopped",
    "race": "no barrier where one is needed",
    "precision": "fewer bits than the task asks for",
    "known numbers": "the inputs are known before they are there",
    "other code": "kernels that the task does not allow",
    "cache": "data that survives a flush",
    "clock": "fewer or shorter times than were taken",
    "judge": "the judge, its references or its answers",
    "collective": "one GPU of several",
}
LABELS = ("Kind", "Follows", "Found by")
HEAD = """# Cheats and honest solutions

`tests/gpu/cheats.sh` runs all of them but those of `collective` and `isolated`, and [docs/trust.md](../../../docs/trust.md) says how it went. A cheat that "gains nothing" may pass, as it is not faster then.

A public description is named by its issue or folder on GitHub. The programs here are our own.

This page is made of the first comments of the files: `tests/guards/cheats_index.py . --refresh`.
"""


def sources(tree):
    for folder, folders, names in os.walk(os.path.join(tree, FOLDER)):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".cu"):
                yield os.path.relpath(os.path.join(folder, name), os.path.join(tree, FOLDER))


def parsed(text):
    """The comment's kind of solution, its task, what it does, and its labels."""
    comment = re.match(r"/\*(.*?)\*/", text, re.S)
    lines = [line.strip().lstrip("*").strip() for line in comment.group(1).split("\n")] if comment else []
    parts, label = {"": ""}, ""
    for line in lines:
        found = re.match("(" + "|".join(LABELS) + "): ", line)
        label = found.group(1) if found else label
        parts[label] = (parts.get(label, "") + " " + (line[found.end() :] if found else line)).strip()
    head = re.match(r"(cheat|unfound|honest|uncounted) (\w+): (.*)", parts.pop(""))
    return head.groups() + (parts,) if head else None


def fault(entry):
    if not entry:
        return "begins with no 'cheat TASK: what it does' (or unfound, honest, uncounted)"
    what, _, _, parts = entry
    if what in ("honest", "uncounted"):
        return None
    if parts.get("Kind") not in KINDS:
        return "has no line 'Kind: ' with one of: " + ", ".join(KINDS)
    return None if parts.get("Found by") else "has no line 'Found by: '"


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def row(*cells):
    return "| " + " | ".join(cell(c) for c in cells) + " |\n"


def table(*titles):
    return row(*titles) + "|" + "---|" * len(titles) + "\n"


def page(entries):
    cheats = [(path, e) for path, e in entries if e[0] in ("cheat", "unfound")]
    text = HEAD + "\n## Kinds\n\n" + table("kind", "what is done", "cheats")
    for kind, meaning in KINDS.items():
        text += row(kind, meaning, str(sum(e[3]["Kind"] == kind for _, e in cheats)))
    text += "\n## Cheats\n\n" + table("cheat", "task", "kind", "what it does", "follows", "found by")
    for path, (what, task, does, parts) in cheats:
        found = ("not always: " if what == "unfound" else "") + parts["Found by"]
        text += row(f"`{path[:-3]}`", task, parts["Kind"], does, parts.get("Follows", ""), found)
    text += "\n## Honest solutions\n\nThose that no counter shows are inconclusive (`uncounted`).\n\n"
    text += table("solution", "task", "is", "what it does")
    for path, (what, task, does, _) in entries:
        if what in ("honest", "uncounted"):
            text += row(f"`{path[:-3]}`", task, what, does)
    return text


def main():
    tree, refresh = sys.argv[1], "--refresh" in sys.argv[2:]
    path = os.path.join(tree, FOLDER, "README.md")
    entries, bad = [], 0
    for name in sources(tree):
        with open(os.path.join(tree, FOLDER, name)) as file:
            entry = parsed(file.read())
        why = fault(entry)
        if why:
            print(f"{FOLDER}/{name}: {why}")
            bad = 1
        entries.append((name, entry))
    if bad or not entries:
        return 1
    now = page(entries)
    if refresh:
        with open(path, "w") as file:
            file.write(now)
    before = open(path).read() if os.path.exists(path) else ""
    if now != before:
        print(f"{path} is not what the files say: tests/guards/cheats_index.py TREE --refresh")
    return now != before


if __name__ == "__main__":
    sys.exit(main())
