#!/usr/bin/env bash
# Does a kernel take as long as a solution of a task as it takes as a variant? Prints a table of kernels of three families,
# timed both ways, and checks that solutions pass and that both did work of the same size. One GPU of compute capability
# 9.0, under three minutes.
#
#   tests/gpu/families.sh [INTO]    keeps the bundles; a second call runs what INTO does not have (default: a folder that
#                                   is removed)
#   CPPROF=... FAMILIES=FOLDER      another cpprof, and where the libraries of tests/gpu/families/ are for it
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
libraries=$(realpath -e "${FAMILIES:-$test_programs/families}" 2>/dev/null) || skip "no families: install with -DCPPROF_INSTALL_TESTS=ON"
setting() { sed -n "s/.*$1 = \([0-9]*\).*/\1/p" tests/gpu/families/setting.h; }
into=${1:-}
[ -n "$into" ] || { into=$(mktemp -d) && trap 'rm -rf "$into"' EXIT; }
mkdir -p "$into"
into=$(realpath "$into")

# record NAME ARGUMENT...: a bundle, and the exit status in NAME.status once it is whole; nothing where that is there
record() {
    local name=$1 status=0
    shift
    [ ! -e "$into/$name.status" ] || return 0
    timeout 100 "$cpprof" run "$@" --processes 3 --iters 24 --cache both --method graphs -o "$into/$name.cpprof" --force \
        >"$into/$name.out" 2>&1 || status=$?
    if [[ $status = [03] ]] && [ -e "$into/$name.cpprof/manifest.json" ]; then
        echo "$status" >"$into/$name.status"
    else
        expect_match "$name: exit status" "$status" '^[03]$'
        tail -n 6 "$into/$name.out" | cut -c 1-300
    fi
}

# family NAME BASELINE SOLUTION SHAPES [ARGUMENT...]: as variants and as solutions; ARGUMENTs are for variants alone
family() {
    local name=$1 base=$2 other=$3 variants=() shapes=() shape
    for shape in $4; do
        shapes+=(--shape "$shape")
    done
    shift 4
    for variant in "$base" "$other"; do
        [ "$variant" = serial ] || variants+=("$name/$variant") # no variant does that
    done
    record "$name-variants" "${variants[@]}" --baseline "${variants[0]}" --metrics none "${shapes[@]}" "$@"
    record "$name-task" --task "$libraries/${name}_task.so" --solution "$base=$libraries/solve_${name}_$base.so" \
        --solution "$other=$libraries/solve_${name}_$other.so" --baseline "$base" "${shapes[@]}"
}

family sdpa baseline wgmma "B=1,H=8,S=256 B=1,H=48,S=256"
family pipeline sync cpasync3 "n=262144 n=1048576" --set "work=$(setting PIPELINE_WORK)" --set "ctas_per_sm=$(setting PIPELINE_CTAS_PER_SM)"
family streams serial three "n=65536 n=327680" --set "work=$(setting STREAMS_WORK)"

for name in sdpa pipeline streams; do
    said=$(python3 tests/gpu/families_table.py "$cpprof" "$into/$name-variants.cpprof" "$into/$name-task.cpprof" 2>&1)
    expect "$name: solutions that pass, two at two shapes in two states" "$(grep -c '^passed' <<<"$said")" 8
    expect "$name: of those, timed at the size of variants" "$(grep -c '^same size' <<<"$said")" 8
    grep -E '^(not passed|other size)|Error' <<<"$said"
    grep '^row' <<<"$said" | cut -d ' ' -f 2- >"$into/$name.rows"
done
{
    echo "family kernel as_variant as_solution shape variant_ns solution_ns ratio"
    cat "$into"/{sdpa,pipeline,streams}.rows
} | awk '{printf "%-9s %-9s %-11s %-12s %-14s %11s %11s %s\n", $1, $2, $3, $4, $5, $6, $7, $8}' | tee "$into/table.txt"
finish
