#!/usr/bin/env bash
# Are solutions of a task judged by it: run, verified, timed, told in one table, under stress and under a sanitizer?
# Two minutes on one GPU. The libraries are those of tests/gpu/cheats/.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
CPPROF=$cpprof
libraries=$(realpath "$test_programs/cheats" 2>/dev/null) || skip "no cheats: install with -DCPPROF_INSTALL_TESTS=ON"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
example=$PWD/examples/my-variant
cd "$work" || exit 2
cp "$libraries"/*.so .

# judge BUNDLE TASK BASE NAME OPTION...: its exit status in $status, what it said in BUNDLE.out
judge() {
    local bundle=$1 task=$2 base=$3 name=$4
    shift 4
    status=0
    "$cpprof" run --task "./libtask_$task.so" --solution "base=./$base.so" --solution "it=./$name.so" --baseline base \
        --processes 3 -o "$bundle.cpprof" "$@" >"$bundle.out" 2>&1 || status=$?
}

# rows BUNDLE: "solution shape cache status verdict" lines
rows() {
    python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["solutions"]:
    print(row["solution"], row["shape"], row["cache"], row["status"], row["verdict"])' "$1.cpprof/verdict.json" 2>&1
}

# wrong BUNDLE: how many of its checks did not pass
wrong() {
    python3 -c 'import csv, sys
print(sum(row["pass"] != "yes" for row in csv.DictReader(open(sys.argv[1]))))' "$1.cpprof/verify.csv"
}

expect_match "the list" "$("$cpprof" list --load ./libtask_softmax.so --load v1=./softmax_naive.so)" 'softmax/v1 .*small, ragged, empty, one'

# An honest pair, hot and cold.
judge honest softmax softmax_naive faster --cache both
expect "honest: exit status" "$status" 0
[ "$status" = 0 ] || tail -n 20 honest.out
expect "honest: rows" "$(rows honest | grep -cE '^softmax/(base|it) small (hot|cold) pass ')" 4
expect_match "honest: the table" "$(cat honest.out)" '^softmax/it .*pass .*x \[.*% \((l2|dram|fp32)'
expect_match "honest: who judged" "$(everything honest.cpprof)" 'Judged by: the task'
expect_match "honest: other inputs than random ones" "$(cut -d, -f 4 honest.cpprof/verify.csv | sort -u)" '[0-9]+ one-hot'
expect_match "honest: the ragged, the empty and the smallest shape" "$(cut -d, -f 2 honest.cpprof/verify.csv | sort -u | tr '\n' ' ')" 'empty .*one .*ragged'
expect "honest: every check passes" "$(wrong honest)" 0
expect "no folder of this machine" "$(grep -rlF "$work" honest.cpprof | wc -l)" 0

# Where problems are larger than a quarter of the L2 cache; and the largest of all.
judge longer gram gram_naive split_k
expect "a longer kernel: rows" "$(rows longer | grep -cE '^gram/(base|it) square hot pass ')" 2
[ "$(rows longer | grep -c ' pass ')" = 2 ] || tail -n 20 longer.out
judge large softmax softmax_naive faster --shape rows=8192,columns=4096 --metrics none --iters 20
expect "a problem beyond the L2 cache" "$(wrong large)" 0

# caught NAME TASK BASE WORDS: a wrong result, with the rule that was broken
caught() {
    judge "$1" "$2" "$3" "$1" --metrics none --iters 20
    expect "$1: exit status" "$status" 1
    expect_match "$1: first line" "$(head -n 1 "$1.out")" '^(WRONG RESULT|CONTRADICTED|WRONG KERNEL)'
    expect_match "$1: why" "$(cut -d, -f 12- "$1.cpprof/verify.csv" | sort -u)" "$4"
}
caught cached_output softmax softmax_naive 'allowed: '
caught input_overwritten softmax softmax_naive 'the launch wrote into its input in'
caught beyond_the_end softmax softmax_naive 'the launch wrote beyond the end of out'
caught unjoined_stream gram gram_naive 'not joined|never written'
caught forked_not_joined gram gram_naive 'not joined|never written'
caught early_return softmax softmax_naive 'never written'

# Under stress and a sanitizer.
status=0
"$cpprof" run --task ./libtask_softmax.so --solution v1=./softmax_naive.so --solution v2=./atomics.so --stress >stress.out 2>&1 || status=$?
expect "stress: exit status" "$status" 0
expect "stress: right" "$(grep -cE '^softmax/v[12] +small +1,0[0-9]{2} +[0-9]+ +right' stress.out)" 2
[ "$status" = 0 ] || cat stress.out
status=0
"$cpprof" run --task ./libtask_softmax.so --solution v1=./early_return.so --stress >stopped.out 2>&1 || status=$?
expect "stress: what stops working" "$status" 1
expect_match "stress: says so" "$(cat stopped.out)" 'WRONG in [0-9]+: launch [0-9]+, seed [0-9]+: out\[0\], row 0 column 0, never written'
status=0
"$cpprof" run pipeline/sync --shape n=1048576 --stress >builtin.out 2>&1 || status=$?
expect "stress: a built-in variant" "$status" 0
[ "$status" = 0 ] || cat builtin.out
status=0
"$cpprof" run --task ./libtask_softmax.so --solution v1=./softmax_naive.so --shape ragged --sanitize >sanitize.out 2>&1 || status=$?
if command -v compute-sanitizer >/dev/null; then
    expect "sanitize: exit status" "$status" 0
    expect "sanitize: four clean tools" "$(grep -cE '^(mem|race|init|sync)check +clean' sanitize.out)" 4
else
    expect "sanitize: nothing to run" "$status" 4
    expect_match "sanitize: what to install" "$(cat sanitize.out)" 'no compute-sanitizer on the PATH: it comes with the CUDA toolkit'
fi
[ "$(grep -c clean sanitize.out)" = 4 ] || cat sanitize.out

# A newcomer's way, where there is a compiler.
if command -v nvcc >/dev/null && command -v cmake >/dev/null; then
    "$cpprof" init mine >init.out
    cp "$example/vectorised.cu" mine/
    sed -i 's/(solution naive)/(solution naive vectorised)/' mine/CMakeLists.txt
    prefix=$(dirname "$(dirname "$cpprof")")
    { cmake -S mine -B mine/build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CUDA_ARCHITECTURES=90 && cmake --build mine/build; } >build.out 2>&1 || tail -n 20 build.out
    (cd mine/build && ctest -V) >gate.out 2>&1
    expect_match "init: the gate has a verdict" "$(cat gate.out)" 'mine/vectorised +[^ ]* *pass .*(faster|equivalent|slower|inconclusive)'
else
    echo "not tried: init, since there is no nvcc or cmake here"
fi
finish
