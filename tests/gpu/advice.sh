#!/usr/bin/env bash
# Does the page of `profile --causal` say what a faster kernel brings to its program? Twelve changes of four programs:
# what each brings is predicted from the program as it is, before the changed one runs. A minute.
#
#   tests/gpu/advice.sh [INTO]      INTO: default examples/; the table goes to INTO/profile/GPU-advice.txt
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
program=$test_programs/advice_steps
need_program "$program"
into=${1:-examples}/profile
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$into"
table=$into/$(gpu_short_name)-advice.txt

# program, its two times, which of them changes, to what
changes='
beside 60 40 first 50
beside 60 40 first 45
beside 60 40 second 20
beside 60 150 first 56
chain 100 30 first 80
chain 100 30 second 20
chain 100 30 second 10
host 50 300 first 40
host 50 300 first 20
copy 60 60 first 30
copy 60 60 second 50
copy 60 60 second 40'

step_ns() { # PROGRAM FIRST SECOND: the shorter of two runs
    { "$program" "$1" 0.7 "$2" "$3"; "$program" "$1" 0.7 "$2" "$3"; } | sort -n | head -n 1
}

while read -r name first second _; do
    [ -n "$name" ] && [ ! -e "$work/$name-$first-$second.json" ] || continue
    "$CPPROF" profile -q --causal=advice_first,advice_second -o "$work/causal.cpprof" --force -- \
        "$program" "$name" 5 "$first" "$second" >/dev/null 2>"$work/said"
    expect "$name with $first and $second us ran with delays" "$?" 0
    "$CPPROF" report --format json "$work/causal.cpprof" >"$work/$name-$first-$second.json"
done <<<"$changes"
while read -r name first second which to; do
    [ -n "$name" ] || continue
    from=$first
    [ "$which" = first ] || from=$second
    python3 tests/gpu/advice.py predict "$name" "advice_$which" "$from" "$to" "$work/$name-$first-$second.json"
done <<<"$changes" >"$work/predicted"
while read -r name first second which to; do
    [ -n "$name" ] || continue
    changed=("$to" "$second")
    [ "$which" = first ] || changed=("$first" "$to")
    echo "$(step_ns "$name" "$first" "$second") $(step_ns "$name" "${changed[@]}")"
done <<<"$changes" >"$work/measured"
python3 tests/gpu/advice.py judge "$work/predicted" "$work/measured" | tee "$table"
said() { sed -n "s/^$1 //p" "$table"; }
expect "changes" "$(said advice_changes)" 12
expect_at_least "of which were right" "$(said advice_right)" 10
expect "intervals wider than 8 points" "$(said advice_wide)" 0
finish
