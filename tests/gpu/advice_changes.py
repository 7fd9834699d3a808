"""What would changes bring to a program, and what did they bring?

advice_changes.py predict CHANGE TARGET HOW AMOUNT FOLDER BEFORE_NS    a line: what is predicted, in percent of an item's time
advice_changes.py judge PREDICTED MEASURED                             both have a line for each change, in the same order

A change makes a part of an item's time go: of a kernel or of copies the share that the page of `profile --causal` gives,
times what goes of it; of the host what it is known to do less, over the time of an item before the change. How much of
that reaches the program is the criticality on the page. Idle time that goes with it is of the page of a capture without
delays, and reaches the program whole, as the GPU is idle. The interval has that of the criticality, three hundredths of
what goes to either side, and a point for what a change costs or saves beside that.
"""
import json
import sys

from advice_judge import judge


def number(folder, name):
    with open(f"{folder}/{name}", encoding="utf-8") as file:
        return float(file.read())


def part_of(row, how, amount, folder, before_ns):
    """What goes, in percent of an item's time."""
    if how in ("part", "aside"):
        return 100 * row["share"] * float(amount)
    if how in ("rate", "returns"):
        dose = row["doses"][0]
        copy_ns = row["share"] * dose["time_ns"]
        return 100 * row["share"] * (1 - number(folder, "rate-" + amount) / copy_ns)
    saved_ns = 1000 * float(amount)
    if how == "launches":
        saved_ns += number(folder, "rate-launches") - number(folder, "rate-graph")
    return 100 * saved_ns / before_ns


IDLE = {"aside": ["dependency"], "returns": ["synchronisation", "host_late"]}


def idle_part(how, folder, change):
    """The idle time that goes, too, in percent of an item's time."""
    if how not in IDLE:
        return 0
    with open(f"{folder}/{change}-plain.json", encoding="utf-8") as file:
        parts = json.load(file)["time"][0]["parts"]
    return 100 * sum(part["span_ratio"] for part in parts if part["part"] in IDLE[how])


def predict(change, target, how, amount, folder, before_ns):
    with open(f"{folder}/{change}.json", encoding="utf-8") as file:
        row = {r["target"]: r for r in json.load(file)["causal"]["kernels"]}[target]
    doses = ",".join("%dus" % (dose["asked_ns"] // 1000) for dose in row["doses"][1:])
    if row["status"] == "inconclusive":
        print(change, target, doses, "inconclusive", row["reason"])
        return
    part, c = part_of(row, how, amount, folder, float(before_ns)), row["criticality"]
    idle = idle_part(how, folder, change)
    room = 0.03 * (part * abs(c["value"]) + idle) + 1
    values = [part * c[end] + idle for end in ("value", "low", "high")]
    print(change, target, doses, "%.2f %.2f %.2f" % (values[0], values[1] - room, values[2] + room))


def show(fields, said, gain, before, after):
    return "%-12s %-18s %-10s predicted %s   measured %5.1f%% (%.1f to %.1f us)" % (
        *fields, said, gain, before / 1000, after / 1000)


def main():
    if sys.argv[1] == "predict":
        predict(*sys.argv[2:])
        return
    print("# change, what was delayed, by which times; what goes of an item's time: predicted from the page of the program as it was, with its\n"
          "# interval, then measured. <<< marks what is off. wide: intervals above 8 points")
    print("changes %d\nright %d\nwide %d" % judge(*sys.argv[2:], 3, show))


main()
