#!/usr/bin/env python3
"""Does cpprof decide anything that is not so, where a trace has times that cannot be?

    tests/oracle/times_oracle.py JUDGE_MANY [--traces N] [--seed N] [--keep FOLDER]
    tests/oracle/times_oracle.py JUDGE_MANY --only TRACE_SEED    one trace again, by the seed that a complaint names

A program is drawn: kernels, copies and their calls, one after the other on each stream. Then some of its times are made
false, in one way or several: never filled in, ended before begun, a kernel across the later ones of its stream, work
moved in front of its call. Rules are judged by cpprof on what is written, and here on what was drawn. Where a time is
false a rule may be inconclusive or vacuous, and neither pass nor fail unless the truth does. A trace without false
times is decided like the truth. One in eight traces is clean.
"""
import argparse
import collections
import fractions
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from trace_writer import COPY_NAMES, Row, is_work, write_kineto, write_nsys_csv, write_nsys_sqlite

F = fractions.Fraction
FORMATS = ["kineto"] * 4 + ["csv"] * 2 + ["sqlite"]


# ---- what is true ----

def union(rows):
    total, until = 0, None
    for start, end in sorted((r.start, r.end) for r in rows):
        if until is None or start > until:
            total, until = total + end - start, end
        elif end > until:
            total, until = total + end - until, end
    return total


def common(a, b):
    return union(a) + union(b) - union(a + b)


def quantile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def queues(trace, rows):
    calls = {r.corr: r for r in trace if r.kind == "api"}
    return [r.start - calls[r.corr].start for r in rows if r.corr in calls]


def kernels(rows):
    return [r for r in rows if r.kind == "kernel"]


def copies(rows):
    return [r for r in rows if r.kind in ("h2d", "d2h")]


def idle(rows):
    return 1 - F(union(rows), max(r.end for r in rows) - min(r.start for r in rows))


def queue_p50(trace, own):
    waits = queues(trace, kernels(own))
    return quantile(waits, F(1, 2)) if waits else None


# rule: (unit, value(trace, work of the device)), a value that is None is not defined
TERMS = {
    "idle()": ("", lambda t, w: idle(w)),
    "busy(kernel)": ("ns", lambda t, w: union(kernels(w)) if kernels(w) else None),
    "busy(any)": ("ns", lambda t, w: union(w)),
    "dur_p50(kernel)": ("ns", lambda t, w: quantile([k.end - k.start for k in kernels(w)], F(1, 2)) if kernels(w) else None),
    "overlap_ns(h2d, kernel)": ("ns", lambda t, w: common([r for r in w if r.kind == "h2d"], kernels(w))
                                if kernels(w) and any(r.kind == "h2d" for r in w) else None),
    "exposed(copy, kernel)": ("ns", lambda t, w: union(copies(w)) - common(copies(w), kernels(w))
                              if copies(w) and kernels(w) else None),
    "busy(kernel[name=gemm])": ("ns", lambda t, w: union([k for k in kernels(w) if k.name == "gemm"])
                                if any(k.name == "gemm" for k in kernels(w)) else None),
    "queue_p50(kernel)": ("ns", queue_p50),
}
TOTALS = {"count(kernel)": lambda w: len(kernels(w)), "count(any)": len, "bytes(copy)": lambda w: sum(r.bytes for r in copies(w))}
COMPARISONS = {"<": lambda a, b: a < b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b}


# ---- what is written ----

def draw_program(rng):
    """Each stream runs one piece of work after the other, and each call is in front of its work."""
    base = rng.choice([0, 10**9, 1_700_000_000 * 10**9]) + rng.randrange(10**6, 10**7)
    rows, corr = [], 0
    for stream in rng.sample([7, 13, 20], rng.choice([1, 1, 2, 3])):
        now = base + rng.randrange(50_000)
        for _ in range(rng.randrange(4, 26)):
            corr += 1
            kind = rng.choice(["kernel"] * 5 + ["h2d", "d2h"])
            length = rng.randrange(1_000, 60_000)
            call = now - rng.randrange(3_000, 9_000)
            name = rng.choice(["gemm", "norm"]) if kind == "kernel" else COPY_NAMES[kind][0]
            rows.append(Row("api", call, call + 1_500, -1, 0, "cudaLaunchKernel" if kind == "kernel" else "cudaMemcpyAsync",
                            -1, corr, 0, 1, 1, 100))
            rows.append(Row(kind, now, now + length, 0, stream, name, -1, corr,
                            0 if kind == "kernel" else rng.randrange(1, 1 << 20), 0, 1, 100))
            now += length + rng.choice([0, rng.randrange(1, 30_000)])
    return rows


def never_filled(rng, rows, place, way):
    row = rows[place]
    if rng.random() < 0.7 or (way == "csv" and row.start < 10**12): # there work may begin at 0, if it lasts
        return [row._replace(start=0, end=0)]
    return [row._replace(start=0, end=row.end - row.start)]


def backwards(rng, rows, place, way):
    row = rows[place]
    return [row._replace(end=row.start - rng.randrange(1_000, 10**6))]


def across(rng, rows, place, way):
    """Until at least two later kernels of its stream have ended."""
    row = rows[place]
    later = [r.end for r in rows if r.kind == "kernel" and r.stream == row.stream and r.start >= row.end]
    return [row._replace(end=later[rng.randrange(1, len(later))] + rng.choice([5_000, 10**9]))] if len(later) > 1 else None


def early(rng, rows, place, way):
    row = rows[place]
    if way == "csv":
        return None # no calls are in it: nobody can tell
    moved = rng.choice([20_000, 4 * 10**6, 10**9])
    return [row._replace(start=row.start - moved, end=row.end - moved)]


FAULTS = [never_filled, backwards, across, early]


def spoil(rng, rows, way):
    """The rows with false times among them, and how many there are."""
    faults = rng.sample(FAULTS, rng.choice([1, 1, 1, 2]))
    work = [i for i, row in enumerate(rows) if is_work(row)]
    spoilt, count = list(rows), 0
    for place in rng.sample(work, min(len(work) - 1, rng.choice([1, 1, 2, 5]))):
        fault = rng.choice(faults)
        if fault is across and spoilt[place].kind != "kernel":
            continue
        new = fault(rng, rows, place, way)
        if new:
            spoilt[place], count = new[0], count + 1
    return spoilt, count


def write(path, rows, way):
    if way == "kineto":
        write_kineto(path, rows)
    elif way == "csv":
        write_nsys_csv(path, rows)
    else:
        write_nsys_sqlite(path, rows, [(0, 0, "NVIDIA H100", "0000:18:00.0", "GPU-0", 9, 0)], [(0, 0, 100)])


# ---- one trace and its rules ----

def near(rng, value):
    """Limits on both sides of the truth, and of what false times make of it."""
    return [rng.choice([0, value // 2, value - value // 10 - 1, value + value // 10 + 1, value * 2, value * 1000])]


def draw_rules(rng, truth, way):
    """(text, does it hold?) for each."""
    work, rules = [r for r in truth if is_work(r)], []
    for name, (unit, value) in TERMS.items():
        true = value(truth, work)
        if true is None or (way == "csv" and name.startswith("queue")):
            continue
        comparison = rng.choice(list(COMPARISONS))
        for limit in ([F(rng.randrange(1, 100), 100)] if not unit else near(rng, int(true))):
            text = f"{name} {comparison} {float(limit * 100):g}%" if not unit else f"{name} {comparison} {int(limit)}ns"
            rules.append((text, COMPARISONS[comparison](true, limit)))
    for name, value in TOTALS.items():
        true, comparison = value(work), rng.choice(list(COMPARISONS))
        limit = max(0, true + rng.randrange(-3, 4))
        unit = "B" if name.startswith("bytes") else ""
        rules.append((f"{name} {comparison} {limit}{unit}", COMPARISONS[comparison](true, limit)))
    return rules


def make_case(seed, folder):
    rng = random.Random(seed)
    way = rng.choice(FORMATS)
    truth = draw_program(rng)
    spoilt, count = (truth, 0) if rng.random() < 1 / 8 else spoil(rng, truth, way)
    path = os.path.join(folder, f"{seed}.{'json' if way == 'kineto' else way}")
    rng.random() < 0.3 and rng.shuffle(spoilt)
    write(path, spoilt, way)
    return path, draw_rules(rng, truth, way), count, way


def complaints_of(seed, case, answer):
    path, rules, count, way = case
    if "error" in answer:
        return [f"seed {seed}: {answer['error']}"], 0
    wrong, decided, rows = [], 0, collections.defaultdict(list)
    for row in answer["assertions"]:
        rows[row["rule"]].append(row)
    for text, holds in rules:
        for row in rows[text]:
            status = row["status"]
            decided += status in ("pass", "fail")
            if status == ("fail" if holds else "pass") or (not count and status in ("inconclusive", "vacuous")):
                wrong.append(f"seed {seed} ({way}, {count} false): {text}: {status} ({row['value']}; {row['reason']}), "
                             f"and in truth it {'holds' if holds else 'does not hold'}")
    if count and not any(c["kind"] == "doubts_times" for c in answer["caveats"]):
        wrong.append(f"seed {seed} ({way}): {count} false rows, and no caveat says so")
    return wrong, decided


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program")
    parser.add_argument("--traces", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the seed of one trace, as complaints name it")
    parser.add_argument("--keep", help="a folder for traces that were judged wrong")
    o = parser.parse_args()
    seeds = [o.only] if o.only is not None else range(o.seed * 10**7, o.seed * 10**7 + o.traces)
    asked = decided = clean = 0
    wrong, begin = [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder, subprocess.Popen(
            [o.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as judge:
        for seed in seeds:
            case = make_case(seed, folder)
            judge.stdin.write("\t".join([case[0]] + [text for text, _ in case[1]]) + "\n")
            judge.stdin.flush()
            complaints, made = complaints_of(seed, case, json.loads(judge.stdout.readline()))
            if complaints and o.keep:
                os.makedirs(o.keep, exist_ok=True)
                shutil.copy(case[0], o.keep)
            os.remove(case[0])
            asked, decided, clean, wrong = asked + len(case[1]), decided + made, clean + (not case[2]), wrong + complaints
            if len(wrong) > 20:
                break
        judge.stdin.close()
    for complaint in wrong:
        print(complaint)
    print(f"{len(seeds)} traces, {clean} of them clean, {asked} rules, {decided} decided, {len(wrong)} wrong, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if wrong or (o.only is None and not decided) else 0


if __name__ == "__main__":
    sys.exit(main())
