#!/usr/bin/env bash
# Does a pool show that this machine's verdicts may be believed?
# usage: aa_claims.sh POOL      exit 77: skipped, python3 is missing
#
# Judges the recorded pool anew; needs no GPU.
set -u
pool=$(realpath "${1:?usage: aa_claims.sh POOL}")
cd "$(dirname "$0")/../.." || exit 2
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
. tests/gpu/lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What a pool does not show is said, and is no claim; verdicts that are wrong are failures.
missed() { # WHAT GOT LIMIT
    echo "NOT MET: $1: $2, asked for $3"
}

"$CPPROF" aa "$pool" --format json >"$work/verdict.json"
expect_match "$(basename "$pool") is judged" "$?" '^[01]$'
declare -A of=()
while read -r key value; do
    of[$key]=$value
done < <(python3 tests/gpu/aa_facts.py "$work/verdict.json")
expect_at_least "shapes" "${of[shapes]:-}" 3
expect_at_least "comparisons of a thing with itself" "${of[comparisons]:-}" 200
# `aa` holds the exact interval of this rate against 93 % to 97 %; here the rate itself is held to it.
expect_at_least "the interval holds 1, per mille" "${of[coverage]:-}" 930
[ "${of[coverage]:-1000}" -le 970 ] || missed "the interval holds 1, per mille" "${of[coverage]:-}" "at most 970"
expect_at_least "false positives: 90 per mille less their upper limit" "$((90 - ${of[false_at_most]:-1000}))" 0
expect_at_least "comparisons with twice the detectable effect" "${of[twice_comparisons]:-}" 100
expect_at_least "of which found, per mille" "${of[twice_found]:-}" 950
expect_at_least "comparisons with half of it" "${of[half_comparisons]:-}" 100
expect "half of it: called faster" "${of[half_faster]:-}" 0
expect "half of it: wrong verdicts" "$("$CPPROF" aa "$pool" --format md | awk -F'|' '/^## Planted/ {on = 1} on && /dose/ {sum += $(NF - 1)} END {print sum + 0}')" 0
open=$((${of[half_inconclusive]:--1} + ${of[half_equivalent]:-0}))
[ "$open" = "${of[half_comparisons]:-}" ] || missed "half of it: inconclusive or equivalent" "$open" "${of[half_comparisons]:-}"
finish
