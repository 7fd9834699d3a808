#!/usr/bin/env bash
# Has compute-sanitizer anything to say of the attention ladder? All four tools at once over every variant, at a size
# with rings that go round and a tail, and at one at which the ring of the largest tiles does. About half a minute.
#
#   tests/gpu/sdpa_sanitizers.sh     OUT=FOLDER keeps what was said
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
stress=$test_programs/variant_stress
need_program "$stress"
command -v compute-sanitizer >/dev/null || skip "no compute-sanitizer"
work=$(mktemp -d)
quiet() { "$@" >>"$work/checks"; }
trap '[ -z "${OUT:-}" ] || { mkdir -p "$OUT" && cp -r "$work"/. "$OUT"/; }; rm -rf "$work"' EXIT

# Up to 13 mbarriers a block, made without the C++ type by which the tools would count them.
declare -A options=(
    [memcheck]="--leak-check full --report-api-errors explicit"
    [racecheck]="--num-cuda-barriers 4096"
    [synccheck]="--num-cuda-barriers 4096"
    [initcheck]=""
)

variants=$("$CPPROF" list 2>/dev/null | grep -oE '\bsdpa/[a-z0-9-]+' | sort -u | wc -l)
for tool in "${!options[@]}"; do
    # shellcheck disable=SC2086  # options are words
    timeout 300 compute-sanitizer --tool "$tool" ${options[$tool]} --print-limit 500 "$stress" --iterations 0 \
        --shape B=1,H=2,S=173 --shape B=1,H=1,S=525 'sdpa/*' >"$work/$tool" 2>&1 &
done
wait

for tool in memcheck racecheck synccheck initcheck; do
    summary=$(grep -E '(ERROR|RACECHECK) SUMMARY' "$work/$tool" | tail -n 1)
    quiet expect_match "$tool is clean" "$summary" 'SUMMARY: 0 (errors|hazards)'
    right=$(grep -cE 'right, and the same bits$|not supported: ' "$work/$tool")
    quiet expect "$tool: variants that ran and were right, or not supported" "$right" "$variants"
    grep -v 'Host Frame' "$work/$tool" | grep '^=========' | grep -oE '\b(sdpa|verify)_[a-z0-9_]+\(' | sort | uniq -c | sort -rn |
        awk -v tool="$tool" '{printf "    %s names %s) %d times\n", tool, $2, $1}' >>"$work/told"
    grep -E '^========= +(Error|Warning|Invalid|Barrier error|Uninitialized|Program hit|Potential|Leaked|Race)' "$work/$tool" |
        sed -E 's/0x[0-9a-f]+/0x/g' | sort | uniq -c | sort -rn | head -n 6 | cut -c 1-220 >>"$work/told"
done
grep '^FAILED' "$work/checks"
cat "$work/told"
finish
