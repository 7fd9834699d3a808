#!/usr/bin/env bash
# Does each header compile alone, and twice, with the project's warnings?
# usage: headers.sh TREE CC [CXX]      CXX also checks the public headers as C++
#
# A header with a guard that its own file includes first, with no definition before it, was compiled alone by the build:
# CPPROF_DEEP=1 compiles it again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tree_files.sh"
cd "${1:?usage: headers.sh TREE CC [CXX]}"
cc=${2:?usage: headers.sh TREE CC [CXX]}
cxx=${3:-}
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -I. -Iinclude)
failed=0

# alone COMPILER HEADER FLAGS...: the header twice, and one declaration so that the unit is not empty.
alone() {
    local compiler=$1 header=$2
    shift 2
    printf '#include "%s"\n#include "%s"\nextern int not_empty;\n' "$header" "$header" |
        "$compiler" "$@" "${warnings[@]}" - || { echo "$header: is not self-contained" >&2; failed=1; }
}

# Headers that X.c includes first, and headers that begin with a guard.
declare -A is_first is_guarded
if [ -z "${CPPROF_DEEP:-}" ]; then
    while read -r header; do is_first[$header]=1; done < <(tree_files | grep '\.c$' |
        xargs awk '/^#define/ { nextfile } /^#include/ { if ($2 == "\"" substr(FILENAME, 1, length(FILENAME) - 1) "h\"") print substr($2, 2, length($2) - 2); nextfile }')
    while read -r header; do is_guarded[$header]=1; done < <(tree_files | grep '\.h$' |
        xargs awk '/^#ifndef .*_H$/ { name = $2 } /^#define / { if (name != "" && $2 == name) print FILENAME; nextfile }')
fi

count=0
while read -r header; do
    count=$((count + 1))
    [ -n "${is_first[$header]:-}" ] && [ -n "${is_guarded[$header]:-}" ] ||
        alone "$cc" "$header" -xc -std=c17 -Wstrict-prototypes -Wvla
    if [ -n "$cxx" ] && [[ $header == include/* ]]; then
        alone "$cxx" "$header" -xc++ -std=c++17
    fi
done < <(tree_files | grep -E '^(include|core|analyzers|rules|reports|cli)/.*\.h$')
# Headers of kernels/ and collector/ need a CUDA toolkit; their own build compiles them.
[ "$count" -gt 0 ] || { echo "headers: none found under '$1'" >&2; exit 1; }
exit "$failed"
