"""What a pool must show, as lines "key value" in whole numbers.

aa_facts.py VERDICT.json      cpprof.aa/1 of a pool with planted slowdowns

Of the slowdowns planted at a shape `twice` is the one that came out nearest to twice what is detectable there, `half`
the one nearest to half of it that is within the margin: by what they are, not by what was said of them. A shape where
none came out near enough has none. Rates are per mille.
"""
import json
import math
import sys

NEAR = {"twice": (2.0, 1.8, 2.5), "half": (0.5, 0.4, 0.6)}


def per_mille(value):
    return math.floor(1000 * value + 1e-9)


def choose(name, planted, detectable, beyond):
    """Of one shape; None when nothing is near."""
    aim, least, most = NEAR[name]
    distance = {}
    for row in planted:
        factor = row["slowdown"]["median"] / detectable
        if least <= factor <= most and (name == "twice" or row["slowdown"]["high"] < beyond):
            distance[abs(math.log(factor / aim))] = row
    return distance[min(distance)] if distance else None


def main(path):
    with open(path, encoding="utf-8") as file:
        verdict = json.load(file)
    whole = verdict["all"]
    beyond = 1 / (1 - verdict["margin"]) - 1
    facts = {
        "shapes": len(verdict["rows"]),
        "comparisons": whole["comparisons"],
        "coverage": round(1000 * whole["coverage"]["ratio"]),
        "coverage_low": math.floor(1000 * whole["coverage"]["low"]),
        "false_at_most": math.ceil(1000 * whole["false_positives"]["high"]),
        "faster": sum(row["verdicts"]["faster"] for row in verdict["planted"]),
    }
    for name in NEAR:
        chosen = []
        for row in verdict["rows"]:
            here = [p for p in verdict["planted"] if (p["variant"], p["shape"]) == (row["variant"], row["shape"])]
            chosen.append(choose(name, here, row["detectable_80"], beyond))
        chosen = [row for row in chosen if row]
        facts[f"{name}_shapes"] = len(chosen)
        facts[f"{name}_comparisons"] = sum(row["comparisons"] for row in chosen)
        for word in ("slower", "faster", "equivalent", "inconclusive"):
            facts[f"{name}_{word}"] = sum(row["verdicts"][word] for row in chosen)
    twice, half = facts["twice_comparisons"], facts["half_comparisons"]
    facts["twice_found"] = per_mille(facts["twice_slower"] / twice) if twice else 0
    facts["half_open"] = per_mille((facts["half_equivalent"] + facts["half_inconclusive"]) / half) if half else 0
    for key, value in facts.items():
        print(key, value)


if __name__ == "__main__":
    main(sys.argv[1])
