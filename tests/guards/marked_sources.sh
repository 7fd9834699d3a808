# Sourced by the guards of cpprof/record.cuh: the compiler, and which sources have marks?
# shellcheck shell=bash

# find_nvcc GUARD [NVCC]      sets nvcc; without nvcc or python3 the guard is skipped (exit 77)
find_nvcc() {
    nvcc=$(command -v "${2:-nvcc}" || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" || true)
    [ -n "$nvcc" ] && command -v python3 >/dev/null || { echo "$1: no nvcc and python3 here" >&2; exit 77; }
}

# marked_sources      files of kernels/ and examples/ that include the header, one a line; needs tree_files
marked_sources() {
    tree_files | grep -E '^(kernels|examples)/.*[.](cu|cuh|h)$' |
        xargs -r -d '\n' grep -lE '^[ \t]*#[ \t]*include[ \t]*["<]cpprof/record[.]cuh[">]'
}

# those_of_today FILE...      the shortest .cu of each folder, one a line; with CPPROF_DEEP=1 (tests/deep.sh) all of them
those_of_today() {
    printf '%s\n' "$@" | grep '[.]cu$' | while read -r file; do
        printf '%s %s %s\n' "$(dirname "$file")" "$(wc -l <"$file")" "$file"
    done | sort -k1,1 -k2,2n | awk -v all="${CPPROF_DEEP:-}" 'all || !seen[$1]++ { print $3 }'
}

# sources_of_marked_headers      .cu files without marks of their own that include a header with marks
sources_of_marked_headers() {
    local headers
    headers=$(marked_sources | grep -v '[.]cu$' | sed 's/[.]/[.]/g' | paste -sd '|')
    [ -n "$headers" ] || return 0
    tree_files | grep -E '^(kernels|examples)/.*[.]cu$' | xargs -r -d '\n' grep -lE "^[ \t]*#[ \t]*include[ \t]*\"($headers)\"" |
        grep -vxFf <(marked_sources)
}
