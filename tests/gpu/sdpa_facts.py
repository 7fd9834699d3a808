"""What does a recorded run of the attention ladder say? For tests/gpu/sdpa.sh.

sdpa_facts.py BUNDLE variants | ran | verified | wrong | bits VARIANT | slowest SHAPE | errors | ladder | pair
"""
import csv
import json
import os
import statistics
import sys

SHAPES = ["small", "mission", "long"]
MAX_ABS_ERR = 0.06
SLOWEST = 3


def table(bundle, name):
    with open(os.path.join(bundle, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def comparisons(bundle):
    with open(os.path.join(bundle, "verdict.json"), encoding="utf-8") as file:
        return {(row["candidate"], row["shape"]): row for row in json.load(file)["rows"]}


def right(row):
    """A row of verify.csv; not a number compares as false."""
    return row["pass"] == "yes" and float(row["max_abs_err"]) <= MAX_ABS_ERR and float(row["bad_ratio"]) <= 0.01


def medians(bundle):
    durations = {}
    for row in table(bundle, "timing.csv"):
        durations.setdefault((row["variant"], row["shape"]), []).append(float(row["duration_ns"]))
    return {key: statistics.median(values) for key, values in durations.items()}


def in_order(names):
    return sorted(set(names))


def bits(bundle, variant):
    said = {row["bitwise_equal_to_baseline"] for row in table(bundle, "verify.csv")
            if row["variant"] == variant and row["phase"] != "traced"}  # where one arm is verified at a time
    return "all" if said == {"yes"} else "said: " + ", ".join(sorted(said))


def slowest(bundle, shape):
    times = {variant: ns for (variant, at), ns in medians(bundle).items() if at == shape}
    best = min(ns for variant, ns in times.items() if variant != "sdpa/baseline")
    worst = max(times, key=times.get)
    if worst == "sdpa/baseline" and times[worst] > SLOWEST * best:
        return "yes"
    return f"slowest {worst}, baseline {times['sdpa/baseline']:.0f} ns, best {best:.0f} ns"


def errors(bundle):
    rows = [row for row in table(bundle, "verify.csv") if row["phase"] == "all"]
    shapes = in_order(row["shape"] for row in rows)
    shapes.sort(key=lambda shape: (SHAPES + [shape]).index(shape))
    for variant in in_order(row["variant"] for row in rows):
        cells = []
        for shape in shapes:
            of_cell = [row for row in rows if row["variant"] == variant and row["shape"] == shape]
            worst = max((float(row["max_abs_err"]) for row in of_cell), default=float("nan"))
            cells.append(f"{shape} {worst:.1e} {sum(map(right, of_cell))}/{len(of_cell)}")
        yield f"{variant[5:]:11} " + ", ".join(cells)


def ladder(bundle):
    times, verdicts = medians(bundle), comparisons(bundle)
    for variant in sorted({name for name, _ in times}, key=lambda name: -times.get((name, "mission"), 0)):
        cells = []
        for shape in SHAPES:
            if (variant, shape) not in times:
                continue
            row = verdicts.get((variant, shape))
            cell = f"{shape} {times[variant, shape] / 1000:.1f}"
            if row and row.get("ratio"):
                cell += f" {1 / row['ratio']:.2f}x [{1 / row['ci_high']:.2f}, {1 / row['ci_low']:.2f}] {row['verdict']}"
            cells.append(cell)
        yield f"{variant[5:]:11} " + ", ".join(cells)


def pair(bundle):
    for (candidate, shape), row in comparisons(bundle).items():
        yield (f"{candidate} on {row['baseline']} at {shape}: ratio {row['ratio']} [{row['ci_low']}, {row['ci_high']}] "
               f"{row['verdict']}")


def answer(bundle, question, *more):
    if question in ("bits", "slowest"):
        return [globals()[question](bundle, *more)]
    if question in ("errors", "ladder", "pair"):
        return globals()[question](bundle)
    if question == "variants":
        return [len({row["variant"] for row in table(bundle, "variants.csv")})]
    rows = table(bundle, "verify.csv")
    if question == "ran":
        return [len({row["variant"] for row in rows})]
    return [len(rows) if question == "verified" else sum(not right(row) for row in rows)]


if __name__ == "__main__":
    for line in answer(*sys.argv[1:]):
        print(line)
