#!/usr/bin/env bash
# Does the page of `profile --causal` say what a change brings that people make: kernels fused, another stream, pinned
# memory, a larger batch, a graph, less work? Twelve of them (advice_changes.cu), two of which bring nothing. What each
# brings is predicted from the program as it is, before the changed one runs. Four minutes; what was measured is kept in
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

# change, what is delayed, what goes of it:
#   part P      this part of its time
#   aside P     this part of its time, and where it stands in line with other work, the idle time of that (a dependency)
#   rate R      all but the time of a pinned copy
#   returns R   the same, and the time in which the GPU waits for a host that waits for the copy
#   us N        so many us of the host an item
#   launches N  the same, with the launches that a graph saves
changes='
fuse advice_second part 1
stream advice_second part 1
copy-stream copy:h2d aside 1
pinned-h2d copy:h2d rate h2d
pinned-d2h copy:d2h returns d2h
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

# delayed CHANGE TARGET SECONDS OPTION...: the page of the program as it is, with delays
delayed() {
    "$CPPROF" profile -q --causal="$2" "${@:4}" -o "$work/causal.cpprof" --force -- "$program" "$1" before "$3" \
        >/dev/null 2>"$work/said"
    expect "$1: the program ran with delays" "$?" 0
    "$CPPROF" report --format json "$work/causal.cpprof" >"$kept/$1.json"
    "$CPPROF" report --format text "$work/causal.cpprof" >"$kept/$1.page"
}

for what in h2d d2h launch graph; do echo "   $what: $(timed "rate-$what" rate "$what") ns"; done
while read -r change target _; do
    [ -n "$change" ] && [ ! -s "$kept/$change.json" ] || continue
    delayed "$change" "$target" 5
    # Where the page gives no number, what it says to try, once.
    doses=$(grep -o -e '--doses=[0-9a-z,]*' "$kept/$change.page" | head -n 1)
    if [ -n "$doses" ]; then
        mv "$kept/$change.json" "$kept/$change-first.json"
        delayed "$change" "$target" 10 "$doses"
    fi
    "$CPPROF" capture -q -o "$work/plain.cpprof" --force -- "$program" "$change" before 0.7 >/dev/null 2>&1
    expect "$change: the program was captured" "$?" 0
    "$CPPROF" report --format json "$work/plain.cpprof" >"$kept/$change-plain.json"
done <<<"$changes"
# Written down once, before anything that was changed has run.
if [ ! -s "$kept/predicted" ]; then
    expect "changed programs that ran before" "$(find "$kept" -name 'after-*' | wc -l)" 0
    while read -r change target how amount; do
        [ -n "$change" ] || continue
        python3 tests/gpu/advice_changes.py predict "$change" "$target" "$how" "$amount" "$kept" "$(timed "before-$change" "$change" before)"
    done <<<"$changes" >"$kept/predicted"
fi
while read -r change _; do
    [ -n "$change" ] || continue
    echo "$(cat "$kept/before-$change") $(timed "after-$change" "$change" after)"
done <<<"$changes" >"$work/measured"
python3 tests/gpu/advice_changes.py judge "$kept/predicted" "$work/measured" | tee "$table"
said() { sed -n "s/^$1 //p" "$table"; }
expect "changes" "$(said changes)" 12
expect_at_least "of which were right" "$(said right)" 10
expect "intervals wider than 8 points" "$(said wide)" 0
finish
