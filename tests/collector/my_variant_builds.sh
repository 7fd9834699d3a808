#!/usr/bin/env bash
# Can a user's own variants be built against an installed cpprof, and does it know them then? Needs nvcc and no GPU.
# usage: my_variant_builds.sh BUILD CMAKE NVCC BINDIR EXAMPLE [KEEP]      KEEP: where the library is left
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: my_variant_builds.sh BUILD CMAKE NVCC BINDIR EXAMPLE [KEEP]}
cmake=$2 nvcc=$3 bindir=$4 example=$5 keep=${6:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/first" >"$work/log"
mv "$work/first" "$work/cpprof" # an installed tree can be moved
cp -r "$example" "$work/mine"
cd "$work/mine"
if ! "$cmake" -B build -DCMAKE_PREFIX_PATH="$work/cpprof" -DCMAKE_CUDA_COMPILER="$nvcc" >"$work/log" 2>&1 ||
    ! "$cmake" --build build >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
fi
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
unset CPPROF_RUNNER
"$work/cpprof/$bindir/cpprof" list --load ./libmine.so >"$work/listed"
for pattern in '^mine/naive  *a float per thread  *mission, small, one, tail$' '^mine/vectorised  *four floats per thread'; do
    if ! grep -qE "$pattern" "$work/listed"; then
        cat "$work/listed" >&2
        echo "the list does not say '$pattern'" >&2
        exit 1
    fi
done
"$work/cpprof/$bindir/cpprof" list --load ./libmine.so mine/vectorised | grep -F 'beside its baseline: instructions down; dram_read flat 3%'
[ -z "$keep" ] || cp libmine.so "$keep"
