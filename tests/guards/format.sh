#!/usr/bin/env bash
# Is all C formatted as .clang-format says, by the version that this tree is formatted with?
# usage: format.sh TREE      exit 77: another clang-format, or none
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tree_files.sh"
cd "${1:?usage: format.sh TREE}"
version=14
formatter=
for name in "clang-format-$version" clang-format; do
    if [ -z "$formatter" ] && "$name" --version 2>/dev/null | grep "version $version\." >/dev/null; then formatter=$name; fi
done
[ -n "$formatter" ] || { echo "format: no clang-format $version (scripts/packages.sh --tests installs it)"; exit 77; }
mapfile -t sources < <(tree_files | grep -E '\.(c|h|cu|cuh)$')
[ ${#sources[@]} -gt 0 ] || { echo "format: no source files under '$1'" >&2; exit 1; }
"$formatter" --dry-run --Werror "${sources[@]}"
