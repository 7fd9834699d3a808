#!/usr/bin/env bash
# Which part of a collector that waits costs a launch its tenth of a microsecond? An empty kernel is launched again and
# again, with parts of CUPTI as they are while nothing is recorded (dormant_parts.cu), in turns. One GPU, 40 s. It only
# tells: what a launch costs depends on the host.
#
#   tests/gpu/dormant.sh [INTO]     INTO: where the times go (default: nowhere)
#   TURNS=7
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
program=$test_programs/dormant_parts
need_program "$program"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
parts=(none loaded subscribed watched registered managed switched all)
failures=0
for ((turn = 0; turn < ${TURNS:-7}; turn++)); do
    for ((i = 0; i < ${#parts[@]}; i++)); do
        part=${parts[$((turn % 2 ? ${#parts[@]} - 1 - i : i))]}
        ns=$("$program" "$part" 0.3 2>"$work/said") || { failures=$((failures + 1)) && sed "s/^/   $part: /" "$work/said"; }
        echo "$turn $part $ns" >>"$work/times"
    done
done
[ -z "${1:-}" ] || { mkdir -p "$1" && cp "$work/times" "$1/dormant-times"; }
python3 - "$work/times" <<'PYTHON'
import statistics
import sys

turns = {}
for line in open(sys.argv[1], encoding="utf-8"):
    words = line.split()
    if len(words) == 3:
        turns.setdefault(words[1], {})[words[0]] = float(words[2])
none = turns.get("none", {})
for part, times in turns.items():
    more = sorted(ns - none[turn] for turn, ns in times.items() if turn in none)
    if more:
        print("%-11s %7.1f ns a launch, %+6.1f ns (%+.1f to %+.1f)" % (
            part, statistics.median(times.values()), statistics.median(more), more[0], more[-1]))
PYTHON
expect "parts that did not run" "$failures" 0
finish
