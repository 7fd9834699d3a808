#!/usr/bin/env bash
# How often does this machine find what is not there, and what does it find? Records
# examples/h200-aa/: one pool of processes that each time a kernel of 2 ms, one of 50 us
# and one of 2 us against itself, and against itself with planted slowdowns of twice and of
# half of what a pilot finds; and four lengths more against themselves alone, which cost next
# to nothing and make the rates steadier. Then asserts what the pool shows.
#
#   tests/gpu/aa.sh [INTO]      INTO: default examples/
#
#   COMPARISONS=72              of each length
#
# 400 processes of 0.65 s or so: less than five minutes.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/h200-aa
pool=$into/pool.cpprof
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v python3 >/dev/null || skip "python3 is needed"
mkdir -p "$into"

# The longest first: the clocks are up when the short ones come.
arms=(dose/chain --shape ms2 --shape steps=100000 --shape us50 --shape steps=10000 --shape steps=4000 --shape us2
    --shape steps=1000 --iters 32 --warmup 3)

"$CPPROF" aa "${arms[@]}" --comparisons 8 --plant ms2=10% --plant us50=10% --plant us2=20% -o "$work/pilot.cpprof" \
    >"$work/pilot.txt" 2>&1
expect_match "the pilot" "$?" '^[013]$' # few comparisons: its limits are not judged
[ "$failed" = 0 ] || { tail -n 20 "$work/pilot.txt"; exit 1; }
mapfile -t plants < <(python3 tests/gpu/aa_plants.py "$work/pilot.cpprof/verdict.json")
expect "a slowdown to plant for each of three shapes" "${#plants[@]}" 3
[ "$failed" = 0 ] || { cat "$work/pilot.txt"; exit 1; }
echo "planted: ${plants[*]}"

SECONDS=0
"$CPPROF" aa "${arms[@]}" --comparisons "${COMPARISONS:-72}" "${plants[@]}" -o "$pool" --force >"$work/pool.txt" 2>&1
expect "the pool: within the limits" "$?" 0
echo "recorded in $SECONDS s, $(du -sk "$pool" | cut -f 1) KiB"
expect_at_least "1024 KiB less its size" "$((1024 - $(du -sk "$pool" | cut -f 1)))" 0
sed -n '1,/How to read it/p' "$work/pool.txt"
tests/gpu/aa_claims.sh "$pool" | tee "$work/claims.txt"
expect "what it claims" "${PIPESTATUS[0]}" 0
expect "limits that are not met" "$(grep -c '^NOT MET' "$work/claims.txt")" 0
finish
