#!/usr/bin/env bash
# What happens inside our kernels: is the copying hidden, how long is each phase, and what may come later for free?
# Records examples/inside/. One GPU, half a minute; with two GPUs also the all-reduce, one more.
#
#   tests/gpu/record_inside.sh [INTO]      INTO: default examples/
#   ONLY=allreduce                         the all-reduce alone
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/inside
mkdir -p "$into"

# report COMMAND NAME: what it says of a bundle, as a file beside it
report() {
    "$CPPROF" "$1" "$into/$2.cpprof" | head -n 4
    "$CPPROF" "$1" "$into/$2.cpprof" -o "$into/$1-$2.md" --force
}

# record NAME ARGUMENT...
record() {
    local name=$1
    shift
    "$CPPROF" run "$@" -o "$into/$name.cpprof" --force >"$into/said" 2>&1
    expect "$name: exit status" "$?" 0
    rm -f "$into/said"
    report inside "$name"
}

# What happens in 1stage and its rings of cp.async on two GPUs: both must be recorded, with all phases of each arm.
allreduce() {
    local gpus devices
    gpus=$(cuda_gpus)
    [ "$gpus" -ge 2 ] || { echo "allreduce: skipped, it needs two GPUs, here: $gpus"; return; }
    "$CPPROF" run allreduce/1stage 'allreduce/1stage-cpasync?' --baseline allreduce/1stage --shape mib4 --inside \
        --method graphs --processes 5 --iters 20 -o "$into/allreduce.cpprof" --force >"$into/said" 2>&1
    expect_match "allreduce: exit status" "$?" '^[013]$'
    tail -n 3 "$into/said"
    report inside allreduce
    "$CPPROF" inside "$into/allreduce.cpprof" --format json >"$into/said"
    expect "allreduce: arms without a missing record" "$(grep -cE '^ *"missing": 0,?$' "$into/said")" 4
    for phase in 'load' 'wait' 'refill' 'add' 'wait for peers' 'transfer and add' 'meet'; do
        echo "$phase: $(grep -cE "^ *\"name\": \"$phase\",?\$" "$into/said")"
    done >"$into/phases"
    expect "allreduce: arms with each phase" "$(paste -sd ' ' "$into/phases")" \
        'load: 2 wait: 3 refill: 3 add: 4 wait for peers: 4 transfer and add: 4 meet: 4'
    devices=$(sed '1d;s/.*,//' "$into/allreduce.cpprof/inside_warps.csv" | sort -u | wc -l)
    expect "allreduce: GPUs that are recorded" "$devices" 2
    rm -f "$into/said" "$into/phases"
}

if [ "${ONLY:-allreduce}" = allreduce ]; then allreduce; fi
if [ -n "${ONLY:-}" ]; then
    finish
    exit
fi
record one-cta pipeline/sync pipeline/cpasync4 --inside --processes 5 --iters 20
record eight-ctas pipeline/sync pipeline/cpasync4 --set ctas_per_sm=8 --inside --processes 5 --iters 20
record stages sdpa/stage2 sdpa/stage4 --shape mission --inside --processes 5 --iters 20
record wgmma sdpa/wgmma --shape long --inside --processes 30 --iters 10
record warpspec sdpa/warpspec --shape long --slack --processes 5 --iters 20
report slack warpspec
finish
