#!/usr/bin/env bash
# Does an installed tree still work after it was moved, and can others compile against it?
# usage: install_tree.sh BUILD CMAKE CC BINDIR LIBDIR [MB]      exit 77: skipped, pkg-config is missing
#
# MB: the most that the tree may take without its examples.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: install_tree.sh BUILD CMAKE CC BINDIR LIBDIR [MB]}
cmake=$2 cc=$3 bindir=$4 libdir=$5
command -v pkg-config >/dev/null || { echo "skipped: no pkg-config"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/moved"
tree=$work/moved

if grep -rIlF "$work/first" "$tree"; then
    echo "install: the files above name the prefix that they were installed to" >&2
    exit 1
fi

size=$(du -sm --exclude examples "$tree" | cut -f 1)
if [ "$size" -gt "${6:-$size}" ]; then
    echo "install: the tree has $size MB without its examples, expected at most $6" >&2
    exit 1
fi

echo "debug information is a component of its own"
"$cmake" --install "$build" --prefix "$work/debug" --component debug >>"$work/install.log"
id=$(LC_ALL=C readelf -n "$tree/$bindir/cpprof" | sed -n 's/^ *Build ID: //p')
[ -s "$work/debug/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ] || { echo "install: no debug information for build id $id" >&2; exit 1; }
! readelf -S "$tree/$bindir/cpprof" | grep '[.]debug_info' >/dev/null || { echo "install: cpprof is not stripped" >&2; exit 1; }

echo "the program, from another folder and with an empty environment"
(cd / && env -i "$tree/$bindir/cpprof" version)

echo "a C file through pkg-config"
flags=$(PKG_CONFIG_PATH=$tree/$libdir/pkgconfig pkg-config --cflags cpprof)
# shellcheck disable=SC2086  # the flags are words
"$cc" -std=c17 -Wall -Wextra -Werror $flags -o "$work/consumer" "$here/consumer/consumer.c"
"$work/consumer"

# an example that the tree lacks, or a GPU, is nothing to test gates on
verdicts=$(cd "$here/../../examples/verdicts" 2>/dev/null && pwd) || verdicts=
no_gpu=ON
if [ -e /dev/nvidiactl ]; then no_gpu=OFF; fi

echo "a CMake project through find_package"
"$cmake" -S "$here/consumer" -B "$work/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$tree" -DVERDICTS="$verdicts" \
    -DNO_GPU="$no_gpu" >"$work/configure.log" || { cat "$work/configure.log" >&2; exit 1; }
"$cmake" --build "$work/build" >"$work/build.log" || { cat "$work/build.log" >&2; exit 1; }
"$work/build/consumer"

[ -n "$verdicts" ] || exit 0
echo "its gates, each named by what it must do"
"${cmake%cmake}ctest" --test-dir "$work/build" >"$work/gates.log" && { echo "no gate failed" >&2; exit 1; }
sed -nE 's/.* Test +#[0-9]+: ([a-z]+)\.([a-z_]+) [ .*]*(Pass|Fail|Skip).*/\1 \L\3 \2/p' "$work/gates.log" >"$work/gates"
gates=$(wc -l <"$work/gates")
if [ "$gates" -lt 10 ] || awk '$1 != $2 { bad = 1 } END { exit !bad }' "$work/gates"; then
    cat "$work/gates.log" >&2
    exit 1
fi
