#!/usr/bin/env bash
# Do gates, expected signals and stages say of real runs what is true of them?
# The whole pipeline family on one GPU, and a second day with one arm in common.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gates=examples/gates

status=0
"$CPPROF" run pipeline/sync pipeline/cpasync2 pipeline/cpasync3 pipeline/cpasync4 --baseline pipeline/sync --set ctas_per_sm=1 \
    --iters 40 -o "$work/first.cpprof" >"$work/first.out" 2>&1 || status=$?
expect "the first day" "$status" 0
status=0
"$CPPROF" run pipeline/cpasync2 pipeline/cpasync4 --baseline pipeline/cpasync2 --set ctas_per_sm=1 --iters 40 \
    -o "$work/second.cpprof" >"$work/second.out" 2>&1 || status=$?
expect "the second day" "$status" 0

expect "variants say what they expect" "$(grep -c 'stall_long_scoreboard down; issue_share up' "$work/first.cpprof/variants.csv")" 3
expect_match "and their counters do it" "$(everything "$work/first.cpprof" | grep -m 1 ' confirmed$')" '9 of 9 confirmed'
expect_match "what became different" "$(everything "$work/first.cpprof" | grep -m 1 ' beside ')" 'long_scoreboard stalls [0-9.]+% -> [0-9.]+%'
expect_match "more than two arms are stages" "$(everything "$work/first.cpprof" | grep -m 1 '^Evolution')" 'Evolution'

# The build of a working tree with changes names no source: that gate is asked apart.
grep -v 'cpprof.commit' "$gates/notes.rules" >"$work/notes.rules"
status=0
"$CPPROF" check --rules "$work/notes.rules" --rules "$gates/signals.rules" "$work/first.cpprof" >"$work/said" 2>&1 || status=$?
expect "every gate of the notes holds" "$status" 0
[ "$status" = 0 ] || grep -vE ' pass ' "$work/said" | head -n 20
status=0
"$CPPROF" check --assert 'gain(B) >= 90%' "$work/first.cpprof" >"$work/said" 2>&1 || status=$?
expect "a gain that nobody has" "$status" 1
status=0
"$CPPROF" check --assert 'launches(B) == 1' --assert 'waves(B) < 1' --assert 'metric(B, dram_bytes) <= 1.03 * metric(A, dram_bytes)' \
    "$work/first.cpprof" >"$work/said" 2>&1 || status=$?
expect "what is counted is exact" "$status" 0

"$CPPROF" report --evolution "$work/first.cpprof" "$work/second.cpprof" --target 10% --format text >"$work/stages" 2>&1
expect_match "prefetching is merged" "$(grep -m 1 '^pipeline/cpasync2' "$work/stages")" ' merged( |$)'
expect_match "two days are joined" "$(grep -m 1 'is joined to' "$work/stages")" "through 'pipeline/cpasync"
finish
