#!/usr/bin/env bash
# Does each header compile alone, and twice, with the project's warnings?
# usage: headers.sh TREE CC [CXX]      CXX also checks the public headers as C++
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

count=0
while read -r header; do
    count=$((count + 1))
    alone "$cc" "$header" -xc -std=c17 -Wstrict-prototypes -Wvla
    if [ -n "$cxx" ] && [[ $header == include/* ]]; then
        alone "$cxx" "$header" -xc++ -std=c++17
    fi
done < <(tree_files | grep -E '^(include|core|analyzers|rules|reports|cli)/.*\.h$')
# Headers of kernels/ and collector/ need a CUDA toolkit; their own build compiles them.
[ "$count" -gt 0 ] || { echo "headers: none found under '$1'" >&2; exit 1; }
exit "$failed"
