#!/usr/bin/env python3
"""Does the inside of a kernel say which step pays, before the step is measured?

  inside_steps.py predict STEPS INSIDE.json SLACK.json      a line for each step and shape: BASE NEXT SHAPE SHARE
  inside_steps.py judge PREDICTED COMPARE.json...           holds them against what was measured

STEPS has a line BASE NEXT for each step that brings tiles earlier and changes nothing else. It can save what the base
waits for its tiles, as far as waiting costs time: the share of its time that warps wait (`cpprof inside`), times what
a cycle of waiting costs (`cpprof slack`: criticality of the mark where the wait begins). Below 1% nothing is gained.
"""
import json
import sys

LEAST_GAIN = 0.01  # the margin of a comparison


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def wait_mark(arm):
    """The role's name and the mark where the wait for a tile begins."""
    for phase in arm["phases"]:
        if phase["kind"] == "wait":
            return phase["role"], phase["mark"]
    return None


def criticality(slack, arm):
    for phase in slack["phases"]:
        if (phase["variant"], phase["shape"]) == (arm["of"], arm["shape"]) and (
            phase["role"],
            phase["mark"],
        ) == wait_mark(arm):
            known = phase["criticality"]
            return known["value"] if known else None
    return None


def predict(steps_path, inside_path, slack_path):
    inside, slack = load(inside_path), load(slack_path)
    with open(steps_path, encoding="utf-8") as file:
        steps = [line.split() for line in file if line.strip() and not line.startswith("#")]
    for base, following in steps:
        for arm in inside["arms"]:
            if arm["of"] != base:
                continue
            wait, paid = arm["exposed_wait"], criticality(slack, arm)
            share = "?" if wait is None or paid is None else f"{wait['value'] * paid:.4f}"
            print(base, following, arm["shape"], share, sep="\t")


def judge(predicted_path, *compared):
    rows = [row for path in compared for row in load(path)["rows"]]
    right = count = unknown = 0
    with open(predicted_path, encoding="utf-8") as file:
        predictions = [line.rstrip("\n").split("\t") for line in file]
    print(f"{'step':<36} {'shape':<34} {'predicted':>10} {'measured':>10}")
    for base, following, shape, share in predictions:
        row = [r for r in rows if (r["baseline"], r["candidate"], r["shape"]) == (base, following, shape)]
        if not row or row[0]["verdict"] in ("contradicted", "wrong") or share == "?":
            unknown += 1
            measured, mark = "?", "?"
        else:
            count += 1
            is_right = (float(share) >= LEAST_GAIN) == (row[0]["verdict"] == "faster")
            right += is_right
            measured, mark = f"{100 * row[0]['gain']:.1f}%", "" if is_right else "<<<"
        told = "?" if share == "?" else f"{100 * float(share):.1f}%"
        print(f"{base + ' -> ' + following.split('/')[1]:<36} {shape:<34} {told:>10} {measured:>10} {mark}")
    print("steps_judged", count)
    print("steps_unknown", unknown)
    print("steps_right", right)


if __name__ == "__main__":
    if len(sys.argv) < 4 or sys.argv[1] not in ("predict", "judge"):
        sys.exit(__doc__)
    {"predict": predict, "judge": judge}[sys.argv[1]](*sys.argv[2:])
