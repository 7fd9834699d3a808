#!/usr/bin/env python3
"""Does the inside of a kernel say which step pays, before the step is measured?

  inside_steps.py predict STEPS INSIDE.json SLACK.json      a line for each step and shape: BASE NEXT SHAPE LOW HIGH
  inside_steps.py judge PREDICTED COMPARE.json...           holds them against what was measured

STEPS has a line BASE NEXT for each step that brings tiles earlier and changes nothing else. It is said to save the time
in which warps wait for tiles that are not there and nothing on the SM works (`savable` of `cpprof inside`). Where
`cpprof slack` has an answer for the mark where the wait ends, it is no more than the share of the time that warps
wait, times what a later end costs. (A delay where the wait begins is free as long as the tile is not there.) A step pays when it brings 2%: a loop that is compiled with another ring
differs by up to 1.2% either way. A prediction whose interval has the 2% in it is not judged.
"""
import json
import sys

LEAST_GAIN = 0.02


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def mark_behind_wait(arm):
    """The role's name and the mark where the wait for a tile ends."""
    for wait in arm["phases"]:
        if wait["kind"] == "wait":
            later = [p["mark"] for p in arm["phases"] if p["role"] == wait["role"] and p["mark"] > wait["mark"]]
            return wait["role"], min(later, default=None)
    return None


def criticality(slack, arm):
    for phase in slack["phases"]:
        if (phase["variant"], phase["shape"]) == (arm["of"], arm["shape"]) and (
            phase["role"],
            phase["mark"],
        ) == mark_behind_wait(arm):
            return phase["criticality"] if phase["status"] != "inconclusive" else None
    return None


def least(save, wait, paid):
    return f"{save if paid is None else min(save, wait * max(paid, 0)):.4f}"


def predict(steps_path, inside_path, slack_path):
    inside, slack = load(inside_path), load(slack_path)
    with open(steps_path, encoding="utf-8") as file:
        steps = [line.split() for line in file if line.strip() and not line.startswith("#")]
    for base, following in steps:
        for arm in inside["arms"]:
            if arm["of"] != base:
                continue
            wait, save, paid = arm["exposed_wait"], arm["savable"], criticality(slack, arm)
            ends = ("?", "?")
            if save:
                ends = [least(save[end], wait[end], paid and paid[end]) for end in ("low", "high")]
            print(base, following, arm["shape"], *ends, sep="\t")


def sign_of(low, high):
    """Will the step gain? None: its interval does not say."""
    return True if low >= LEAST_GAIN else False if high < LEAST_GAIN else None


def row_of(rows, base, following, shape):
    for row in rows:
        if (row["baseline"], row["candidate"], row["shape"]) == (base, following, shape):
            return row if row["verdict"] in ("faster", "slower", "equivalent") else None
    return None


def judge(predicted_path, *compared):
    rows = [row for path in compared for row in load(path)["rows"]]
    counts = {"right": 0, "wrong": 0, "open": 0}
    with open(predicted_path, encoding="utf-8") as file:
        predictions = [line.rstrip("\n").split("\t") for line in file]
    print(f"{'step':<36} {'shape':<34} {'predicted':>15} {'measured':>9}")
    for base, following, shape, *ends in predictions:
        row = row_of(rows, base, following, shape)
        sign = None if "?" in ends else sign_of(*map(float, ends))
        is_open = row is None or sign is None
        kind = "open" if is_open else "right" if sign == (row["gain"] >= LEAST_GAIN) else "wrong"
        counts[kind] += 1
        told = "?" if "?" in ends else " to ".join(f"{100 * float(end):.1f}" for end in ends) + "%"
        measured = f"{100 * row['gain']:.1f}%" if row else "?"
        print(f"{base + ' -> ' + following.split('/')[1]:<36} {shape:<34} {told:>15} {measured:>9} {kind}")
    for kind, count in counts.items():
        print(f"steps_{kind} {count}")


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("predict", "judge"):
        sys.exit(__doc__)
    {"predict": predict, "judge": judge}[sys.argv[1]](*sys.argv[2:])
