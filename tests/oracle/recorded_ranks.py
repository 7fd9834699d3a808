#!/usr/bin/env python3
"""Does `cpprof ranks` align real ranks whose clocks were set wrong?

usage: recorded_ranks.py CPPROF EXAMPLES [SEEDS]

The ranks of EXAMPLES/even-4 and work-4 ran on one host, so their clocks agree. Each seed sets the clock of each rank off
by up to 11 s and lets it gain or lose up to 50 millionths, in all times of its trace. Three answers are compared with
what was set: how far a clock is ahead at its first anchor, what it gains, and how far apart the ranks of each collective
arrive, which was seen before any clock was touched. The answer must stay the same, too.
"""
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile

CPPROF, EXAMPLES = sys.argv[1:3]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 100 if os.environ.get("CPPROF_DEEP") else 4
OFFSET_US, DRIFT = 11_000_000, 50e-6
ANCHOR_BYTES = 64 * 1024
BEYOND_NS = 5000
FAILURES = []


def expect(holds, text):
    if not holds:
        FAILURES.append(text)
        print("recorded_ranks:", text)


def read(folder):
    """The traces of a folder, by rank."""
    traces = {}
    for name in sorted(os.listdir(folder)):
        with gzip.open(os.path.join(folder, name)) as file:
            trace = json.load(file)
        traces[trace["distributedInfo"]["rank"]] = trace
    return traces


def collectives(trace):
    """(start, end, bytes) in us, in order; on one stream they have an order."""
    kernels = [e for e in trace["traceEvents"] if e.get("cat") == "kernel" and "nccl" in e["name"]]
    return [(e["ts"], e["ts"] + e["dur"], 4 * e["args"]["In msg nelems"]) for e in sorted(kernels, key=lambda e: e["ts"])]


class Clock:
    """A clock that agrees with the true one at `since_us`, but for an offset, and gains."""

    def __init__(self, since_us, offset_us, drift):
        self.since_us, self.offset_us, self.drift = since_us, offset_us, drift

    def at(self, true_us):
        return true_us + self.offset_us + (true_us - self.since_us) * self.drift

    def wrong(self, event):
        moved = dict(event)
        if "ts" in event:
            moved["ts"] = round(self.at(event["ts"]), 3)
        if "dur" in event:
            moved["dur"] = round(event["dur"] * (1 + self.drift), 3)
        return moved


def answer(traces, clocks):
    with tempfile.TemporaryDirectory() as folder:
        for rank, trace in traces.items():
            moved = dict(trace, traceEvents=[clocks[rank].wrong(e) for e in trace["traceEvents"]])
            with open(os.path.join(folder, f"rank-{rank}.json"), "w", encoding="utf-8") as file:
                json.dump(moved, file)
        found = subprocess.run([CPPROF, "ranks", folder, "--format", "json"], stdout=subprocess.PIPE, check=False)
    return json.loads(found.stdout)


def compare_clocks(found, traces, clocks, errors, name):
    """How far each clock is ahead of the reference at its first anchor, and what it gains."""
    references = [row["rank"] for row in found["clocks"] if row["state"] == "reference"]
    expect(len(references) == 1 and len(found["clocks"]) == len(traces), f"{name}: {found['clocks']}")
    reference = clocks[references[0]]
    for row in found["clocks"]:
        if row["state"] != "compared":
            continue
        own = clocks[row["rank"]]
        first_us = next(end for _, end, size in collectives(traces[row["rank"]]) if size <= ANCHOR_BYTES)
        want_ns = 1000 * (own.at(first_us) - reference.at(first_us))
        errors["ahead"].append((abs(row["ahead_ns"] - want_ns), row["uncertain_ns"]))
        want_ppm = 1e6 * ((1 + own.drift) / (1 + reference.drift) - 1)
        errors["drift"].append(abs(row["drift_ppm"] - want_ppm))


def compare_arrivals(found, truth, reference, errors, name):
    """How far apart the ranks of each collective arrive, on the clock of the reference."""
    rows = sorted(found["collectives"], key=lambda row: row["position"])
    expect(len(rows) == len(truth), f"{name}: {len(rows)} collectives, not {len(truth)}")
    for row, arrivals in zip(rows, truth):
        if row["skew_ns"] is None:
            expect(False, f"{name}: not compared: {row}")
            continue
        want_ns = 1000 * (max(arrivals) - min(arrivals)) * (1 + reference.drift)
        errors["skew"].append((abs(row["skew_ns"] - want_ns), row["uncertain_ns"]))


def judge(errors, name):
    for key in ("ahead", "skew"):
        off = sorted(error for error, _ in errors[key])
        beyond = sorted(error - uncertain for error, uncertain in errors[key])
        within = sum(error <= uncertain for error, uncertain in errors[key]) / len(off)
        stated = sorted(uncertain for _, uncertain in errors[key])
        p99_ns = beyond[int(0.99 * len(beyond))]
        print(f"{name}, {key}: {len(off)}; error {off[len(off) // 2]:.0f} ns at the median, p99 {off[int(0.99 * len(off))]:.0f}; "
              f"stated {stated[len(stated) // 2]} at the median; {within:.1%} within it, p99 {p99_ns:.0f} ns beyond it")
        expect(within >= 0.95, f"{name}, {key}: only {within:.1%} are within the stated uncertainty")
        expect(p99_ns <= BEYOND_NS, f"{name}, {key}: 1 in 100 is more than {p99_ns:.0f} ns beyond the stated uncertainty")
    print(f"{name}, drift: off by {sorted(errors['drift'])[len(errors['drift']) // 2]:.1f} millionths at the median")


def check(folder):
    traces = read(os.path.join(EXAMPLES, folder))
    since_us = min(event["ts"] for trace in traces.values() for event in trace["traceEvents"] if event.get("cat") == "kernel")
    truth = list(zip(*[[start for start, _, _ in collectives(trace)] for trace in traces.values()]))
    as_recorded = answer(traces, {rank: Clock(since_us, 0, 0) for rank in traces})
    errors = {"ahead": [], "skew": [], "drift": []}
    for seed in range(SEEDS):
        chance = random.Random(f"{folder} {seed}")
        clocks = {
            rank: Clock(since_us, chance.uniform(-OFFSET_US, OFFSET_US), chance.uniform(-DRIFT, DRIFT)) for rank in traces
        }
        found, name = answer(traces, clocks), f"{folder}, seed {seed}"
        compare_clocks(found, traces, clocks, errors, name)
        reference = next(clocks[row["rank"]] for row in found["clocks"] if row["state"] == "reference")
        compare_arrivals(found, truth, reference, errors, name)
        for member in ("rank", "cause"):
            got, want = found["origins"][0][member], as_recorded["origins"][0][member]
            expect(got == want, f"{name}: {member} {got}, not {want}: {found['answer']}")
    judge(errors, folder)


for example in ("even-4", "work-4"):
    check(example)
sys.exit(1 if FAILURES else 0)
