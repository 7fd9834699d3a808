#!/usr/bin/env bash
# Does cp.async pay where an SM has one block, and less where it has more; and is
# a kernel that was never launched noticed? Records examples/pipeline/.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/pipeline
mkdir -p "$into"

# record NAME ARGUMENT...: sets $status, $seconds and $old (the verdicts recorded before)
record() {
    local name=$1 begin
    shift
    old=$(verdicts "examples/pipeline/$name.cpprof")
    begin=$(date +%s%N)
    "$CPPROF" run "$@" -o "$into/$name.cpprof" --force >/dev/null
    status=$?
    seconds=$((($(date +%s%N) - begin) / 1000000000))
    if [ -n "$old" ]; then
        expect "$name: verdicts as recorded before" "$(verdicts "$into/$name.cpprof")" "$old"
    fi
}

record one-cta pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --set ctas_per_sm=1
expect "one-cta: exit status" "$status" 0
expect "one-cta: under 20 s of wall time (took $seconds s)" "$((seconds < 20))" 1
expect "one-cta: faster beyond doubt" "$(verdicts "$into/one-cta.cpprof")" "mission ctas_per_sm=1 work=256 faster"
expect_match "one-cta: LDGSTS 0 against more" "$(grep op_ldgsts.sum "$into/one-cta.cpprof/metrics.csv" | grep -v conflicts |
    cut -d, -f1,7 | tr '\n' ' ')" 'pipeline/sync,0 pipeline/cpasync3,[1-9][0-9]* '

record more-ctas pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --set ctas_per_sm=1,4,8 --iters 40
expect "more-ctas: exit status" "$status" 0
one=$(gain "$into/more-ctas.cpprof" "mission ctas_per_sm=1 work=256")
for ctas in 4 8; do
    many=$(gain "$into/more-ctas.cpprof" "mission ctas_per_sm=$ctas work=256")
    expect "more-ctas: gain $many at $ctas blocks per SM is below a third of $one" \
        "$(awk -v a="$many" -v b="$one" 'BEGIN {print (a < b / 3)}')" 1
done
expect_match "more-ctas: the report says why" "$(cat "$into/more-ctas.cpprof/report.md")" 'occupancy already hides the latency'

# With all that a run can find out of a kernel: its hottest instructions, and roofs as they were measured on this GPU.
record explained pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --set ctas_per_sm=1 --processes 3 --iters 40 \
    --hotspots --ceilings measure
expect "explained: exit status" "$status" 0
expect_match "explained: lines of the kernel's source" "$(cat "$into/explained.cpprof/report.md")" 'pipeline\.cu:[0-9]+'
expect "explained: the lines say what the source says" \
    "$(python3 tests/gpu/hot_texts.py "$into/explained.cpprof/hotspots.csv" kernels/pipeline/pipeline.cu)" ok
expect "explained: roofs were measured" "$(grep -c 'What this GPU reaches was not measured' "$into/explained.cpprof/report.md")" 0

record misdispatched pipeline/misdispatched --processes 3 --iters 40
expect "misdispatched: exit status" "$status" 1
expect_match "misdispatched: the first line names what ran and what was meant" \
    "$(head -n 1 "$into/misdispatched.cpprof/report.md")" 'WRONG KERNEL.*pipeline_sync.*pipeline_cpasync<3>.*meant'
finish
