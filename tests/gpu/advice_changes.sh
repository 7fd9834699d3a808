#!/usr/bin/env bash
# Does the page of `profile --causal` say what a change brings that people make: kernels fused, another stream, pinned
# memory, a larger batch, a graph, less work? Twelve of them (advice_changes.cu), two of which bring nothing. What each
# brings is predicted from the program as it is, before the changed one runs. How it is predicted was found with SIZES 1;
# 2 has other times, copies, batches and numbers of launches. Five minutes; what was measured is kept in INTO and not
# measured again.
#
#   tests/gpu/advice_changes.sh [INTO [SIZES]]      INTO: default examples/; SIZES: 1 or 2, 1 by default; the table goes to
#                                                   INTO/profile/GPU-changes.txt or GPU-changes-2.txt
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
program=$test_programs/advice_changes
need_program "$program"
into=${1:-examples}/profile
sizes=${2:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$into"
case $sizes in
1) suffix= ;;
2) suffix=-2 ;;
*) echo "SIZES is 1 or 2, not '$sizes'" >&2 && exit 2 ;;
esac
table=$into/$(gpu_short_name)-changes$suffix.txt
kept=$into/changes$suffix
mkdir -p "$kept"

# change, what is delayed, what goes of it (with SIZES 1/2):
#   part P      this part of its time
#   aside P     this part of its time, and where it stands in line with other work, the idle time of that (a dependency)
#   rate R      all but the time of a pinned copy
#   returns R   the same, and the time in which the GPU waits for a host that waits for the copy
#   us N        so many us of the host an item
#   launches N  the same, with the launches that a graph saves
changes=$(sed "$([ "$sizes" = 1 ] && echo 's|/.*||' || echo 's|[^ ]*/||')" <<'END'
fuse advice_second part 1
stream advice_second part 1
copy-stream copy:h2d aside 1
pinned-h2d copy:h2d rate h2d
pinned-d2h copy:d2h returns d2h
batch host:advice_first us 100/120
batch-busy host:advice_first us 100/120
graph host:advice_first launches 80/125
graph-busy host:advice_first launches 80/125
shorter advice_first part 0.2/0.3
host host:advice_first us 100/60
beside advice_first part 0.25/0.3
END
)

# stop WHY: what was measured stays in INTO, and the next run goes on from there
stop() {
    echo "FAILED: $1"
    [ ! -s "$work/said" ] || tail -n 4 "$work/said" | cut -c 1-300 | sed 's/^/   | /'
    exit 1
} >&2

# timed FILE ARGUMENT...: the shorter time of two runs, in ns
timed() {
    if [ ! -s "$kept/$1" ]; then
        { "$program" "$sizes" "${@:2}" 0.7 && "$program" "$sizes" "${@:2}" 0.7; } >"$work/times" 2>"$work/said" </dev/null || return
        sort -n "$work/times" | head -n 1 >"$work/time" && mv "$work/time" "$kept/$1"
    fi
    cat "$kept/$1"
}

# page_of BUNDLE NAME: as JSON and as people read it, whole or not at all
page_of() {
    "$CPPROF" report --format json "$1" >"$work/json" 2>"$work/said" || stop "$2: no page"
    COLUMNS=5000 "$CPPROF" report --format text "$1" >"$kept/$2.page" 2>"$work/said" || stop "$2: no page"
    mv "$work/json" "$kept/$2.json"
}

# recorded CHANGE NAME SECONDS OPTION...: the page NAME of the program as it is, under `cpprof OPTION...`
recorded() {
    rm -rf "$work/now.cpprof"
    "$CPPROF" "${@:4}" -q -o "$work/now.cpprof" -- "$program" "$sizes" "$1" before "$3" >/dev/null 2>"$work/said" </dev/null ||
        stop "$1: cpprof ${*:4} ended with $?"
    page_of "$work/now.cpprof" "$2"
}

for what in h2d d2h launches graph; do
    ns=$(timed "rate-$what" rate "$what") || stop "the rate of $what was not measured"
    echo "   $what: $ns ns"
done

# predicted CHANGE: its line, from what is kept
predicted() {
    local change target how amount
    read -r change target how amount < <(grep "^$1 " <<<"$changes")
    python3 tests/gpu/advice_changes.py predict "$change" "$target" "$how" "$amount" "$kept" "$(cat "$kept/before-$change")" 2>"$work/said" ||
        stop "$change: nothing could be predicted"
}

# others CHANGE: the delays to try where a prediction is no number, or is wider than 8 points: four times those of before,
# or a quarter where long ones change what the program waits for
others() {
    predicted "$1" >"$work/line"
    awk '$4 == "inconclusive" || $6 - $5 > 8 {
        n = split($3, of, ",")
        for (i = 1; i <= n; i++) said = said (i > 1 ? "," : "--doses=") ($5 == "not_linear" ? of[i] / 4 : 4 * of[i]) "us"
        print said
    }' "$work/line"
}

# What the pages of the program as it is say; where that is not enough, of other delays, twice.
while read -r change target _; do
    [ -n "$change" ] || continue
    [ -s "$kept/$change-first.json" ] || recorded "$change" "$change-first" 5 profile --causal="$target"
    [ -s "$kept/$change-plain.json" ] || recorded "$change" "$change-plain" 0.7 capture
    timed "before-$change" "$change" before >/dev/null || stop "$change: the program as it is did not run"
    [ -s "$kept/$change.json" ] || cp "$kept/$change-first.json" "$kept/$change.json"
    for again in second third; do
        doses=$(others "$change")
        [ -n "$doses" ] && [ ! -s "$kept/$change-$again.json" ] || continue
        recorded "$change" "$change-$again" 10 profile --causal="$target" "$doses"
        cp "$kept/$change-$again.json" "$kept/$change.json"
    done
done <<<"$changes"
# Written down once, before anything that was changed has run.
if [ ! -s "$kept/predicted" ]; then
    [ -z "$(find "$kept" -name 'after-*')" ] || stop "changed programs ran before anything was predicted: use another INTO"
    while read -r change _; do
        [ -z "$change" ] || predicted "$change"
    done <<<"$changes" >"$work/predicted"
    [ "$(wc -l <"$work/predicted")" = 12 ] || stop "not every change has a prediction: $(tail -n 1 "$work/predicted")"
    mv "$work/predicted" "$kept/predicted"
fi
while read -r change _; do
    [ -n "$change" ] || continue
    after=$(timed "after-$change" "$change" after) || stop "$change: the changed program did not run"
    echo "$(cat "$kept/before-$change") $after"
done <<<"$changes" >"$work/measured"
[ "$(wc -l <"$work/measured")" = 12 ] || stop "not every change was measured: $(tail -n 6 "$work/measured")"
python3 tests/gpu/advice_changes.py judge "$kept/predicted" "$work/measured" | tee "$table"
said() { sed -n "s/^$1 //p" "$table"; }
expect "changes" "$(said changes)" 12
expect_at_least "of which were right" "$(said right)" 10
expect "intervals wider than 8 points" "$(said wide)" 0
finish
