#!/usr/bin/env bash
# Are the answers that a trace was made for the ones that cpprof finds, to the nanosecond?
# usage: answers.sh CPPROF FOLDER_OF_MAKE_TRACE [ROWS]
set -euo pipefail
cpprof=${1:?usage: answers.sh CPPROF FOLDER [ROWS]}
make_trace=${2:?usage: answers.sh CPPROF FOLDER [ROWS]}/make_trace
rows=${3:-100000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect STATUS RULES TRACE WHAT
expect() {
    local status=0
    "$cpprof" overlap "$3" --rules "$2" >"$scratch/out" 2>&1 || status=$?
    [ "$status" = "$1" ] && return 0
    echo "$4: exit status $status instead of $1"
    grep -iE 'fail|vacuous|inconclusive|error' "$scratch/out" || tail -20 "$scratch/out"
    return 1
}

for kind in csv shard; do
    for order in sorted completion; do
        trace=$scratch/$order.$kind
        "$make_trace" "$kind" "$rows" "$trace" "$order" >"$scratch/rules"
        [ -s "$scratch/rules" ] || { echo "$kind: no answers"; exit 1; }
        expect 0 "$scratch/rules" "$trace" "$kind, $order by $rows rows"
        # One nanosecond more than the truth must fail, or the rules prove nothing.
        awk '/^busy\(any\[device=0\]\)/ { $3 += 1 } { print }' "$scratch/rules" >"$scratch/wrong"
        expect 1 "$scratch/wrong" "$trace" "$kind, $order, one answer wrong by 1 ns"
        rm "$trace"
    done
done
