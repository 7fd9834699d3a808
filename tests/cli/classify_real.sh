#!/usr/bin/env bash
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

# shares FILE ID MEMBER VALUE: of a launch
shares() {
    [ -e "$data/$1" ] || return 0
    "$program" classify "$data/$1" --format json 2>/dev/null >"$work/json" || :
    got=$(awk -v id="$2" -v member="$3" '
        { text = $0; gsub(/[",]/, "", text); split(text, part, ": ") }
        /^      "id":/ { here = part[2] == id }
        here && index($0, "\"" member "\"") { printf "%.8f", part[2]; exit }' "$work/json")
    awk -v a="$got" -v b="$4" 'BEGIN { d = a - b; exit !(d < 1e-7 && d > -1e-7) }' && return 0
    echo "$1: $3 of $2 is '$got' instead of $4"
    failed=1
}

# words FILE WORDS: in the report
words() {
    [ -e "$data/$1" ] || { echo "skipped: no '$data/$1'"; return 0; }
    checks=$((checks + 1))
    "$program" classify "$data/$1" >"$work/report" 2>/dev/null || :
    grep -qF -- "$2" "$work/report" && return 0
    echo "$1: does not say '$2'"
    failed=1
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
# DRAM; FMA; tensor; FMA; issue slots at 77.5% and 86.2%, 15 points above any pipe. The details page has the rule's text, the raw page its numbers only.
kernels 0 ncu2025_h200_details.csv.gz \
    '0 memory-bound memory dram; High Throughput; High Throughput; true' \
    '1 compute-bound compute fma; High Throughput; High Throughput; true' \
    '2 compute-bound compute tensor; High Throughput; High Throughput; true' \
    '3 compute-bound compute fma; High Throughput; High Throughput; true' \
    '4 compute-bound compute issue; High Compute Throughput; High Compute Throughput; true' \
    '5 compute-bound compute issue; High Throughput; High Throughput; true'
kernels 0 ncu2025_h200_raw.csv.gz \
    '0 memory-bound memory dram; High Throughput; null; null' \
    '1 compute-bound compute fma; High Throughput; null; null' \
    '2 compute-bound compute tensor; High Throughput; null; null' \
    '3 compute-bound compute fma; High Throughput; null; null' \
    '4 compute-bound compute issue; High Compute Throughput; null; null' \
    '5 compute-bound compute issue; High Throughput; null; null'
kernels 0 ncu_details_t4_copy.csv \
    '0 memory-bound memory dram; High Memory Throughput; High Memory Throughput; true'
# SM throughput alone: no side can be told.
kernels 3 ncu_metrics_windows_bom_crlf.csv '0 inconclusive null null; null; null; null'
# tcgen05 keeps tensor cores busy whose older counter says 2.89%; no DRAM counters.
for id in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    echo "$id inconclusive compute tensor; null; null; null"
done >"$work/attention"
mapfile -t attention <"$work/attention"
kernels 3 ncu_b200_attention.csv.gz "${attention[@]}"
shares ncu_b200_attention.csv.gz 0 compute_share 0.3038
# L1's data stage at 86.231337%; shared memory, a part of it, at 20.55% is not the limit.
kernels 0 ncu_b200_siglip_raw.csv.gz '0 memory-bound memory l1; High Throughput; null; null'
shares ncu_b200_siglip_raw.csv.gz 0 memory_share 0.86231337
# Issue slots at 70.0%, the busiest pipe at 53.3%.
kernels 0 ncu_issue_slots_rmsnorm_raw.csv.gz '0 compute-bound compute issue; High Compute Throughput; null; null'
words ncu_issue_slots_rmsnorm_raw.csv.gz 'issue slots at 70.0% of their peak'
# 64 blocks on 80 SMs: a row of the raw page, a sentence of a rule on the details page.
words ncu_small_grid_esmm_raw.csv.gz 'latency-bound, small grid: 64 blocks for 80 SMs'
words ncu_small_grid_esmm_details.csv.gz 'latency-bound, small grid: 64 blocks for 80 SMs'
# ncu's 40.6% is L1's data stage itself.
words ncu_turing_raw.csv.gz "Its memory throughput (40.6%) is of L1's data stage, against a peak of its own; L1 as a whole is busy more: 81.1%."
said ncu_failed_run.csv '==ERROR== The application returned an error code (1); run the program alone'
said nsys2023_topk_three_streams.csv 'is a trace (CSV of nsys stats): it holds no counters'
if [ "$checks" -eq 0 ]; then
    echo "skipped: none of the tables is in '$data'"
    exit 77
fi
echo "$checks tables, failed: $failed"
exit "$failed"
