#!/usr/bin/env bash
# Records examples/captures/: small captures of programs that know nothing of
# cpprof, each with the rules that it must keep.
#
#   tests/gpu/record_captures.sh [INTO [NAME]]     NAME: only that one
#
# train needs PyTorch, two-ranks two GPUs as well.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_program "$guests"
into=${1:-examples}/captures
only=${2:-}
mkdir -p "$into"
most_bytes=300000
have_torch=$(python3 -c 'import torch; print(torch.cuda.device_count())' 2>/dev/null || echo 0)
export NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0} # no NVLink multicast: a shared host can suffer from it

options=()
# record NAME RULE... -- PROGRAM...
record() {
    local name=$1 rules=()
    shift
    while [ "$1" != -- ]; do
        rules+=(--assert "$1")
        shift
    done
    shift
    [ -z "$only" ] || [ "$only" = "$name" ] || return 0
    "$CPPROF" capture -o "$into/$name.cpprof" --force "${options[@]}" -- "$@" >"$into/$name.out" 2>"$into/$name.err"
    expect "$name: exit status" "$?" 0
    "$CPPROF" check "$into/$name.cpprof" "${rules[@]}" >"$into/$name.check" 2>&1
    expect "$name: its rules" "$?" 0
    [ "$failed" = 0 ] || tail -n 15 "$into/$name.out" "$into/$name.err" "$into/$name.check"
    rm -f "$into/$name.out" "$into/$name.err" "$into/$name.check"
    load_facts "$into/$name.cpprof"
    expect "$name: status" "${fact[status]}" complete
    expect "$name: dropped" "${fact[dropped]}" 0
    expect_at_least "$name: room left of $most_bytes bytes" "$((most_bytes - fact[bytes]))" 0
}

record vector 'count(kernel[name=~guest_add]) == 10' 'count(h2d) == 20' 'count(d2h) == 10' 'count(memset) == 1' \
    'overlap(h2d, kernel) == 0%' -- "$guests" vector
record graph 'count(kernel[name=~guest_node]) == 200' 'count(memset) == 10' 'serial(kernel)' -- "$guests" graph
# Which event each stream waits for. The host is ahead of the GPU: in 2 ms it launches some 60 steps.
options=(--trace api)
record waits 'count(h2d) >= 20' 'count(h2d) <= 200' 'overlap(h2d, kernel) >= 80%' -- "$guests" copy_hidden 0.002
options=()

if [ "$have_torch" -ge 1 ]; then
    # The steps behind the warm-up, wide enough that the GPU and not the host sets their pace: then the copies are hidden.
    options=(--range train)
    record train 'count(h2d) == 16' 'overlap(h2d, kernel) >= 50%' 'count(kernel) >= 200' -- \
        python3 examples/pytorch-train/train.py --steps 8 --layers 2 --width 2048
    options=()
else
    echo "SKIPPED: train needs PyTorch with CUDA"
fi
if [ "$have_torch" -ge 2 ]; then
    record two-ranks 'count(kernel[name=~ncclDevKernel,rank=0]) == 20' 'count(kernel[name=~ncclDevKernel,rank=1]) == 20' -- \
        python3 -m torch.distributed.run --nnodes=1 --nproc-per-node=2 --master-addr=127.0.0.1 --master-port=29571 \
        examples/pytorch-train/allreduce.py --rounds 20
else
    echo "SKIPPED: two-ranks needs PyTorch and two GPUs, here: $have_torch"
fi
finish
