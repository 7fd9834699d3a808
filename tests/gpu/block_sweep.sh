#!/usr/bin/env bash
# Is a program that sweeps block sizes compared size by size? Times of each group are held against the program's own
# timer, events around each launch. One GPU, a minute.
#
#   tests/gpu/block_sweep.sh [BUNDLE]     BUNDLE: where the run goes (default: nowhere), packed
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
sweep=$(realpath "$test_programs")/block_sweep
need_program "$sweep"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bundle=${1:-$work/sweep.cpprof}
export BLOCK_SWEEP_TIMES=$work/times
mkdir "$BLOCK_SWEEP_TIMES"
said=$work/said

# run STATUS ARGUMENT...
run() {
    local wanted=$1 status=0
    shift
    "$CPPROF" run --processes 3 --warmup 5 "$@" >"$said" 2>&1 || status=$?
    expect "exit status" "$status" "$wanted"
}

# Set-up, two launches of `fill` and one of each size, is measured with the rest and left out.
run 0 --force -o "$bundle" --variant thread="$sweep thread" --variant warp="$sweep warp" --kernels . --baseline thread
[ -e "$bundle/verdict.json" ] || { tail -n 5 "$said"; finish; exit 1; }
python3 tests/gpu/block_sweep.py "$bundle" "$BLOCK_SWEEP_TIMES" >"$work/compared" 2>&1
while read -r state what; do
    expect "$what" "$state" ok
done <"$work/compared"
expect_match "six sizes" "$(grep -c ^ok "$work/compared")" '^(1[89]|[2-9][0-9])$'
everything "$bundle" >"$work/page"
expect_match "grid and block of each size" "$(cat "$work/page")" 'warp +block=64 +rows_by_warp +4,096 +64 '
expect_match "counters of each size" "$(awk -F, '$1 == "warp" && $5 ~ /^dram__throughput/ {print $4}' "$bundle/metrics.csv" | sort -nu | tr '\n' ' ')" \
    '^1 2 3 17 18 19 33 34 35 49 50 51 65 66 67 81 82 83 $'
expect_match "set-up is left out, and told" "$(cat "$work/page")" 'no part of what repeats, such as set-up'

# One size of each.
run 0 -o "$work/one.cpprof" --variant thread="$sweep thread" --variant warp="$sweep warp" --baseline thread \
    --kernels 'thread=rows@block=64' --kernels 'warp=rows@grid=4096,block=64'
expect_match "one size is one comparison" "$(head -n 1 "$said")" '^warp is faster than thread'

# Two kinds of work that nothing in a trace tells apart.
run 3 -o "$work/hidden.cpprof" --metrics none --variant thread="$sweep thread" --variant hidden="$sweep hidden" --baseline thread \
    --kernels rows@block=64
expect_match "two modes are told" "$(everything "$work/hidden.cpprof")" 'its samples have two modes of time'
"$CPPROF" compare "$work/hidden.cpprof" >/dev/null 2>&1
expect "two modes decide nothing" "$?" 3

if [ $# -gt 0 ]; then
    tests/gpu/pack_bundle.sh "$bundle"
    du -sb "$bundle"
fi
finish
