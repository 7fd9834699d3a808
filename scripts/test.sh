#!/usr/bin/env bash
# Does everything that can be tested without a GPU hold, with and without the CUDA parts?
# usage: test.sh      on a fresh Debian 12 it installs what it needs
#
# Builds and tests the presets dev (sanitizers on, warnings are errors, the CUDA
# parts too where a toolkit is found) and nogpu. CPPROF_JOBS sets the number of
# parallel jobs (2).
set -euo pipefail
if [ $# -gt 0 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0"
    case $1 in -h | --help) exit 0 ;; *) echo "unknown argument: $1" >&2 && exit 2 ;; esac
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${CPPROF_JOBS:-2}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

scripts/packages.sh --tests

# Configures, builds and tests one preset; the log keeps the test output.
test_preset() {
    local preset=$1
    echo "== $preset: configure and build"
    cmake --preset "$preset"
    cmake --build --preset "$preset" --parallel "$jobs"
    echo "== $preset: test"
    ctest --preset "$preset" --parallel "$jobs" --no-tests=error --timeout 300 2>&1 | tee "build/$preset.test.log"
}

failed=()
for preset in dev nogpu; do
    rm -f "build/$preset.test.log"
    # In a shell of its own with set -e: an `if` around the function would switch that off.
    set +e
    (set -e; test_preset "$preset")
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
