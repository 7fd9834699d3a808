#!/usr/bin/env python3
"""Is each recorded report as short as promised, and is everything in it with --full?

usage: report_tiers.py CPPROF EXAMPLES [INTO]

Keeps reports as JSON in INTO, for tests/docs/schemas.py. A bundle's stored report is its Markdown (examples.sh).

Of every bundle below EXAMPLES: the first screen has at most 25 lines of 80 columns, of captures 40, of programs that sweep sizes 30,
of profiles 37, as `profile` prints two more behind it, and less than 40 in all; Markdown at most 60 lines and 350 words outside of what is
folded (of captures 370), of many arms at most 150 lines in all, of captures 260, no line above 160 characters but in
tables and code, and headings of at most 240; HTML at most 300 kB beside its pictures, and asks for nothing. Whatever
--format json knows of findings, evidence and caveats is in the text of --full.
"""
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SCREEN_LINES, SCREEN_COLUMNS = 25, 80
OPEN_LINES, OPEN_WORDS, ALL_LINES, LINE_CHARACTERS = 60, 350, 150, 160
HEADING_CHARACTERS = 240  # Markdown cannot break it
SWEEP_SCREEN_LINES = 30
CAPTURE_SCREEN_LINES, PROFILE_SCREEN_LINES, CAPTURE_LINES, CAPTURE_WORDS = 40, 37, 260, 370
MARKDOWN_BYTES, HTML_BYTES, BRIEF_BYTES = 1 << 20, 300_000, 2048


def printed(cpprof, *arguments, columns=None):
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "CLICOLOR_FORCE")}
    if columns:
        environment["COLUMNS"] = str(columns)
    done = subprocess.run([cpprof, "report", *arguments], capture_output=True, text=True, env=environment, check=False)
    if done.returncode not in (0, 5):
        raise RuntimeError(f"cpprof report {' '.join(arguments)}: {done.returncode}: {done.stderr}")
    return done.stdout


def plain(text):
    """Blanks count as one."""
    return " ".join(text.split())


def is_long(report):
    """Of several comparisons or arms, or of a whole program."""
    if "compare" not in report:
        return True
    results = [row for row in report.get("compare", {}).get("rows", []) if "+" not in row["candidate"]]
    return len(results) > 1


# ---- limits ----


def most_lines(report):
    return CAPTURE_LINES if is_capture(report) else ALL_LINES


def is_capture(report):
    return report.get("kind") == "capture"


def most_screen_lines(report):
    if not is_capture(report):
        swept = {row["shape"] for row in report.get("compare", {}).get("rows", []) if row.get("measure")}
        return SWEEP_SCREEN_LINES if len(swept) > 1 else SCREEN_LINES
    return PROFILE_SCREEN_LINES if report.get("profile") else CAPTURE_SCREEN_LINES


def screen_limits(screen, report):
    lines = screen.splitlines()
    if len(lines) > most_screen_lines(report):
        yield f"the first screen has {len(lines)} lines"
    for line in lines:
        if len(line) > SCREEN_COLUMNS:
            yield f"a line of the first screen has {len(line)} columns: {line[:60]}..."


def words_of(text):
    return len(re.sub(r"[|`*#]|<[^>]*>|&[a-z#0-9]+;", " ", text).split())


def prose(markdown):
    """The lines that are neither of a table nor of code."""
    code = False
    for line in markdown.splitlines():
        if line.startswith("```"):
            code = not code
        elif not code and not line.startswith("|"):
            yield line


def markdown_limits(markdown, report):
    unfolded = re.sub(r"<details>.*?</details>", "", markdown, flags=re.S)
    if len(markdown.encode()) > MARKDOWN_BYTES:
        yield f"Markdown has {len(markdown.encode())} bytes"
    if len(unfolded.splitlines()) > OPEN_LINES:
        yield f"{len(unfolded.splitlines())} lines are not folded"
    if words_of(unfolded) > (CAPTURE_WORDS if is_capture(report) else OPEN_WORDS):
        yield f"{words_of(unfolded)} words are not folded"
    if is_long(report) and len(markdown.splitlines()) > most_lines(report):
        yield f"Markdown has {len(markdown.splitlines())} lines"
    for line in prose(markdown):
        if len(line) > (HEADING_CHARACTERS if line.startswith("#") else LINE_CHARACTERS):
            yield f"a line has {len(line)} characters: {line[:60]}..."


def html_limits(html):
    page = re.sub(r"data:image/svg\+xml;base64,[A-Za-z0-9+/=]*", "", html)
    if len(page.encode()) > HTML_BYTES:
        yield f"HTML has {len(page.encode())} bytes beside its pictures"
    if re.search(r"<script|<link|src=\"http|url\(", page):
        yield "HTML asks for something"


# ---- nothing is lost ----


def said(report):
    """The words of findings, evidence and caveats, wherever they stand in the JSON."""
    keys = ("claim", "cause", "advice", "will_not_help", "because", "assumption", "metric", "text", "change")
    if isinstance(report, dict):
        for key, value in report.items():
            if key in keys and isinstance(value, str) and (" " in value or key == "metric"):
                yield value
            elif key == "caveats" and isinstance(value, list):
                yield from (v if isinstance(v, str) else v.get("text", "") for v in value)
            elif key != "names":
                yield from said(value)
    elif isinstance(report, list):
        for value in report:
            yield from said(value)


def lost(report, everything):
    missing = [text for text in dict.fromkeys(said(report)) if plain(text) not in everything]
    if missing:
        yield f"--full lacks {len(missing)} of the words of its JSON: {missing[:3]}"


def keep(into, bundle, ending, text):
    if into:
        (into / (bundle.replace("/", "+") + ending)).write_text(text)
    return text


def markdown_of(cpprof, bundle):
    stored = Path(bundle, "report.md")
    if Path(bundle, "variants.csv").exists() and stored.exists():
        return stored.read_text()
    return printed(cpprof, "--format", "md", bundle)


def check(cpprof, bundle, into):
    report = json.loads(keep(into, bundle, ".json", printed(cpprof, "--format", "json", bundle)))
    screen = printed(cpprof, "--brief", "--format", "text", bundle, columns=SCREEN_COLUMNS)
    markdown = markdown_of(cpprof, bundle)
    brief = keep(into, bundle, ".brief.json", printed(cpprof, "--brief", "--format", "json", bundle))
    yield from screen_limits(screen, report)
    if len(brief.encode()) > BRIEF_BYTES or not json.loads(brief)["headline"]:
        yield f"--brief as JSON has {len(brief.encode())} bytes"
    yield from markdown_limits(markdown, report)
    yield from html_limits(printed(cpprof, "--format", "html", bundle))
    yield from lost(report, plain(printed(cpprof, "--full", "--format", "text", bundle)))


def main():
    cpprof = str(Path(sys.argv[1]).resolve())
    into = Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
    if into:
        into.mkdir(exist_ok=True)
    os.chdir(sys.argv[2])  # a first screen names its bundle: where this tree lies must not count
    bundles = sorted(str(p) for p in Path(".").glob("*/*.cpprof"))
    with ThreadPoolExecutor(max_workers=2) as pool:
        found = list(pool.map(lambda b: [f"{Path(b).parent.name}/{Path(b).name}: {w}" for w in check(cpprof, b, into)], bundles))
    wrong = [line for lines in found for line in lines]
    print("\n".join(wrong))
    print(f"{len(bundles)} reports, {len(wrong)} limits not kept")
    return 1 if wrong or not bundles else 0


sys.exit(main())
