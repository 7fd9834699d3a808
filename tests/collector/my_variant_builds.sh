#!/usr/bin/env bash
# Can a user's own task, solutions and variants be built against an installed cpprof, and does it know them then? Needs nvcc
# and no GPU.
# usage: my_variant_builds.sh BUILD CMAKE NVCC BINDIR EXAMPLES [KEEP]      KEEP: where the library of variants is left
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: my_variant_builds.sh BUILD CMAKE NVCC BINDIR EXAMPLES [KEEP]}
cmake=$2 nvcc=$3 bindir=$4 examples=$5 keep=${6:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/first" >"$work/log"
mv "$work/first" "$work/cpprof" # an installed tree can be moved
cpprof=$work/cpprof/$bindir/cpprof
unset CPPROF_RUNNER

# built FOLDER: with cmake, as its README says
built() {
    if ! "$cmake" -S "$1" -B "$1/build" -DCMAKE_PREFIX_PATH="$work/cpprof" -DCMAKE_CUDA_COMPILER="$nvcc" >"$work/log" 2>&1 ||
        ! "$cmake" --build "$1/build" >"$work/log" 2>&1; then
        cat "$work/log" >&2
        exit 1
    fi
}

# fail WORDS...
fail() {
    echo "$*" >&2
    exit 1
}

# What `cpprof init` writes is the example, but for the second solution.
cd "$work"
"$cpprof" init my-variant >said
grep -q 'ctest --test-dir my-variant/build -V' said
grep -q -- "-DCMAKE_PREFIX_PATH=$(realpath "$work/cpprof") " said || fail "init does not say where cpprof is installed"
for file in task.c naive.cu CMakeLists.txt; do
    sed 's/(solution naive vectorised)/(solution naive)/' "$examples/my-variant/$file" | diff - my-variant/$file
done
[ "$(wc -l <my-variant/task.c)" -le 40 ] || fail "task.c has more than the 40 lines that are promised"
kernel=$(sed -n '/__global__/,/^}/p' my-variant/naive.cu | wc -l)
rest=$(grep -cv '^$' my-variant/naive.cu)
[ $((rest - kernel)) -le 10 ] || fail "naive.cu has $((rest - kernel)) lines beside its kernel: ten are promised"
status=0
"$cpprof" init my-variant 2>said || status=$?
[ $status = 2 ] || fail "init ends with $status where files are in the way"
grep -q "'my-variant/task.c' exists already" said
cp "$examples/my-variant/"* my-variant/
built my-variant
"$cpprof" list --load my-variant/build/libtask.so --load naive=my-variant/build/libnaive.so \
    --load vectorised=my-variant/build/libvectorised.so >listed
for name in naive vectorised; do
    grep -qE "^my-variant/$name  *out = 1.5 in  *large, small, one, tail\$" listed || { cat listed >&2; fail "the list lacks '$name'"; }
done
(cd my-variant/build && "$(dirname "$(command -v "$cmake")")/ctest" -N) >listed
grep -q 'Test #1: gate$' listed || { cat listed >&2; fail "the gate is no test"; }

# A function of a Python file, whose framework is played: the installed cpprof starts Python with what is installed.
cp -r "$examples/python-softmax" softmax
built softmax
# A sanitizer must come first into a process, and Python does not bring it.
runner=$(find "$work/cpprof" -name cpprof-runner-python.so)
if command -v python3 >/dev/null && ! grep -qF libasan "$runner" && ! grep -qF libtsan "$runner"; then
    PYTHONPATH=$here/python/frameworks "$cpprof" list --task softmax/build/libtask.so --solution naive=softmax/build/libnaive.so \
        --solution torch=softmax/softmax_torch.py:softmax >listed
    grep -qE '^softmax/torch  *softmax_torch.py:softmax \(PyTorch 9.9\) ' listed || { cat listed >&2; fail "the list lacks the function"; }
fi

cp -r "$examples/marked-variant" "$work/mine"
built mine
cd mine
lines=$(grep -c . CMakeLists.txt)
if [ "$lines" -gt 10 ]; then
    echo "CMakeLists.txt of the example has $lines lines: ten are promised" >&2
    exit 1
fi

# The builds with marks, by the commands of the README.
ln -s "$work/cpprof" dist
sed -n '/^## What happens inside/,$s/^    //p' README.md >commands
(PATH=$(dirname "$nvcc"):$PATH && bash -eux commands) >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
if command -v python3 >/dev/null; then python3 -B "$here/../guards/inside_libraries.py" build; fi

cd build
"$cpprof" list --load ./libmine.so >"$work/listed"
for pattern in '^mine/naive  *a float per thread  *mission, small, one, tail$' '^mine/vectorised  *four floats per thread'; do
    if ! grep -qE "$pattern" "$work/listed"; then
        cat "$work/listed" >&2
        echo "the list does not say '$pattern'" >&2
        exit 1
    fi
done
"$cpprof" list --load ./libmine.so mine/vectorised | grep -F 'beside its baseline: instructions down; dram_read flat 3%'
[ -z "$keep" ] || cp libmine.so "$keep"
