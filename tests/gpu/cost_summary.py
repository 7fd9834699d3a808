"""Summarises what launches cost in each arm, with intervals by bootstrap over rounds.

cost_summary.py ROWS.csv ARM...     columns arm, round, threads, ns, start_s; the arms that must be in it

Exit 1 when an arm is missing, when capture costs more than 1.05 of the floor, or when it is above nsys beyond doubt.

A round holds each arm once, so rounds are drawn and not single values: what slowed a
whole round slowed all its arms.
"""
import csv
import random
import statistics
import sys

DRAWS = 2000
CAPTURING_BEFORE_S = 1.2  # the capture lasts two seconds from the start of CUDA, a measurement about one half
ENDED_AFTER_S = 3.0


def read(path):
    """{(arm, threads): {round: [(start_s, ns)...]}}"""
    rows = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            per_round = rows.setdefault((row["arm"], int(row["threads"])), {})
            per_round.setdefault(int(row["round"]), []).append((float(row["start_s"]), float(row["ns"])))
    return rows


def per_round(rows, arm, threads, keep=lambda start_s: True):
    found = {}
    for number, values in rows.get((arm, threads), {}).items():
        kept = [ns for start_s, ns in values if keep(start_s)]
        if kept:
            found[number] = statistics.median(kept)
    return found


def ratio(a, b):
    """Median of a over median of b, with a 95 % interval."""
    rounds = sorted(set(a) & set(b))
    if len(rounds) < 3:
        return None
    generator = random.Random(1)
    draws = []
    for _ in range(DRAWS):
        drawn = generator.choices(rounds, k=len(rounds))
        draws.append(statistics.median(a[r] for r in drawn) / statistics.median(b[r] for r in drawn))
    draws.sort()
    middle = statistics.median(a[r] for r in rounds) / statistics.median(b[r] for r in rounds)
    return middle, draws[int(0.025 * DRAWS)], draws[int(0.975 * DRAWS) - 1]


def show(name, found):
    if found is None:
        print(f"{name}: not measured")
    else:
        print(f"{name}: {found[0]:.3f} (95 % interval {found[1]:.3f} to {found[2]:.3f})")
    return found


def compare(rows, threads, wanted):
    arms = {arm: per_round(rows, arm, threads) for arm in ("bare", "floor", "capture", "nsys")}
    for arm in wanted:
        if not arms.get(arm):
            print(f"{threads} threads, {arm}: not measured")
            return False
    for arm, values in arms.items():
        if values:
            print(f"{threads} threads, {arm}: median {statistics.median(values.values()):.0f} ns a launch, "
                  f"{min(values.values()):.0f} to {max(values.values()):.0f}, {len(values)} rounds")
    show(f"{threads} threads, floor / bare", ratio(arms["floor"], arms["bare"]))
    show(f"{threads} threads, capture / bare", ratio(arms["capture"], arms["bare"]))
    floor = show(f"{threads} threads, capture / floor", ratio(arms["capture"], arms["floor"]))
    good = floor is not None and floor[0] <= 1.05
    if arms["nsys"]:
        nsys = show(f"{threads} threads, capture / nsys", ratio(arms["capture"], arms["nsys"]))
        good = good and nsys is not None and nsys[1] <= 1.0
    return good


def residual(rows):
    def after(start_s):
        return start_s > ENDED_AFTER_S

    def during(start_s):
        return start_s < CAPTURING_BEFORE_S

    bare = per_round(rows, "bare-long", 1, after)
    show("1 thread, while the capture lasts / bare", ratio(per_round(rows, "ended", 1, during),
                                                           per_round(rows, "bare-long", 1, during)))
    show("1 thread, after the capture ended / bare", ratio(per_round(rows, "ended", 1, after), bare))


def main():
    rows = read(sys.argv[1])
    good = [compare(rows, threads, sys.argv[2:]) for threads in (1, 8)]
    residual(rows)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
