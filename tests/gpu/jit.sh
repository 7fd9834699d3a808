#!/usr/bin/env bash
# Does a build without machine code for this GPU run by JIT? The driver makes the code from PTX: it must be right, found
# by its kernels' names and hashed, the report must say who made it, and what PTX of 8.0 lacks must be refused in words.
# A minute on one GPU of compute capability 9.0 or newer.
#
# Needs a second installed tree, without code for this GPU, in dist-jit/ (JIT_CPPROF names another one's cpprof):
#   cmake --preset release -B build/jit -DCPPROF_CUDA_CODE="80;ptx" -DCPPROF_GPU_PROGRAMS=OFF -DCPPROF_BENCH=OFF -DBUILD_TESTING=OFF
#   cmake --build build/jit && cmake --install build/jit --prefix dist-jit
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
machine=$(realpath "$CPPROF")
CPPROF=$machine # for the functions of lib.sh, in another folder
jit=$(realpath "${JIT_CPPROF:-dist-jit/bin/cpprof}" 2>/dev/null)
[ -x "$jit" ] || skip "no second tree: see $0"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export CUDA_CACHE_PATH=$work/cache

# record CPPROF BUNDLE VARIANT...: the first one is the baseline. Returns cpprof's exit status.
record() {
    local cpprof=$1 bundle=$2
    shift 2
    "$cpprof" run "$@" --baseline "$1" --processes 3 -o "$bundle" >"$bundle.out" 2>&1
}

# code_of BUNDLE: "source made_by_jit" of its kernels
code_of() {
    python3 -c 'import json, sys
code = json.load(open(sys.argv[1] + "/manifest.json"))["cuda"].get("code", {})
print(code.get("source"), code.get("made_by_jit"))' "$1" 2>&1 | tail -n 1
}

# cells BUNDLE TABLE COLUMN...: these cells of its rows
cells() {
    python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1] + "/" + sys.argv[2] + ".csv")):
    print(" ".join(row[name] for name in sys.argv[3:]))' "$@" | sort -u
}

# look_at BUNDLE STATUS: verified, and the kernels that were meant
look_at() {
    local checked
    checked=$(screen "$1" | grep -m 1 'Checked:')
    case $2 in 0 | 1 | 3) ;; *) tail -n 5 "$1.out" ;; esac
    expect_match "$1: selection" "$checked" 'pass, ([0-9]+) of \1 ran'
    expect_match "$1: correctness" "$checked" '; ([0-9]+) of \1 results are right'
    expect "$1: kernels without a hash of their code" "$(cells "$1" resources code_hash | grep -cvE '^[0-9a-f]{16}$')" 0
}

start=$SECONDS
for family in 'pipeline/sync pipeline/cpasync3' 'sdpa/baseline sdpa/stage2 sdpa/stage3b' 'truth/tensor-mma truth/dram-stream'; do
    read -ra variants <<<"$family"
    name=${family%%/*}
    status=0
    record "$jit" "jit-$name.cpprof" "${variants[@]}" || status=$?
    look_at "jit-$name.cpprof" $status
    expect "jit-$name.cpprof: compiled for, made by JIT" "$(code_of "jit-$name.cpprof")" '80 True'
    expect_match "jit-$name.cpprof: the report says who made the code" "$(everything "jit-$name.cpprof")" \
        "the driver made the code of cpprof's kernels, from PTX for 8\\.0"
done
echo "three runs by JIT: $((SECONDS - start)) s"

# The same kernels from the first tree: not made by the driver.
status=0
record "$machine" machine.cpprof pipeline/sync pipeline/cpasync3 || status=$?
look_at machine.cpprof $status
expect_match "machine.cpprof: compiled for, made by JIT" "$(code_of machine.cpprof)" '^(9|1[0-9])[0-9] False$'
echo "same machine code as nvcc's, where driver and toolkit are of one version: $(comm -12 <(cells machine.cpprof resources code_hash) \
    <(cells jit-pipeline.cpprof resources code_hash) | wc -l) of $(cells machine.cpprof resources code_hash | wc -l) kernels"
expect "kernels have the same names" "$(cells machine.cpprof resources variant kernel)" \
    "$(cells jit-pipeline.cpprof resources variant kernel)"

# What PTX of 8.0 lacks: refused, whatever the chip has.
for pair in 'sdpa/baseline sdpa/wgmma' 'sdpa/baseline sdpa/splitkeys' 'truth/tensor-mma truth/tensor-wgmma' \
    'streams/one streams/pdl'; do
    read -r baseline lacking <<<"$pair"
    record "$jit" "lacks-${lacking##*/}.cpprof" "$baseline" "$lacking"
    expect_match "$lacking is refused" "$(cells "lacks-${lacking##*/}.cpprof" variants variant status | grep "^$lacking ")" \
        'not runnable: needs .*(CPPROF_CUDA_CODE; this device runs code compiled for 8\.0|which compute capability)'
done

finish
