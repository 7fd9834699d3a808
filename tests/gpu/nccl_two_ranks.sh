#!/usr/bin/env bash
# One capture of a program with two ranks on two GPUs: two shards in one bundle, each
# with the right rank and device? Two GPUs.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
devices=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
[ "$devices" -ge 2 ] || skip "two GPUs are needed, here: $devices"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0} # no NVLink multicast: a shared host can suffer from it
program=(python3 -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --master-addr=127.0.0.1 --master-port=29571
         examples/pytorch-train/allreduce.py --rounds 20)

"${program[@]}" >"$work/bare" 2>"$work/bare.err"
expect "bare: exit status" "$?" 0
"$CPPROF" capture -o "$work/two.cpprof" -- "${program[@]}" >"$work/captured" 2>"$work/captured.err"
expect "captured: exit status" "$?" 0
[ "$failed" = 0 ] || tail -n 20 "$work/bare.err" "$work/captured.err"
# Two ranks print at once, so that an end of line may come behind both.
lines() { sed 's/rank [0-9]* of/\n&/g' "$1" | grep . | sort; }
expect "the same is printed" "$(lines "$work/captured")" "$(lines "$work/bare")"

load_facts "$work/two.cpprof"
expect "status" "${fact[status]}" complete
expect "dropped" "${fact[dropped]}" 0
python3 tests/gpu/rank_facts.py "$work/two.cpprof" >"$work/ranks"
expect "ranks, their devices, NCCL kernels" "$(tr '\n' ';' <"$work/ranks")" \
    'rank 0 device 0 nccl 20;rank 1 device 1 nccl 20;'
"$CPPROF" check "$work/two.cpprof" --assert 'count(kernel[name=~ncclDevKernel,rank=0]) == 20' \
    --assert 'count(kernel[name=~ncclDevKernel,rank=1]) == 20' >"$work/check" 2>&1
expect "rules on each rank" "$?" 0
[ "$failed" = 0 ] || cat "$work/check"
finish
