#!/bin/sh
# Does an exported trace give the answers of the trace that it was made from, and does Perfetto take it?
#
#   tests/cli/export_answers.sh CPPROF SOURCE_TREE [FOLDER]
#
# Chrome JSON must give every byte of every answer but the name of the trace; a
# table must do so for what it holds. FOLDER may have captures of other people's
# tools. The rules of Perfetto are checked where there is a python3. Of each folder of examples one bundle is taken whose
# traces have at most 300 kB; tests/deep.sh, which sets CPPROF_DEEP, takes all.
set -eu
program=$1
tree=$2
captures=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0
failed=0

complain() {
    echo "$1"
    failed=$((failed + 1))
}

# export_to FILE OPTION... -- TRACE: exit status 0, or 5 for a trace of which a part is good
export_to() {
    file=$1
    shift
    got=0
    "$program" export -o "$file" "$@" 2>/dev/null || got=$?
    case $got in 0 | 5) return 0 ;; esac
    complain "export -o $file $*: exit status $got"
    return 1
}

# answer COMMAND TRACE: JSON without the name of the trace, and the exit status
answer() {
    got=0
    "$program" "$1" --format json "$2" 2>/dev/null >"$work/answer" || got=$?
    grep -v '"source":' "$work/answer" || true
    echo "exit status $got"
}

# same WHAT A B: two files
same() {
    checks=$((checks + 1))
    diff "$2" "$3" >"$work/diff" && return 0
    complain "$1: the answer differs (< before, > after)"
    head -n 10 "$work/diff"
}

# member NAME: the array of that name, out of JSON with two spaces a level
member() {
    sed -n "/^  \"$1\": \[/,/^  \]/p" | sed 's/^  \],$/  ]/'
}

check_chrome() {
    export_to "$work/trace.json" --to chrome --force "$1" || return 0
    for command in overlap stats launch gaps; do
        answer $command "$1" >"$work/before"
        answer $command "$work/trace.json" >"$work/after"
        same "$command $1 --to chrome" "$work/before" "$work/after"
    done
    if command -v python3 >/dev/null; then
        checks=$((checks + 1))
        python3 "$tree/tests/cli/chrome_rules.py" "$work/trace.json" || complain "$1: no trace for Perfetto"
    fi
}

# Windows count from the first event, which may be a call; a table names no rank and has no notes.
check_tables() {
    export_to "$work/gpu.csv" --to csv --force "$1" || return 0
    for file in "$1" "$work/gpu.csv"; do
        answer overlap "$file" | grep -v '"from_ns":' | sed -e 's/"rank": [0-9]*,/"rank": null,/' -e '/^  "caveats": \[$/,/^  \]/d' -e '/^  "caveats": \[\]/d' >"$work/overlap.$(basename "$file")"
        answer stats "$file" >"$work/stats"
        { member kernels; member memory; } <"$work/stats" >"$work/stats.$(basename "$file")"
    done
    same "overlap $1 --to csv" "$work/overlap.$(basename "$1")" "$work/overlap.gpu.csv"
    same "stats $1 --to csv" "$work/stats.$(basename "$1")" "$work/stats.gpu.csv"
    export_to "$work/api.csv" --to csv --report api --force "$1" || return 0
    answer stats "$1" | member api >"$work/before"
    answer stats "$work/api.csv" | member api >"$work/after"
    [ -s "$work/before" ] || complain "$1: no statistics of calls"
    same "stats $1 --to csv --report api" "$work/before" "$work/after"
}

seen=
for bundle in "$tree"/examples/*/*.cpprof; do
    set -- "$bundle"/trace-*.bin*
    [ -e "$1" ] || continue # a pool has no trace
    if [ -z "${CPPROF_DEEP:-}" ]; then
        [ "$seen" != "${bundle%/*}" ] && [ "$(gzip -cdf "$@" | wc -c)" -le 300000 ] || continue
    fi
    seen=${bundle%/*}
    check_chrome "$bundle"
    [ $# -gt 1 ] || check_tables "$bundle" # a table holds one rank
done
# Lanes of the inside are there, are no GPU work (above), and are left out of a part.
"$program" export "$tree"/examples/inside/one-cta.cpprof --to chrome -o "$work/inside.json" 2>/dev/null
"$program" export "$tree"/examples/inside/one-cta.cpprof --to chrome --device 0 -o "$work/part.json" 2>/dev/null
checks=$((checks + 1))
[ "$(grep -c '"cat":"inside"' "$work/inside.json")" -gt 100 ] || complain "no lanes of the inside"
! grep -q '"cat":"inside"' "$work/part.json" || complain "a part of a trace has lanes of the inside"
for trace in "$tree"/tests/cli/gaps_every_cause.json "$tree"/tests/cli/overlap_two_streams.csv \
    "$tree"/tests/data/nsys_2025.sqlite "$tree"/tests/data/kineto.json "$tree"/tests/data/nsys_kern_exec_trace.csv \
    "$captures"/nsys2024_cloverleaf.sqlite "$captures"/nsys2026_vecadd.sqlite "$captures"/kineto_ddp_rank0.json.gz \
    "$captures"/kineto_triton_small.json.gz "$captures"/nsys2023_topk_three_streams.csv; do
    [ ! -e "$trace" ] || check_chrome "$trace"
done
# Several ranks in one file.
"$program" export "$tree"/tests/cli/gaps_every_cause.json "$tree"/tests/cli/gaps_every_cause_b.json --to chrome \
    -o "$work/ranks.json" 2>/dev/null
"$program" overlap --format json "$tree"/tests/cli/gaps_every_cause.json "$tree"/tests/cli/gaps_every_cause_b.json |
    grep -v '"source":' >"$work/before"
"$program" overlap --format json "$work/ranks.json" | grep -v '"source":' >"$work/after"
same "overlap of two ranks --to chrome" "$work/before" "$work/after"

echo "$checks checks, $failed failed"
[ "$checks" -gt 50 ] && [ "$failed" -eq 0 ]
