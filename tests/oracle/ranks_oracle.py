#!/usr/bin/env python3
"""Does `cpprof ranks` say what was planted?

usage: ranks_oracle.py CPPROF MAKE_TRACE [SEEDS [TRACE TRACE...]]

make_trace writes traces of ranks and the plan that they follow: every duration, and one delay in each step. From the
plan alone this computes when each rank arrives, what it waits, and whose lateness it is, and compares: every sum to the
nanosecond where ranks have one clock, and every verdict. Then clocks are off by seconds and drift, and ranks are lost.
Of real TRACEs, a Chrome trace for each rank without collectives of all, the parts of time are summed once more.
"""
import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

CPPROF, MAKE_TRACE = sys.argv[1:3]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
COLUMNS = 2
FLOOR_NS = 2000  # less is no lateness
FAILURES = []
REASONS = Counter()  # of planted delays without a verdict


def expect(holds, text):
    if not holds:
        FAILURES.append(text)
        print("ranks_oracle:", text)


def run(folder, seed, **options):
    words = [f"{name}={value}" for name, value in options.items()]
    made = subprocess.run([MAKE_TRACE, "ranks", str(seed), folder, *words], stdout=subprocess.PIPE, check=True)
    found = subprocess.run([CPPROF, "ranks", folder, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not found.stdout:
        sys.exit(f"ranks_oracle: no answer: {found.stderr.decode()}")
    return json.loads(made.stdout), json.loads(found.stdout), found.returncode


def groups(plan, phase):
    """The ranks of each communicator."""
    ranks = range(plan["ranks"])
    if not plan["grid"]:
        return [list(ranks)]
    key = (lambda r: r // COLUMNS) if phase == 0 else (lambda r: r % COLUMNS)
    found = {}
    for rank in ranks:
        found.setdefault(key(rank), []).append(rank)
    return list(found.values())


def blame(arrivals, ranks):
    """Each moment that ranks wait is shared by those that have not arrived: {rank: its part of all waits}."""
    order = sorted(ranks, key=lambda r: arrivals[r])
    parts, carried, total = {order[0]: 0}, 0, 0
    for number in range(1, len(order)):
        waits = (arrivals[order[number]] - arrivals[order[number - 1]]) * number
        carried += waits / (len(order) - number)
        total += waits
        parts[order[number]] = carried
    return {rank: part / total if total else 0 for rank, part in parts.items()}


def reasons(spent, parts, ranks):
    """What made the late ranks late: by how much each delay makes a rank later than the others are in the mean, and its
    part of the waits. Parts of one; the rest is unknown."""
    found = Counter()
    for rank, part in parts.items():
        others = [r for r in ranks if r != rank]
        beyond = {key: spent[rank][key] - sum(spent[r][key] for r in others) / len(others) for key in spent[rank]}
        total = sum(ns for ns in beyond.values() if ns > 0)
        for key, ns in beyond.items():
            if ns > 0:
                found[key] += part * ns / total
    return found


def meetings(plan):
    """Every collective of the plan: its arrivals, waits and transfer; and why its last ranks are late.

    A rank spends its own delays, and waits for those of others. What counts is what it has spent since the last
    collective of the same ranks."""
    now = [1_000_000_000] * plan["ranks"]
    spent = [Counter() for _ in now]
    before = {}  # by ranks: what they had spent at the end of the last collective
    for number, step in enumerate(plan["steps"]):
        plant = step.get("plant")
        for phase, made in enumerate(step["phases"]):
            arrivals = [now[r] + sum(made["ranks"][r][:3]) for r in range(plan["ranks"])]
            is_here = plant and plant["phase"] == phase
            late_ranks = {plant["rank"], plant["other"]} - {-1} if is_here and plant["what"] != "slow" else set()
            for rank in late_ranks:
                spent[rank][rank, plant["what"]] += plant["ns"]
            for ranks in groups(plan, phase):
                last = max(ranks, key=lambda r: arrivals[r])
                is_slow = is_here and plant["what"] == "slow" and plant["rank"] in ranks
                start = before.get(tuple(ranks), [Counter() for _ in now])
                since = {r: Counter({key: ns - start[r][key] for key, ns in spent[r].items()}) for r in ranks}
                why = reasons(since, blame(arrivals, ranks), ranks)
                yield {
                    "step": number,
                    "phase": phase,
                    "ranks": ranks,
                    "skew": arrivals[last] - min(arrivals[r] for r in ranks),
                    "late": sum(arrivals[last] - arrivals[r] for r in ranks) // (len(ranks) - 1),
                    "waits": sum(arrivals[last] - arrivals[r] for r in ranks),
                    "slow": plant["ns"] if is_slow else 0,
                    "why": why,
                    "is_shared": max(blame(arrivals, ranks).values()) < 0.9,
                    "plant": plant if is_here and plant["rank"] in ranks else None,
                }
                for r in ranks:
                    for key, part in why.items():
                        spent[r][key] += part * (arrivals[last] - arrivals[r])
                    if is_slow:
                        spent[r]["slow", phase, ranks[0]] += plant["ns"]
                    now[r] = arrivals[last] + made["ranks"][ranks[0]][4] + made["ranks"][r][3]
                before[tuple(ranks)] = [c.copy() for c in spent]


def late_classes(meeting):
    """Who may be named for lateness: all that have nearly half of it, or several ranks, none of them for most of it; a
    slow transfer elsewhere has no name."""
    named = [key for key, part in meeting["why"].most_common() if part > 0.42]
    right = [("late-arrival", *key) if len(key) == 2 else "inconclusive" for key in named]
    if meeting["is_shared"] and all(meeting["why"][key] < 0.58 for key in named):
        right.append(("late-arrival", None, None))
    return right or ["inconclusive"]


def classes(meeting, off):
    """The verdicts that are right, where arrivals are known to `off` ns; the first is the one that is looked for."""
    late, slow = meeting["late"], meeting["slow"]
    right = []
    if late < 1.1 * FLOOR_NS + off and not slow:
        right.append("in-time")
    if slow and slow > 2.6 * late:
        right.append("slow-transfer")
    if slow and slow < 3.5 * late and late < 3.5 * slow:
        right.append("mixed")
    if late > 0.9 * FLOOR_NS and late > 2.6 * slow:
        right += late_classes(meeting)
    return right


def said(row):
    if row["verdict"] != "late-arrival":
        return row["verdict"]
    return ("late-arrival", row["origin_rank"], row["cause"])


def key_of(row):
    """Phase, first rank and step of a collective, by its note: "1 [0,2]"."""
    phase, ranks = row["communicator"].split(" ", 1)
    return int(phase), int(ranks.strip("[]").split(",")[0]), row["position"] - 1


def by_key(plan, found):
    rows = {key_of(row): row for row in found["collectives"]}
    for meeting in meetings(plan):
        yield meeting, rows.get((meeting["phase"], meeting["ranks"][0], meeting["step"]))


def judge(plan, found, name, tally):
    """Counts right, open and wrong verdicts on collectives, and those on what was planted."""
    for meeting, row in by_key(plan, found):
        expect(row is not None, f"{name}: no collective {meeting}")
        if row is None:
            continue
        right, got = classes(meeting, row["uncertain_ns"]), said(row)
        is_planted = meeting["plant"] is not None
        is_right, is_open = got in right, row["verdict"] == "inconclusive"
        if is_open and is_planted:
            REASONS[row["reason"]] += 1
        tally["planted" if is_planted else "other", "right" if is_right else "open" if is_open else "wrong"] += 1
        expect(is_right or is_open, f"{name}: step {meeting['step']} phase {meeting['phase']} of "
                                    f"{meeting['ranks']}: {got}, not {right}; {row}; {meeting['plant']}")


def check_sums(plan, found, name):
    """On one clock every number is exact."""
    origins, late = Counter(), 0
    for meeting, row in by_key(plan, found):
        expect(row["skew_ns"] == meeting["skew"], f"{name}: skew {row['skew_ns']}, not {meeting['skew']}: {meeting}")
        expect(row["late_ns"] == meeting["late"], f"{name}: late {row['late_ns']}, not {meeting['late']}: {meeting}")
        if row["verdict"] not in ("late-arrival", "mixed"):
            continue
        late += meeting["waits"]
        for key, part in meeting["why"].items():
            origins[key] += meeting["waits"] * part
    expect(abs(found["totals"]["late_ns"] - late / (plan["ranks"] - 1)) < 1, f"{name}: late {found['totals']['late_ns']}, not {late}")
    for origin in found["origins"]:
        want = origins[origin["rank"], origin["cause"]] / (plan["ranks"] - 1)
        expect(abs(origin["cost_ns"] - want) <= 0.03 * late / (plan["ranks"] - 1),
               f"{name}: {origin['rank']} {origin['cause']} costs {origin['cost_ns']}, not {want}")
    for rank, row in enumerate(found["ranks"]):
        kernels = sum(made["ranks"][rank][2] for step in plan["steps"] for made in step["phases"])
        copies = sum(made["ranks"][rank][1] for step in plan["steps"] for made in step["phases"])
        expect(row["kernel_ns"] == kernels, f"{name}: rank {rank} kernels {row['kernel_ns']}, not {kernels}")
        expect(row["copy_ns"] == copies, f"{name}: rank {rank} copies {row['copy_ns']}, not {copies}")


def check_delays(tally):
    for seed in range(SEEDS):
        for options in ({"ranks": 4}, {"ranks": 8}, {"ranks": 2, "grid": 0}, {"ranks": 6, "grid": 0},
                        {"ranks": 6, "grid": 0, "pair": 2}, {"ranks": 8, "pair": 4}):
            with tempfile.TemporaryDirectory() as folder:
                name = f"seed {seed} {options}"
                plan, found, _ = run(folder, seed, files=0, **options)
                judge(plan, found, name, tally)
                check_sums(plan, found, name)


def check_clocks(tally):
    """Clocks are off by up to 11 s, and drift by up to 50 ppm."""
    beyond, within, count = [], 0, 0
    for seed in range(SEEDS):
        for options in ({"ranks": 4}, {"ranks": 8}, {"ranks": 2, "grid": 0}):
            with tempfile.TemporaryDirectory() as folder:
                name = f"clocks, seed {seed} {options}"
                plan, found, _ = run(folder, seed, offset_ms=11000, drift_ppm=50, **options)
                judge(plan, found, name, tally)
                for meeting, row in by_key(plan, found):
                    if row is None or row["reason"] == "clocks":
                        continue
                    off = abs(row["skew_ns"] - meeting["skew"])
                    count += 1
                    within += off <= row["uncertain_ns"]
                    beyond.append(off - row["uncertain_ns"])
    beyond.sort()
    p99 = beyond[int(0.99 * len(beyond))]
    print(f"clocks: {count} collectives, {within / count:.2%} within the stated uncertainty, p99 {p99} ns beyond it")
    expect(within >= 0.95 * count, f"only {within} of {count} collectives are within the stated uncertainty")
    expect(p99 <= 5000, f"99% of the collectives are up to {p99} ns beyond the stated uncertainty")


def check_lost():
    """Without a rank, or with a collective less, nothing is said of what it might change."""
    with tempfile.TemporaryDirectory() as folder:
        plan, found, status = run(folder, 1, ranks=4, lost=1)
        expect(status == 3 and found["verdict"] == "inconclusive", f"a lost rank: {status} {found['verdict']}")
        for row in found["collectives"]:
            expect("3" not in row["communicator"] or row["reason"] == "incomplete", f"a lost rank: {row}")
        expect(any(m["kind"] == "ranks" for m in found["mismatches"]), "a lost rank is not named")
    with tempfile.TemporaryDirectory() as folder:
        plan, found, status = run(folder, 1, ranks=4, grid=0, files=0, notes=0, short=3)
        kinds = {(m["kind"], m["rank"]) for m in found["mismatches"]}
        expect(("fewer", 2) in kinds, f"a collective less: {found['mismatches']}")
        half = len(plan["steps"]) // 2
        for row in found["collectives"]:
            if row["communicator"] == "stream 1" and row["position"] > half:
                expect(row["verdict"] == "inconclusive" or row["verdict"] == "in-time", f"behind a lost one: {row}")
        expect(any(m["kind"] == "apart" for m in found["mismatches"]), "where it is missing is not seen")
    with tempfile.TemporaryDirectory() as folder:  # numbered: the others are judged
        plan, found, status = run(folder, 1, ranks=4, grid=0, files=0, notes=2, short=3)
        missing = [(m["kind"], m["rank"], m["position"]) for m in found["mismatches"]]
        expect(missing == [("missing", 2, len(plan["steps"]) // 2 + 1)], f"a number less: {missing}")
        expect(found["totals"]["collectives"]["inconclusive"] < 8, f"a number less: {found['totals']}")


def check_ahead():
    """A profiler began one collective later, and ended one later: without numbers the n-th are not the same one."""
    for seed in range(SEEDS):
        for options in ({"files": 0}, {"offset_ms": 1000}, {"offset_ms": 100, "delay_us": 5}, {"offset_ms": 100, "delay_us": 0}):
            with tempfile.TemporaryDirectory() as folder:
                plan, found, _ = run(folder, seed, ranks=2, grid=0, ahead=2, **options)
                verdicts = Counter(row["verdict"] for row in found["collectives"] if key_of(row)[0] == 0)
                expect(set(verdicts) == {"inconclusive"}, f"one ahead, seed {seed} {options}: {verdicts}")
            with tempfile.TemporaryDirectory() as folder:  # numbered: all but the first and the last are judged
                plan, found, _ = run(folder, seed, ranks=2, grid=0, ahead=2, notes=2, **options)
                rows = [row for row in found["collectives"] if key_of(row)[0] == 0]
                expect(len(rows) == len(plan["steps"]) - 2, f"one ahead, seed {seed} {options}: {len(rows)} are numbered")
                expect(any(row["verdict"] != "inconclusive" for row in rows), f"one ahead, seed {seed}: none is judged")


def check_groups():
    """Without notes, rows and columns are taken for communicators of all ranks. Who is named there is late."""
    for seed in range(SEEDS):
        for options in ({"files": 0}, {"offset_ms": 500}, {"files": 0, "delay_us": 20}, {"files": 0, "delay_us": 8}):
            with tempfile.TemporaryDirectory() as folder:
                plan, found, status = run(folder, seed, ranks=4, notes=0, **options)
                name = f"groups, seed {seed} {options}"
                for row in found["collectives"]:
                    plant = plan["steps"][row["position"] - 1].get("plant", {"rank": None, "what": None})
                    is_named = (row["origin_rank"], row["cause"]) == (plant["rank"], plant["what"])
                    expect(row["origin_rank"] is None or is_named, f"{name}: {row} {plant}")
                expect(status == 3 and found["verdict"] == "inconclusive", f"{name}: {status} {found['verdict']}")


def union(intervals):
    covered = []
    for start, end in sorted(intervals):
        if covered and start <= covered[-1][1]:
            covered[-1][1] = max(covered[-1][1], end)
        else:
            covered.append([start, end])
    return covered


def length(intervals):
    return sum(end - start for start, end in union(intervals))


def check_real(paths):
    """A kernel that does not communicate comes before communication, which comes before copies."""
    found = subprocess.run([CPPROF, "ranks", *paths, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    rows = {row["rank"]: row for row in json.loads(found.stdout)["ranks"]}
    for path in paths:
        with gzip.open(path) as file:
            trace = json.load(file)
        parts = {"kernel": [], "comm": [], "copy": [], "memset": []}
        for event in trace["traceEvents"]:
            kind = event.get("cat")
            if event.get("ph") != "X" or kind not in ("kernel", "gpu_memcpy", "gpu_memset"):
                continue
            is_comm = kind == "kernel" and re.search("nccl", event["name"], re.IGNORECASE)
            start = round(event["ts"] * 1000)
            part = "comm" if is_comm else "kernel" if kind == "kernel" else kind.removeprefix("gpu_").replace("memcpy", "copy")
            parts[part].append((start, start + round(event["dur"] * 1000)))
        kernel, comm, copy = parts["kernel"], parts["comm"], parts["copy"]
        everything = kernel + comm + copy + parts["memset"]
        row = rows[trace["distributedInfo"]["rank"]]
        want = {
            "kernel_ns": length(kernel),
            "transfer_ns": length(kernel + comm) - length(kernel),
            "copy_ns": length(kernel + comm + copy) - length(kernel + comm),
            "memset_ns": length(everything) - length(kernel + comm + copy),
            "idle_ns": max(e for _, e in everything) - min(s for s, _ in everything) - length(everything),
            "wait_ns": 0,
            "collectives": len(comm),
        }
        got = {key: row[key] for key in want}
        print(path.rsplit("/", 1)[-1], got)
        expect(got == want, f"{path}: {got}, not {want}")


def main():
    tally, off = Counter(), Counter()
    check_delays(tally)
    check_clocks(off)
    check_lost()
    check_ahead()
    check_groups()
    if sys.argv[4:]:
        check_real(sys.argv[4:])
    for name, counts in (("one clock", tally), ("clocks", off)):
        print(name, {" ".join(key): count for key, count in sorted(counts.items())})
    print("open:", dict(REASONS))
    for counts, least in ((tally, 0.96), (off, 0.97)):
        planted = {key[1]: count for key, count in counts.items() if key[0] == "planted"}
        total = sum(planted.values())
        expect(total >= 400, f"only {total} delays were planted")
        expect(planted.get("right", 0) >= least * total, f"of {total} planted delays {planted.get('right', 0)} are right")
        expect(not counts["planted", "wrong"] and not counts["other", "wrong"], f"wrong with a verdict: {counts}")
    sys.exit(1 if FAILURES else 0)


main()
