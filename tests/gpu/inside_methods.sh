#!/usr/bin/env bash
# What do all methods say of the inside of each stage of `pipeline` at 1, 4 and 8 blocks an SM, and of the attention ladder?
# One GPU, three minutes. A part that is in OUT is not run again.
#
#   tests/gpu/inside_methods.sh [INTO]      INTO: default examples/; the table goes to INTO/inside-truth/GPU-methods.txt
#   OUT=FOLDER                              keeps what each part said
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/inside-truth
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=${OUT:-$work}
mkdir -p "$into" "$out"
table=$into/$(gpu_short_name)-methods.txt

# look PART ARGUMENT...: runs, and leaves PART.inside and PART.slack
look() {
    local part=$1 status=0
    shift
    if [ -s "$out/$part.slack" ]; then
        echo "$part: was read before"
        return
    fi
    "$CPPROF" run "$@" --inside --slack --doses 100,200,400,800 --processes 4 --iters 10 -o "$work/$part.cpprof" \
        >"$out/$part.txt" 2>&1 || status=$?
    case $status in 0 | 1 | 3) ;; *) echo "$part: cpprof run ends with $status" && tail -n 3 "$out/$part.txt" ;; esac
    "$CPPROF" inside "$work/$part.cpprof" --format json >"$out/$part.inside"
    status=0
    "$CPPROF" slack "$work/$part.cpprof" --format json >"$work/slack" || status=$?
    case $status in 0 | 3) mv "$work/slack" "$out/$part.slack" ;; esac # 3: a slack of them is inconclusive
}

for ctas in 1 4 8; do
    look "pipeline-$ctas" pipeline/sync pipeline/cpasync2 pipeline/cpasync3 pipeline/cpasync4 --set "ctas_per_sm=$ctas"
done
look ladder sdpa/stage1-sync sdpa/stage1 sdpa/stage2 sdpa/stage4 sdpa/stage3b sdpa/swizzle sdpa/exp2poly sdpa/explut \
    sdpa/ex2approx sdpa/warpspec sdpa/wgmma --shape long
python3 -B tests/gpu/inside_methods.py "$out"/*.inside "$out"/*.slack | tee "$table"
said() { sed -n "s/^$1 //p" "$table"; }
expect "kernels that are read" "$(said methods_kernels)" 23
expect_at_least "of which the record build is ok" "$(said methods_ok)" 18
expect "slacks are there" "$([ "$(said methods_slacks)" -gt 60 ] && echo yes)" yes
finish
