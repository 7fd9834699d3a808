#!/usr/bin/env bash
# Is overlap measured as it was constructed? Records examples/overlap/ and
# asserts what each trace holds. Recorded only where there are two GPUs: two-devices,
# and allreduce, gemm and allreduce-gemm, of which the gain is asked, too.
#
#   tests/gpu/record_streams.sh [INTO [NAME]]     NAME: only that scenario
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/overlap
only=${2:-}
mkdir -p "$into"
devices=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')

# scenario NAME RULE...: records streams/NAME and asserts
scenario() {
    local name=$1 rules=() rule metrics=none
    shift
    [ -z "$only" ] || [ "$only" = "$name" ] || return 0
    for rule in "$@"; do
        rules+=(--assert "$rule")
    done
    [[ $name != allreduce* ]] || metrics=nvlink # what it sends is expected
    "$CPPROF" run "streams/$name" --processes 1 --iters 8 --metrics "$metrics" -o "$into/$name.cpprof" --force >/dev/null 2>&1
    expect "$name: runs as meant, right" "$?" 0
    "$CPPROF" overlap "$into/$name.cpprof" "${rules[@]}" >"$into/$name.txt"
    expect "$name: $*" "$?" 0
    [ "$failed" = 0 ] || tail -n 40 "$into/$name.txt"
    rm -f "$into/$name.txt"
}

# What it brings to run the all-reduce beside the products; their launches alone, without what sets them up.
cost_of_both() {
    local cost=("$CPPROF" overlap --cost "$into"/{allreduce,gemm,allreduce-gemm}.cpprof --range 'measure$') gain
    "${cost[@]}"
    expect "cost: both together do the work of either alone" "$?" 0
    gain=$("${cost[@]}" --format json | python3 -c 'import json, sys; print(round(100 * json.load(sys.stdin)["gain_ratio"]))')
    expect_at_least "cost: a part of the shorter one is free, in percent" "$gain" 30
}

scenario one 'count(h2d) >= 31' 'overlap(h2d, kernel) == 0%'
scenario two 'count(h2d) >= 31' 'overlap(h2d, kernel[name=~streams_work]) > 90%'
scenario pageable 'count(h2d) >= 31' 'overlap(h2d, kernel[name=~streams_work]) < 5%'
scenario three 'concurrency(kernel[name=~streams_work]) >= 3'
scenario pdl 'overlap(kernel[name=~streams_second], kernel[name=~streams_first]) > 20%'
if [ -z "$only" ]; then
    "$CPPROF" overlap "$into/pdl.cpprof" --assert 'serial(kernel)' >/dev/null
    expect "pdl: kernels of one stream do overlap: serial(kernel) fails" "$?" 1
fi
if [ "$devices" -ge 2 ]; then
    scenario two-devices 'count(kernel[name=~streams_work]) >= 62' 'busy(kernel[name=~streams_work]) > 0ns' \
        'overlap(kernel[name=~streams_work], kernel[name=~streams_work]) == 100%'
    scenario allreduce 'count(kernel[name=~allreduce_1stage]) >= 62' 'count(kernel[name=~truth_mma]) == 0'
    scenario gemm 'count(kernel[name=~truth_mma]) >= 62' 'count(kernel[name=~allreduce_1stage]) == 0'
    scenario allreduce-gemm 'count(kernel[name=~allreduce_1stage]) >= 62' 'count(kernel[name=~truth_mma]) >= 62' \
        'overlap(kernel[name=~allreduce_1stage], kernel[name=~truth_mma]) > 30%'
    [ -n "$only" ] || cost_of_both
else
    echo "SKIPPED: two-devices, allreduce, gemm and allreduce-gemm need two GPUs, here: $devices"
fi
finish
