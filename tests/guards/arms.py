#!/usr/bin/env python3
"""Is an arm found by core/run/arms.h alone, and nowhere by comparing the name of a variant and that of a config?

usage: arms.py TREE

Looks at each function of the rooms above core/bundle/, which knows tables and no arms.
"""
import os
import re
import sys

ROOMS = "core/run analyzers rules reports cli".split()
CALL = re.compile(r"\bstrn?cmp\(")
VARIANT = re.compile(r"variant|baseline|candidate|improves_on", re.IGNORECASE)
CONFIG = re.compile(r"config|shape", re.IGNORECASE)


def compared(text):
    """The arguments of each comparison of texts, with the place where it stands."""
    for call in CALL.finditer(text):
        depth, end = 1, call.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        yield call.start(), text[call.end() : end - 1]


def complaints(path, text):
    start = 0
    for function in text.split("\n}\n"):
        calls = list(compared(function))
        variants = [place for place, arguments in calls if VARIANT.search(arguments)]
        if variants and any(CONFIG.search(arguments) for _, arguments in calls):
            line = text.count("\n", 0, start + variants[0]) + 1
            yield f"{path}:{line}: an arm is found by two names: ask core/run/arms.h, and compare pointers"
        start += len(function) + len("\n}\n")


def main():
    tree, found, seen = sys.argv[1], [], 0
    for room in ROOMS:
        for folder, _, names in os.walk(os.path.join(tree, room)):
            for name in sorted(names):
                if name.endswith(".c"):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        found += complaints(os.path.relpath(path, tree), file.read())
                    seen += 1
    for text in found if seen else ["no source files"]:
        print("arms:", text)
    return bool(found) or not seen


sys.exit(main())
