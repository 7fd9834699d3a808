#!/usr/bin/env bash
# Does what can be tested without a GPU in minutes hold, with and without the CUDA parts?
# usage: test.sh      on a fresh Debian 12 it installs what it needs
#
# Builds and tests the preset dev (sanitizers on, warnings are errors, the CUDA
# parts too where a toolkit is found), and of the preset nogpu the program with the
# tests labelled smoke or bulk. CPPROF_JOBS sets the number of parallel jobs (2).
# tests/deep.sh has what takes longer.
set -euo pipefail
if [ $# -gt 0 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    case $1 in -h | --help) exit 0 ;; *) echo "unknown argument: $1" >&2 && exit 2 ;; esac
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${CPPROF_JOBS:-2}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1} # clang's

echo "== builds and tests the presets dev (sanitizers) and nogpu (optimised: whole commands): some twenty-five minutes on two cores"
scripts/packages.sh --tests

# Configures one preset, builds and tests it by another (the same, or a part of it); the log keeps the test output.
# Twice as many tests as jobs: half of their time they wait.
test_preset() {
    local preset=$1 part=$2
    echo "== $preset: configure and build"
    cmake --preset "$preset"
    cmake --build --preset "$part" --parallel "$jobs"
    echo "== $preset: test"
    local TIMEFORMAT="$preset: the tests took %0lR, %U s of CPU and %S s of the system's"
    time ctest --preset "$part" --parallel "$((jobs * 2))" --no-tests=error --timeout 600 2>&1 | tee "build/$preset.test.log"
}

declare -A part_of=([dev]=dev [nogpu]=smoke)
failed=()
for preset in dev nogpu; do
    rm -f "build/$preset.test.log"
    # In a shell of its own with set -e: an `if` around the function would switch that off.
    set +e
    (set -e; test_preset "$preset" "${part_of[$preset]}")
    status=$?
    set -e
    [ "$status" -eq 0 ] || failed+=("$preset")
done

echo
for preset in dev nogpu; do
    if [ -f "build/$preset.test.log" ]; then
        grep -E '\*\*\*Skipped' "build/$preset.test.log" | sed "s/^.*Test *#[0-9]*: */$preset: skipped: /; s/ \.\.\..*//" || true
        echo "$preset: $(grep -E 'tests passed|No tests' "build/$preset.test.log" || echo 'the tests did not finish')"
    fi
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "failed: ${failed[*]}" >&2
    exit 1
fi
