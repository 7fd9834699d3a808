#!/usr/bin/env bash
# How much of the readers do the tests run? Fails when a file of model/readers/ is below 90% of its lines.
# usage: coverage.sh [BUILD_FOLDER]      builds there (build/coverage) with gcc's --coverage, runs the tests, reads gcov
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/coverage}
least=90
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCPPROF_CUDA=OFF \
    -DCMAKE_C_FLAGS=--coverage -DCMAKE_EXE_LINKER_FLAGS=--coverage >/dev/null
cmake --build "$build" -j2 >/dev/null
find "$build" -name '*.gcda' -delete # of earlier runs
if ! ctest --test-dir "$build" -j2 -LE guard >/dev/null; then
    echo "a test fails: ctest --test-dir $build -LE guard" >&2
    exit 1
fi

failed=0
for source in model/readers/*.c; do
    name=$(basename "$source")
    percent=$(gcov -n -o "$build/model/CMakeFiles/cpprof_model.dir/readers/$name.gcno" "$source" 2>/dev/null |
        awk -v name="readers/$name'" '
            index($0, name) { found = 1 }
            found && /^Lines executed/ { sub(/.*:/, ""); sub(/%.*/, ""); print; exit }
            /^No executable lines/ { none = 1 }
            END { if (none && !found) print "none" }')
    [ "$percent" != none ] || continue
    verdict=$(awk -v p="${percent:-0}" -v least="$least" 'BEGIN { if (p < least) print "   below " least "%" }')
    printf '%6s%%  %s%s\n' "${percent:-0}" "$source" "$verdict"
    [ -z "$verdict" ] || failed=1
done
exit "$failed"
