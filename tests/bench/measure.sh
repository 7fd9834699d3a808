#!/usr/bin/env bash
# How fast is cpprof, beside what libcsv alone needs for the same file?
# usage: measure.sh [--rows N]... [--rounds N] [CPPROF FOLDER_OF_BENCH_PROGRAMS]
#
# For each N (2000000 and 10000000 when none is given): a CSV and a shard of N
# rows with known answers, which are checked, and then the commands side by side:
# whole commands beside libcsv, reading a shard beside reading the CSV.
# Traces lie in $TMPDIR or /tmp: 10000000 rows need 4 GB.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sizes=()
rounds=7
while [ $# -gt 0 ]; do
    case $1 in
    --rows) sizes+=("${2:?--rows N}") && shift 2 ;;
    --rounds) rounds=${2:?--rounds N} && shift 2 ;;
    *) break ;;
    esac
done
[ ${#sizes[@]} -gt 0 ] || sizes=(2000000 10000000)
cpprof=${1:-$here/../build/nogpu/cli/cpprof}
programs=${2:-$here/../build/nogpu/bench}
for program in "$cpprof" "$programs"/{make_trace,csv_floor,drain,side_by_side}; do
    [ -x "$program" ] || { echo "measure.sh: no '$program': build it, or name the programs" >&2; exit 2; }
done
processor=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# check TRACE RULES
check() {
    "$cpprof" overlap "$1" --rules "$2" >"$scratch/out" 2>&1 || { cat "$scratch/out"; exit 1; }
}

echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) processors, $("$cpprof" version | head -1)"
for rows in "${sizes[@]}"; do
    "$programs/make_trace" csv "$rows" "$scratch/trace.csv" >"$scratch/csv.rules"
    "$programs/make_trace" shard "$rows" "$scratch/sorted.bin" >"$scratch/sorted.rules"
    "$programs/make_trace" shard "$rows" "$scratch/completion.bin" completion >"$scratch/completion.rules"
    check "$scratch/trace.csv" "$scratch/csv.rules"
    check "$scratch/sorted.bin" "$scratch/sorted.rules"
    check "$scratch/completion.bin" "$scratch/completion.rules"
    echo
    echo "$rows rows: the CSV has $(stat -c %s "$scratch/trace.csv") bytes, a shard $(stat -c %s "$scratch/sorted.bin"); all answers met"
    echo
    "$programs/side_by_side" "$rounds" \
        'libcsv alone' "$programs/csv_floor" "$scratch/trace.csv" --vs \
        'overlap, CSV' "$cpprof" overlap "$scratch/trace.csv" --vs \
        'overlap, CSV, one processor' taskset -c "$processor" "$cpprof" overlap "$scratch/trace.csv" --vs \
        'overlap, shard sorted by start' "$cpprof" overlap "$scratch/sorted.bin" --vs \
        'overlap, shard in order of completion' "$cpprof" overlap "$scratch/completion.bin"
    echo
    "$programs/side_by_side" "$rounds" \
        'reading alone, CSV' "$programs/drain" "$scratch/trace.csv" --vs \
        'reading alone, shard sorted by start' "$programs/drain" "$scratch/sorted.bin" --vs \
        'reading alone, shard in order of completion' "$programs/drain" "$scratch/completion.bin"
    rm -f "$scratch"/trace.csv "$scratch"/*.bin
done
