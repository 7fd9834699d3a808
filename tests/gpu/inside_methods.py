#!/usr/bin/env python3
"""What do all methods say of the inside of the same kernels, and where do they contradict each other?

  inside_methods.py INSIDE.json SLACK.json...     files of `cpprof inside` and `cpprof slack`, in any order

A line for each kernel and shape: E by the recorder in the scopes `cta` and `sm`, by ablation, and the bounds that samples
leave; what earlier tiles save; how much later each phase may begin for free. Methods contradict each other where their
intervals do not meet: the recorder's is widened by the 5 points that its truths allow, an ablation must be given, not
refused. Samples are of whole launches, and the recorder's windows begin at the first whole tile: what is copied before
any tile is worked on lowers what samples leave. So these are marked (<) and counted apart. Ends with "key value" lines.
"""
import json
import sys

E_POINTS = 0.05


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def span(bounded):
    return "    -" if bounded is None or bounded.get("value") is None else "%3.0f%% (%.0f to %.0f)" % tuple(
        100 * bounded[key] for key in ("value", "low", "high"))


def meets(a, b, room):
    return a[0] - room <= b[1] and b[0] - room <= a[1]


def interval(bounded):
    return (bounded["low"], bounded["high"])


def widest_scope(arm):
    """Neighbours hide what a block does not, so ablation and samples see the SM."""
    return arm["overlaps"][-1]["e"] if arm["overlaps"] else None


def judge(arm, ablation):
    """Which methods the recorder was held against, and which of them do not meet it."""
    recorder = widest_scope(arm)
    if arm["status"] != "ok" or recorder is None or recorder.get("value") is None:
        return [], []
    others = {"samples, " + s["work"]: (s["e_least"], s["e_most"]) for s in arm["series"] if s["e_least"] is not None}
    if ablation and ablation["status"] == "ok":
        others["ablation"] = interval(ablation["e"])
    return list(others), [name for name, other in others.items() if not meets(interval(recorder), other, E_POINTS)]


def free_time(slacks, arm):
    of = [p for p in slacks if (p["variant"], p["shape"]) == (arm["of"], arm["shape"]) and p["slack_ns"]]
    return ", ".join("%s %s ns" % (p["name"], "-" if p["slack_ns"]["value"] is None else round(p["slack_ns"]["value"])) for p in of)


def main():
    documents = [load(path) for path in sys.argv[1:]]
    arms = [arm for d in documents for arm in d.get("arms", [])]
    ablations = {(a["variant"], a["shape"]): a for d in documents for a in d.get("ablations", [])}
    slacks = [phase for d in documents for phase in d.get("phases", [])]
    held = below = contradicted = 0
    for arm in arms:
        ablation = ablations.get((arm["of"], arm["shape"]))
        compared, against = judge(arm, ablation)
        held += len(compared)
        below += sum(name.startswith("samples") for name in against)
        contradicted += sum(not name.startswith("samples") for name in against)
        scopes = {o["scope"]: o["e"] for o in arm["overlaps"]}
        print("%-28s %-34s cta %-19s sm %-19s ablation %-19s samples %s; savable %s; %s%s" % (
            arm["of"], arm["shape"], span(scopes.get("cta")), span(scopes.get("sm")),
            span(ablation["e"]) if ablation and ablation["status"] == "ok" else ablation["reason"] if ablation else "    -",
            " ".join("%s %.0f to %.0f%%" % (s["work"], 100 * s["e_least"], 100 * s["e_most"])
                     for s in arm["series"] if s["e_least"] is not None) or "-",
            span(arm["savable"]), free_time(slacks, arm) or "no slack",
            "" if arm["status"] == "ok" else "; inconclusive: " + str(arm["reason"])))
        for name in against:
            print("   %s %s" % ("<" if name.startswith("samples") else "<<<", name))
    print("methods_kernels", len(arms))
    print("methods_ok", sum(arm["status"] == "ok" for arm in arms))
    print("methods_held", held)
    print("methods_below", below)
    print("methods_contradicted", contradicted)


main()
