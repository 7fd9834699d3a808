#!/usr/bin/env python3
"""How much of the house does one command walk through?

usage: executed.py BUILD COMMAND...      of a build as tests/coverage.sh makes it; BUILD/cli/cpprof runs COMMAND

Prints how many source files and functions were executed, and the files by room. With LIST=1 it names each file.
"""
import glob
import json
import os
import subprocess
import sys
from collections import Counter

SPLIT = "core cli analyzers reports".split()  # rooms whose folders are counted


def notes_of(build):
    return sorted(glob.glob(os.path.join(build, "**", "*.gcda"), recursive=True))


def executed(build, command):
    """Functions that ran, by source file."""
    for old in notes_of(build):
        os.unlink(old)
    subprocess.run([os.path.join(build, "cli", "cpprof"), *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    notes, counts = notes_of(build), {}
    done = subprocess.run(["gcov", "-t", "--json-format", *notes], cwd=build, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    for result in map(json.loads, filter(str.strip, done.stdout.decode().splitlines())):
        for file in result["files"]:
            ran = sum(1 for function in file["functions"] if function["execution_count"])
            path = os.path.relpath(os.path.join(result["current_working_directory"], file["file"]))
            if ran and path.endswith(".c"):
                counts[path] = max(ran, counts.get(path, 0))
    return counts


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    counts = executed(os.path.abspath(sys.argv[1]), sys.argv[2:])
    if not counts:
        raise SystemExit("executed: nothing ran: is this a build with --coverage?")
    rooms = Counter("/".join(path.split("/")[: 2 if path.split("/")[0] in SPLIT and path.count("/") > 1 else 1]) for path in counts)
    print(f"{len(counts)} files, {sum(counts.values())} functions: " + ", ".join(f"{room} {n}" for room, n in sorted(rooms.items())))
    if os.environ.get("LIST"):
        print("\n".join(f"{path} {ran}" for path, ran in sorted(counts.items())))


main()
