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
expect_at_least "970 per mille less that" "$((970 - ${of[coverage]:-1000}))" 0
expect_at_least "false positives: 90 per mille less their upper limit" "$((90 - ${of[false_at_most]:-1000}))" 0
expect_at_least "comparisons with twice the detectable effect" "${of[twice_comparisons]:-}" 100
expect_at_least "of which found, per mille" "${of[twice_found]:-}" 950
expect_at_least "comparisons with half of it" "${of[half_comparisons]:-}" 100
expect_at_least "of which inconclusive or equivalent, per mille" "${of[half_open]:-}" 950
expect "planted slowdowns called faster" "${of[faster]:-}" 0
finish
