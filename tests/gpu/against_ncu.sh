#!/usr/bin/env bash
# Do our counters agree with Nsight Compute's? The same kernels at the same shape
# (128 MiB of input, above any L2), clocks and caches left alone in both.
# Instruction counts within 0.5 %, DRAM bytes (read, and read + written) 3 %,
# shares 2 points. And what does it take, beside ncu?
#
#   tests/gpu/against_ncu.sh [time]     time: only the latter
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
if ! command -v ncu >/dev/null || ! command -v python3 >/dev/null; then
    skip "ncu and python3 are needed"
fi
runner=$(dirname "$CPPROF")/../libexec/cpprof/cpprof-runner
stress=$test_programs/variant_stress
need_program "$stress"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Eight counters of six kernels, the wall time of whole commands: the process that counts six arms, beside ncu
# around a process that sets up and launches each of the same six once and does nothing else. What that one takes alone
# is printed, too.
eight=(dram__bytes_read.sum dram__bytes_write.sum smsp__inst_executed.sum sm__sass_inst_executed_op_ldgsts.sum
    sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed dram__throughput.avg.pct_of_peak_sustained_elapsed
    sm__warps_active.avg.pct_of_peak_sustained_active l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum)
# A copy through device memory, FMAs, products on tensor cores, a copy that computes, in turn and by rings of two and three tiles.
six=() names=()
for variant in truth/dram-stream truth/fma-peak truth/tensor-mma pipeline/sync pipeline/cpasync2 pipeline/cpasync3; do
    six+=(--variant "$variant") names+=("$variant")
done
their_kernels='regex:^(truth_dram|truth_fma|truth_mma|pipeline_sync|pipeline_cpasync)$'
launches=("$stress" --iterations 0 --unchecked "${names[@]}")
milliseconds() { # COMMAND...
    local start
    start=$(date +%s%N)
    "$@" >"$work/counted.log" 2>&1 || cat "$work/counted.log" >&2
    echo $((($(date +%s%N) - start) / 1000000))
}
ours_ms=1000000 ncu_ms=1000000 alone_ms=1000000
for _ in 1 2 3; do # the best of three each
    mkdir -p "$work/count" && rm -f "$work"/count/*
    ms=$(milliseconds "$runner" count --dir "$work/count" "${six[@]}" "${eight[@]/#/--metric=}")
    [ "$ms" -ge "$ours_ms" ] || { ours_ms=$ms; cp "$work/count/process-count-0.json" "$work/ours.json"; }
    ms=$(milliseconds "${launches[@]}")
    [ "$ms" -ge "$alone_ms" ] || alone_ms=$ms
    ms=$(milliseconds ncu --clock-control none --cache-control none --metrics "$(printf '%s\n' "${eight[@]}" | paste -sd,)" \
        --kernel-name "$their_kernels" --launch-count 6 --csv "${launches[@]}")
    expect "launches that ncu counted" "$(grep -cE '"(smsp__inst_executed.sum)"' "$work/counted.log")" 6
    [ "$ms" -ge "$ncu_ms" ] || ncu_ms=$ms
done
echo "eight counters, six kernels: $ours_ms ms ours, $ncu_ms ms ncu; $alone_ms ms its program alone"
python3 - "$work/ours.json" <<'PYTHON' # data and plan: of another thread, beside the device's context; the others follow one another
import json, sys
report = json.load(open(sys.argv[1]))
steps = {name: ns / 1e6 for name, ns in report["spent_ns"].items()}
total = report["wall_ns"] / 1e6
print("ours, ms:", ", ".join(f"{name} {ms:.1f}" for name, ms in steps.items()),
      f"; in all {total:.1f}, of it elsewhere {total - sum(ms for name, ms in steps.items() if name not in ('data', 'plan')):.1f}")
PYTHON
expect_at_least "launches that we counted" "$(awk -F, 'NR > 1 {print $1, $2}' "$work/count/metrics.csv" | sort -u | wc -l)" 6
expect_at_least "times faster than ncu" $((ncu_ms / ours_ms)) 5
[ "${1:-}" != time ] || { finish; exit; }

"$CPPROF" run pipeline/sync pipeline/cpasync3 --set ctas_per_sm=1,8 --processes 1 --iters 4 -o "$work/ours.cpprof" \
    >/dev/null 2>&1 || exit 1
metrics=$(awk -F, 'NR > 1 && $7 != "" {print $5}' "$work/ours.cpprof/metrics.csv" | sort -u | paste -sd,)

# Application replay runs the program once per pass, so that the kernel finds the
# caches as it does in ours; the third launch of the warm-up is the one measured.
for variant in sync cpasync3; do
    for ctas in 1 8; do
        ncu --clock-control none --cache-control none --replay-mode application --metrics "$metrics" \
            --kernel-name "regex:^pipeline_(sync|cpasync)" --launch-skip 6 --launch-count 1 --csv --page raw --print-units base \
            "$runner" time --dir "$work" --variant "pipeline/$variant" --set "ctas_per_sm=$ctas" --warmup 10 --iters 4 \
            >"$work/$variant-$ctas.csv" 2>"$work/ncu.log" || { cat "$work/ncu.log" "$work/$variant-$ctas.csv"; exit 1; }
    done
done
# NVTX: other tools show the words of our report.
ncu --nvtx --metrics smsp__inst_executed.sum --kernel-name "regex:^pipeline_sync" --launch-count 1 --page details \
    "$runner" verify --dir "$work" --variant pipeline/sync --shape small --seed 0 >"$work/nvtx.txt" 2>&1
expect_match "ncu shows our NVTX range" "$(cat "$work/nvtx.txt")" 'pipeline/sync \| small ctas_per_sm=1 work=[0-9]+ \| verify'

python3 tests/gpu/compare_counters.py "$work/ours.cpprof/metrics.csv" "$work"/*-[18].csv 
expect "counters agree with ncu's" "$?" 0
finish
