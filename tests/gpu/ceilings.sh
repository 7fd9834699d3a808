#!/usr/bin/env bash
# Are the ceilings that doctor measures plausible shares of theory, do kernels that are full of one thing stand at
# its roof, and are their operations counted as the variants state them? Prints two short tables; a minute on an H200.
# The JSON and the chart are left in $OUT where that is set.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
command -v python3 >/dev/null || skip "python3 is needed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=${OUT:-$work}

begin=$(date +%s%N)
"$CPPROF" doctor --directory "$work" --ceilings --force -o "$folder/ceilings.json" 2>"$work/errors" # 4 where something else is missing
cat "$work/errors"
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ')
echo "measured in $((($(date +%s%N) - begin) / 1000000)) ms, doctor's other checks included; $gpus GPU(s)"

cat >"$work/ceilings.py" <<'PY'
import json, sys
c = json.load(open(sys.argv[1]))["ceilings"]
# id: share of theory at the clock meanwhile (of device memory: its own), then times in ns
shares = {"dram": (0.75, 1), "l2": (0.4, 1), "fp32": (0.9, 1.01), "fp64": (0.9, 1.01), "tensor_mma": (0.4, 1.1),
          "tensor_wgmma": (0.75, 1.1)} # clocks fall while tensor cores work: one reading is not all of it
times = {"launch": (500, 20000), "graph_node": (200, 10000)}
def line(ok, text): print("PASS" if ok else "FAIL", text, sep="|")
for g in c["gpus"]:
    found = {m["id"]: m for m in g["ceilings"]}
    for m in g["missing"]:
        needed = m["what"] != "tensor_wgmma" or g.get("compute_capability") == "9.0"
        line(not needed, f'GPU {g["ordinal"]}: {m["what"]} not measured: {m["why"]}')
    for name, m in found.items():
        clock = m["sm_clock_hz"]
        if name in times:
            low, high = times[name]
            line(low <= m["best"] <= high and m["median"] >= m["best"], f'GPU {g["ordinal"]} {name:13} best {m["best"]:8.0f} ns  median {m["median"]:8.0f} ns')
            continue
        low, high = shares[name]
        peak = m["peak_at_clock"] or m["peak"]
        share = m["best"] / peak if peak else None
        line(share is not None and low <= share <= high and m["median"] <= m["best"],
             f'GPU {g["ordinal"]} {name:13} ({m["amount"]}) best {m["best"]/1e12:8.3f} T/s  median {m["median"]/1e12:8.3f}  theory {m["peak"]/1e12 if m["peak"] else float("nan"):8.3f}'
             f'  {m["best"]/m["peak"] if m["peak"] else float("nan"):6.1%}  at {clock/1e6 if clock else float("nan"):.0f} MHz {share if share else float("nan"):6.1%}')
    line(len(found) >= 7, f'GPU {g["ordinal"]}: {len(found)} ceilings')
    line(found.get("graph_node", {"best": 1e9})["best"] < found.get("launch", {"best": 0})["best"], f'GPU {g["ordinal"]}: a node of a graph is cheaper than a launch')
n = len(c["gpus"])
for p in c["peers"]:
    peak = p["nvlinks"] * 25e9 if p.get("nvlinks") else None
    share = p["best"] / peak if peak else None
    line(p["best"] > 1e9 and (share is None or 0.5 <= share <= 1.01), f'{p["from"]} -> {p["to"]} by {p["how"]:5} best {p["best"]/1e9:7.1f} GB/s median {p["median"]/1e9:7.1f}'
         f'  NVLinks {p.get("nvlinks")}  {share if share else float("nan"):6.1%}')
line(len({(p["from"], p["to"]) for p in c["peers"]}) == n * (n - 1), f'{n * (n - 1)} pairs of GPUs')
for m in c["missing"]: line(False, f'{m["what"]}: {m["why"]}')
PY
# judge COMMAND...: each of its lines is PASS|what or FAIL|what
judge() {
    local verdict text lines=0
    while IFS='|' read -r verdict text; do
        lines=$((lines + 1))
        expect "$text" "$verdict" PASS
    done < <("$@")
    expect_at_least "lines of $(basename "$2")" "$lines" 5
}
judge python3 "$work/ceilings.py" "$folder/ceilings.json"

variants="truth/dram-stream truth/l2-stream truth/fma-peak truth/fp64-peak truth/tensor-mma"
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)
[ "$capability" != 9.0 ] || variants+=" truth/tensor-wgmma"
# shellcheck disable=SC2086  # a word each
"$CPPROF" run $variants --ceilings "$folder/ceilings.json" --processes 1 --iters 8 -o "$work/roofs.cpprof" >"$work/said" 2>&1
expect "exit status of run" "$?" 0
"$CPPROF" classify "$work/roofs.cpprof" --format json >"$folder/roofs.json"
cat >"$work/roofs.py" <<'PY'
import csv, json, sys
kernels = json.load(open(sys.argv[1]))["kernels"]
stated = {r["variant"]: r for r in csv.DictReader(open(sys.argv[2] + "/variants.csv"))}
# the nearest roof, the least share of it, and whether operations, or bytes of device memory, are as stated
expected = {"truth/dram-stream": ("dram", 0.9, "bytes"), "truth/l2-stream": ("l2", 0.85, None), "truth/fma-peak": ("fp32", 0.9, "flops"),
            "truth/fp64-peak": ("fp64", 0.9, "flops"), "truth/tensor-mma": ("tensor_fp16", 0.35, "flops"), "truth/tensor-wgmma": ("tensor_fp16", 0.85, "flops")}
def line(ok, text): print("PASS" if ok else "FAIL", text, sep="|")
for k in kernels:
    r, row = k["roofline"], stated[k["variant"]]
    if r is None:
        line(False, f'{k["variant"]}: no roofline'); continue
    dram = next(l for l in r["levels"] if l["level"] == "dram")
    roof, least, same = expected[k["variant"]]
    line(r["nearest"] == roof and least <= r["nearest_share"] <= 1.08, f'{k["variant"]:20} {r["flop_per_s"]/1e12:8.3f} TFLOP/s  dram {dram["bytes_per_s"]/1e12:6.3f} TB/s  nearest {r["nearest"]} {r["nearest_share"]:6.1%}'
         f' {"measured" if r["nearest_is_measured"] else "theory"}; uncounted {r["uncounted"]}')
    if same == "flops":
        ratio = r["flop"] / float(row["flops"])
        line(0.98 <= ratio <= 1.02, f'{k["variant"]}: operations counted / stated = {ratio:.4f}')
    if same == "bytes":
        ratio = dram["bytes"] / float(row["bytes"])
        line(0.95 <= ratio <= 1.1, f'{k["variant"]}: bytes counted / stated = {ratio:.4f}')
    for p in r["precisions"] + r["levels"]:
        peak = p.get("peak_flop_per_s", p.get("peak_bytes_per_s"))
        line(peak and peak > 0, f'{k["variant"]}: {p.get("precision", p.get("level"))} has a theory: {peak:g}' if peak else f'{k["variant"]}: no theory of {p}')
    reach = [e["value"] for e in k["evidence"] if e["metric"] == "dram_reach_measured"]
    line(len(reach) == 1 and 0.75 <= reach[0] <= 1, f'{k["variant"]}: device memory reaches {reach[0]:.1%} of its peak' if reach else f'{k["variant"]}: no measured reach')
PY
judge python3 "$work/roofs.py" "$folder/roofs.json" "$work/roofs.cpprof"
expect "a picture" "$(grep -c '</svg>' "$work/roofs.cpprof/charts/roofline.svg")" 1
[ "$folder" = "$work" ] || cp "$work/roofs.cpprof/charts/roofline.svg" "$folder/"
everything "$work/roofs.cpprof" | sed -n '/^Roofline$/,/^Roofs$/p' | grep '^truth'

"$CPPROF" run truth/dram-stream --ceilings measure --processes 1 --iters 8 -o "$work/now.cpprof" >"$work/said" 2>&1
expect "exit status of a run that measures first" "$?" 0
expect "its manifest says so" "$(grep -c '"source": "measured"' "$work/now.cpprof/manifest.json")" 1
finish
