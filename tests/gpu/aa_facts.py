"""What a pool must show, as lines "key value" in whole numbers.

aa_facts.py VERDICT.json      cpprof.aa/1 of a pool with two planted slowdowns at each shape

Of the planted ones the larger at each shape is `twice`, the smaller `half`; rates are per mille.
"""
import json
import sys


def per_mille(value):
    return round(1000 * value)


def main(path):
    with open(path, encoding="utf-8") as file:
        verdict = json.load(file)
    whole = verdict["all"]
    facts = {
        "shapes": len(verdict["rows"]),
        "comparisons": whole["comparisons"],
        "coverage": per_mille(whole["coverage"]["ratio"]),
        "false_at_most": per_mille(whole["false_positives"]["high"]),
    }
    by_shape = {}
    for planted in verdict["planted"]:
        by_shape.setdefault((planted["variant"], planted["shape"]), []).append(planted)
    for name, pick in (("twice", max), ("half", min)):
        chosen = [pick(rows, key=lambda row: row["share"]) for rows in by_shape.values() if len(rows) == 2]
        facts[f"{name}_comparisons"] = sum(row["comparisons"] for row in chosen)
        facts[f"{name}_wrong"] = sum(row["wrong"] for row in chosen)
        for word in ("slower", "faster", "equivalent", "inconclusive"):
            facts[f"{name}_{word}"] = sum(row["verdicts"][word] for row in chosen)
    count = facts["twice_comparisons"]
    facts["twice_found"] = per_mille(facts["twice_slower"] / count) if count else 0
    for key, value in facts.items():
        print(key, value)


if __name__ == "__main__":
    main(sys.argv[1])
