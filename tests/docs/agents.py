#!/usr/bin/env python3
"""Does the loop of docs/agents.md decide about recorded bundles as the page says, and know all verdicts and reasons?

usage: agents.py CPPROF SOURCE_TREE
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def blocks(page):
    """The indented blocks of a page, without their indent."""
    for block in re.findall(r"(?m)(?:^(?: {4}.*)?\n)*^ {4}.*\n", page):
        yield re.sub(r"(?m)^ {4}", "", block).strip("\n") + "\n"


def sessions(text):
    """(command, what it prints) of a block that begins with '$ '."""
    for part in text.split("$ ")[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def unknown_words(source, page):
    """Verdicts of the schema and reasons of the decision that the page does not name."""
    brief = json.loads((source / "docs/schema/brief.json").read_text())
    verdicts = [word or "null" for word in brief["properties"]["verdict"]["enum"]]
    decision = (source / "docs/statistics.md").read_text().split("\n## The decision\n")[1].split("\n## ")[0]
    reasons = [word for row in re.findall(r"(?m)^\| inconclusive \|.*\| (.*) \|$", decision)
               for word in re.findall(r"`(\w+)`", row)]
    assert len(verdicts) > 9 and len(reasons) > 9, "the schema or the decision looks otherwise"
    return [word for word in verdicts + reasons if f"`{word}`" not in page]


def main():
    cpprof, source = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    page = (source / "docs/agents.md").read_text()
    failures = [f"the page does not name '{word}'" for word in unknown_words(source, page)]
    loop = next(block for block in blocks(page) if block.startswith("import "))
    told = next(block for block in blocks(page) if block.startswith("$ python3 loop.py"))
    count = 0
    with tempfile.TemporaryDirectory() as work:
        Path(work, "loop.py").write_text(loop)
        environment = {**os.environ, "PATH": f"{cpprof.parent}:{os.environ['PATH']}"}
        for command, expected in sessions(told):
            words = [sys.executable, f"{work}/loop.py", *command.split()[2:]]
            done = subprocess.run(words, cwd=source / "examples", env=environment, capture_output=True, text=True,
                                  check=False)
            count += 1
            if done.stdout != expected:
                failures.append(f"{command}: expected\n{expected}got\n{done.stdout}{done.stderr}")
        done = subprocess.run([sys.executable, f"{work}/loop.py", "1.5", "nothing.cpprof"], env=environment,
                              capture_output=True, text=True, check=False)
        if done.returncode != 1 or "stop: cpprof report ended with 5" not in done.stderr:
            failures.append(f"a missing bundle: {done.returncode} {done.stderr}")
    print(*failures, f"{count} sessions, {len(failures)} problems", sep="\n")
    return 1 if failures or count < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
