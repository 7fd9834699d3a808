#!/usr/bin/env bash
# Does CUPTI record one call for one launch when both sides are asked for, what
# does each side cost, and how does it behave with a second client? Needs nvcc;
# one GPU, some seconds.
#
#   tests/gpu/call_sides.sh [INTO]     INTO: where call_sides.txt and cupti_facts.txt go
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-${OUT:-.}}
cuda=${CUDA_HOME:-/usr/local/cuda}
command -v "$cuda/bin/nvcc" >/dev/null || skip "no nvcc in $cuda"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in call_sides cupti_facts; do
    "$cuda/bin/nvcc" -std=c++17 -O2 -arch=native -I"$cuda/extras/CUPTI/include" -L"$cuda/extras/CUPTI/lib64" \
        -o "$work/$program" tests/gpu/$program.cu -lcupti || exit 1
done
export LD_LIBRARY_PATH=$cuda/extras/CUPTI/lib64:${LD_LIBRARY_PATH:-}
for question in registered reset takeover leftover device subscribers count-steps; do
    "$work/cupti_facts" $question
done | tee "$into/cupti_facts.txt"
for round in 1 2 3; do
    for mode in none kernel runtime driver both all; do
        "$work/call_sides" "$mode" 50000 | sed "s/^/$round /"
    done
done >"$into/call_sides.txt"
cat "$into/call_sides.txt"
# round mode api ns kernels runtime driver
expect "both: a runtime launch is one record, the runtime's" \
    "$(awk '$2 == "both" && $3 == "runtime" && ($5 != "1.00" || $6 != "1.00" || $7 != "0.00")' "$into/call_sides.txt" | wc -l)" 0
expect "both: a driver launch is one record, the driver's" \
    "$(awk '$2 == "both" && $3 == "driver" && ($5 != "1.00" || $6 != "0.00" || $7 != "1.00")' "$into/call_sides.txt" | wc -l)" 0
finish
