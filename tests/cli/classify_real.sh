#!/bin/sh
# Do tables that Nsight Compute made give the verdicts that are known, from either page?
#
#   tests/cli/classify_real.sh CPPROF FOLDER
#
# FOLDER holds the tables; without them the test is skipped (77).
set -eu
program=$1
data=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0
failed=0

# kernels STATUS FILE LINE...: one line a launch, "id class lean unit rule in-file agrees"
kernels() {
    wanted=$1
    file=$data/$2
    shift 2
    [ -e "$file" ] || { echo "skipped: no '$file'"; return 0; }
    checks=$((checks + 1))
    printf '%s\n' "$@" >"$work/wanted"
    status=0
    "$program" classify "$file" --format json >"$work/json" 2>/dev/null || status=$?
    awk -F'"' '
        function value(text) { sub(/^[^:]*: /, "", text); sub(/,$/, "", text); gsub(/"/, "", text); return text }
        /^      "id":/ { id = value($0) }
        /^      "class":/ { class = value($0) }
        /^      "lean":/ { lean = value($0) }
        /^      "unit":/ { unit = value($0) }
        /^      "ncu_rule":/ { rule = value($0) }
        /^      "ncu_rule_in_file":/ { said = value($0) }
        /^      "ncu_agrees":/ { print id, class, lean, unit "; " rule "; " said "; " value($0) }' "$work/json" >"$work/got"
    [ "$status" = "$wanted" ] || { echo "$file: exit status $status instead of $wanted"; failed=1; }
    diff "$work/wanted" "$work/got" || { echo "$file: differs (< wanted, > got)"; failed=1; }
}

# said FILE WORDS: on standard error, with exit status 5
said() {
    [ -e "$data/$1" ] || { echo "skipped: no '$data/$1'"; return 0; }
    checks=$((checks + 1))
    status=0
    "$program" classify "$data/$1" >/dev/null 2>"$work/said" || status=$?
    [ "$status" = 5 ] && grep -qF -- "$2" "$work/said" && return 0
    echo "$1: exit status $status, '$(cat "$work/said")'"
    failed=1
}

said ncu_metrics_report_details_empty.csv.gz 'no kernel was profiled, or by ncu --metrics, whose counters stand on the raw page alone: '
# DRAM; FMA; tensor; FMA; FMA; FMA. The details page has the rule's text, the raw page its numbers only.
kernels 0 ncu2025_h200_details.csv.gz \
    '0 memory-bound memory dram; High Throughput; High Throughput; true' \
    '1 compute-bound compute fma; High Throughput; High Throughput; true' \
    '2 compute-bound compute tensor; High Throughput; High Throughput; true' \
    '3 compute-bound compute fma; High Throughput; High Throughput; true' \
    '4 compute-bound compute fma; High Compute Throughput; High Compute Throughput; true' \
    '5 compute-bound compute fma; High Throughput; High Throughput; true'
kernels 0 ncu2025_h200_raw.csv.gz \
    '0 memory-bound memory dram; High Throughput; null; null' \
    '1 compute-bound compute fma; High Throughput; null; null' \
    '2 compute-bound compute tensor; High Throughput; null; null' \
    '3 compute-bound compute fma; High Throughput; null; null' \
    '4 compute-bound compute fma; High Compute Throughput; null; null' \
    '5 compute-bound compute fma; High Throughput; null; null'
kernels 0 ncu_details_t4_copy.csv \
    '0 memory-bound memory dram; High Memory Throughput; High Memory Throughput; true'
# SM throughput alone: no side can be told.
kernels 3 ncu_metrics_windows_bom_crlf.csv '0 inconclusive null null; null; null; null'
said ncu_failed_run.csv '==ERROR== The application returned an error code (1); run the program alone'
said nsys2023_topk_three_streams.csv 'it has times and no counters'
if [ "$checks" -eq 0 ]; then
    echo "skipped: none of the tables is in '$data'"
    exit 77
fi
echo "$checks tables, failed: $failed"
exit "$failed"
