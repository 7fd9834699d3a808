#!/usr/bin/env python3
"""Does a damaged bundle ever get a better verdict than the one that was recorded?

usage: bundle_mutants.py [--count N] [--seed S] [--jobs J] [--keep FOLDER] CPPROF EXAMPLES

Mutants of the recorded bundles, in three classes, each with what must hold of it:

  raw        bytes of a sealed file are changed: exit 5 from every command, or 1 where something fails on
             what is left
  sealed     rows, cells, columns or tables are deleted, blanked, repeated or made to contradict
             themselves, and the seal is made anew: nothing passes that did not pass before
  plausible  other values that could be, sealed anew: an exit status of ours, no crash

None takes more than 5 s or 500 MB. The same seed makes the same mutants. --keep leaves
those that were judged wrongly in FOLDER. Prints one line for each; exits 1 if there is one.
"""

import argparse
import csv
import gzip
import io
import json
import multiprocessing
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import zlib

SECONDS_MOST = 5
MEMORY_MOST_KIB = 500 * 1024
MANIFEST = "manifest.json"

# Limits on both sides of what was recorded: passes that could be lost, and failures that could be.
RULES = ["selection({})", "bad_ratio({}) == 0", "max_abs_err({}) <= 1", "max_abs_err({}) <= 0", "time({}) <= 1 s", "time({}) <= 1 ns",
         "registers({}) <= 1", "registers({}) <= 255", "shared({}) <= 1", "occupancy({}) >= 99.9%", "occupancy({}) >= 1%",
         "spills({}) <= 0", "local({}) <= 0", "launches({}) <= 1", "metric({}, dram_bytes) <= 1 B", "metric({}, dram_bytes) <= 999 GB",
         "metric({}, issue_share) >= 99.9%", "gain({}) >= 1%", "gain({}) >= 90%", "exposed_wait({}) <= 10%", "exposed_wait({}) <= 99%", "savable({}) <= 99%",
         "inside_overlap({}) >= 1%", "phase({}, compute) <= 1 s", "phase({}, compute) <= 750 ns"]
TRACE_RULES = ["count(kernel) >= 1", "count(kernel) <= 0", "serial(kernel)", "count(copy) >= 1"]


# ---- bundles as Python has them ----

def read_rows(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as file:
        return list(csv.reader(file))


def text_of(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode("utf-8", "surrogateescape")


class Mutant:
    """A copy of a bundle, unpacked, in which single files are replaced; the rest are links."""

    def __init__(self, source, folder):
        self.source, self.path = source, os.path.join(folder, os.path.basename(source))
        os.mkdir(self.path)
        for name in os.listdir(source):
            full = os.path.join(source, name)
            if os.path.isdir(full):
                shutil.copytree(full, os.path.join(self.path, name))
            elif name.endswith(".gz"):
                with gzip.open(full) as packed:
                    self.write(name[:-len(".gz")], packed.read())
            else:
                os.symlink(os.path.abspath(full), os.path.join(self.path, name))
        with open(os.path.join(source, MANIFEST), encoding="utf-8") as file:
            self.manifest = json.load(file)

    def write(self, name, data):
        path = os.path.join(self.path, name)
        if os.path.lexists(path):
            os.unlink(path)
        with open(path, "wb") as file:
            file.write(data)

    def read(self, name):
        with open(os.path.join(self.path, name), "rb") as file:
            return file.read()

    def rows(self, name):
        return read_rows(os.path.join(self.path, name))

    def tables(self):
        return sorted(n for n in self.manifest.get("files", {}) if n.endswith(".csv"))

    def traces(self):
        return sorted(n for n in self.manifest.get("files", {}) if n.endswith(".bin"))

    def set_rows(self, name, rows):
        self.write(name, text_of(rows))

    def remove(self, name):
        os.unlink(os.path.join(self.path, name))
        del self.manifest["files"][name]

    def seal(self):
        for name in self.manifest.get("files", {}):
            data = self.read(name)
            self.manifest["files"][name] = {"bytes": len(data), "crc32": zlib.crc32(data)}
        self.write(MANIFEST, json.dumps(self.manifest, indent=2).encode())


# ---- class 1: bytes ----

def change_bytes(mutant, pick):
    name = pick.choice(mutant.tables() + mutant.traces())
    data = bytearray(mutant.read(name))
    at = pick.randrange(len(data))
    how = pick.choice(["flip", "cut", "insert", "append", "delete", "empty", "remove"])
    if how == "flip":
        data[at] ^= 1 << pick.randrange(8)
    elif how == "cut":
        del data[at:]
    elif how == "insert":
        data[at:at] = bytes([pick.randrange(256)])
    elif how == "append":
        data += data[at:at + 64]
    elif how == "delete":
        del data[at]
    elif how == "empty":
        data.clear()
    if how == "remove":
        os.unlink(os.path.join(mutant.path, name))
    else:
        mutant.write(name, bytes(data))
    return f"{how} {name} at {at}"


# ---- class 2: what cannot be, or is gone ----

def some_rows(rows, pick):
    return sorted(pick.sample(range(1, len(rows)), min(len(rows) - 1, pick.choice([1, 1, 2, 5, 20]))))


def delete_rows(rows, pick):
    gone = set(some_rows(rows, pick))
    rows[:] = [r for i, r in enumerate(rows) if i not in gone]
    return f"delete rows {sorted(gone)}"


def delete_like(rows, pick):
    """All rows that agree with one of them in a column: those that failed, say."""
    column = columns_of(rows, pick, FREE_ROWS)
    value = pick.choice(sorted({r[column] for r in rows[1:]}))
    rows[1:] = [r for r in rows[1:] if r[column] != value]
    return f"delete where {rows[0][column]} is {value!r}"


def blank_like(rows, pick):
    column, other = pick.randrange(len(rows[0])), columns_of(rows, pick, FREE)
    value = pick.choice(sorted({r[column] for r in rows[1:]}))
    for row in rows[1:]:
        if row[column] == value:
            row[other] = ""
    return f"blank {rows[0][other]} where {rows[0][column]} is {value!r}"


def delete_arm(rows, pick):
    arm = pick.choice(rows[1:])[:2]
    rows[1:] = [r for r in rows[1:] if r[:2] != arm]
    return f"delete arm {arm}"


def cut_rows(rows, pick):
    left = pick.randrange(1, len(rows) + 1)
    del rows[left:]
    return f"keep {left - 1} rows"


def blank_cells(rows, pick):
    column = columns_of(rows, pick, FREE)
    chosen = some_rows(rows, pick)
    for i in chosen:
        rows[i][column] = ""
    return f"blank {rows[0][column]} in {chosen}"


def blank_column(rows, pick):
    column = columns_of(rows, pick, FREE)
    for row in rows[1:]:
        row[column] = ""
    return f"blank all of {rows[0][column]}"


def delete_column(rows, pick):
    column = columns_of(rows, pick, FREE)
    name = rows[0][column]
    for row in rows:
        del row[column]
    return f"delete column {name}"


def repeat_rows(rows, pick):
    chosen = some_rows(rows, pick)
    rows.extend(list(rows[i]) for i in chosen)
    return f"repeat rows {chosen}"


def copy_process(rows, pick):
    if "process" not in rows[0]:
        return repeat_rows(rows, pick)
    column = rows[0].index("process")
    source = pick.choice(rows[1:])[column]
    copies = pick.choice([1, 3, 7])
    keep = pick.random() < 0.5
    of_process = [r for r in rows[1:] if r[column] == source]
    if pick.random() < 0.5:
        rows[1:] = of_process
    for n in range(copies):
        for row in of_process:
            rows.append(row[:column] + [source if keep else str(1000 + n)] + row[column + 1:])
    return f"process {source} {copies} times more, {'as itself' if keep else 'as others'}"


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def contradict(rows, pick):
    column = columns_of(rows, pick, {"variant", "shape"}) # another arm's check is no pass of this one
    chosen = some_rows(rows, pick)
    bad = pick.choice(["-1", "nan", "inf", "1e999", "0x10", "YES", "maybe", "-0.5", "1e300", "=1+1"])
    for i in chosen:
        rows[i][column] = bad if is_number(rows[i][column]) or pick.random() < 0.3 else rows[i][column].swapcase()
    return f"{rows[0][column]} is {bad} in {chosen}"


def contradict_checks(rows, pick):
    """Of verify.csv: passes that cannot be."""
    at = {name: i for i, name in enumerate(rows[0])}
    how = pick.choice([("max_abs_err", ""), ("max_abs_err", "-1"), ("bad_ratio", "1"), ("bad_ratio", ""), ("bad_ratio", "-1"),
                       ("values", "-1"), ("process", "-1"), ("pass", "YES"), ("pass", "")])
    if not {"pass", how[0]} <= set(at):
        return "nothing"
    for i in some_rows(rows, pick):
        rows[i][at["pass"]] = "yes"
        rows[i][at[how[0]]] = how[1]
    return f"passes with {how[0]} '{how[1]}'"


# What a machine or a variant need not give: nothing tells a bundle without it from one that was recorded so. The
# same holds of the last samples of all processes.
FREE = {"throttled", "kernel_pattern"}
FREE_ROWS = {"block", "iteration"}


def columns_of(rows, pick, free):
    return pick.choice([i for i, name in enumerate(rows[0]) if name not in free] or [0])


ON_ROWS = [delete_rows, delete_like, delete_like, blank_like, delete_arm, cut_rows, blank_cells, blank_cells, blank_column, delete_column, repeat_rows, copy_process, contradict]


def damage(mutant, pick):
    tables = mutant.tables()
    if not tables or pick.random() < 0.05:
        name = pick.choice(tables + mutant.traces())
        mutant.remove(name)
        mutant.seal()
        return f"delete {name}"
    said = []
    for _ in range(pick.choice([1, 1, 1, 2, 3])):
        name = pick.choice(tables)
        rows = mutant.rows(name)
        if len(rows) < 2 or not rows[0]:
            continue
        how = contradict_checks if name == "verify.csv" and pick.random() < 0.3 else pick.choice(ON_ROWS)
        said.append(f"{name}: {how(rows, pick)}")
        mutant.set_rows(name, rows)
    mutant.seal()
    return "; ".join(said)


# ---- class 3: what could be ----

def other_number(text, pick):
    value = float(text)
    return repr(pick.choice([value * 1.1, value * 0.5, value + 1, 0, 1, 1e18, -value, 9223372036854775807, 1e-300, value * 1e6]))


def other_value(rows, pick):
    column = pick.randrange(len(rows[0]))
    values = sorted({r[column] for r in rows[1:]})
    for i in some_rows(rows, pick):
        cell = rows[i][column]
        rows[i][column] = other_number(cell, pick) if is_number(cell) and pick.random() < 0.7 else pick.choice(values)
    return f"other {rows[0][column]}"


def shuffle_rows(rows, pick):
    body = rows[1:]
    pick.shuffle(body)
    rows[1:] = body
    return "shuffle"


def long_names(rows, pick):
    column = pick.randrange(len(rows[0]))
    text = pick.choice(["x" * 10000, "a\nb", '"', ",", "\x1b[31m", "=1+1", "(" * 500, "*", "a{1000}", "gpu 7", "\u2028"])
    for i in some_rows(rows, pick):
        rows[i][column] = text
    return f"{rows[0][column]} is {text[:10]!r}"


def more_rows(rows, pick):
    at = {name: i for i, name in enumerate(rows[0])}
    wanted = pick.choice([100, 1000])
    key = pick.choice([c for c in ("variant", "shape", "kernel", "process", "launch") if c in at])
    base = rows[1:]
    for n in range(wanted):
        row = list(pick.choice(base))
        row[at[key]] = str(n + 1000) if key in ("process", "launch") else f"{row[at[key]]}-{n}"
        rows.append(row)
    return f"{wanted} more by {key}"


def change_manifest(mutant, pick):
    def places(value, path=()):
        if isinstance(value, dict):
            for key, member in value.items():
                yield from places(member, path + (key,))
        elif isinstance(value, list):
            for i, member in enumerate(value):
                yield from places(member, path + (i,))
        if path and path[0] != "files":
            yield path
    path = pick.choice(list(places(mutant.manifest)))
    at = mutant.manifest
    for step in path[:-1]:
        at = at[step]
    new = pick.choice([None, -1, 0, 9223372036854775807, 1e308, "", "x" * 5000, [], {}, True, [[]], {"a": []}, "\u0001\n"])
    if pick.random() < 0.3:
        del at[path[-1]]
    else:
        at[path[-1]] = new
    return f"manifest {path}: {str(new)[:20]!r}"


def vary(mutant, pick):
    said = []
    for _ in range(pick.choice([1, 1, 2, 4])):
        tables = mutant.tables()
        if not tables or pick.random() < 0.3:
            said.append(change_manifest(mutant, pick))
            continue
        name = pick.choice(tables)
        rows = mutant.rows(name)
        if len(rows) < 2:
            continue
        how = pick.choice([other_value, other_value, other_value, shuffle_rows, long_names, more_rows])
        said.append(f"{name}: {how(rows, pick)}")
        mutant.set_rows(name, rows)
    if isinstance(mutant.manifest.get("files"), dict):
        mutant.seal()
    return "; ".join(said)


# ---- what the commands say ----

def run(words):
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, b"", b"took longer than 60 s"
    return process.returncode, out, err


def measured(words):
    """Exit status, output, errors, CPU seconds, largest memory in KiB of any child so far."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status, out, err = run(words)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return status, out, err, seconds, after.ru_maxrss


def passes_of_check(out):
    return {("check", a["rule"], a.get("shape", "")) for a in out["assertions"] if a["status"] == "pass"}


def passes_of_compare(out):
    found = {("gate", g["rule"]) for g in out["gates"] if g["status"] == "pass"}
    found |= {("verdict", r["baseline"], r["candidate"], r["shape"], r.get("cache"), r["verdict"]) for r in out["rows"]
              if r["verdict"] in ("faster", "equivalent")}
    return found


def rules_for(manifest, variants):
    if manifest.get("kind") == "capture":
        return TRACE_RULES
    return [r.format(f'"{v}"') for v in variants[:3] for r in RULES] if manifest.get("kind") == "run" else []


def commands(cpprof, path, manifest, rules):
    """Name, words, and what reads the passes out of its JSON."""
    kind = manifest.get("kind")
    found = []
    if rules:
        found.append(("check", [cpprof, "check", path, "--format", "json"] + [w for r in rules for w in ("--assert", r)],
                      passes_of_check))
    if kind == "aa":
        return [("aa", [cpprof, "aa", path, "--format", "json"], None)]
    if kind == "run":
        found += [("compare", [cpprof, "compare", path, "--format", "json"], passes_of_compare),
                  ("classify", [cpprof, "classify", path, "--format", "json"], None)]
    return found + [("report", [cpprof, "report", path, "--format", "json"], None)]


def variants_of(path):
    file = os.path.join(path, "variants.csv")
    if not os.path.exists(file):
        return []
    return sorted({r[0] for r in read_rows(file)[1:]})


def judge(cpprof, path, manifest, rules):
    """Of each command: exit status, what passes, and what is wrong with it as a program."""
    said = {}
    for name, words, reads in commands(cpprof, path, manifest, rules):
        status, out, err, seconds, kib = measured(words)
        faults = []
        if status is None or status < 0 or status not in (0, 1, 2, 3, 5):
            faults.append(f"exit status {status}: {err[-300:].decode(errors='replace')}")
        if b"internal error" in err or b"Sanitizer" in err or b"runtime error" in err:
            faults.append(err[-300:].decode(errors="replace"))
        if seconds > SECONDS_MOST:
            faults.append(f"{seconds:.1f} s")
        if kib > MEMORY_MOST_KIB:
            faults.append(f"{kib} KiB")
        passes = set()
        if reads and out.strip().startswith(b"{"):
            try:
                document = json.loads(out)
                passes = set() if "error" in document else reads(document)
            except ValueError as e:
                faults.append(f"no JSON: {e}")
        said[name] = (status, passes, faults)
    return said


# ---- recordings and what is made of them first ----

def fail_checks(mutant, pick):
    """A run of which some checks failed, none of a ragged shape alone: of those nobody knows how many there were."""
    rows = mutant.rows("verify.csv")
    at = {name: i for i, name in enumerate(rows[0])}
    arms = {tuple(r[:2]) for r in mutant.rows("variants.csv")[1:]}
    chosen = [i for i in some_rows(rows, pick) if tuple(rows[i][:2]) in arms]
    for i in chosen:
        rows[i][at["pass"]], rows[i][at["bad_ratio"]], rows[i][at["max_abs_err"]] = "no", "0.5", "7"
    mutant.set_rows("verify.csv", rows)
    return "checks failed"


def lose_processes(mutant, pick):
    """A run of which only two processes timed."""
    rows = mutant.rows("timing.csv")
    at = rows[0].index("process")
    rows[1:] = [r for r in rows[1:] if r[at] in ("0", "1")]
    mutant.set_rows("timing.csv", rows)
    if "stop" in mutant.manifest:
        mutant.manifest["stop"]["processes"] = 2
    return "two processes"


def throttle(mutant, pick):
    """A run whose GPU throttled in some processes."""
    rows = mutant.rows("timing.csv")
    at = rows[0].index("throttled")
    process = rows[0].index("process")
    for row in rows[1:]:
        if row[process] not in ("0", "1"):
            row[at] = "yes"
    mutant.set_rows("timing.csv", rows)
    return "throttled"


BEFORE = [None, None, fail_checks, lose_processes, throttle]


# ---- one mutant ----

def find_bundles(examples):
    found = []
    for folder, _, files in os.walk(examples):
        if MANIFEST in files and not os.path.dirname(folder).endswith(".cpprof"):
            found.append(folder)
    return sorted(found)


def weight(path):
    return 1 / (100000 + sum(os.path.getsize(os.path.join(path, n)) for n in os.listdir(path)))


def objections_to(kind, before, after):
    """What must not be, as lines."""
    wrong = []
    for name, (status, passes, faults) in after.items():
        wrong += [f"{name}: {f}" for f in faults]
        if kind == "raw" and status not in (1, 5): # what fails on the good part has failed
            wrong.append(f"{name}: exit {status} of damaged bytes")
        if kind != "sealed":
            continue
        old_status, old_passes, _ = before[name]
        if status == 0 and old_status != 0:
            wrong.append(f"{name}: exit 0 where it was {old_status}")
        if status != 0 and name == "compare": # verdicts are shown, and said to be unproven or of a damaged bundle
            passes = {p for p in passes if p[0] == "gate"} if status != 5 else set()
        wrong += [f"{name}: passes now: {p}" for p in sorted(passes - old_passes, key=str)]
    return wrong


def kept_rules(cpprof, base, rules):
    """Those that pass wherever they are asked."""
    if not rules:
        return []
    words = [w for r in rules for w in ("--assert", r)]
    answers = json.loads(run([cpprof, "check", base.path, "--format", "json"] + words)[1])["assertions"]
    return [r for r in rules if all(a["status"] == "pass" for a in answers if a["rule"] == r)]


KINDS = {"raw": change_bytes, "sealed": damage, "plausible": vary}


def try_one(job):
    cpprof, bundles, weights, seed, number, keep = job
    pick = random.Random(f"{seed}/{number}")
    source = pick.choices(bundles, weights)[0]
    kind = ["raw", "sealed", "sealed", "plausible"][number % 4]
    with tempfile.TemporaryDirectory(prefix="cpprof-mutant-") as folder:
        base_folder = os.path.join(folder, "base")
        os.mkdir(base_folder)
        base = Mutant(source, base_folder)
        first = pick.choice(BEFORE) if kind == "sealed" else None
        story = ""
        if first and {"verify.csv", "timing.csv"} <= set(base.tables()):
            story = first(base, pick) + ", then "
            base.seal()
        rules = rules_for(base.manifest, variants_of(base.path))
        before = judge(cpprof, base.path, base.manifest, rules) if kind == "sealed" else {}
        if kind == "raw": # what fails anyway would hide it
            rules = kept_rules(cpprof, base, rules)
        other = os.path.join(folder, "mutant")
        os.mkdir(other)
        mutant = Mutant(base.path, other)
        mutant.manifest = json.loads(json.dumps(base.manifest))
        story += KINDS[kind](mutant, pick)
        wrong = objections_to(kind, before, judge(cpprof, mutant.path, base.manifest, rules))
        if wrong and keep:
            shutil.copytree(mutant.path, os.path.join(keep, f"{number}-{os.path.basename(source)}"), dirs_exist_ok=True)
    return number, kind, source, story, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("cpprof")
    parser.add_argument("examples")
    options = parser.parse_args()
    bundles = find_bundles(options.examples)
    if not bundles:
        print(f"no bundle in '{options.examples}'")
        return 77
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    weights = [weight(b) for b in bundles]
    jobs = ((os.path.abspath(options.cpprof), bundles, weights, options.seed, n, options.keep)
            for n in range(options.first, options.first + options.count))
    failed = 0
    with multiprocessing.Pool(options.jobs, maxtasksperchild=200) as pool:
        for number, kind, source, story, wrong in pool.imap_unordered(try_one, jobs, chunksize=4):
            if wrong:
                failed += 1
                print(f"{number} {kind} {source}: {story}", *wrong[:6], sep="\n    ", flush=True)
    print(f"{options.count} mutants of {len(bundles)} bundles, {failed} judged wrongly")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
