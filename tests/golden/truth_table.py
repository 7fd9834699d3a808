"""Which of the bounds that are known by construction were found, and in how many readings of the counters?

    cpprof classify BUNDLE --format json | truth_table.py > table.md

Exits 1 unless each was found in every reading.
"""
import collections
import json
import sys


def verdict(of):
    return of["class"] if not of["limit"] else f"{of['class']} {of['limit']}"


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(columns, rows):
    return [row(columns), row("---" for _ in columns)] + [row(cells) for cells in rows]


def confusion(kernels):
    """Expected by row, got by column, in readings."""
    counts = collections.Counter()
    for k in kernels:
        for got in k["repeat_bounds"]:
            counts[k["stated"], verdict(got)] += got["count"]
    expected = list(dict.fromkeys(k["stated"] for k in kernels))
    others = sorted({got for _, got in counts} - set(expected))
    got = expected + others
    return table(["expected \\ got"] + got, [[e] + [counts[e, g] or "" for g in got] for e in expected])


def variants(kernels):
    return table(["variant", "by construction", "found", "readings that agree", "margin", "compute", "memory"],
                 [[f"`{k['variant']}`", k["stated"], verdict(k), f"{k['agreeing']} of {k['repeats']}"]
                  + ["n/a" if k[share] is None else f"{k[share] * 100:.1f}%" for share in ("margin", "compute_share", "memory_share")]
                  for k in kernels])


def main():
    kernels = [k for k in json.load(sys.stdin)["kernels"] if k["stated"]]
    wrong = [k["variant"] for k in kernels if not k["as_stated"] or k["agreeing"] != k["repeats"] or not k["repeats"]]
    print("\n".join(variants(kernels) + ["", "Readings, expected and got:", ""] + confusion(kernels)))
    for variant in wrong:
        print(f"not found in every reading: {variant}", file=sys.stderr)
    if not kernels:
        print("no variant states its bound", file=sys.stderr)
    return 1 if wrong or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
