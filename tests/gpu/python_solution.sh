#!/usr/bin/env bash
# Are functions of Python files solutions like any other: right ones pass, a cheat fails, what cannot be timed is refused
# with its line, and do times agree with those of PyTorch's own events? Three minutes on one GPU with PyTorch; Triton's
# part runs where it is importable and has a C compiler.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
CPPROF=$cpprof
libraries=$(realpath "$test_programs/python" 2>/dev/null) || skip "no tasks: install with -DCPPROF_INSTALL_TESTS=ON"
need_torch
programs=$PWD/tests/gpu/python
example=$PWD/examples/python-softmax
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cp "$libraries"/*.so "$programs"/functions.py "$example"/softmax_*.py .
python3 -c 'import sys, torch; print("Python", sys.version.split()[0], "PyTorch", torch.__version__, "CUDA", torch.version.cuda)'

# judge BUNDLE OPTION...: its exit status in $status, what it said in BUNDLE.out, seconds in $seconds
judge() {
    local bundle=$1 begin=$SECONDS
    shift
    status=0
    "$cpprof" run --task ./libtask.so --solution naive=./naive.so --baseline naive -o "$bundle.cpprof" "$@" >"$bundle.out" 2>&1 || status=$?
    echo "   $bundle: exit status $status after $((SECONDS - begin)) s"
}

# row BUNDLE SOLUTION MEMBER: of the table of solutions, at $shape
row() {
    python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["solutions"]:
    if row["solution"] == "softmax/" + sys.argv[2] and row["shape"] == sys.argv[4]:
        print(row[sys.argv[3]])' "$1.cpprof/verdict.json" "$2" "$3" "$shape" 2>&1 | tail -n 1
}

"$cpprof" list --task ./libtask.so --solution torch=softmax_torch.py:softmax --solution returns=functions.py:returns >list.out 2>&1
expect_match "the list: whose arrays" "$(cat list.out)" 'softmax/torch +softmax_torch.py:softmax \(PyTorch [0-9.]+'
expect_match "the list: what is copied" "$(cat list.out)" 'functions.py:returns .*what it returns is copied into the outputs'

# Honest ones, and the naive library beside them in the same process.
honest="torch returns steps joins"
solutions=(--solution torch=softmax_torch.py:softmax)
for name in returns steps joins; do solutions+=(--solution "$name=functions.py:$name"); done
if python3 -c 'import triton' 2>/dev/null; then
    solutions+=(--solution triton=softmax_triton.py:softmax)
    honest+=" triton"
else
    echo "not tried: Triton, which is not importable"
fi
shape=large
judge honest --processes 3 "${solutions[@]}"
grep -vE '^$' honest.out | head -n 24
for name in naive $honest; do
    expect "$name: passes" "$(row honest "$name" status) $(row honest "$name" why)" "pass "
    expect "$name: is timed in graphs" "$(awk -F, -v name="softmax/$name" '$1 == name && $8 < 2' honest.cpprof/timing.csv | wc -l)" 0
done
python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    if row["pass"] != "yes": print("   not right:", row["variant"], row["shape"], row["phase"], row["hint"])' honest.cpprof/verify.csv | sort | uniq -c | head
expect_match "the manifest: which file and function" "$(cat honest.cpprof/manifest.json)" 'solution torch:softmax'
grep -o '"detail": "[^"]*"' honest.cpprof/manifest.json | sort -u | head -n 5

# Times: PyTorch's own events around replays of its own graph, with as many arrays in turn as a series of ours has.
slots=$(awk -F, '$1 == "softmax/torch" && $8 > 1 {print $8; exit}' honest.cpprof/timing.csv)
theirs=$(python3 "$programs/times.py" 4096 1024 "${slots:-1}")
ours=$(row honest torch time_ns)
echo "   softmax of 4096 x 1024: cpprof $ours ns, PyTorch's graph and events $theirs ns, both on ${slots:-1} pairs of arrays in turn"
expect "times agree within 5%" "$(awk -v a="$ours" -v b="$theirs" 'BEGIN {d = a / b - 1; print (d < 0.05 && d > -0.05) ? "yes" : "no: " d}')" yes

# Alone between two events: a kernel takes some 3 us there, and Python 10 to 50 us for each launch, which must not show.
judge cold --processes 3 --metrics none --cache both --method single --iters 40 --shape small --solution torch=softmax_torch.py:softmax \
    --solution returns=functions.py:returns
grep -o '"timing_source": "[^"]*"' cold.cpprof/manifest.json
python3 -c 'import csv, statistics, sys
times = {}
for row in csv.DictReader(open(sys.argv[1])):
    times.setdefault((row["variant"], row["cache"]), []).append(float(row["duration_ns"]))
for (name, cache), all in times.items():
    print(name, cache, round(statistics.median(all)), len(all))' cold.cpprof/timing.csv >cold.times
sed 's/^/   alone, median ns and samples: /' cold.times
for name in torch returns; do
    expect "$name: a launch alone has nothing of Python" "$(awk -v name="softmax/$name" '$1 == name && $3 < 15000 {print $2}' cold.times | sort | tr '\n' ' ')" "cold hot "
done
python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    if row["pass"] != "yes": print("   not right:", row["variant"], row["shape"], row["phase"], row["hint"])' cold.cpprof/verify.csv | sort | uniq -c | head -n 5

# A cheat, and what cannot be timed: none of them passes, and each says why.
shape=small
judge wrong --processes 3 --metrics none --iters 20 --shape small --solution cached=functions.py:cached --solution waits=functions.py:waits \
    --solution elsewhere=functions.py:elsewhere --solution raises=functions.py:raises
expect "the cheat: exit status" "$status" 1
expect "the cheat: fails" "$(row wrong cached status)" fail
expect_match "the cheat: why" "$(row wrong cached why)" 'of the values at small are wrong'
line=$(grep -n 'item()' functions.py | cut -d: -f1)
expect_match ".item(): refused with its line" "$(row wrong waits status) $(row wrong waits why)" "^inconclusive not runnable: functions.py:$line waits for the GPU"
expect_match "a stream that is not joined: refused" "$(row wrong elsewhere why)" 'not runnable: .*stream'
line=$(grep -n 'a name that is not there' functions.py | cut -d: -f1)
expect_match "an exception: its line" "$(row wrong raises why)" "not runnable: functions.py:$line: NameError: name 'column' is not defined"
grep -E '^softmax/' wrong.out
[ "$status" = 1 ] || tail -n 20 wrong.out

# What cannot be loaded is said before anything runs.
refused() {
    status=0
    "$cpprof" run --task ./libtask.so --solution "v1=$2" >refused.out 2>&1 || status=$?
    expect "$1: exit status" "$status" 2
    expect_match "$1" "$(cat refused.out)" "$3"
}
echo 'import nowhere' >absent.py
refused "no function of this name" functions.py:nothing "functions.py: it has no 'nothing': it has returns"
refused "no module" absent.py:f "absent.py:1: ModuleNotFoundError: No module named 'nowhere' \(in .*; CPPROF_PYTHON names another Python\)"
finish
