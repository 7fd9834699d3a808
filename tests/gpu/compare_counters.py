"""Sets the counters of a bundle's metrics.csv beside ncu's raw pages.

compare_counters.py METRICS.csv VARIANT-CTAS.csv...   exit 1 when one is out of tolerance
"""
import csv
import os
import sys


def read_ours(path):
    ours = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            ctas = row["shape"].split("ctas_per_sm=")[1].split()[0]
            variant = row["variant"].split("/")[1]
            if row["value"]:
                value = float(row["value"]) * (100 if ".pct" in row["metric"] else 1)
                ours[variant, ctas, row["metric"]] = value
    for variant, ctas in {key[:2] for key in ours}:
        add_total(ours, lambda metric, arm=(variant, ctas): (*arm, metric))
    return ours


def read_ncu(path):
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    header, _units, values = list(csv.reader(lines))[:3]
    numbers = {}
    for metric, value in zip(header, values):
        try:
            numbers[metric] = float(value.replace(",", ""))
        except ValueError:
            pass
    add_total(numbers)
    return numbers


TOTAL = "dram__bytes_read.sum + dram__bytes_write.sum"


def add_total(values, key=lambda metric: metric):
    """Writes alone are shown and not judged: what a profiler itself leaves dirty in
    the L2 is written back during the kernel (about 2 MB with ncu)."""
    read, write = (values.get(key(f"dram__bytes_{way}.sum")) for way in ("read", "write"))
    if read is not None and write is not None:
        values[key(TOTAL)] = read + write


def tolerance(metric):
    """(kind, limit): relative for counts and bytes, points for shares."""
    if metric in (TOTAL, "dram__bytes_read.sum"):
        return "relative", 0.03
    if ".pct" in metric:
        return "points", 2.0
    if "inst_executed" in metric and metric.endswith(".sum"):
        return "relative", 0.005
    return "shown", None


# Without these in a file the comparison would pass by comparing little.
REQUIRED = ["sm__sass_inst_executed_op_ldgsts.sum", "smsp__inst_executed.sum", "dram__bytes_read.sum", TOTAL,
            "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed",
            "dram__throughput.avg.pct_of_peak_sustained_elapsed"]


def main():
    ours = read_ours(sys.argv[1])
    bad = compared = 0
    for path in sys.argv[2:]:
        variant, ctas = os.path.basename(path)[: -len(".csv")].rsplit("-", 1)
        ncu = read_ncu(path)
        for metric in REQUIRED:
            if metric not in ncu or (variant, ctas, metric) not in ours:
                print(f"FAILED {variant} {ctas} {metric}: not there to compare")
                bad += 1
        for (our_variant, our_ctas, metric), value in ours.items():
            if (our_variant, our_ctas) != (variant, ctas) or metric not in ncu:
                continue
            theirs = ncu[metric]
            kind, limit = tolerance(metric)
            difference = value - theirs if kind == "points" else (value - theirs) / theirs if theirs else value
            wrong = limit is not None and abs(difference) > limit
            bad += wrong
            compared += limit is not None
            print(f"{'FAILED' if wrong else 'ok' if limit else '  '} {variant} {ctas} {metric}: "
                  f"{value:.6g} ours, {theirs:.6g} ncu, {difference:+.4g} {kind}")
    print(f"{compared} counters compared, {bad} out of tolerance")
    return 1 if bad or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
