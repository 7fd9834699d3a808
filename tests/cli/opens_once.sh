#!/usr/bin/env bash
# Is each file of a bundle opened once, whatever is asked of it?
# usage: opens_once.sh CPPROF RUN CAPTURE     77 (skipped) where strace is not installed or may not trace
set -euo pipefail
cpprof=$1 run=$2 capture=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

strace -f -o "$work/opened" -e trace=openat true 2>"$work/why" || { echo "skipped: no strace: $(tail -n 1 "$work/why")"; exit 77; }
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # leaks are looked for by tracing, too

# opens BUNDLE COMMAND ARGUMENTS...
opens() {
    local bundle=$1 file times
    shift
    # What the command says of the bundle is no concern of this test.
    strace -f -qq -o "$work/opened" -e trace=open,openat,openat2 "$cpprof" "$@" >/dev/null 2>&1 || true
    for file in "$bundle"/manifest.json "$bundle"/*.csv "$bundle"/trace-*.bin; do
        [ -e "$file" ] || continue # a pattern that stands for nothing
        times=$(grep -cF "\"$file\"" "$work/opened" || true)
        [ "$times" -eq 1 ] || { echo "cpprof $1: '${file##*/}' of ${bundle##*/} is opened $times times"; failed=1; }
    done
}

for bundle in "$run" "$capture"; do
    [ -e "$bundle/manifest.json" ] || { echo "there is no bundle '$bundle'"; exit 1; }
    opens "$bundle" report "$bundle"
done
opens "$run" check "$run" --assert 'ratio(none) < 1' --assert 'serial(kernel)'
opens "$run" compare "$run"
opens "$capture" check "$capture" --assert 'serial(kernel)'
opens "$capture" overlap "$capture"
opens "$capture" stats "$capture"
opens "$capture" list "$capture"
exit $failed
