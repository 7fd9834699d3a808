#!/usr/bin/env bash
# How much of the code that judges inputs do the tests run? Fails when a file below has less than 90% of its lines run.
# usage: coverage.sh [AREA...]           readers bundle rules; without one, all
#        BUILD=FOLDER coverage.sh        builds there (build/coverage) with gcc's --coverage, runs the tests, reads gcov
#        TESTS=REGEX coverage.sh rules   runs these tests alone (ctest -R), for a quick loop
set -euo pipefail
cd "$(dirname "$0")/.."
declare -A areas=(
    [readers]="core/io/[!s]*.c core/io/s[!c]*.c core/trace/readers/*.c core/run/ncu/*.c"
    [bundle]="core/bundle/*.c analyzers/run_facts.c"
    [rules]="rules/*.c core/trace/selector.c"
)
order=(readers bundle rules)
least=90
export GCOV_ERROR_FILE=/dev/null # a test forbids writing files, gcov's too, and compares what is said

build=${BUILD:-build/coverage}
[ $# -gt 0 ] || set -- "${order[@]}"
for area; do
    [ -n "${areas[$area]:-}" ] || { echo "no area '$area': ${order[*]}" >&2; exit 2; }
done
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCPPROF_CUDA=OFF \
    -DCMAKE_C_FLAGS=--coverage -DCMAKE_EXE_LINKER_FLAGS=--coverage >/dev/null
cmake --build "$build" -j2 >/dev/null
find "$build" -name '*.gcda' -delete # of earlier runs
if ! ctest --test-dir "$build" -j2 -LE guard ${TESTS:+-R "$TESTS"} >/dev/null; then
    echo "a test fails: ctest --test-dir $build -LE guard" >&2
    exit 1
fi

# The lines of one file that ran, in per cent; "none" where it has none to run. A file that was not built counts as 0.
percent_of() {
    local room=${1%%/*}
    [ "$room" != core ] || room=core/$(cut -d/ -f2 <<<"$1")
    local notes="$build/$room/CMakeFiles/cpprof_${room#core/}.dir/${1#"$room"/}.gcno"
    [ -f "$notes" ] || { echo 0; return; }
    gcov -n -o "$notes" "$1" 2>/dev/null |
        awk -v name="/$1'" '
            /^File / { seen = 1; found = index($0, name) }
            found && /^Lines executed/ { sub(/.*:/, ""); sub(/%.*/, ""); print; done = 1; exit }
            /^No executable lines/ && (found || !seen) { none = 1 }
            END { if (!done) print none ? "none" : "0" }'
}

failed=0
for area; do
    for source in ${areas[$area]}; do # the patterns of the list are wanted here
        percent=$(percent_of "$source")
        [ "$percent" != none ] || continue
        verdict=$(awk -v p="$percent" -v least="$least" 'BEGIN { if (p < least) print "   below " least "%" }')
        printf '%6s%%  %s%s\n' "$percent" "$source" "$verdict"
        [ -z "$verdict" ] || failed=1
    done
done
exit "$failed"
