#!/usr/bin/env bash
# Has compute-sanitizer anything to say of the all-reduces? All four tools over every variant, ranks on one GPU, at small
# sizes with rings that go round and with tails. About a minute. racecheck looks at shared memory: what ranks say to each
# other through global memory it does not follow.
#
#   tests/gpu/allreduce_sanitizers.sh     OUT=FOLDER keeps what was said
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
stress=$test_programs/variant_stress
need_program "$stress"
command -v compute-sanitizer >/dev/null || skip "no compute-sanitizer"
work=$(mktemp -d)
quiet() { "$@" >>"$work/checks"; }
trap '[ -z "${OUT:-}" ] || { mkdir -p "$OUT" && cp -r "$work"/. "$OUT"/; }; rm -rf "$work"' EXIT

# Three mbarriers a block of 1stage-tma, made without the C++ type by which the tools would count them.
declare -A options=(
    [memcheck]="--leak-check full --report-api-errors explicit"
    [racecheck]="--num-cuda-barriers 4096"
    [synccheck]="--num-cuda-barriers 4096"
    [initcheck]=""
)

# 64 blocks with 4096 bytes of a rank at a time: five rounds of a ring, then a tail. And some of one round or none.
shapes=(--shape "bytes=1310730,gpus=2,dtype=1" --shape "bytes=30004,gpus=3" --shape few --shape offset-4)
variants=$("$CPPROF" list 2>/dev/null | grep -oE '\ballreduce/[a-z0-9-]+' | sort -u | wc -l)
for tool in "${!options[@]}"; do
    # shellcheck disable=SC2086  # options are words
    CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0} CPPROF_ALLREDUCE_WAIT_MS=60000 timeout 300 compute-sanitizer --tool "$tool" ${options[$tool]} --print-limit 500 \
        "$stress" --iterations 0 "${shapes[@]}" 'allreduce/*' >"$work/$tool" 2>&1 &
done
wait

for tool in memcheck racecheck synccheck initcheck; do
    summary=$(grep -E '(ERROR|RACECHECK) SUMMARY' "$work/$tool" | tail -n 1)
    quiet expect_match "$tool is clean" "$summary" 'SUMMARY: 0 (errors|hazards)'
    right=$(grep -cE 'right, and the same bits$|not supported: ' "$work/$tool")
    quiet expect "$tool: variants that ran and were right, or not supported" "$right" "$variants"
    grep -v 'Host Frame' "$work/$tool" | grep '^=========' | grep -oE '\b(allreduce|verify)_[a-z0-9_]+[(<]' | sort | uniq -c | sort -rn |
        awk -v tool="$tool" '{printf "    %s names %s %d times\n", tool, $2, $1}' >>"$work/told"
    grep -E '^========= +(Error|Warning|Invalid|Barrier error|Uninitialized|Program hit|Potential|Leaked|Race)' "$work/$tool" |
        sed -E 's/0x[0-9a-f]+/0x/g' | sort | uniq -c | sort -rn | head -n 6 | cut -c 1-220 >>"$work/told"
done
grep '^FAILED' "$work/checks"
cat "$work/told" 2>/dev/null
finish
