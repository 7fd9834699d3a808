#!/usr/bin/env bash
# Do the marks of cpprof/record.cuh leave no trace in a kernel when they are off?
# usage: marks_off.sh TREE [NVCC]
#
# Each .cu in kernels/ and examples/ that includes the header, or a header that has marks, is compiled as it is and without
# its marks: the machine code must be the same bytes, of sm_90a. Daily one of each folder is; with CPPROF_DEEP=1
# (tests/deep.sh) all are, and of sm_80, too.
# Headers with marks lose them too. Without nvcc or python3 nothing is compared (exit 77).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tree_files.sh"
. "$here/marked_sources.sh"
cd "${1:?usage: marks_off.sh TREE [NVCC]}"
nvcc=
find_nvcc marks_off "${2:-}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mapfile -t marked < <(marked_sources; sources_of_marked_headers)
for file in "${marked[@]}"; do
    mkdir -p "$work/$(dirname "$file")"
    python3 -B "$here/marks_off.py" strip "$file" "$work/$file"
done

count=0 failed=0
mapfile -t sources < <(those_of_today "${marked[@]}")
for file in ${sources[@]:+"${sources[@]}"}; do
    count=$((count + 1))
    for code in ${CPPROF_DEEP:+80} 90a; do
        flags=(-std=c++17 -O3 "-gencode=arch=compute_$code,code=sm_$code" -cubin)
        "$nvcc" "${flags[@]}" -I. -Iinclude -o "$work/with.cubin" "$file"
        "$nvcc" "${flags[@]}" -I"$work" -I. -Iinclude -o "$work/without.cubin" "$work/$file"
        differ=$(python3 -B "$here/marks_off.py" same "$work/with.cubin" "$work/without.cubin") ||
            { printf '%s: marks that are off change the code for sm_%s: %s\n' "$file" "$code" "$differ" >&2; failed=1; }
    done
done
[ "$count" -gt 0 ] || { echo 'marks_off: no kernel includes cpprof/record.cuh' >&2; exit 1; }
exit "$failed"
