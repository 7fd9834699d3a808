"""Summarises what an eager operation costs under each profiler, and after it.

eager_summary.py ROWS.csv     columns arm, round, phase, ns, start_s; exit 1 when capture is not the lightest
"""
import csv
import statistics
import sys

from cost_summary import CAPTURING_BEFORE_S, ENDED_AFTER_S, ratio, show


def per_round(rows, arm, phase, keep=lambda start_s: True):
    found = {}
    for row in rows:
        if row["arm"] == arm and row["phase"] == phase and keep(float(row["start_s"])):
            found.setdefault(int(row["round"]), []).append(float(row["ns"]))
    return {number: statistics.median(values) for number, values in found.items()}


def main():
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    arms = {arm: per_round(rows, arm, "during") for arm in ("bare", "capture", "torch", "torch-cpu", "proton")}
    for arm, values in arms.items():
        if values:
            print(f"{arm}: median {statistics.median(values.values()):.0f} ns an operation, "
                  f"{min(values.values()):.0f} to {max(values.values()):.0f}, {len(values)} rounds")
    show("capture / bare", ratio(arms["capture"], arms["bare"]))
    lightest = bool(arms["capture"]) and bool(arms["torch"])
    for other in ("torch", "torch-cpu", "proton"):
        if arms[other]:
            found = show(f"capture / {other}", ratio(arms["capture"], arms[other]))
            lightest = lightest and found is not None and found[0] < 1
            show(f"after {other} ended / bare", ratio(per_round(rows, other, "after"), arms["bare"]))

    def during(start_s):
        return start_s < CAPTURING_BEFORE_S

    def after(start_s):
        return start_s > ENDED_AFTER_S

    show("while the capture lasts / bare", ratio(per_round(rows, "ended", "during", during),
                                                 per_round(rows, "bare-long", "during", during)))
    show("after the capture ended / bare", ratio(per_round(rows, "ended", "during", after),
                                                 per_round(rows, "bare-long", "during", after)))
    return 0 if lightest else 1


if __name__ == "__main__":
    sys.exit(main())
