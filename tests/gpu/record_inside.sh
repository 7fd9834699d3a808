#!/usr/bin/env bash
# What happens inside our kernels: is the copying hidden, how long is each phase, and what may come later for free?
# Records examples/h200-inside/. One GPU, half a minute.
#
#   tests/gpu/record_inside.sh [INTO]      INTO: default examples/
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}/h200-inside
mkdir -p "$into"

# record NAME ARGUMENT...
record() {
    local name=$1
    shift
    "$CPPROF" run "$@" -o "$into/$name.cpprof" --force >/dev/null 2>&1
    expect "$name: exit status" "$?" 0
    "$CPPROF" inside "$into/$name.cpprof" | head -n 4
    [ ! -f "examples/h200-inside/inside-$name.md" ] || "$CPPROF" inside "$into/$name.cpprof" -o "$into/inside-$name.md" --force
}

record one-cta pipeline/sync pipeline/cpasync2 pipeline/cpasync4 --inside --processes 5 --iters 40
record eight-ctas pipeline/sync pipeline/cpasync2 pipeline/cpasync4 --set ctas_per_sm=8 --inside --processes 5 --iters 40
record warpspec sdpa/warpspec --shape long --slack --processes 5 --iters 20
record wgmma sdpa/wgmma --shape long --slack --doses 50,100,200,400,800,1600 --processes 7 --iters 20
for name in warpspec wgmma; do
    "$CPPROF" slack "$into/$name.cpprof" | sed -n '/^- /p'
done
finish
