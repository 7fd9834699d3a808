#!/usr/bin/env bash
# How often does this machine find what is not there, and what does it find? Records
# examples/h200-aa/: one pool of processes that each time a kernel of 2 ms, one of 50 us, one
# of 2 us and eleven lengths more against themselves, and five of them against the same with
# planted slowdowns. Then asserts what the pool shows.
#
#   tests/gpu/aa.sh [INTO]      INTO: default examples/
#
#   COMPARISONS=36              of each length
#
# 252 processes of 0.6 s or so: two and a half minutes.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/h200-aa
pool=$into/pool.cpprof
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v python3 >/dev/null || skip "python3 is needed"
mkdir -p "$into"

# The longest first: the clocks are up when the short ones come. Most of a process is its start, and most of the rest
# ms2: the short ones cost next to nothing and make the rates steadier. Those below 5 us are timed as graphs.
arms=(dose/chain --shape ms2 --shape steps=100000 --shape us50 --shape steps=20000 --shape steps=10000 --shape steps=4000
    --shape steps=2000 --shape steps=1000 --shape steps=512 --shape steps=384 --shape us2 --shape steps=192
    --shape steps=128 --shape steps=64 --iters 20 --warmup 3)

# Twice and half of what is detectable depend on the machine's mood, and the time of a short kernel grows with its work in
# steps. So a few are planted; aa_facts.py takes those that came out where they should.
plants=(--plant 'steps=100000=2.15%,0.535%' --plant 'us50=2.35%,0.58%' --plant 'steps=20000=2.35%,0.58%'
    --plant 'steps=4000=4.2%,3.5%,1.2%,1%,0.8%' --plant 'us2=13.2%,10.2%,3.2%,2.8%')

SECONDS=0
"$CPPROF" aa "${arms[@]}" --comparisons "${COMPARISONS:-36}" "${plants[@]}" -o "$pool" --force >"$work/pool.txt" 2>&1
expect "the pool: within the limits" "$?" 0
echo "recorded in $SECONDS s, $(du -sk "$pool" | cut -f 1) KiB"
expect_at_least "1280 KiB less its size" "$((1280 - $(du -sk "$pool" | cut -f 1)))" 0
sed -n '1,/How to read it/p' "$work/pool.txt"
tests/gpu/aa_claims.sh "$pool"
expect "what it claims" "$?" 0
finish
