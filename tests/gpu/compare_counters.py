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
    return ours


def read_ncu(path):
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    header, _units, values = list(csv.reader(lines))[:3]
    return dict(zip(header, values))


def tolerance(metric):
    """(kind, limit): relative for counts and bytes, points for shares."""
    if metric.startswith("dram__bytes"):
        return "relative", 0.03
    if ".pct" in metric:
        return "points", 2.0
    if "inst_executed" in metric and metric.endswith(".sum"):
        return "relative", 0.005
    return "shown", None


def main():
    ours = read_ours(sys.argv[1])
    bad = compared = 0
    for path in sys.argv[2:]:
        variant, ctas = os.path.basename(path)[: -len(".csv")].rsplit("-", 1)
        ncu = read_ncu(path)
        for (our_variant, our_ctas, metric), value in ours.items():
            if (our_variant, our_ctas) != (variant, ctas) or metric not in ncu or not ncu[metric]:
                continue
            theirs = float(ncu[metric].replace(",", ""))
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
