#!/usr/bin/env python3
"""What do all methods say of the inside of the same kernels, and where do they contradict each other?

  inside_methods.py INSIDE.json SLACK.json...     files of `cpprof inside` and `cpprof slack`, in any order

A line for each kernel and shape: E by the recorder in the scopes `cta` and `sm`, and the most that samples leave; exposed
wait and what earlier tiles save; how much later each phase may begin for free ("slack", or why it is not known, and in
brackets what a cycle of the smallest delay costs). Two methods contradict each
other where their intervals do not meet. The recorder's is widened by the 5 points that its truths allow. Samples are of
whole launches, and the recorder's windows begin at the first whole tile: what is copied before any tile is worked on
lowers what samples leave. So these are marked and counted apart. Ends with "key value" lines.
"""
import json
import sys

E_POINTS = 0.05
HEADER = ("kernel", "shape", "E cta", "E sm", "samples", "exposed", "savable", "what else")

LEGEND = """\
E: which part of the copying that work could hide is hidden, in a block (cta) and on the SM (sm), with its interval.
samples: E can be no more.
exposed: of the time, warps wait for tiles. savable: what earlier tiles would save of it.
slack: how much later a phase may begin for free; in (brackets) what a cycle of the smallest delay costs. control_slower,
control_faster, control_unclear: the build with the mark alone is another kernel, so there is none. not met: the intervals of
two methods have nothing in common. Counts at the end: methods_held, pairs of methods that were compared.
"""


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def span(bounded):
    if bounded is None or bounded.get("value") is None:
        return "-"
    return "%.0f%% (%.0f to %.0f)" % tuple(100 * bounded[key] for key in ("value", "low", "high"))


def share(bounded):
    return "-" if bounded is None or bounded.get("value") is None else "%.1f%%" % (100 * bounded["value"])


def meets(a, b):
    return a[0] - E_POINTS <= b[1] and b[0] - E_POINTS <= a[1]


def interval(bounded):
    return (bounded["low"], bounded["high"])


def bounds_of(arm):
    return [s for s in arm["series"] if s["e_least"] is not None]


def judge(arm):
    """Which methods the recorder was held against, and which of them do not meet it. Neighbours hide what a block does
    not, so samples see the widest scope."""
    recorder = arm["overlaps"][-1]["e"] if arm["overlaps"] else None
    if arm["status"] != "ok" or recorder is None or recorder.get("value") is None:
        return [], []
    others = {"samples of " + s["work"]: (s["e_least"], s["e_most"]) for s in bounds_of(arm)}
    return list(others), [name for name, other in others.items() if not meets(interval(recorder), other)]


def slack_of(phase):
    known = phase["slack_ns"] is not None and phase["status"] not in ("inconclusive", "unsteady")
    slack = "%.0f ns" % phase["slack_ns"]["value"] if known else phase["reason"] or phase["status"]
    cost = phase["criticality"]
    return "%s %s (%s)" % (phase["name"], slack, "%.2f" % cost["value"] if cost else "?")


def row(arm, slacks, against):
    e = {o["scope"]: o["e"] for o in arm["overlaps"]}
    notes = ["slack: " + ", ".join(map(slack_of, slacks))] if slacks else []
    notes += [] if arm["status"] == "ok" else ["recorder inconclusive: %s, %s" % (arm["reason"], share(arm["cost"]))]
    notes += ["not met: " + " and ".join(against)] if against else []
    shape = next((word for word in arm["shape"].split() if word.startswith("ctas_per_sm=")), arm["shape"])
    return (arm["of"], shape, span(e.get("cta")), span(e.get("sm")),
            " ".join("%s<%.0f%%" % (s["work"], 100 * s["e_most"]) for s in bounds_of(arm)) or "-",
            share(arm["exposed_wait"]), share(arm["savable"]), "; ".join(notes))


def main():
    documents = [load(path) for path in sys.argv[1:]]
    arms = [arm for d in documents for arm in d.get("arms", [])]
    phases = [phase for d in documents for phase in d.get("phases", [])]
    rows = [HEADER]
    counts = dict.fromkeys(("held", "samples_below"), 0)
    for arm in arms:
        key = (arm["of"], arm["shape"])
        compared, against = judge(arm)
        rows.append(row(arm, [p for p in phases if (p["variant"], p["shape"]) == key], against))
        counts["held"] += len(compared)
        counts["samples_below"] += len(against)
    widths = [max(len(r[i]) for r in rows) for i in range(len(HEADER) - 1)] + [0]
    print(LEGEND)
    for r in rows:
        print("  ".join(text.ljust(width) for text, width in zip(r, widths)).rstrip())
    print()
    print("methods_kernels", len(arms))
    print("methods_ok", sum(arm["status"] == "ok" for arm in arms))
    print("methods_slacks", len(phases))
    for name, count in counts.items():
        print("methods_" + name, count)


main()
