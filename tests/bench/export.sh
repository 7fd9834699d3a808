#!/usr/bin/env bash
# What does it cost to export a trace, beside what reading it costs?
# usage: export.sh [--rows N] [--rounds N] [CPPROF FOLDER_OF_BENCH_PROGRAMS]
#
# Traces and exports lie in $TMPDIR or /tmp: 2000000 rows need 2 GB.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
rows=2000000
rounds=7
while [ $# -gt 0 ]; do
    case $1 in
    --rows) rows=${2:?--rows N} && shift 2 ;;
    --rounds) rounds=${2:?--rounds N} && shift 2 ;;
    *) break ;;
    esac
done
cpprof=${1:-$here/../build/nogpu/cli/cpprof}
programs=${2:-$here/../build/nogpu/bench}
for program in "$cpprof" "$programs"/{make_trace,drain,side_by_side}; do
    [ -x "$program" ] || { echo "export.sh: no '$program': build it, or name the programs" >&2; exit 2; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$programs/make_trace" shard "$rows" "$scratch/trace.bin" completion >"$scratch/rules"
for to in chrome csv; do # what comes back must meet the answers of what was exported
    "$cpprof" export "$scratch/trace.bin" --to $to -o "$scratch/$to"
    "$cpprof" overlap "$scratch/$to" --rules "$scratch/rules" >"$scratch/out" 2>&1 || { cat "$scratch/out"; exit 1; }
done
"$cpprof" export "$scratch/trace.bin" --to chrome -o "$scratch/chrome.gz"
echo "$rows rows: a shard of $(stat -c %s "$scratch/trace.bin") bytes; Chrome JSON $(stat -c %s "$scratch/chrome")," \
    "compressed $(stat -c %s "$scratch/chrome.gz"), CSV $(stat -c %s "$scratch/csv"); all answers met"
echo
"$programs/side_by_side" "$rounds" \
    'reading alone, shard in order of completion' "$programs/drain" "$scratch/trace.bin" --vs \
    'export --to csv' "$cpprof" export "$scratch/trace.bin" --to csv -o "$scratch/csv" --force --vs \
    'export --to chrome' "$cpprof" export "$scratch/trace.bin" --to chrome -o "$scratch/chrome" --force --vs \
    'export --to chrome, compressed' "$cpprof" export "$scratch/trace.bin" --to chrome -o "$scratch/chrome.gz" --force --vs \
    'overlap, its Chrome JSON' "$cpprof" overlap "$scratch/chrome" --vs \
    'overlap, its CSV' "$cpprof" overlap "$scratch/csv"
