#!/usr/bin/env bash
# Is a float32 product with marks taken for the kernel that it is, whose constants ptxas makes by HFMA2? Records
# examples/inside/sgemm.cpprof. One GPU, half a minute.
#
#   tests/gpu/inside_sgemm.sh [INTO]      INTO: default examples/
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
library=$(realpath "$test_programs")/libsgemm.so
[ -f "$library" ] || skip "no libsgemm.so: install with -DCPPROF_INSTALL_TESTS=ON"
bundle=${1:-examples}/inside/sgemm.cpprof
mkdir -p "$(dirname "$bundle")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$CPPROF" run --load "$library" sgemm/tiles sgemm/half-constants --baseline sgemm/tiles --inside --processes 5 --iters 20 \
    -o "$bundle" --force >"$work/said" 2>&1
expect_match "exit status" "$?" '^[013]$'
tail -n 3 "$work/said"
"$CPPROF" inside "$bundle" | head -n 12

CPPROF=$CPPROF python3 - "$bundle" <<'FACTS' >"$work/facts"
import csv, json, subprocess, sys, os
bundle = sys.argv[1]
said = json.loads(subprocess.run([os.environ.get("CPPROF", "cpprof"), "inside", bundle, "--format", "json"],
                                 stdout=subprocess.PIPE, check=False).stdout)
print("accepted", sum(arm["status"] == "ok" for arm in said["arms"]))
print("reasons", *sorted({arm["reason"] or "none" for arm in said["arms"]}))
with open(f"{bundle}/manifest.json", encoding="utf-8") as file:
    seen = [process.get("half_math", {}) for process in json.load(file)["processes"]]
code = {symbol: count for kernels in seen for symbol, count in kernels.items() if symbol.startswith("_Z5sgemm")}
print("kernels", len(code))
print("half_math", sum(code.values()))
with open(f"{bundle}/metrics.csv", newline="") as file:
    half = {(row["variant"], int(float(row["value"]))) for row in csv.DictReader(file) if "op_hfma_pred_on.sum" in row["metric"]
            and "peak" not in row["metric"]}
for row in sorted(half):
    print("hfma", *row)
FACTS
cat "$work/facts"
fact() { sed -n "s/^$1 //p" "$work/facts"; }
expect "builds with marks that are accepted" "$(fact accepted)" 2
expect "reasons against them" "$(fact reasons)" none
expect "kernels whose code was seen: two of each build" "$(fact kernels)" 4
expect "HFMA2 on data in them" "$(fact half_math)" 0
expect_at_least "counts of HFMA2 that differ between builds" "$(fact hfma | awk '{ print $2 }' | sort -u | wc -l)" 2
tests/gpu/pack_bundle.sh "$bundle"
finish
