#!/usr/bin/env bash
# How often does this machine find what is not there, and what does it find? Records
# examples/aa/: one pool of processes that each time a kernel of 2 ms, one of 50 us, one
# of 2 us and thirteen lengths more against themselves, and eight of them against the same with
# planted slowdowns. Then asserts what the pool shows.
#
#   tests/gpu/aa.sh [INTO]      INTO: default examples/
#
#   SECONDS_MOST=170            for the whole: as many comparisons of each length as fit, at most 36
#   COMPARISONS=28              so many, however long it takes
#
# From 17 comparisons on there are 100 of each kind that is asked for; most of what a few more bring is a steadier rate.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/aa
pool=$into/pool.cpprof
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v python3 >/dev/null || skip "python3 is needed"
mkdir -p "$into"
SECONDS=0

# The longest first: the clocks are up when the short ones come. Most of a process is its start, and most of the rest
# ms2: the short ones cost next to nothing and make the rates steadier. More than 16 lengths would take two processes a round.
# From us50 on a launch takes more than 50 us and is a sample of its own; the rest is timed in graphs. Near the limit, where
# either may happen, there is none.
arms=(dose/chain --shape ms2 --shape steps=100000 --shape steps=80000 --shape steps=60000 --shape steps=50000
    --shape steps=40000 --shape steps=30000 --shape us50 --shape steps=14000 --shape steps=10000 --shape steps=7000
    --shape steps=4000 --shape steps=2000 --shape steps=1000 --shape us2 --shape steps=32 --iters 16 --warmup 3)

# Twice and half of what is detectable depend on the machine's mood, and the time of a short kernel grows with its work in
# steps. So they are planted at more lengths than are needed; aa_facts.py takes those that came out where they should.
plants=(--plant 'steps=100000=2.15%,0.535%' --plant 'steps=60000=2.2%,0.55%' --plant 'steps=40000=2.3%,0.56%'
    --plant 'steps=30000=2.35%,0.58%' --plant 'us50=2.4%,0.6%' --plant 'steps=10000=2.4%,0.57%'
    --plant 'steps=4000=2.6%,0.62%' --plant 'us2=13.2%')

# comparisons_in SECONDS: how many of 7 processes, by the pace of three; 4 s are for what is no process of a comparison
comparisons_in() {
    "$CPPROF" aa "${arms[@]}" --processes 3 --comparisons 1 "${plants[@]}" -o "$work/pace.cpprof" >/dev/null 2>"$work/pace.txt"
    python3 - "$work/pace.cpprof/manifest.json" "$(($1 - SECONDS - 4))" <<'PYTHON'
import json, sys
stop = json.load(open(sys.argv[1]))["stop"]
pace_s = stop["wall_ns"] / stop["processes"] / 1e9
print(max(1, min(36, int(float(sys.argv[2]) / (7 * pace_s)))), f"{pace_s:.3f}")
PYTHON
}

if [ -z "${COMPARISONS:-}" ]; then
    read -r COMPARISONS pace < <(comparisons_in "${SECONDS_MOST:-170}")
    if [ -z "${COMPARISONS:-}" ]; then
        cat "$work/pace.txt"
        expect "the pace of three processes" "unknown" "known"
        finish
        exit 1
    fi
    echo "$pace s a process: $COMPARISONS comparisons of each length"
fi
"$CPPROF" aa "${arms[@]}" --comparisons "$COMPARISONS" "${plants[@]}" -o "$pool" --force >"$work/pool.txt" 2>&1
expect "the pool: within the limits" "$?" 0
echo "recorded in $SECONDS s, $(du -sk "$pool" | cut -f 1) KiB"
expect_at_least "1280 KiB less its size" "$((1280 - $(du -sk "$pool" | cut -f 1)))" 0
sed -n '1,/How to read it/p' "$work/pool.txt"
tests/gpu/aa_claims.sh "$pool" >"$work/claims.txt"
expect "what it claims" "$?" 0
cat "$work/claims.txt"
expect "claims that so few comparisons cannot make" "$(grep -c '^NOT MET: ' "$work/claims.txt")" 0
echo "all in $SECONDS s"
finish
