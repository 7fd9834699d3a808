#!/usr/bin/env bash
# Does the inside of a kernel say which step pays, before the step is measured? One GPU, some three minutes.
# What it reads of the base of each step is kept in INTO before any step is compared: GPU-steps-predicted.tsv, then GPU-steps.txt.
#
#   tests/gpu/inside_steps.sh [INTO]      INTO: default examples/; the tables go to INTO/inside-truth/
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/inside-truth
mkdir -p "$into"
work=$(mktemp -d)
steps=$into/$(gpu_short_name)-steps
trap 'rm -rf "$work"' EXIT

cat >"$work/steps" <<'STEPS'
pipeline/sync pipeline/cpasync2
pipeline/cpasync2 pipeline/cpasync3
pipeline/cpasync3 pipeline/cpasync4
sdpa/stage1-sync sdpa/stage1
sdpa/stage2 sdpa/stage4
STEPS

# look NAME PHASE ARGUMENT...: the base of some steps from inside, and what a later begin of PHASE costs
look() {
    local name=$1 phase=$2 status=0
    shift 2
    "$CPPROF" run "$@" --inside --slack="$phase" --doses 100,200,400 --processes 4 --iters 10 \
        -o "$work/$name.cpprof" >"$work/$name.txt" 2>&1 || status=$?
    case $status in 0 | 1 | 3) ;; *) tail -n 3 "$work/$name.txt" ;; esac
    "$CPPROF" inside "$work/$name.cpprof" --format json >"$work/$name.inside"
    "$CPPROF" slack "$work/$name.cpprof" --format json >"$work/$name.slack"
    python3 -B tests/gpu/inside_steps.py predict "$work/steps" "$work/$name.inside" "$work/$name.slack" >>"$steps-predicted.tsv"
}

configs=(--set 'ctas_per_sm=1,4' --set 'work=64,128,512')
shapes=(--shape 'mission,long')
: >"$steps-predicted.tsv"
look plain compute pipeline/sync "${configs[@]}"
look rings refill pipeline/cpasync2 pipeline/cpasync3 "${configs[@]}"
look control compute sdpa/stage1-sync "${shapes[@]}"
look stage2 refill sdpa/stage2 "${shapes[@]}"

# compare BASE NEXT ARGUMENT...
compare() {
    local name=${2#*/}
    "$CPPROF" run "$2" --baseline "$1" "${@:3}" --processes 5 --iters 20 -o "$work/$name.cpprof" >"$work/$name.txt" 2>&1
    cp "$work/$name.cpprof/verdict.json" "$work/$name.compared"
}
while read -r base next; do
    case $base in
    pipeline/*) compare "$base" "$next" "${configs[@]}" ;;
    *) compare "$base" "$next" "${shapes[@]}" ;;
    esac
done <"$work/steps"
python3 -B tests/gpu/inside_steps.py judge "$steps-predicted.tsv" "$work"/*.compared | tee "$steps.txt"
judged() { sed -n "s/^$1 //p" "$steps.txt"; }
right=$(judged steps_right) wrong=$(judged steps_wrong)
expect "steps that were predicted and measured" "$((right + wrong + $(judged steps_open)))" 22
expect_at_least "steps whose sign was predicted" "$((right + wrong))" 12
expect_at_least "eleven of twelve of these signs are right" "$right" $(((11 * (right + wrong) + 11) / 12))
finish
