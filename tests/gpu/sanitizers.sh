# sanitizers.sh - has compute-sanitizer anything to say of the variants of a family? For the scripts that source it.
# shellcheck shell=bash disable=SC2154

# sanitize FAMILY SHAPES...: all four tools at once over each variant, launched once at each of the shapes
# (options of variant_stress), on one GPU; what is wrong on standard output. OUT=FOLDER keeps what was said.
# shellcheck disable=SC2317  # the trap calls it
sanitize() {
    local family=$1 stress=$test_programs/variant_stress gpu=${CUDA_VISIBLE_DEVICES:-0} tool summary variants
    shift
    need_program "$stress"
    command -v compute-sanitizer >/dev/null || skip "no compute-sanitizer"
    work=$(mktemp -d)
    trap '[ -z "${OUT:-}" ] || { mkdir -p "$OUT" && cp -r "$work"/. "$OUT"/; }; rm -rf "$work"' EXIT
    quiet() { "$@" >>"$work/checks"; }

    # Kernels make more mbarriers a block than the tools reckon with, without the C++ type by which they would count them.
    local -A options=(
        [memcheck]="--leak-check full --report-api-errors explicit"
        [racecheck]="--num-cuda-barriers 4096"
        [synccheck]="--num-cuda-barriers 4096"
        [initcheck]=""
    )
    variants=$("$CPPROF" list 2>/dev/null | grep -oE "\\b$family/[a-z0-9-]+" | sort -u | wc -l)
    for tool in "${!options[@]}"; do
        # shellcheck disable=SC2086  # options are words
        CUDA_VISIBLE_DEVICES=${gpu%%,*} timeout 300 compute-sanitizer --tool "$tool" ${options[$tool]} \
            --print-limit 500 "$stress" --iterations 0 "$@" "$family/*" >"$work/$tool" 2>&1 &
    done
    wait

    for tool in memcheck racecheck synccheck initcheck; do
        summary=$(grep -E '(ERROR|RACECHECK) SUMMARY' "$work/$tool" | tail -n 1)
        quiet expect_match "$tool is clean" "$summary" 'SUMMARY: 0 (errors|hazards)'
        quiet expect "$tool: variants that ran and were right, or not supported" \
            "$(grep -cE 'right, and the same bits$|not supported: ' "$work/$tool")" "$variants"
        grep -v 'Host Frame' "$work/$tool" | grep '^=========' | grep -oE "\\b($family|verify)_[a-z0-9_]+[(<]" | sort | uniq -c |
            sort -rn | awk -v tool="$tool" '{sub(/[(<]$/, "", $2); printf "    %s names %s %d times\n", tool, $2, $1}' >>"$work/told"
        grep -E '^========= +(Error|Warning|Invalid|Barrier error|Uninitialized|Program hit|Potential|Leaked|Race)' "$work/$tool" |
            sed -E 's/0x[0-9a-f]+/0x/g' | sort | uniq -c | sort -rn | head -n 6 | cut -c 1-220 >>"$work/told"
    done
    grep '^FAILED' "$work/checks"
    cat "$work/told" 2>/dev/null
    finish
}
