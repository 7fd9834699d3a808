#!/usr/bin/env bash
# Does it hold for as long as there is time? What ctest does in seconds, for minutes or hours, and with other compilers' eyes.
# usage: deep.sh [SECONDS] [PART...]      3600 and all parts: builds extend clang tidy tsan valgrind mutants rules fuzz
#
#   builds   all tests without CUDA, optimised and without sanitizers; with a CUDA toolkit all that is built, for every
#            architecture, with its guards
#   extend   additions that touch only the files that CONTRIBUTING.md names (extend.sh)
#   rules    random rules on random traces, judged by cpprof and by tests/oracle/rule_oracle.py; times that cannot be, by times_oracle.py, and who is who, by identity_oracle.py (100,000 traces each); who launched work, by owner_oracle.py; late ranks, by ranks_oracle.py
#   mutants  10,000 mutants of the recorded bundles, none of which may get a better verdict (some 40 minutes on two
#            cores), and 1,600 with chips and counters that cannot be
#   clang    warnings of clang are errors; all tests with its AddressSanitizer and UndefinedBehaviorSanitizer
#   tidy     faults that clang-tidy sees in the sources of clang's build; .clang-tidy has its checks
#   tsan     all tests with ThreadSanitizer; with a CUDA toolkit those of the guest, too, which need no GPU
#   valgrind the tests of readers and the fuzzers' inputs under memcheck
#   fuzz     each harness of tests/fuzz with libFuzzer; what it finds stays in build/deep/fuzz/found
#
# Building counts. Tests do with CPPROF_DEEP what takes too long every day. rules and fuzz share what the other parts leave. The first finding
# is the exit status: 1. Needs clang with its runtime libraries (Debian: clang, libclang-rt-14-dev), clang-tidy, valgrind, python3, cmake, ninja.
set -euo pipefail
cd "$(dirname "$0")/.."
budget=3600
if [ $# -gt 0 ] && [[ $1 =~ ^[0-9]+$ ]]; then
    budget=$1
    shift
fi
parts=("$@")
[ $# -gt 0 ] || parts=(builds extend clang tidy tsan valgrind mutants rules fuzz)
for part in "${parts[@]}"; do
    case $part in builds | extend | rules | mutants | clang | tidy | tsan | valgrind | fuzz) ;; *) echo "unknown part: $part" >&2 && exit 2 ;; esac
done
jobs=${CPPROF_JOBS:-2}
failed=()
export CPPROF_DEEP=yes

left() { echo $((budget - SECONDS > 1 ? budget - SECONDS : 1)); }

# build NAME CMAKE_OPTION...: build/deep/NAME, its log beside it; of $targets, where there are any
targets=()
build() {
    local folder=build/deep/$1
    shift
    mkdir -p build/deep
    if ! { cmake -S . -B "$folder" -G Ninja -DCPPROF_CUDA=OFF "$@" &&
        cmake --build "$folder" --parallel "$jobs" ${targets[@]:+--target "${targets[@]}"}; } >"$folder.log" 2>&1; then
        tail -n 20 "$folder.log"
        return 1
    fi
}

# run_tests NAME CTEST_OPTION...: the tests of build/deep/NAME, of which there must be some. What a sanitizer reports is a finding
# whatever the test makes of it: it may expect a child to fail.
run_tests() {
    local name=$1 status=0
    shift
    rm -rf "build/deep/$name.reports"
    mkdir -p "build/deep/$name.reports"
    local to="log_path=$PWD/build/deep/$name.reports/report"
    # A test that ends a child with SIGSEGV wants the signal, not the sanitizer's report of it.
    ASAN_OPTIONS=handle_segv=0:$to UBSAN_OPTIONS=$to TSAN_OPTIONS=$to ctest --test-dir "build/deep/$name" -j "$jobs" \
        --timeout 900 --no-tests=error --output-on-failure "$@" >"build/deep/$name.tests" 2>&1 || status=1
    [ -z "${only_reports:-}" ] || ! grep -q 'tests passed' "build/deep/$name.tests" || status=0
    [ "$status" -eq 0 ] || tail -n 60 "build/deep/$name.tests"
    local reports # but of a program that a test starts with too little memory for a sanitizer
    mapfile -t reports < <(grep -rL ReserveShadowMemoryRange "build/deep/$name.reports")
    if [ ${#reports[@]} -gt 0 ]; then
        head -n 40 "${reports[0]}"
        echo "$name: ${#reports[@]} reports in build/deep/$name.reports"
        status=1
    fi
    echo "$name: $(grep 'tests passed' "build/deep/$name.tests"), $(grep -c '(Skipped)$' "build/deep/$name.tests") skipped${only_reports:+; only reports count}"
    return "$status"
}

# Is a toolkit there? $1 is the folder that asks.
has_cuda() {
    cmake -S . -B "build/deep/$1" -DCPPROF_CUDA=AUTO -G Ninja "${@:2}" | grep 'building kernels/ and collector/' >/dev/null ||
        { echo "$1: left out: no CUDA toolkit"; return 1; }
}

# scripts/test.sh builds only what a day needs: sm_90a, no programs of tests/gpu, and without CUDA no more than cpprof.
builds() {
    local status=0
    build nogpu -DCMAKE_BUILD_TYPE=RelWithDebInfo
    run_tests nogpu || status=1
    has_cuda release -DCMAKE_BUILD_TYPE=RelWithDebInfo || return "$status"
    targets=(all inside)
    build release -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCPPROF_CUDA=ON -DCPPROF_CUDA_CODE=all -DCPPROF_INSTALL_TESTS=ON
    targets=()
    run_tests release -R '^(guard|collector)[.]' || status=1
    return "$status"
}

extend() { tests/extend.sh; }

rules() {
    build rules -DCMAKE_BUILD_TYPE=RelWithDebInfo
    local share=$(($(left) / (1 + ${#parts[@]} - at))) status=0
    python3 tests/oracle/rule_oracle.py build/deep/rules/cli/cpprof --seconds "$share" --seed "$RANDOM" --keep build/deep/wrong || status=1
    python3 tests/oracle/times_oracle.py build/deep/rules/tests/oracle/judge_many --traces 100000 --seed "$RANDOM" --keep build/deep/wrong || status=1
    python3 tests/oracle/identity_oracle.py build/deep/rules/tests/oracle/judge_many --traces 100000 --seed "$RANDOM" --keep build/deep/wrong || status=1
    python3 tests/oracle/owner_oracle.py build/deep/rules/cli/cpprof --traces 1000 --seed "$RANDOM" || status=1
    python3 tests/oracle/ranks_oracle.py build/deep/rules/cli/cpprof build/deep/rules/tests/bench/make_trace 100 || status=1
    python3 tests/oracle/recorded_ranks.py build/deep/rules/cli/cpprof examples/ranks 100 || status=1
    return "$status"
}

mutants() {
    build rules -DCMAKE_BUILD_TYPE=RelWithDebInfo
    python3 -B tests/fuzz/odd_chips.py --every 1 build/deep/rules/cli/cpprof examples
    python3 tests/fuzz/bundle_mutants.py --count "${MUTANTS:-10000}" --seed "$RANDOM" --jobs "$jobs" --keep build/deep/mutants \
        build/deep/rules/cli/cpprof examples
}

build_clang() {
    CC=clang build clang -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCPPROF_WERROR=ON \
        -DCMAKE_C_FLAGS='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' \
        -DCMAKE_EXE_LINKER_FLAGS='-fsanitize=address,undefined'
}

clang() {
    build_clang
    run_tests clang -LE guard
}

# Its headers that are made must be there, no more. Assertions tell the analyzer what we know. A file each: va_list confuses
# clang-tidy 14 from the second file on.
tidy() {
    type -P clang-tidy >/dev/null || { echo "clang-tidy is not installed"; return 1; }
    targets=(cpprof_stamp)
    build_clang
    local files status=0
    mapfile -t files < <(sed -n 's/^ *"file": "\(.*\.c\)",\{0,1\}$/\1/p' build/deep/clang/compile_commands.json | sort -u)
    [ ${#files[@]} -gt 0 ] || { echo "tidy: no files"; return 1; }
    printf '%s\0' "${files[@]}" | xargs -0 -P "$jobs" -n 1 clang-tidy --quiet -p build/deep/clang --extra-arg=-UNDEBUG \
        >build/deep/tidy.log 2>build/deep/tidy.errors || status=1
    [ "$status" -eq 0 ] || grep -hE ' (error|warning): |^Error' build/deep/tidy.log build/deep/tidy.errors | sort -u | head -n 40
    echo "tidy: ${#files[@]} files"
    return "$status"
}

# ThreadSanitizer cannot start where no file may grow, and keeps signals back: cli.capture depends on both, so
# that of it only reports count.
# The guest and the trace have targets of their own, instrumented as a whole, since a program without ThreadSanitizer cannot load
# what has it. The rest of collector/ is left out: its tests are linked with the kernels, which nvcc would take minutes to build.
tsan() {
    local status=0
    build tsan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCPPROF_SANITIZE_THREADS=ON
    run_tests tsan -LE guard -E '^cli.capture$' || status=1
    only_reports=yes run_tests tsan -R '^cli.capture$' || status=1
    has_cuda tsan_guest || return "$status"
    targets=(guest_tsan)
    build tsan_guest -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCPPROF_SANITIZE_THREADS=ON -DCPPROF_CUDA=ON
    run_tests tsan_guest -R '^collector\..*_tsan$' || status=1
    return "$status"
}

# CTest starts each program with the emulator.
valgrind() {
    local emulator
    emulator=$(type -P valgrind) || { echo "valgrind is not installed"; return 1; }
    build valgrind -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_CROSSCOMPILING_EMULATOR="$emulator;--quiet;--error-exitcode=99;--leak-check=full;--errors-for-leak-kinds=definite"
    local pattern status=0
    for pattern in '^unit.test_(csv|gzip|kineto|ncu|npy)$' '^unit.test_nsys_' '^unit.test_shard_' '^fuzz.[a-z_]*$'; do
        run_tests valgrind -R "$pattern" -E bundle_mutants || status=1
    done
    return "$status"
}

fuzz() {
    CC=clang build fuzz -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCPPROF_WERROR=ON -DCPPROF_SANITIZE=ON -DCPPROF_FUZZ=ON
    local harnesses=(tests/fuzz/fuzz_*.c) source harness corpus found status=0
    local share=$(($(left) / ${#harnesses[@]} + 1))
    for source in "${harnesses[@]}"; do
        harness=build/deep/fuzz/tests/fuzz/$(basename "$source" .c)
        corpus=tests/fuzz/corpus/${harness##*/fuzz_}
        [ -d "$corpus" ] || corpus=
        found=build/deep/fuzz/found/$(basename "$harness")
        mkdir -p "$found"
        "$harness" -max_total_time="$share" -timeout=20 -rss_limit_mb=2048 -artifact_prefix="$found/" "$found" tests/data \
            tests/data/bad tests/data/bad_ncu ${corpus:+"$corpus"} >"$found.log" 2>&1 || { tail -n 30 "$found.log"; status=1; }
        echo "$(basename "$harness"): $(grep -c . <(ls "$found")) inputs kept, $(tail -n 1 "$found.log")"
    done
    return "$status"
}

at=0
for part in "${parts[@]}"; do
    at=$((at + 1))
    echo "== $part, $(left) s left"
    set +e
    (set -e; "$part")
    status=$?
    set -e
    [ "$status" -eq 0 ] || failed+=("$part")
done
[ ${#failed[@]} -eq 0 ] || { echo "found something: ${failed[*]}"; exit 1; }
echo "nothing found in $SECONDS s"
