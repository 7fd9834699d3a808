#!/usr/bin/env bash
# Does compare say of real runs what is true of them? Two runs of the same two
# variants, on one GPU: within a bundle the prefetching one is faster, the other
# way round slower; between the two nothing changed; a copy of a bundle is itself.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run_pair NAME BASELINE
run_pair() {
    "$CPPROF" run pipeline/sync pipeline/cpasync3 --baseline "$2" --set ctas_per_sm=1 --iters 40 -o "$work/$1.cpprof" \
        >"$work/$1.out" 2>&1
    expect "the run $1" $? 0
}

# judge WHAT STATUS ARGUMENT...
judge() {
    local what=$1 wanted=$2 status=0
    shift 2
    "$CPPROF" compare "$@" --store "$work/store" >"$work/out" 2>"$work/err" || status=$?
    expect "$what" "$status" "$wanted"
    [ "$status" = "$wanted" ] || head -n 12 "$work/out" "$work/err"
}

run_pair first pipeline/sync
run_pair second pipeline/sync
run_pair reversed pipeline/cpasync3
judge "prefetching is faster" 0 "$work/first.cpprof"
expect_match "and the first line says so" "$(head -n 1 "$work/out")" '^pipeline/cpasync3 is faster than pipeline/sync'
judge "the other way round it is slower" 1 "$work/reversed.cpprof"
judge "a reference is saved" 0 "$work/first.cpprof" --save main
judge "a second run of the same is equivalent" 0 "$work/second.cpprof" --against main --margin 3%
expect_match "in two comparisons" "$(head -n 1 "$work/out")" '^equivalent in 2 of 2'
judge "a bundle and its copy are one recording" 5 "$work/first.cpprof" --against main
judge "COMPARE.md" 0 "$work/first.cpprof" -o "$work/COMPARE.md"
expect_match "is Markdown" "$(head -n 1 "$work/COMPARE.md")" '^# .pipeline/cpasync3. is faster'
judge "JSON" 0 "$work/first.cpprof" --format json
expect "with one row" "$(grep -c '"verdict_alone": "faster"' "$work/out")" 1
expect_match "the enforced power limit is recorded" "$(grep -m 1 power_limit_mw "$work/first.cpprof/manifest.json")" \
    '"power_limit_mw": [1-9][0-9]+'
finish
