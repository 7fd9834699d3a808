#!/usr/bin/env bash
# Do kernels with marks compile in each build that cpprof/record.cuh has, and does each build do what it is for?
# usage: record_builds.sh TREE [NVCC]      without nvcc or python3 nothing is compiled (exit 77)
#
# Daily one of each folder is compiled, and for the older architecture the guard's own kernel alone. CPPROF_DEEP=1
# (tests/deep.sh) compiles all for both, and a second mark that waits.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tree_files.sh"
. "$here/marked_sources.sh"
cd "${1:?usage: record_builds.sh TREE [NVCC]}"
nvcc=
find_nvcc record_builds "${2:-}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
code=

complain() {
    printf 'record_builds: %s%s\n' "$1" "${code:+ (sm_$code)}" >&2
    failed=1
}

build() { # SOURCE OUTPUT FLAGS...      what ptxas says is in $work/log
    "$nvcc" -std=c++17 -O3 -I. -Iinclude "-gencode=arch=compute_$code,code=sm_$code" -Xcompiler=-fPIC,-Wall,-Werror \
        -Werror=all-warnings -Xptxas=-v -o "$2" "${@:3}" "$1" >"$work/log" 2>&1 ||
        { complain "$1 does not compile with ${*:3}: $(grep -m1 error "$work/log")"; return 1; }
}

text_differs() { # A B PATTERN      whether the machine code of kernels of that name differs
    { python3 -B "$here/marks_off.py" text "$1" "$2" || true; } | grep "$3" >/dev/null
}

# stores_of_marks SOURCE PTX      has the kernel `plain` of a progress build one store for each of its marks, and no fence or atomic?
stores=
stores_of_marks() {
    build "$1" "$2" -ptx -DCPPROF_INSIDE=4 || return 1
    sed -n '/entry plain(/,/^}/p' "$2" >"$2.plain"
    stores="$(grep -c 'st.relaxed.sys.global.u32' "$2.plain" || true) stores, $(grep -cE '[[:space:]](membar|fence|atom|red)[.]' "$2.plain" || true) fences and atomics"
    [ "$stores" = '3 stores, 0 fences and atomics' ]
}

own=tests/guards/marked_kernel.cu
mapfile -t marked < <(marked_sources)
mapfile -t marked < <(those_of_today "${marked[@]}")
for code in 80 90a; do
    files=("$own")
    if [ "$code" = 90a ] || [ -n "${CPPROF_DEEP:-}" ]; then files+=("${marked[@]}"); fi
    for file in "${files[@]}"; do
        for flags in -DCPPROF_INSIDE=1\ -DCPPROF_DELAY_MARK=0 -DCPPROF_INSIDE={2,4} ${CPPROF_DEEP:+-DCPPROF_INSIDE=1\ -DCPPROF_DELAY_MARK=10}; do
            # shellcheck disable=SC2086
            build "$file" "$work/on" -cubin $flags || continue
            if grep -qE '[1-9][0-9]* bytes spill' "$work/log"; then complain "$file spills with $flags"; fi
        done
    done

    [ "$code" = 90a ] || [ -n "${CPPROF_DEEP:-}" ] || continue
    build "$own" "$work/off" -cubin && build "$own" "$work/record" -cubin -DCPPROF_INSIDE=2 &&
        build "$own" "$work/wait" -cubin -DCPPROF_INSIDE=1 -DCPPROF_DELAY_MARK=26 &&
        build "$own" "$work/other" -cubin -DCPPROF_INSIDE=1 -DCPPROF_DELAY_MARK=8 || continue
    text_differs "$work/off" "$work/record" 'plain' || complain 'a record build records nothing'
    stores_of_marks "$own" "$work/progress.ptx" || complain "marks of a progress build are not one store each: $stores"
    text_differs "$work/off" "$work/wait" 'plain' || complain 'the mark of a delay build does not wait'
    if text_differs "$work/off" "$work/other" 'plain'; then complain 'a mark that does not wait leaves code'; fi
    for kind in off=0=0 record=2=1 progress=4=1; do
        IFS='=' read -r name number expected <<<"$kind"
        build "$own" "$work/object" -c "-DCPPROF_INSIDE=$number" || continue
        exported=$(nm -g --defined-only "$work/object" | grep -c ' T cpprof_phases$' || true)
        [ "$exported" = "$expected" ] || complain "the $name build exports cpprof_phases $exported times"
    done
done
code=80
sed -n '/^### Kernels that are not CUDA C/,/^## /s/^    //p' docs/inside.md >"$work/page.ptx"
grep -q globaltimer "$work/page.ptx" || complain 'docs/inside.md has no PTX'
build "$work/page.ptx" "$work/page" -cubin || true
code=
if output=$("$nvcc" -I. -Iinclude -DCPPROF_INSIDE=1 -cubin -arch=sm_80 -o "$work/none" "$own" 2>&1); then
    complain 'a delay build without its mark compiles'
elif ! grep -q 'needs -DCPPROF_DELAY_MARK' <<<"$output"; then
    complain "a delay build without its mark says: $output"
fi
exit "$failed"
