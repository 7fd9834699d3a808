#!/usr/bin/env bash
# Does each verdict come out where it should, with its exit status? Records
# examples/verdicts/: a win, a valid negative, a regression, one that cannot be told
# and one that must not be compared. One GPU, about half a minute.
#
#   tests/gpu/record_verdicts.sh [INTO]      INTO: default examples/
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/verdicts
mkdir -p "$into"

# record NAME VERDICT STATUS ARGUMENT...: runs, and holds what `compare` says of it
record() {
    local name=$1 verdict=$2 wanted=$3
    shift 3
    "$CPPROF" run "$@" -o "$into/$name.cpprof" --force >/dev/null
    "$CPPROF" compare "$into/$name.cpprof" >"$into/said"
    expect "$name: exit status of compare" "$?" "$wanted"
    expect_match "$name: verdict" "$(verdicts "$into/$name.cpprof")" " $verdict\$"
    head -n 1 "$into/said"
    rm "$into/said"
}

plain=(--iters 40 --metrics none)
record win faster 0 pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --set ctas_per_sm=1 --iters 40
record valid-negative equivalent 0 pipeline/cpasync3 pipeline/cpasync4 --baseline pipeline/cpasync3 --set ctas_per_sm=1 --iters 40
record regression slower 1 pipeline/cpasync3 pipeline/sync --baseline pipeline/cpasync3 --set ctas_per_sm=1 --iters 40
# Two streams of host work: what a pageable copy takes is the host's affair, and three processes do not settle it.
record inconclusive inconclusive 3 streams/two streams/one --baseline streams/two --processes 3 --iters 8 "${plain[@]:2}"
record unusable unusable 5 pipeline/sync pipeline/misdispatched --baseline pipeline/sync --iters 40
finish
