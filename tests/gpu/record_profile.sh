#!/usr/bin/env bash
# Records examples/profile/: sixteen operations of PyTorch, and what bounds the kernels of each, with replays; and a
# program whose host works between launches of a short kernel, each delayed in turns. One GPU, half a minute.
#
#   tests/gpu/record_profile.sh [INTO]      INTO: default examples/
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
need_program "$guests"
into=${1:-examples}/profile
mkdir -p "$into"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$CPPROF" profile --replay=20s -o "$into/ops.cpprof" --force -- python3 examples/profile/ops.py 120 >"$into/said" 2>&1
expect "exit status" "$?" 0
cut -c 1-160 "$into/said"
"$CPPROF" report --format json "$into/ops.cpprof" >"$into/said"
declare -A of
while read -r key value && [ "$key" != end ]; do of[$key]=$value; done < <(python3 tests/gpu/profile_facts.py "$into/said")
expect "samples and records agree" "${of[doubt]:-no samples}" none
expect "samples within launches without an active SM" "${of[inside_idle]:-none}" 0.0
expect_at_least "kernels above 1%" "${of[kernels]:-0}" 6
expect_at_least "of these with a class" "${of[kernels_with_class]:-0}" 5
expect_at_least "replays that took as long as in the trace" "${of[replays_accepted]:-0}" 16
"$CPPROF" profile -q --causal=causal_short,host:causal_short -o "$work/delayed.cpprof" --force -- "$guests" host 2 >/dev/null 2>"$into/said"
expect "exit status with delays" "$?" 0
"$CPPROF" report --brief --format md "$work/delayed.cpprof" >"$into/delayed.md" 2>/dev/null
statuses=$("$CPPROF" report --format json "$work/delayed.cpprof" | python3 -c 'import json, sys
print(*(row["target"] + " " + row["status"] for row in json.load(sys.stdin)["causal"]["kernels"]), sep=", ")')
expect "what is critical" "$statuses" "causal_short hidden, host:causal_short critical"
rm -f "$into/said"
finish
