#!/usr/bin/env python3
"""What do kernels take as variants, and what as solutions of a task?

    families_table.py CPPROF VARIANTS.cpprof TASK.cpprof

Lines for families.sh: "passed: ..." or "not passed: ..." for a solution, "same size: ..." or "other size: ..." by the number
of values that both compared, "row ..." with times. Launches that find nothing in the L2 cache (rotated) stand beside hot and cold ones.
"""
import csv
import json
import os
import statistics
import subprocess
import sys

BESIDE = {"hot": ["hot"], "cold": ["cold"], "rotated": ["hot", "cold"]}


def table(bundle, name):
    with open(os.path.join(bundle, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def case(row):
    """A variant's shape has its parameters behind it."""
    return row["variant"], row["shape"].split(" ")[0]


def midmean(values):
    values = sorted(values)
    out = len(values) // 4
    return statistics.fmean(values[out : len(values) - out])


def times(bundle):
    """Nanoseconds of a launch by case and state of the caches: the mean of what processes say."""
    samples = {}
    for row in table(bundle, "timing.csv"):
        processes = samples.setdefault(case(row) + (row["cache"],), {})
        processes.setdefault(row["process"], []).append(float(row["duration_ns"]))
    return {key: statistics.fmean(map(midmean, processes.values())) for key, processes in samples.items()}


def sizes(bundle):
    """How many output values were compared, by case."""
    return {case(row): int(row["values"]) for row in table(bundle, "verify.csv") if row["phase"] == "all"}


def main(cpprof, variants, task):
    said = subprocess.run([cpprof, "compare", "--format", "json", task], capture_output=True, text=True, check=False)
    for row in json.loads(said.stdout)["solutions"]:
        said_of = "passed:" if row["status"] == "pass" else "not passed:"
        print(said_of, row["solution"], row["shape"], row["cache"], row["status"], row["why"])
    ours, theirs, size, sized = times(variants), times(task), sizes(variants), sizes(task)
    for (name, shape, cache), solution_ns in sorted(theirs.items()):
        family, kernel = name.replace("_task/", "/").split("/")  # no task may have the name of a family
        any_size = {size[key] for key in size if key[1] == shape}  # of a kernel that is no variant: the family's
        said_of = "same size:" if any_size == {sized[name, shape]} else "other size"
        print(said_of, name, shape, cache, sized[name, shape], sorted(any_size))
        for beside in BESIDE[cache]:
            variant_ns = ours.get((f"{family}/{kernel}", shape, beside))
            both = [f"{variant_ns:.0f}", f"{solution_ns:.0f}", f"{solution_ns / variant_ns:.3f}"] if variant_ns else []
            print("row", family, kernel, beside, cache, shape, *(both or ["-", f"{solution_ns:.0f}", "-"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
