"""Does a Chrome trace keep the rules by which Perfetto reads one?

    chrome_rules.py FILE.json[.gz]

It keeps a stack per thread: a complete event that lies across another one is left out, and an arrow ends or begins at the
event that is open at its time. Rows of one time count in the order of the file. It opens an object that starts with {" and
takes times as decimal microseconds, which must not be many digits long to survive as floating point."""
import gzip
import json
import re
import sys

PLACE = re.compile(r'"(?:ts|dur)":(-?[0-9]+\.[0-9]+)')


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", newline="") as file:
        return file.read()


def nanoseconds(row, key):
    return round(row[key] * 1000)


def judge(text):
    trace = json.loads(text)
    rows = trace["traceEvents"]
    bad = [] if text.startswith('{"') else ["it does not start with an object's first key"]
    bad += ["a time is not in microseconds with three decimals: " + t for t in PLACE.findall(text) if t[-4] != "."]
    named, open_events, started, ended = set(), {}, set(), set()
    for row in sorted((r for r in rows if r["ph"] != "M"), key=lambda r: nanoseconds(r, "ts")):
        line, at = (row["pid"], row["tid"]), nanoseconds(row, "ts")
        stack = open_events.setdefault(line, [])
        if row["ph"] == "X":
            while stack and stack[-1] <= at:
                stack.pop()
            end = at + nanoseconds(row, "dur")
            if stack and end > stack[-1]:
                bad.append(f"{row['name']} at {at} ns lies across another event of {line}")
            stack.append(end)
            named.add(line)
        elif not stack:
            bad.append(f"an arrow at {at} ns touches nothing on {line}")
        elif row["ph"] == "s":
            started.add(row["id"])
        elif row["ph"] == "f" and row.get("bp") != "e":
            bad.append(f"arrow {row['id']} would end at the event behind {at} ns")
        elif row["ph"] == "f":
            ended.add(row["id"])
    names = {(r["pid"], r["tid"]) for r in rows if r["ph"] == "M" and r["name"] == "thread_name"}
    processes = {r["pid"] for r in rows if r["ph"] == "M" and r["name"] == "process_name"}
    calls = any(r.get("cat") in ("cuda_runtime", "cuda_driver") for r in rows)
    if calls and not started & ended:
        bad.append("no arrow leads from a call to its work")
    bad += [f"{line} has no name" for line in named if line not in names or line[0] not in processes]
    return bad, len(rows)


def main():
    bad, count = judge(read(sys.argv[1]))
    for line in bad[:10]:
        print(f"{sys.argv[1]}: {line}")
    if not count:
        print(f"{sys.argv[1]}: no rows")
    sys.exit(1 if bad or not count else 0)


main()
