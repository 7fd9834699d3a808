"""What does a dormant collector cost a step?

when_cost.py FILE...     each a run, ARM.TURN with a length in ns a line

Of each run the median step counts, without the first tenth. A turn compares each arm with "alone" of the same turn; the
cost is the median of the turns, with the lowest and the highest. Ends with 1 when an arm costs more than 0.1% in all
turns, and in the median.
"""
import os
import statistics
import sys

LIMIT = 0.001


def median_step(path):
    with open(path, encoding="utf-8") as file:
        steps = [int(line) for line in file]
    return statistics.median(steps[len(steps) // 10:])


def main():
    runs = {}
    for path in sys.argv[1:]:
        arm, turn = os.path.basename(path).rsplit(".", 1)
        runs.setdefault(arm, {})[turn] = median_step(path)
    alone = runs.pop("alone")
    print(f"a step alone: {statistics.median(alone.values()) / 1e3:.1f} us "
          f"({min(alone.values()) / 1e3:.1f} to {max(alone.values()) / 1e3:.1f} us in {len(alone)} turns)")
    failed = False
    for arm, turns in runs.items():
        costs = sorted(step / alone[turn] - 1 for turn, step in turns.items())
        middle = statistics.median(costs)
        print(f"{arm}: {middle * 100:+.2f}% ({costs[0] * 100:+.2f} to {costs[-1] * 100:+.2f}%)")
        failed |= arm != "again" and middle > LIMIT and costs[0] > LIMIT
    sys.exit(failed)


if __name__ == "__main__":
    main()
