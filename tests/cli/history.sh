#!/usr/bin/env bash
# Does `cpprof history` find a planted change of 2% where it is, and nothing in noise alone? Times have the noise of the
# recorded pool. CPPROF_DEEP=1: 20 stores of noise and 20 with a step, else a few of each.
# usage: history.sh CPPROF MAKE_BUNDLES TREE
set -euo pipefail
cpprof=$(realpath "${1:?usage: history.sh CPPROF MAKE_BUNDLES TREE}")
make_bundles=$(realpath "$2")
pool=$(realpath "$3")/examples/aa/pool.cpprof
stores=2
if [ -n "${CPPROF_DEEP:-}" ]; then stores=20; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

# references STORE SEED COUNT STEP: bundles 1 to COUNT under NAME main, from STEP on 2% slower; each has its own commit
references() {
    mkdir -p "$1/main"
    for i in $(seq "$3"); do
        factor=1
        if [ "$i" -ge "$4" ]; then factor=1.02; fi
        "$make_bundles" drawn "$1/main/$(printf %06d "$i").cpprof" "$pool" $(($2 * 1000 + i)) "$factor" 1 "c$i" \
            $((1767225600 + 86400 * i))
    done
}

changes() { "$cpprof" history main --store "$1" --format json | tr -d ' \n' | grep -o '"before":[0-9]*,"after":[0-9]*' || true; }

noise=0
for store in $(seq "$stores"); do
    references "noise$store" "$store" 12 99
    if [ -n "$(changes "noise$store")" ]; then noise=$((noise + 1)); fi
done
echo "$noise of $stores stores of noise have a change"
if [ "$noise" -gt $((stores / 20)) ]; then failed=1; fi

found=0
for store in $(seq "$stores"); do
    step=$((4 + store % 7)) # 4 to 10: three references on each side at least
    references "step$store" $((100 + store)) 12 "$step"
    if [ "$(changes "step$store")" = "\"before\":$((step - 1)),\"after\":$step" ]; then found=$((found + 1)); fi
done
echo "$found of $stores steps of 2% are found where they are"
if [ "$found" -lt "$stores" ]; then failed=1; fi

# Of 7 references, nothing is decided, however large the step is.
references few 200 7 4
"$cpprof" history main --store few >few.txt
grep -q '^main: 7 references of 1 arm: 1 not decided$' few.txt || { cat few.txt; failed=1; }

# References of another GPU are at a level of their own: 6 and 6 are not 12.
references moved 300 12 99
for i in 000007 000008 000009 000010 000011 000012; do
    sed -i 's/NVIDIA H200/NVIDIA L4/; s/GPU-1/GPU-2/' "moved/main/$i.cpprof/manifest.json"
done
"$cpprof" history main --store moved >moved.txt 2>&1 || true
grep -q '^main: 12 references of 1 arm: 1 not decided$' moved.txt || { cat moved.txt; failed=1; }
exit $failed
