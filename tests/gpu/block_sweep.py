#!/usr/bin/env python3
"""Does a run of block_sweep agree with the program's own timer, size by size?

usage: block_sweep.py BUNDLE TIMES

TIMES has a file VARIANT-PID for each process, with lines "block=64 123456" (ns, median). Prints "ok WHAT" or
"FAILED: got ... WHAT" for each size. Events take longer than the kernel between them, by the same for every size.
"""
import collections
import json
import os
import statistics
import sys

MEASURED = [("thread", "baseline_ns"), ("warp", "candidate_ns")]
BLOCKS = [32, 64, 128, 256, 512, 1024]
SPREAD_NS = 2000  # how far what the events add may be from their median over all sizes
SHARE = 0.03


def own_times(folder):
    times = collections.defaultdict(list)
    for name in sorted(os.listdir(folder)):
        variant = name.rsplit("-", 1)[0]
        with open(os.path.join(folder, name), encoding="ascii") as file:
            for line in file:
                config, ns = line.split()
                times[variant, config].append(float(ns))
    return {key: statistics.median(values) for key, values in times.items()}


def say(holds, what):
    print("ok" if holds else "FAILED", what)


def main():
    bundle, folder = sys.argv[1:]
    own = own_times(folder)
    with open(os.path.join(bundle, "verdict.json"), encoding="utf-8") as file:
        rows = {row["shape"]: row for row in json.load(file)["rows"]}
    say(sorted(rows) == sorted(f"block={block}" for block in BLOCKS), "the rows are the six sizes")
    added = statistics.median(
        own[variant, config] - row[key] for config, row in rows.items() for variant, key in MEASURED if (variant, config) in own
    )
    for block in BLOCKS:
        config = f"block={block}"
        row = rows.get(config)
        if not row:
            say(False, f"{config}: there is no row")
            continue
        for variant, key in MEASURED:
            timed, measured = own[variant, config], row[key]
            say(
                abs(timed - added - measured) <= SPREAD_NS + SHARE * measured,
                f"{config}: {variant} took {measured:.0f} ns, by events {timed:.0f} ns, of which they add {added:.0f} ns",
            )
        say(row["verdict"] == "faster", f"{config}: warp is {row['verdict']}, {row['speedup']:.2f}x")


main()
