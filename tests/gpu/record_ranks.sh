#!/usr/bin/env bash
# Is the rank, or the link, that was made slow on purpose the one that `cpprof ranks` names? Records examples/ranks/: a capture of each
# scenario of straggler.py on two GPUs, and traces of the PyTorch profiler of N ranks. PyTorch, and two GPUs.
#
#   tests/gpu/record_ranks.sh [N [INTO]]       N: ranks of the PyTorch traces, default 2; from 3 on also the chain
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
n=${1:-2}
into=${2:-examples}/ranks
gpus=$(cuda_gpus)
[ "$gpus" -ge "$((n > 2 ? n : 2))" ] || skip "$n GPUs are needed, here: $gpus"
mkdir -p "$into"
export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0} # no NVLink multicast: a shared host can suffer from it
port=29570
ranks() { # COUNT ARGUMENT...: the command of so many ranks
    port=$((port + 1))
    command=(python3 -m torch.distributed.run --nnodes=1 --nproc-per-node="$1" --master-addr=127.0.0.1 --master-port="$port"
        examples/ranks/straggler.py "${@:2}")
}

# judge SCENARIO TRACES: does the first line name what was planted? Hosts are late by themselves, too, so `even` is only shown.
declare -A planted=([even]='.' [sleep]='^rank 1 costs .* nothing to do' [work]='^rank 1 costs .* 1\.75x as often' [chain]='^rank 0 costs .* 1\.75x as often')
judge() { expect_match "$1: who is late" "$("$CPPROF" ranks "$2" | head -n 1 | tee /dev/stderr)" "${planted[$1]}"; }

for scenario in even sleep work; do
    ranks 2 "$scenario"
    timeout 100 "$CPPROF" capture --range measured -o "$into/$scenario.cpprof" --force -- "${command[@]}" >"$into/said" 2>&1
    expect "$scenario: captured" "$?" 0
    [ "$failed" = 0 ] || tail -n 5 "$into/said"
    rm -f "$into/said"
    judge "$scenario" "$into/$scenario.cpprof"
done
scenarios=(even sleep work)
[ "$n" -lt 3 ] || scenarios+=(chain)
for scenario in "${scenarios[@]}"; do
    mkdir -p "$into/$scenario-$n"
    ranks "$n" "$scenario" --steps 20 --trace "$into/$scenario-$n"
    timeout 100 "${command[@]}" >"$into/said" 2>&1
    expect "$scenario: $n traces of the PyTorch profiler" "$?:$(find "$into/$scenario-$n" -name 'rank-*.json.gz' | wc -l)" "0:$n"
    [ "$failed" = 0 ] || tail -n 5 "$into/said"
    rm -f "$into/said"
    judge "$scenario" "$into/$scenario-$n"
done
du -sh "$into"
finish
