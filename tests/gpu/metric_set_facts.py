"""Says whether the values of the sets of counters add up; on a GH100.

metric_set_facts.py FOLDER SET...   FOLDER holds SET.cpprof and chip.json of 'cpprof list --metrics --chip'
"""
import csv
import json
import sys

PASSES_EXTRA = {"both": ("bound", "nvlink")}


def values_of(bundle, ids):
    """By id; by name for counters without one."""
    with open(bundle + "/metrics.csv", newline="") as file:
        return {ids.get(row["metric"], row["metric"]): float(row["value"]) for row in csv.DictReader(file) if row["value"]}


def passes_of(bundle):
    with open(bundle + "/manifest.json") as file:
        counted = [p["counters"]["passes"] for p in json.load(file)["processes"] if p["role"] == "count" and "counters" in p]
    return counted[0] if counted else None


def flops_of(bundle):
    with open(bundle + "/variants.csv", newline="") as file:
        return float(next(csv.DictReader(file))["flops"])


def main():
    folder, sets = sys.argv[1], sys.argv[2:]
    with open(folder + "/chip.json") as file:
        chip = json.load(file)
    ids = {m["name"]: m["id"] for m in chip["metrics"] if m["id"]}
    flop = {m["id"]: m["flop"] for m in chip["metrics"] if m["id"]}
    side = {m["id"]: m["side"] for m in chip["metrics"] if m["id"]}
    passes = {s["name"]: s["passes"] for s in chip["sets"]}
    bad = 0

    def check(what, ok, detail):
        nonlocal bad
        bad += not ok
        print(f"{'ok' if ok else 'FAILED'}: {what}: {detail}")

    for name in sets:
        bundle = f"{folder}/{name}.cpprof"
        v = values_of(bundle, ids)
        wanted = sum(passes[s] for s in PASSES_EXTRA.get(name, (name,)))
        got = passes_of(bundle)
        # A variant expects counters of its own, which may not be of the set.
        check(f"{name} passes", got is not None and wanted <= got <= wanted + 2, f"{got}, foretold {wanted}")
        lacking = [m["id"] for m in chip["metrics"] if m["id"] and set(m["sets"]) & set(PASSES_EXTRA.get(name, (name,)))
                   and m["id"] not in v]
        check(f"{name} values", not lacking, f"{len(v)}; without one: {lacking}")
        if "warp_latency" in v:
            stalls = sum(x for i, x in v.items() if side.get(i) == "stall") + v["stall_selected"]
            check(f"{name} stalls add up", abs(stalls / v["warp_latency"] - 1) < 0.03, f"{stalls:.4g} of {v['warp_latency']:.4g}")
            check(f"{name} selected", abs(v["stall_selected"] - 1) < 0.01, f"{v['stall_selected']:.4g}")
        if "ffma_threads" in v:
            work = sum(x * flop[i] for i, x in v.items() if side.get(i) == "flop")
            stated = flops_of(bundle)
            check(f"{name} FLOP", abs(work / stated - 1) < 0.05, f"{work:.6g} counted, {stated:.6g} stated")
            # 132 SMs of 128 FMA lanes at the clock of the run.
            peak = v["peak_ffma"] / v["sm_clock"]
            check(f"{name} FMA ceiling", abs(peak / (132 * 128) - 1) < 0.01, f"{peak:.6g} a cycle")
            check(f"{name} ceilings", all(v[i] > 0 for i in v if side.get(i) == "peak"),
                  ", ".join(f"{i} {v[i]:.4g}" for i in v if side.get(i) == "peak"))
        if "l2_bytes" in v and "dram_read" in v:
            check(f"{name} bytes", v["l2_bytes"] >= v["dram_read"] * 0.9,
                  f"L1 {v['l1_bytes']:.4g}, L2 {v['l2_bytes']:.4g}, DRAM {v['dram_read']:.4g} + {v['dram_write']:.4g}")
        if name == "both":
            print({i: v[i] for i in v if i.startswith(("nvlink", "pcie"))})
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
