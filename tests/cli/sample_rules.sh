#!/usr/bin/env bash
# Do the sample rules of examples/ci pass what they should, and notice what they should?
# usage: sample_rules.sh CPPROF MAKE_TRACES MAKE_BUNDLES SOURCE_TREE
set -euo pipefail
cpprof=$1 make_traces=$2 make_bundles=$3
rules=$4/examples/ci
device_only=$4/tests/cli/overlap_two_streams.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$make_traces" "$work"
mkdir "$work/bundles"
"$make_bundles" "$work/bundles" >/dev/null

# Exit statuses: on the trace that keeps it, on the one that breaks it, and on
# one that has GPU work alone, where nothing that needs the host may pass.
table='
prefetch_hidden.rules      0 1 1
copies_first.rules         0 1 1
streams_concurrent.rules   0 1 0
no_synchronous_copy.rules  0 1 1
launch_budget.rules        0 1 5
idle_budget.rules          0 1 0
kernel_selected.rules      0 1 1
'
failed=0
# expect STATUS RULES INPUT
expect() {
    local status=0
    "$cpprof" check --rules "$rules/$2" "$3" >"$work/said" 2>&1 || status=$?
    [ "$status" = "$1" ] && return 0
    echo "$2 on $(basename "$3"): exit status $status instead of $1"
    cat "$work/said"
    failed=1
}

# On a shipped capture, whose numbers the rules state, they hold; also of its steps alone, of which another thread
# launches most of the work.
train=$4/examples/captures/train.cpprof
for name in prefetch_hidden streams_concurrent no_synchronous_copy launch_budget idle_budget kernel_selected; do
    [ -d "$train" ] || break
    for range in '' --range=step; do
        status=0
        "$cpprof" check --rules "$rules/$name.rules" ${range:+"$range"} "$train" >"$work/said" 2>&1 || status=$?
        [ "$status" = 0 ] && continue
        echo "$name.rules on train.cpprof $range: exit status $status instead of 0"
        cat "$work/said"
        failed=1
    done
done

seen=0
while read -r name good bad device; do
    [ -n "$name" ] || continue
    expect "$good" "$name" "$work/good.bin"
    expect "$bad" "$name" "$work/bad.bin"
    expect "$device" "$name" "$device_only"
    seen=$((seen + 1))
done <<<"$table"
expect 0 run/variant_gates.rules "$work/bundles/faster.cpprof"
expect 2 run/variant_gates.rules "$work/good.bin"
seen=$((seen + 1))

# What the workflow does: all rules beside it at once. On a trace that keeps them they hold.
set=()
for file in "$rules"/*.rules; do set+=(--rules "$file"); done
status=0
"$cpprof" check "${set[@]}" "$work/good.bin" >"$work/said" 2>&1 || status=$?
if [ "$status" != 0 ]; then
    echo "all rules of examples/ci together: exit status $status instead of 0"
    cat "$work/said"
    failed=1
fi

files=("$rules"/*.rules "$rules"/run/*.rules)
if [ "$seen" != "${#files[@]}" ]; then
    echo "examples/ci has ${#files[@]} files of rules, and $seen of them are tried here"
    failed=1
fi
echo "$seen files of rules, failed: $failed"
exit "$failed"
