#!/usr/bin/env bash
# Does the page of `profile --causal` say what a change brings that people make: kernels fused, another stream, pinned
# memory, a larger batch, a graph, less work? Twelve of them (advice_changes.cu), two of which bring nothing. What each
# brings is predicted from the program as it is, before the changed one runs. Three minutes; what was measured is kept in
# INTO and not measured again.
#
#   tests/gpu/advice_changes.sh [INTO]      INTO: default examples/; the table goes to INTO/profile/GPU-changes.txt
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
program=$test_programs/advice_changes
need_program "$program"
into=${1:-examples}/profile
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$into"
table=$into/$(gpu_short_name)-changes.txt
kept=$into/changes
mkdir -p "$kept"

# change, what is delayed, what goes of it: a part of its time, all but the time of a pinned copy, or so many us of the
# host an item (launches: with the launches that a graph saves)
changes='
fuse advice_second part 1
stream advice_second part 1
copy-stream copy:h2d part 1
pinned-h2d copy:h2d rate h2d
pinned-d2h copy:d2h rate d2h
batch host:advice_first us 100
batch-busy host:advice_first us 100
graph host:advice_first launches 80
graph-busy host:advice_first launches 80
shorter advice_first part 0.2
host host:advice_first us 100
beside advice_first part 0.25'

# timed FILE ARGUMENT...: the shorter time of two runs, in ns
timed() {
    [ -s "$kept/$1" ] || { "$program" "${@:2}" 0.7; "$program" "${@:2}" 0.7; } | sort -n | head -n 1 >"$kept/$1"
    cat "$kept/$1"
}

for what in h2d d2h launch graph; do echo "   $what: $(timed "rate-$what" rate "$what") ns"; done
while read -r change target _; do
    [ -n "$change" ] && [ ! -s "$kept/$change.json" ] || continue
    "$CPPROF" profile -q --causal="$target" -o "$work/causal.cpprof" --force -- "$program" "$change" before 5 \
        >/dev/null 2>"$work/said"
    expect "$change: the program ran with delays" "$?" 0
    "$CPPROF" report --format json "$work/causal.cpprof" >"$kept/$change.json"
done <<<"$changes"
while read -r change target how amount; do
    [ -n "$change" ] || continue
    python3 tests/gpu/advice_changes.py predict "$change" "$target" "$how" "$amount" "$kept" "$(timed "before-$change" "$change" before)"
done <<<"$changes" >"$work/predicted"
while read -r change _; do
    [ -n "$change" ] || continue
    echo "$(cat "$kept/before-$change") $(timed "after-$change" "$change" after)"
done <<<"$changes" >"$work/measured"
python3 tests/gpu/advice_changes.py judge "$work/predicted" "$work/measured" | tee "$table"
said() { sed -n "s/^$1 //p" "$table"; }
expect "changes" "$(said changes)" 12
expect_at_least "of which were right" "$(said right)" 10
expect "intervals wider than 8 points" "$(said wide)" 0
finish
