#!/usr/bin/env bash
# Does a pool show that this machine's verdicts may be believed?
# usage: aa_claims.sh POOL      exit 77: skipped, python3 is missing
#
# Judges the recorded pool anew; needs no GPU. A claim that is wrong fails. Too few comparisons show nothing
# wrong, only less than is asked for: "NOT MET: ...", which aa.sh does not accept of a new pool.
set -u
pool=$(realpath "${1:?usage: aa_claims.sh POOL}")
cd "$(dirname "$0")/../.." || exit 2
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
. tests/gpu/lib.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# enough WHAT COUNT LEAST
enough() {
    if [ "$2" -lt "$3" ] 2>/dev/null; then
        echo "NOT MET: $1: $2, asked for are $3"
    else
        expect_at_least "$@"
    fi
}

# planted KIND WHAT RATE MEANING: enough of them, and of those that there are the rate
planted() {
    local count=${of[$1_comparisons]:-}
    enough "comparisons with $2" "$count" 100
    [ "$count" = 0 ] || expect_at_least "of which $4, per mille" "${of[$3]:-}" 950
}

"$CPPROF" aa "$pool" --format json >"$work/verdict.json"
expect_match "$(basename "$pool") is judged" "$?" '^[01]$'
declare -A of=()
while read -r key value; do
    of[$key]=$value
done < <(python3 tests/gpu/aa_facts.py "$work/verdict.json")
expect_at_least "shapes" "${of[shapes]:-}" 3
enough "comparisons of a thing with itself" "${of[comparisons]:-}" 200
# Asked for are 93% to 97%. Too few would be wrong verdicts, so the rate itself is held to that. Too many are wide
# intervals: there its exact interval decides, as `aa` does.
expect_at_least "the interval holds 1, per mille" "${of[coverage]:-}" 930
expect_at_least "970 per mille less the low end of that rate" "$((970 - ${of[coverage_low]:-1000}))" 0
expect_at_least "false positives: 90 per mille less their upper limit" "$((90 - ${of[false_at_most]:-1000}))" 0
planted twice "twice the detectable effect" twice_found found
planted half "half of it" half_open "inconclusive or equivalent"
expect "planted slowdowns called faster" "${of[faster]:-}" 0
finish
