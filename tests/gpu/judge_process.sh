#!/usr/bin/env bash
# Is the judge a process of its own, does it judge, and what does it cost? A minute and a half on one GPU. INTO keeps the
# bundles (default: a folder that is removed).
#
#   tests/gpu/judge_process.sh [INTO]
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
libraries=$(realpath "$test_programs/cheats" 2>/dev/null) || skip "no cheats: install with -DCPPROF_INSTALL_TESTS=ON"
facts=$(realpath "$test_programs/ipc_facts")
gaps=$(realpath "$test_programs/stream_gaps")
comparison=$(realpath "$test_programs/compare_outputs")
judge=$(realpath "$(dirname "$CPPROF")/../libexec/cpprof/cpprof-judge" 2>/dev/null) || judge=none
into=${1:-}
[ -n "$into" ] || { into=$(mktemp -d) && trap 'rm -rf "$into"' EXIT; }
mkdir -p "$into"
cd "$into" || exit 2
unset CPPROF_JUDGE CPPROF_SALT

# What the machine allows comes first: without it nothing below can work, and that is no fault of the judge.
need_program "$judge"
need_program "$facts"
"$facts" >facts.out 2>&1
sed '/^gate/!s/^/device memory of a process that is /' facts.out
grep -q '^untraceable: shared' facts.out || skip "this machine does not share device memory between processes as the judge needs it (the lines above)"

# The kernel that compares outputs, and the host: a line for each type, and what both take.
"$comparison" >compare.out 2>&1
expect "the kernel and the host agree: exit status" "$?" 0
expect "the kernel and the host agree: types" "$(grep -c ': the same of ' compare.out)" 7
grep -v ': the same of ' compare.out | sed 's/^/comparing /'

# run NAME SOLUTION OPTION...: its exit status in $status, how long it took in $wall_ms
run() {
    local name=$1 solution=$2 begin_ms
    shift 2
    status=0
    rm -rf "$name.cpprof"
    begin_ms=$(date +%s%3N)
    "$cpprof" run --task "$libraries/libtask_softmax.so" --solution "base=$libraries/softmax_naive.so" --solution "it=$libraries/$solution.so" \
        --baseline base -o "$name.cpprof" "$@" >"$name.out" 2>&1 || status=$?
    wall_ms=$(($(date +%s%3N) - begin_ms))
}

# explain NAME: enough to find out what broke
explain() {
    echo "    $1: exit status $status, $wall_ms ms"
    tail -n 12 "$1.out" | cut -c 1-300 | sed 's/^/    /'
    python3 - "$1.cpprof" <<'END'
import csv, json, sys
try:
    for failure in json.load(open(sys.argv[1] + "/manifest.json")).get("failures", []):
        print("    failed process:", failure["role"], failure["index"], failure["detail"][:400])
    for row in list(csv.DictReader(open(sys.argv[1] + "/verify.csv"))):
        if row["pass"] != "yes":
            print("    check:", row["variant"], row["shape"], row["seed"], row["phase"], row["hint"])
            break
except OSError as e:
    print("    no bundle:", e)
END
}

# hints NAME: what its checks say, without numbers and times: "pass salt", "wrong ..."
hints() {
    python3 - "$1.cpprof/verify.csv" "$2" <<'END'
import csv, re, sys
try:
    rows = [row for row in csv.DictReader(open(sys.argv[1])) if row["variant"].endswith("/" + sys.argv[2])]
except OSError:
    rows = []
print("; ".join(sorted({row["pass"] + " " + re.sub(r"^new \d+ ns, again \d+ ns; ", "", re.sub(r"[0-9a-f]{16}", "N", row["hint"])) for row in rows})) or "no checks")
END
}

# A right solution, and who judged it.
run apart_1 faster --processes 5 --metrics none
first_ms=$wall_ms
expect_match "a right solution: a process of its own judged it" "$(hints apart_1 it)" '^yes 24 timed outputs; salt N; yes salt N$'
expect_match "its baseline, too" "$(hints apart_1 base)" '^yes 24 timed outputs; salt N; yes salt N$'
grep -q ',yes,' apart_1.cpprof/verify.csv || explain apart_1
expect_at_least "processes with inputs of their own" "$(grep -oE 'salt [0-9a-f]{16}' apart_1.cpprof/verify.csv | sort -u | wc -l)" 6
expect "no judge is left" "$(cat /proc/[0-9]*/comm 2>/dev/null | grep -c '^cpprof-judge')" 0

# With counters: only then it may pass.
run counted faster --processes 3 --iters 40
expect "a right solution passes" "$status" 0
[ "$status" = 0 ] || explain counted

# Wrong ones, and one that ends its judge.
run wrong early_return --processes 3 --metrics none --iters 20
expect "a wrong solution: exit status" "$status" 1
expect_match "a wrong solution: why" "$(hints wrong it)" 'no .*never written'
[ "$status" = 1 ] || explain wrong
run kept kept_by_pointer --processes 3 --metrics none --iters 20
expect "outputs that are kept for a pointer: exit status" "$status" 1
[ "$status" = 1 ] || explain kept
run killed kills_the_judge --processes 3 --metrics none --iters 20
expect_match "a judge that is killed: exit status" "$status" '^[14]$'
expect_match "a judge that is killed: why" "$(hints killed it)" 'no nobody judged it, since the process of the judge is gone: it was ended by signal 9'
[ "$status" = 1 ] || explain killed # 4 where a process failed, too

# A launch that waits for the GPU inside its call can be timed in graphs alone; without them nobody knows its time.
expect_match "a stream of one process waits for a word of another" "$(grep ^gate facts.out)" 'opened after [0-9]+ us'
for method in graphs single; do
    status=0
    "$cpprof" run --task "$libraries/libtask_gram.so" --solution "base=$libraries/gram_naive.so" --solution "it=$libraries/synchronizes.so" \
        --baseline base --shape n=640 --cache both --processes 3 --iters 40 --metrics none --method $method -o waits-$method.cpprof \
        >waits-$method.out 2>&1 || status=$?
    untimed=$(awk -F, '$1 == "gram/it" && $10 == ""' waits-$method.cpprof/timing.csv | wc -l)
    expect "waits in its call, $method: checks that do not pass" "$(cut -d, -f 11 waits-$method.cpprof/verify.csv | grep -c '^no$')" 0
    [ "$status" = 3 ] || explain waits-$method
    [ $method = single ] || expect "waits in its call, $method: launches without a time" "$untimed" 0
    [ $method = graphs ] || expect_at_least "waits in its call, $method: launches without a time" "$untimed" 1
done
checks=$((checks + 1))

# A judge inside is in the runner's stream, since kernels in two streams of a process make its launches longer. Is it so
# on this GPU? Twenty seconds; each line has two turns. Another chip may do otherwise, which is no failure.
status=0
"$gaps" >gaps.out 2>&1 || status=$?
sed 's/^/two streams: /' gaps.out
expect_match "two streams: all settings were timed" "$status" '^[01]$'

# A judge inside cannot fill slots behind a gate, so its times are not those of a task, and it says so.
export CPPROF_JUDGE=inside
run inside faster --processes 5 --metrics none
inside_ms=$wall_ms
expect_match "inside, where that is asked for" "$(hints inside it)" '^yes 24 timed outputs without a gate; inside, salt N; yes inside, salt N$'
expect "inside: a verdict" "$status" 3
unset CPPROF_JUDGE
echo "wall time: $first_ms ms apart, $inside_ms ms inside"
expect "at most twice the wall time" "$((first_ms <= 2 * inside_ms))" 1
finish
