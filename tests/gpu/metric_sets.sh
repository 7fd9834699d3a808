#!/usr/bin/env bash
# Do the sets of counters give values that add up, in the passes that were foretold?
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# FILE SET[,SET]: one arm with these counters
count_with() {
    local status=0
    "$CPPROF" run pipeline/cpasync3 --set ctas_per_sm=4 --processes 1 --iters 4 --metrics "$2" -o "$work/$1.cpprof" \
        >"$work/out" 2>&1 || status=$?
    [ "$status" = 0 ] || [ "$status" = 3 ] || tail -5 "$work/out"
    expect_match "run --metrics $2" "$status" '^(0|3)$'
}
for set in bound stalls memory flops; do
    count_with "$set" "$set"
done
# NVLink is counted where there is a peer; else that is said, and the other counters are there.
count_with both bound,nvlink
sets=(bound stalls memory flops)
if [ "$(nvidia-smi -L | grep -c '^GPU')" -gt 1 ]; then
    sets+=(both)
else
    expect_match "NVLink counters without a peer" "$(grep -A 2 '"what": "counters"' "$work/both.cpprof/manifest.json")" 'CUPTI failed'
    expect_at_least "the other counters" "$(wc -l <"$work/both.cpprof/metrics.csv")" 70
fi
"$CPPROF" list --metrics --chip gh100 --format json >"$work/chip.json" 2>"$work/said" || cat "$work/said"
python3 tests/gpu/metric_set_facts.py "$work" "${sets[@]}"
expect "sets add up" "$?" 0

# Nothing runs for a counter that the chip lacks.
status=0
"$CPPROF" run pipeline/sync --metrics bound,smsp__inst_execute.sum -o "$work/no.cpprof" >"$work/out" 2>"$work/said" || status=$?
expect "an unknown counter" "$status" 2
expect_match "its nearest name" "$(cat "$work/said")" "has no counter 'smsp__inst_execute.sum'; nearest: smsp__inst_executed.sum"
expect "no bundle" "$(ls -d "$work/no.cpprof" 2>/dev/null)" ""

# Own files.
"$CPPROF" list --metrics '^(dram_read|instructions)$' --format csv >"$work/mine.csv"
echo ',smsp__inst_issued.sum,,,,' >>"$work/mine.csv"
"$CPPROF" run pipeline/cpasync3 --processes 1 --iters 4 --metric-set "$work/mine.csv" -o "$work/mine.cpprof" >"$work/out" 2>&1
expect "counters of a file" "$(awk -F, 'NR > 1 && $7 != "" {print $5}' "$work/mine.cpprof/metrics.csv" | sort | paste -sd' ')" \
    "dram__bytes_read.sum sm__sass_inst_executed_op_ldgsts.sum smsp__inst_executed.sum smsp__inst_issued.sum"
finish
