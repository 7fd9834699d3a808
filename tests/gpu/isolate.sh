#!/usr/bin/env bash
# Does --isolate run honest solutions as before, and refuse hostile code that an ordinary run cannot? A minute and a half
# on one GPU, as root. INTO keeps the bundles (default: a folder that is removed).
#
#   tests/gpu/isolate.sh [INTO]
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
libraries=$(realpath "$test_programs/cheats" 2>/dev/null) || skip "no cheats: install with -DCPPROF_INSTALL_TESTS=ON"
[ -e "$libraries/forges_answers.so" ] || skip "no forges_answers.so: install again"
[ "$(id -u)" = 0 ] || skip "only root can run solutions as another user"
into=${1:-}
[ -n "$into" ] || { into=$(mktemp -d) && trap 'rm -rf "$into"' EXIT; }
mkdir -p "$into"
cd "$into" || exit 2
unset CPPROF_JUDGE CPPROF_SALT

# run NAME SOLUTION OPTION...: its exit status in $status
run() {
    local name=$1 solution=$2 begin_ms
    shift 2
    status=0
    rm -rf "$name.cpprof"
    begin_ms=$(date +%s%3N)
    "$cpprof" run --task "$libraries/libtask_softmax.so" --solution "base=$libraries/softmax_naive.so" --solution "it=$libraries/$solution.so" \
        --baseline base -o "$name.cpprof" "$@" >"$name.out" 2>&1 || status=$?
    wall_ms=$(($(date +%s%3N) - begin_ms))
    echo "$name: exit status $status, $wall_ms ms"
}

# explain NAME: enough to find out what broke
explain() {
    tail -n 12 "$1.out" | cut -c 1-300 | sed 's/^/    /'
    python3 - "$1.cpprof" <<'END'
import csv, json, sys
try:
    for failure in json.load(open(sys.argv[1] + "/manifest.json")).get("failures", []):
        print("    failed process:", failure["role"], failure["index"], failure["detail"][:400])
    wrong = [row for row in csv.DictReader(open(sys.argv[1] + "/verify.csv")) if row["pass"] != "yes"]
    for row in wrong[:3]:
        print("    check:", *(row[key] for key in ("variant", "shape", "process", "seed", "phase", "values", "max_abs_err", "hint")))
    print("    judged:", *open(sys.argv[1] + "/judged.csv").read().splitlines()[:4], sep="\n        ")
except (OSError, ValueError) as e:
    print("    no bundle:", e)
END
}

# told NAME: what the rows of `it` say, without numbers; failures NAME: what became of its processes; judged NAME: the judge's verdicts
told() {
    python3 - "$1.cpprof/verify.csv" <<'END'
import csv, re, sys
try:
    rows = [row for row in csv.DictReader(open(sys.argv[1])) if row["variant"].endswith("/it")]
except OSError:
    rows = []
print("; ".join(sorted({row["pass"] + " " + re.sub(r"[0-9a-f]{16}", "N", re.sub(r"new [0-9]+ ns, again [0-9]+ ns; ", "", row["hint"])) for row in rows})) or "no checks")
END
}
failures() {
    python3 -c 'import json, sys; print("; ".join(f["role"] + ": " + f["detail"] for f in json.load(open(sys.argv[1])).get("failures", [])) or "none")' "$1.cpprof/manifest.json" 2>&1
}
judged() {
    python3 -c 'import collections, csv, sys; print(*(f"{n} {p}" for p, n in sorted(collections.Counter(r["pass"] for r in csv.DictReader(open(sys.argv[1]))).items())))' "$1.cpprof/judged.csv" 2>&1
}

# row NAME SOLUTION: the status of its row
row() {
    python3 -c 'import json, sys
print(*sorted({row["status"] for row in json.load(open(sys.argv[1]))["solutions"] if row["solution"].endswith("/" + sys.argv[2])}))' "$1.cpprof/verdict.json" "$2" 2>&1 | tail -n 1
}

# refused NAME: neither it nor the run passes
refused() {
    expect_match "$1 is refused: exit status" "$status" '^[13]$'
    [ "$status" = 1 ] || [ "$status" = 3 ] || explain "$1"
}

# Honest ones pass, with counters, as another user.
run honest faster --processes 3 --iters 40 --isolate
expect "an honest solution passes" "$status" 0
[ "$status" = 0 ] || explain honest
expect_match "who it ran as" "$(grep -o '"user": *[0-9]*' honest.cpprof/manifest.json)" '6[0-9]{4}'
expect_match "its outcomes" "$(told honest)" '^yes 24 timed outputs; salt N; yes salt N$'
expect_match "what its judge wrote" "$(judged honest)" '^[0-9]+ yes$'
expect "all processes did well" "$(failures honest)" none
user=$(sed -n 's/.*"user": *\([0-9]*\).*/\1/p' honest.cpprof/manifest.json)
expect "no process is left" "$(find /proc -maxdepth 1 -uid "${user:-1}" 2>/dev/null | wc -l)" 0
expect "no judge is left" "$(cat /proc/[0-9]*/comm 2>/dev/null | grep -c '^cpprof-judge')" 0

# Hostile ones. The first two do nothing: that they are found wrong shows that their judge was still there.
run killed kills_any_judge --processes 3 --metrics none --iters 20 --isolate
refused killed
expect_match "the judge was not killed" "$(told killed)" 'never written'
run traced traces_the_judge --processes 3 --metrics none --iters 20 --isolate
refused traced
expect_match "the judge was neither traced nor read" "$(told traced)" 'never written'
run forged forges_answers --processes 3 --metrics none --iters 20 --isolate
refused forged
expect "forged answers fail" "$(row forged it)" "fail"
expect "and not the other solution of that process" "$(judged forged | tr -d 0-9)" " yes"
expect_match "what the judge found of them" "$(failures forged)" 'verify: --isolate: the judge found outputs wrong that the process does not report'
run other softmax_naive --processes 3 --metrics none --iters 20 --isolate
before=$(cat other.cpprof/timing.csv other.cpprof/verify.csv other.cpprof/judged.csv other.cpprof/manifest.json | cksum)
BUNDLE_OF_ANOTHER=$PWD/other.cpprof run written writes_tables --processes 3 --metrics none --iters 20 --isolate
refused written
expect_match "rows of earlier processes are not changed" "$(failures written)" 'time: --isolate: the process changed rows of timing.csv'
expect "another bundle is not changed" "$(cat other.cpprof/timing.csv other.cpprof/verify.csv other.cpprof/judged.csv other.cpprof/manifest.json 2>&1 | cksum)" "$before"

# What such code does to an ordinary run: else the lines above show nothing.
run forged_apart forges_answers --processes 3 --metrics none --iters 20
expect_match "without --isolate forged answers are taken" "$(told forged_apart)" '^yes [0-9]+ timed outputs; salt N; yes salt N$'

# Times with and without, in turn.
for turn in 1 2; do
    run "isolated_$turn" faster --processes 5 --metrics none --isolate
    run "apart_$turn" faster --processes 5 --metrics none
done
python3 - <<'END' || failed=$((failed + 1))
import csv, statistics, sys
def medians(kind):
    found = {}
    for turn in "12":
        for row in csv.DictReader(open(f"{kind}_{turn}.cpprof/timing.csv")):
            found.setdefault((row["variant"], row["cache"], row["batch"]), []).append(float(row["duration_ns"]))
    return {key: statistics.median(ns) for key, ns in found.items()}
isolated, apart = medians("isolated"), medians("apart")
bad = not apart or set(apart) != set(isolated)
for key in sorted(set(apart) & set(isolated)):
    ratio = isolated[key] / apart[key]
    bad |= abs(ratio - 1) > 0.02
    print("times: %s: %.1f ns isolated, %.1f ns without, ratio %.4f" % (" ".join(key), isolated[key], apart[key], ratio))
print("FAILED: not the same within 2%" if bad else "ok: times with and without are the same within 2%")
sys.exit(bad)
END
checks=$((checks + 1))
finish
