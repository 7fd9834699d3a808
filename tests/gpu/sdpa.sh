#!/usr/bin/env bash
# Is each rung of the attention ladder right, is it what it says, and what does it gain? Records
# the ladder and the two pairs that differ in their prefetching alone; under a minute on an H200.
#
#   tests/gpu/sdpa.sh [INTO]     INTO: default examples/; the bundles go to INTO/sdpa/
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/sdpa
mkdir -p "$into"
said=$(mktemp)
trap 'rm -f "$said" "$said".*' EXIT

# What passed is only counted, what failed is told first, at the end.
quiet() { "$@" >>"$said"; }

# record NAME ARGUMENT...
record() {
    local name=$1 status=0
    shift
    "$CPPROF" run "$@" -o "$into/$name.cpprof" --force >"$said.run" 2>&1 || status=$?
    quiet expect "$name: exit status of run" "$status" 0
    [ "$status" = 0 ] || head -n 6 "$said.run" | cut -c 1-200 | sed 's/^/    /' >>"$said"
}

# facts NAME QUESTION [VARIANT]: what a bundle of ours says, for a person or for expect
facts() { python3 tests/gpu/sdpa_facts.py "$into/$1.cpprof" "${@:2}" 2>&1; }

record ladder 'sdpa/*' --baseline sdpa/baseline --shape small,mission,long --iters 40 --processes 3
record stage1 sdpa/stage1 --baseline sdpa/stage1-sync --shape small,mission,long
record stage4 sdpa/stage4 --baseline sdpa/stage2 --shape small,mission,long

variants=$("$CPPROF" list 2>/dev/null | grep -oE '\bsdpa/[a-z0-9-]+' | sort -u | wc -l)
quiet expect "variants in the ladder, run or refused" "$(facts ladder variants)" "$variants"
quiet expect "verifications that failed" "$(facts ladder wrong)" 0
quiet expect_at_least "verifications: variants x 9 shapes x 4 seeds" "$(facts ladder verified)" "$(($(facts ladder ran) * 36))"
for pair in stage1 stage4; do
    quiet expect "$pair: the bits of its control at every shape and seed" "$(facts "$pair" bits "sdpa/$pair")" all
done
grep -v '^recorded(cpprof.commit)' examples/gates/ladder.rules >"$said.rules" # a tree with changes names no source
status=0
"$CPPROF" check --rules "$said.rules" "$into/ladder.cpprof" >"$said.gates" 2>&1 || status=$?
quiet expect "registers, shared memory, spills, occupancy and errors are within the gates" "$status" 0
[ "$status" = 0 ] || grep -iE 'fail|inconclusive|error' "$said.gates" | head -n 8 | cut -c 1-160 | sed 's/^/    /' >>"$said"
conflicts=$(python3 tests/gpu/sdpa_banks.py "$into/ladder.cpprof" 2>&1)
quiet expect_match "bank conflicts are those that the layouts predict" "$(echo "$conflicts" | tail -n 1)" '^([1-9][0-9]*) of \1$'
echo "$conflicts" | head -n -1 | head -n 8 | sed 's/^/    /' >>"$said"
for shape in small mission long; do
    quiet expect "$shape: the baseline is slowest by more than 3x" "$(facts ladder slowest "$shape")" yes
done

grep -A 8 '^FAILED' "$said" | grep -vE '^(ok:|--)' | head -n 24
echo "-- largest error and seeds right, of each shape"
facts ladder errors | head -n 15
echo "-- median time (us), speedup with its interval, verdict"
facts ladder ladder | head -n 15
"$CPPROF" check --assert 'gain(B) >= 10%' "$into/ladder.cpprof" 2>/dev/null | head -n 1 # as it turns out
echo "-- prefetching, each against its control"
for pair in stage1 stage4; do facts "$pair" pair; done
finish
