#!/usr/bin/env bash
# Can a kernel that Triton compiled, a cubin and a plain C function be solutions, as JSON files describe them, and are
# wrong ones refused? One GPU with PyTorch and Triton, half a minute. INTO keeps the bundles (default: a folder that is
# removed).
#
#   tests/gpu/described_solutions.sh [INTO]
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
cpprof=$(realpath "$CPPROF")
libraries=$(realpath "$test_programs/cheats" 2>/dev/null) || skip "no solutions: install with -DCPPROF_INSTALL_TESTS=ON"
compile=$PWD/tests/gpu/described/compile_softmax.py
into=${1:-}
[ -n "$into" ] || { into=$(mktemp -d) && trap 'rm -rf "$into"' EXIT; }
mkdir -p "$into"
cd "$into" || exit 2
cp "$libraries/softmax_function.so" .

TRITON_CACHE_DIR=$PWD/cache python3 "$compile" >triton.out 2>&1 || { tail -n 3 triton.out && skip "Triton compiles no kernel here"; }
cat triton.out
cp cache/*/softmax_triton.json cache/*/softmax_triton.cubin .

cat >function.json <<'END'
{"library": "softmax_function.so", "function": "softmax_function", "arguments": ["in", "out", "rows", {"i32": "columns"}, "stream"]}
END
cat >triton.json <<'END'
{"triton": "softmax_triton.json", "grid": ["rows"], "arguments": ["in", "out", {"i32": "columns"}]}
END
python3 - <<'END'
import json
said = json.load(open("softmax_triton.json"))
scratch = [None for key in ("global_scratch_size", "profile_scratch_size") if key in said]
whole = {"image": "softmax_triton.cubin", "kernel": said["name"], "grid": ["rows"], "block": [32 * said["num_warps"]],
         "shared": said["shared"], "arguments": ["in", "out", {"i32": "columns"}] + scratch}
json.dump(whole, open("cubin.json", "w"))
json.dump(dict(whole, grid=[{"ceil": ["rows", 2]}]), open("half.json", "w"))
json.dump(dict(whole, arguments=["in", "out"]), open("few.json", "w"))
END

# run NAME SOLUTION...: its exit status in $status
run() {
    local name=$1 solution arguments=()
    shift
    for solution in "$@"; do
        arguments+=(--solution "$solution=./$solution.json")
    done
    status=0
    "$cpprof" run --task "$libraries/libtask_softmax.so" --solution "base=$libraries/softmax_naive.so" "${arguments[@]}" \
        --baseline base --processes 3 --iters 40 -o "$name.cpprof" --force >"$name.out" 2>&1 || status=$?
}
rows() {
    python3 -c 'import json, sys
for row in json.load(open(sys.argv[1]))["solutions"]:
    print(row["solution"], row["status"], row["verdict"], "%.2fx" % row["speedup"] if row["speedup"] else "")' "$1.cpprof/verdict.json" 2>&1
}

run honest triton cubin function
rows honest
expect "solutions that pass" "$(rows honest | grep -c ' pass ')" 4
[ "$(rows honest | grep -c ' pass ')" = 4 ] || tail -n 15 honest.out | cut -c 1-300
run wrong half
rows wrong
expect "half of the rows: exit status" "$status" 1
expect "half of the rows: it fails" "$(rows wrong | grep -c '^[a-z/]*half fail ')" 1
sed 's/softmax_triton.cubin/none.cubin/' cubin.json >absent.json
run absent absent
expect_match "no such cubin: exit status" "$status" '^[34]$'
expect_match "no such cubin: why" "$(cat absent.out)" 'none.cubin: the driver cannot load the image'
run few few
expect_match "too few arguments: exit status" "$status" '^[34]$'
expect_match "too few arguments: why (from CUDA 12.4 on)" "$(cat few.out)" 'the kernel takes more than the 2 arguments'
finish
