#!/usr/bin/env bash
# Is each variant that is fast and does not do what is timed refused, with both numbers in the first line?
# A minute on one H100 or H200.
#
#   tests/gpu/dishonest.sh
#
# The library is tests/gpu/dishonest.cu. Where $OUT is a folder the first lines are left there.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
library=$(realpath "$test_programs/libdishonest.so" 2>/dev/null) || skip "no libdishonest.so: install with -DCPPROF_INSTALL_TESTS=ON"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
said=${OUT:+$(realpath "$OUT")/dishonest.txt}

# ask NAME BASELINE STATUS FIRST_LINE OPTION...: the status of the run, and a pattern of its first line
ask() {
    local name=$1 baseline=$2 wanted=$3 pattern=$4 status=0
    shift 4
    "$cpprof" run --load "$library" "dishonest/$baseline" "dishonest/$name" --baseline "dishonest/$baseline" "$@" \
        -o "$work/$name.cpprof" >"$work/$name.out" 2>/dev/null || status=$?
    expect "$name: exit status" "$status" "$wanted"
    expect_match "$name: first line" "$(head -n 1 "$work/$name.out")" "$pattern"
    head -n 1 "$work/$name.out" | tee -a "${said:-/dev/null}"
}


# ratios NAME: "cache verdict ratio" lines, one a comparison
ratios() {
    python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["rows"]:
    print(row["cache"], row["verdict"], row["ratio"])' "$work/$1.cpprof/verdict.json"
}

time='[0-9.]+ (ns|us)'
size='[0-9.]+ (B|KiB|MiB)'
ask unjoined honest 1 "^CONTRADICTED: .*by events a launch takes $time, its traced kernels take $time" --method single
ask unjoined honest 1 '^CONTRADICTED: .*1 kernel of .* verified, 0 kernels in the graph that is timed' --method graphs --force
ask eighth honest 1 '^CONTRADICTED: .*131,072 blocks .*verified, 1 kernel of 16,384 blocks in the other traced calls'
ask same_grid honest 1 "^CONTRADICTED: .*declares that a launch moves 256 MiB, counters and copies show $size"
ask when_poisoned honest 1 '^CONTRADICTED: .*1 kernel of .*verified, 0 kernels in the other traced calls'
ask captured honest 1 '^CONTRADICTED: .*131,072 blocks .*verified, 1 kernel of 16,384 blocks in the graph that is timed' --method graphs
ask captured_idle honest 1 '^CONTRADICTED: .*(event_time|timed_output)' --method graphs
ask raised cold 1 "^CONTRADICTED: .*0 B of the L2 cache may keep data over a flush, $size were set aside" --shape cached --cache cold
for name in unjoined eighth same_grid when_poisoned captured captured_idle raised; do
    expect_match "$name: no ratio" "$(ratios $name)" '^(hot|cold) contradicted None$'
    expect "$name: and the honest one is not accused" \
        "$(head -n 1 "$work/$name.out" | grep -cE 'CONTRADICTED: dishonest/(honest|cold) ')" 0
done

# By the limit that the device has when a program starts. It is 0 in cold blocks, and yet lines of a window leave the cache
# later than others: a quarter of them survives the flush of the counting process.
ask sticky cold 1 "^CONTRADICTED: .*has to read $size from DRAM, it read $size \\(cold_bytes\\)" --shape cached --cache both
expect "sticky: no ratio" "$(ratios sticky | cut -d' ' -f 2 | sort -u)" contradicted
expect "sticky: the flush was counted" "$(grep -c ',flush,dram_read_bytes,' "$work/sticky.cpprof/witness.csv")" 1
expect "sticky: what cold launches read was counted" "$(grep -c ',cold,dram_read_bytes,' "$work/sticky.cpprof/witness.csv")" 2
expect "sticky: one kernel a launch" "$(cut -d, -f 3 "$work/sticky.cpprof/metrics.csv" | grep -c 'kernel [0-9]')" 0
finish
