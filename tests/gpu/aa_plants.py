"""Which extra work makes a slowdown of twice, and of half, what the pilot's comparisons find?

aa_plants.py VERDICT.json     of a pilot (cpprof.aa/1) with one planted slowdown at each shape that is to have one

Prints one option for cpprof aa per planted slowdown: --plant=us50=2.7%,0.7%. A share of the loop is a smaller
share of the time; how much smaller, the pilot's own planted slowdown says. Exit 1 when it does not.
"""
import json
import sys

FACTORS = (2.0, 0.5)


def main(path):
    with open(path, encoding="utf-8") as file:
        pilot = json.load(file)
    found = {(row["variant"], row["shape"]): row["detectable_80"] for row in pilot["rows"]}
    for planted in pilot["planted"]:
        effect = found.get((planted["variant"], planted["shape"]))
        slowdown = planted["slowdown"]["median"]
        if not effect or not slowdown or slowdown <= 0:
            print(f"nothing was found at {planted['shape']}: {effect}, {slowdown}", file=sys.stderr)
            return 1
        work_per_time = planted["share"] / slowdown
        shares = ",".join(f"{100 * factor * effect * work_per_time:.3f}%" for factor in FACTORS)
        print(f"--plant={planted['shape'].split()[0]}={shares}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
