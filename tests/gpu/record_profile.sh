#!/usr/bin/env bash
# Records examples/profile/: sixteen operations of PyTorch, and what bounds the kernels of each. One GPU, half a minute.
#
#   tests/gpu/record_profile.sh [INTO]      INTO: default examples/
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
need_torch
into=${1:-examples}/profile
mkdir -p "$into"
"$CPPROF" profile -o "$into/ops.cpprof" --force -- python3 examples/profile/ops.py 150 3 >"$into/said" 2>&1
expect "exit status" "$?" 0
cut -c 1-160 "$into/said"
"$CPPROF" report --format json "$into/ops.cpprof" >"$into/said"
declare -A of
while read -r key value && [ "$key" != end ]; do of[$key]=$value; done < <(python3 tests/gpu/profile_facts.py "$into/said")
expect "samples and records agree" "${of[doubt]:-no samples}" none
expect "samples within launches without an active SM" "${of[inside_idle]:-none}" 0.0
expect_at_least "kernels above 1%" "${of[kernels]:-0}" 10
expect "of these with at least 20 samples" "${of[kernels_with_samples]:-none}" "${of[kernels]:-}"
rm -f "$into/said"
finish
