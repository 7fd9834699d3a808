#!/usr/bin/env bash
# Does cpprof say which warps of a launch that does not end wait where, and end itself? One GPU, about a minute.
# The kernel that hangs gives up after 20 s; it is watched for 1 s.
#   COST=""      without the second part, what a progress build costs
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
CPPROF=$cpprof
library=$(realpath "$test_programs/libhang_truth.so" 2>/dev/null) || skip "no libhang_truth.so: install with -DCPPROF_INSTALL_TESTS=ON"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# watch BUNDLE STATUS ARGUMENT...: runs with a bound, for a tool that hangs is what this is about
watch() {
    local bundle=$1 wanted=$2 status=0 begin=$SECONDS
    shift 2
    timeout -k 5 120 "$cpprof" run "$@" --metrics none --processes 3 --iters 10 -o "$bundle.cpprof" >"$bundle.out" 2>&1 || status=$?
    took=$((SECONDS - begin))
    expect "$bundle: exit status" "$status" "$wanted"
    head -n 1 "$bundle.out"
}

# Block 17 never gets its tile 5: its four warps that work wait, and all others end.
watch hangs 1 --load "$library" truth/hang --shape stops --progress=1
sms=$(grep -m 1 '"sm_count"' hangs.cpprof/manifest.json | tr -dc 0-9)
expect_match "the first line says who waits where" "$(grep -m 1 'does not end' hangs.out)" \
    "^truth/hang .*does not end after 1[.]0[0-9]* s: $((5 * sms)) warps: 4 of role 'works' in 'wait' of tile 5 .first block 17, SM [0-9]+.*, $((5 * sms - 4)) ended$"
expect "rows of warps that wait" "$(grep -c ',17,[1-4],[0-9]*,1,works,5,0,wait,marked,no,' hangs.cpprof/inside_progress.csv)" 4
expect "the warp that brings has ended behind tile 4" "$(grep -c ',17,0,[0-9]*,0,brings,4,2,,ended,no,' hangs.cpprof/inside_progress.csv)" 1
expect "nothing else was measured" "$(ls hangs.cpprof/timing.csv 2>/dev/null)" ""
expect_match "the bundle is whole" "$(cat hangs.cpprof/manifest.json)" '"status": "complete"'
expect_at_least "it did not wait for the kernel, which gives up after 20 s ($took s)" $((15 - took)) 1
begin=$SECONDS
expect_match "the GPU is free again" "$("$cpprof" run pipeline/sync --metrics none --processes 3 --iters 10 -o after.cpprof 2>&1 | head -n 1)" 'pipeline/sync'
expect_at_least "at once ($((SECONDS - begin)) s)" $((60 - (SECONDS - begin))) 1

# The same kernel with all tiles ends, and the run goes on.
watch ends 3 --load "$library" truth/hang --shape ends --progress=1
expect_match "the end is said" "$(screen ends.cpprof | grep -m 1 'Progress:')" '1 of 1 watched launches ended'
expect "no row" "$(ls ends.cpprof/inside_progress.csv 2>/dev/null)" ""
expect_match "its results are right" "$(screen ends.cpprof | grep -m 1 'Correctness:')" 'pass, ([0-9]+) of \1 checks'

cost() { # VARIANT ARGUMENT...
    local variant=$1 name=${1//\//-}
    shift
    timeout -k 5 300 "$cpprof" run "$variant" --progress "$@" --metrics none -o "$name.cpprof" >"$name.out" 2>&1
    expect_match "$variant: all launches end" "$(screen "$name.cpprof" | grep -m 1 'Progress:')" 'watched launches ended'
    screen "$name.cpprof" | grep -m 1 'Progress:'
}
if [ -n "${COST-1}" ]; then
    cost pipeline/cpasync3
    cost sdpa/wgmma
fi
finish
