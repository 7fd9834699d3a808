#!/usr/bin/env bash
# Does it hold for as long as there is time? What ctest does in seconds, for minutes or hours, and with other compilers' eyes.
# usage: deep.sh [SECONDS] [PART...]      3600 and all parts: rules mutants clang tsan fuzz
#
#   rules   random rules on random traces, judged by cpprof and by tests/oracle/rule_oracle.py
#   mutants 10,000 mutants of the recorded bundles, none of which may get a better verdict (some 40 minutes on two cores)
#   clang   all tests with clang's AddressSanitizer and UndefinedBehaviorSanitizer
#   tsan    the tests of what runs on several threads, with ThreadSanitizer
#   fuzz    each harness of tests/fuzz with libFuzzer; what it finds stays in build/deep/fuzz/found
#
# Building counts. clang, tsan and mutants take as long as they take; rules and fuzz share what is left. The first finding is the
# exit status: 1. Needs clang with its runtime libraries (Debian: clang, libclang-rt-14-dev), python3, cmake, ninja.
set -euo pipefail
cd "$(dirname "$0")/.."
budget=3600
if [ $# -gt 0 ] && [[ $1 =~ ^[0-9]+$ ]]; then
    budget=$1
    shift
fi
parts=("$@")
[ $# -gt 0 ] || parts=(clang tsan mutants rules fuzz)
jobs=${CPPROF_JOBS:-2}
failed=()

left() { echo $((budget - SECONDS > 1 ? budget - SECONDS : 1)); }

# build NAME CMAKE_OPTION...: build/deep/NAME, its log beside it
build() {
    local folder=build/deep/$1
    shift
    mkdir -p build/deep
    if ! { cmake -S . -B "$folder" -G Ninja -DCPPROF_CUDA=OFF "$@" && cmake --build "$folder" --parallel "$jobs"; } \
        >"$folder.log" 2>&1; then
        tail -n 20 "$folder.log"
        return 1
    fi
}

rules() {
    build rules -DCMAKE_BUILD_TYPE=RelWithDebInfo
    local share=$(($(left) / (1 + ${#parts[@]} - at)))
    python3 tests/oracle/rule_oracle.py build/deep/rules/cli/cpprof --seconds "$share" --seed "$RANDOM" --keep build/deep/wrong
}

mutants() {
    build rules -DCMAKE_BUILD_TYPE=RelWithDebInfo
    python3 tests/fuzz/bundle_mutants.py --count "${MUTANTS:-10000}" --seed "$RANDOM" --jobs "$jobs" --keep build/deep/mutants \
        build/deep/rules/cli/cpprof examples
}

# A test that ends a child with SIGSEGV wants the signal, not the sanitizer's report of it.
clang() {
    CC=clang build clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_C_FLAGS='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' \
        -DCMAKE_EXE_LINKER_FLAGS='-fsanitize=address,undefined'
    ASAN_OPTIONS=handle_segv=0 ctest --test-dir build/deep/clang -j "$jobs" --timeout 900 -LE guard --output-on-failure \
        >build/deep/clang.tests || { tail -n 60 build/deep/clang.tests; return 1; }
}

tsan() {
    build tsan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCPPROF_SANITIZE_THREADS=ON
    ctest --test-dir build/deep/tsan -j "$jobs" --timeout 900 --output-on-failure \
        -R 'pump|shard|event_|trace_|run_status|fuzz|collector' >build/deep/tsan.tests ||
        { tail -n 60 build/deep/tsan.tests; return 1; }
}

fuzz() {
    CC=clang build fuzz -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCPPROF_SANITIZE=ON -DCPPROF_FUZZ=ON
    local harnesses=(build/deep/fuzz/tests/fuzz/fuzz_*[a-z]) found known status=0
    local share=$(($(left) / ${#harnesses[@]} + 1))
    for harness in "${harnesses[@]}"; do
        [ -f "$harness" ] || continue
        found=build/deep/fuzz/found/$(basename "$harness")
        mkdir -p "$found"
        known=(tests/fuzz/corpus/"${harness##*/fuzz_}")
        [ -d "${known[0]}" ] || known=()
        "$harness" -max_total_time="$share" -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$found/" "$found" tests/data \
            tests/data/bad tests/data/bad_ncu "${known[@]}" >"$found.log" 2>&1 || { tail -n 30 "$found.log"; status=1; }
        echo "$(basename "$harness"): $(grep -c . <(ls "$found")) inputs kept, $(tail -n 1 "$found.log")"
    done
    return "$status"
}

at=0
for part in "${parts[@]}"; do
    at=$((at + 1))
    case $part in rules | mutants | clang | tsan | fuzz) ;; *) echo "unknown part: $part" >&2 && exit 2 ;; esac
    echo "== $part, $(left) s left"
    set +e
    (set -e; "$part")
    status=$?
    set -e
    [ "$status" -eq 0 ] || failed+=("$part")
done
[ ${#failed[@]} -eq 0 ] || { echo "found something: ${failed[*]}"; exit 1; }
echo "nothing found in $SECONDS s"
