"""What would changes of a kernel bring to its program, and what did they bring?

advice.py predict PROGRAM KERNEL OLD_US NEW_US REPORT.json     a line: what is predicted, in percent of the program's time
advice.py judge PREDICTED MEASURED                             both have a line for each change, in the same order

A kernel that takes a part f less brings share x f x criticality, both as the page of `profile --causal` says. The interval
has that of the criticality, a tenth of it to either side, because kernels take a microsecond longer than they are asked
to, and half a point for the times of two runs.
"""
import json
import sys

from advice_judge import judge


def predict(program, kernel, old_us, new_us, report):
    with open(report, encoding="utf-8") as file:
        rows = {row["target"]: row for row in json.load(file)["causal"]["kernels"]}
    row = rows[kernel]
    part = 100 * row["share"] * (1 - float(new_us) / float(old_us))
    if row["status"] == "inconclusive":
        print(program, kernel, old_us, new_us, "inconclusive", row["reason"])
        return
    c = row["criticality"]
    low, high = part * (c["low"] - 0.1 * abs(c["low"])) - 0.5, part * (c["high"] + 0.1 * abs(c["high"])) + 0.5
    print(program, kernel, old_us, new_us, "%.2f %.2f %.2f" % (part * c["value"], low, high))


def show(fields, said, gain, _before, _after):
    return "%-8s %-14s %4s to %4s us   predicted %s   measured %5.1f%%" % (*fields, said, gain)


def main():
    if sys.argv[1] == "predict":
        predict(*sys.argv[2:])
        return
    print("# program, kernel, its time before and after; what goes of the program's time: predicted from the page of the\n"
          "# program as it was, with its interval, then measured. <<< marks what is off. advice_wide: intervals above 8 points")
    print("advice_changes %d\nadvice_right %d\nadvice_wide %d" % judge(*sys.argv[2:], 4, show))


main()
