#!/usr/bin/env bash
# Does a trace for Perfetto hold what the Chrome trace of the same input holds, and nothing that its format forbids?
#
#   tests/cli/export_perfetto.sh CPPROF SOURCE_TREE [FOLDER]      77 (skipped) without python3
#
# FOLDER may have captures of other people's tools. Of each folder of examples one bundle is taken whose traces have at most
# 300 kB; tests/deep.sh, which sets CPPROF_DEEP, takes all.
set -euo pipefail
program=$1
tree=$2
captures=${3:-}
command -v python3 >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0
failed=0

complain() {
    echo "$1"
    failed=$((failed + 1))
}

# export_to FILE OPERAND...: exit status 0, or 5 for a trace of which a part is good
export_to() {
    local file=$1 got=0
    shift
    "$program" export --force -o "$file" "$@" 2>"$work/said" || got=$?
    case $got in 0 | 5) return 0 ;; esac
    complain "export $*: exit status $got: $(head -n 1 "$work/said")"
    return 1
}

# check OPERAND...: a trace, or several, or a part of one
check() {
    export_to "$work/trace.json" --to chrome "$@" || return 0
    export_to "$work/trace.pftrace" --to pftrace "$@" || return 0
    checks=$((checks + 1))
    local gaps=() series=()
    if [ $# -eq 1 ] && "$program" gaps --format json "$1" >"$work/gaps" 2>/dev/null; then
        gaps=("$work/gaps")
    fi
    if [ $# -eq 1 ] && [ -e "$1/inside_series.csv.gz" ]; then
        zcat "$1/inside_series.csv.gz" >"$work/inside_series.csv"
        series=("$work/inside_series.csv")
    fi
    python3 -B "$tree/tests/cli/perfetto_rules.py" "$work/trace.pftrace" "$work/trace.json" "${gaps[@]}" "${series[@]}" ||
        complain "$*: no trace for Perfetto"
}

# holds WHAT COUNT TEXT: so many times in the last trace
holds() {
    local found
    found=$({ grep -aoF -- "$3" "$work/trace.pftrace" || true; } | wc -l)
    checks=$((checks + 1))
    [ "$found" -eq "$2" ] || complain "$1: '$3' is there $found times instead of $2"
}

seen=
for bundle in "$tree"/examples/*/*.cpprof; do
    traces=("$bundle"/trace-*.bin*)
    [ -e "${traces[0]}" ] || continue # a pool has no trace
    if [ -z "${CPPROF_DEEP:-}" ]; then
        [ "$seen" != "${bundle%/*}" ] && [ "$(zcat -f "${traces[@]}" | wc -c)" -le 300000 ] || continue
    fi
    seen=${bundle%/*}
    check "$bundle"
done
for trace in "$tree"/tests/cli/gaps_every_cause.json "$tree"/tests/cli/overlap_two_streams.csv \
    "$tree"/tests/cli/overlap_hostile.csv "$tree"/tests/data/nsys_2025.sqlite "$tree"/tests/data/kineto.json \
    "$tree"/tests/data/nsys_kern_exec_trace.csv "$captures"/nsys2024_cloverleaf.sqlite \
    "$captures"/nsys2026_vecadd.sqlite "$captures"/kineto_triton_small.json.gz; do
    [ ! -e "$trace" ] || check "$trace"
done
# Several ranks, a part, and names as they were recorded.
check "$tree"/tests/cli/gaps_every_cause.json "$tree"/tests/cli/gaps_every_cause_b.json
holds "two ranks" 1 "rank 1: GPU 0"
check --stream 7 "$tree"/tests/cli/overlap_two_streams.csv
holds "copies to the device" 1 "copies H2D"
holds "copies in two directions" 2 GB/s
check --mangled "$tree"/examples/overlap/two.cpprof

# Broken rules lie where 'cpprof check' says; on two streams kernels begin before others end, at the same time.
header=$(head -n 1 "$tree"/tests/cli/overlap_two_streams.csv)
{
    echo "$header"
    for row in 1000,100,1,7 1050,100,2,7 1000,200,3,8 1060,150,4,8; do
        IFS=, read -r start length call stream <<<"$row"
        echo "$start,$length,$call,64,1,1,256,1,1,32,0.000,0.000,,,,,GPU (0),1,,$stream,kernel_$call"
    done
} >"$work/intrusions.csv"
rules=(--assert 'gap_max(kernel) <= 1 us' --assert 'overlap(copy, kernel) >= 99%' --assert 'serial(kernel)')
for trace in "$tree"/examples/overlap/two.cpprof "$tree"/tests/cli/gaps_every_cause.json "$work/intrusions.csv"; do
    export_to "$work/trace.json" --to chrome "$trace"
    export_to "$work/trace.pftrace" --to pftrace "$trace" "${rules[@]}"
    "$program" check "$trace" "${rules[@]}" --format json >"$work/check" 2>/dev/null || true
    checks=$((checks + 1))
    python3 -B "$tree/tests/cli/perfetto_rules.py" "$work/trace.pftrace" "$work/trace.json" "$work/check" || complain "$trace: broken rules"
done
holds "a line for what overlaps" 1 "serial(kernel) on device 0, line 2"

# What only this format has: gaps, counters with a unit, lanes and samples of the inside, which a part does not have.
check "$tree"/examples/inside/one-cta.cpprof
for text in gaps busy % "inside pipeline/sync+record" "samples of pipeline/sync" "L1 requests"; do
    checks=$((checks + 1))
    grep -aqF -- "$text" "$work/trace.pftrace" || complain "no '$text'"
done
# Samples of launch 0 alone are written, and how many that are can be counted in the table.
while read -r variant all others; do
    text="samples of '$variant' (mission ctas_per_sm=1 work=256): launch 0 is written, $others of $all samples are left out"
    holds "samples" 1 "$text"
    grep -qF -- "$text" "$work/said" || complain "'$text' is not said"
done < <(zcat "$tree"/examples/inside/one-cta.cpprof/inside_series.csv.gz |
    awk -F, 'NR > 1 { all[$1]++; others[$1] += $3 != 0 } END { for (v in all) print v, all[v], others[v] }')
cp "$work/trace.pftrace" "$work/whole"
check --device 0 "$tree"/examples/inside/one-cta.cpprof
holds "a part" 0 "samples of"
holds "a part" 0 "inside pipeline"
holds "a part" 1 "only a run that is exported whole has it"

# The same bytes again, and compressed.
export_to "$work/again.pftrace.gz" --to pftrace "$tree"/examples/inside/one-cta.cpprof
gzip -dc "$work/again.pftrace.gz" | cmp - "$work/whole" || complain "two exports of one bundle differ"

# More kernels at once on one stream than a picture has lines: the last line cuts them, and says so.
{
    echo "$header"
    for i in $(seq 70); do
        echo "$((1000 + i)),$((5000 + 10 * i)),$i,64,1,1,256,1,1,32,0.000,0.000,,,,,GPU (0),1,,7,kernel_$i"
    done
} >"$work/many.csv"
check "$work/many.csv"
holds "70 kernels at once" 1 "real duration ns"
holds "70 kernels at once" 1 "stream 7, line 64"

# A name of strangers, with control characters and bytes that are not UTF-8: once as a name and once beside a gap, visible.
{
    echo "$header"
    printf '1000,1000,1,64,1,1,256,1,1,32,0.000,0.000,,,,,GPU (0),1,,7,"\033[31mred \377\376 \302\205"\n'
    printf '3000,1000,2,64,1,1,256,1,1,32,0.000,0.000,,,,,GPU (0),1,,7,"\033[31mred \377\376 \302\205"\n'
} >"$work/names.csv"
check "$work/names.csv"
holds "a hostile name" 2 "$(printf '\\x1b[31mred \357\277\275\357\277\275 \\x85')"

# More devices than have counters, and (with CPPROF_DEEP) than gaps are looked for: both are said, here and in the file.
devices=1024
texts=("counters of 769 devices are left out")
if [ -n "${CPPROF_DEEP:-}" ]; then
    devices=16384
    texts=("counters of 16129 devices are left out" "further gaps are left out: more than 16384 devices")
fi
{
    echo "$header"
    for i in 1 2; do
        echo "$((10000 * i)),1000,$i,64,1,1,256,1,1,32,0.000,0.000,,,,,GPU (0),1,,7,k"
    done
    for i in $(seq "$devices"); do
        echo "$((50000 + i)),1000,$i,64,1,1,256,1,1,32,0.000,0.000,,,,,GPU ($i),1,,7,k"
    done
} >"$work/devices.csv"
export_to "$work/trace.pftrace" --to pftrace "$work/devices.csv"
for text in "${texts[@]}"; do
    holds "$devices devices" 1 "$text"
    grep -qF -- "$text" "$work/said" || complain "$devices devices: '$text' is not said"
done

echo "$checks checks, $failed failed"
[ "$checks" -gt 40 ] && [ "$failed" -eq 0 ]
