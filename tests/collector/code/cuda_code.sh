#!/usr/bin/env bash
# What does CPPROF_CUDA_CODE make of a list, with a toolkit that knows this much? usage: cuda_code.sh CMAKE CudaCode.cmake PAGE
set -euo pipefail
cmake=$1 module=$2 page=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
printf 'cmake_minimum_required(VERSION 3.25)\ninclude(%s)\n' "$module" >"$work/choose.cmake"

# toolkit CODE...: an nvcc whose --help names these, as the real one does
toolkit() {
    printf '#!/bin/sh\ncat <<END\n        Allowed values for this option:  %s.\nEND\n' "$(printf "'sm_%s'," "$@")" >"$work/nvcc"
    chmod +x "$work/nvcc"
}

# chosen LIST: what is built, or the error, on one line
chosen() {
    PATH=$work:$PATH "$cmake" "-DCPPROF_CUDA_CODE=$1" "-DCUDAToolkit_NVCC_EXECUTABLE=$work/nvcc" -DCUDAToolkit_VERSION=1.2 -P "$work/choose.cmake" 2>&1 |
        tr '\n' ' ' | sed 's/  */ /g'
}

expect() { # LIST WANTED
    local got
    got=$(chosen "$1" || true)
    case $got in
    *"$2"*) ;;
    *) echo "'$1': got '$got', expected '$2'" >&2; failed=1 ;;
    esac
}

toolkit 75 80 86 87 89 90 90a 100 100a 103a 120a
expect all 'code of kernels: sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_103a, sm_120a, PTX'
expect 90a 'code of kernels: sm_90a '
expect sm_90a 'code of kernels: sm_90a '
expect '90a;100a;90a' 'code of kernels: sm_90a, sm_100a '
expect '80;ptx' 'code of kernels: sm_80, PTX'
expect 87 'code of kernels: sm_87'
expect '90a;95' "has '95': it is native, all, or a list of ptx and what nvcc 1.2 knows: 80 86 87 89 90 90a 100 100a 103a 120a"
expect 75 "has '75'" # older than the variants need
expect ptx 'name machine code of at least one capability'
expect '' 'name machine code of at least one capability'
expect '90;90a' 'names 9.0 twice'
expect 'all;90a' "is 'all;90a': all and native stand alone; leave it out, or the rest"
expect '90a;all' 'all and native stand alone'
expect '90a;native' 'all and native stand alone'
expect 100 "has '100': it lacks the instructions that only 100a has; write 100a"
expect 100 'code of kernels: sm_100 '

# The GPUs that are here: by the driver's tool, else by that of nvcc, which writes no point.
tool() { # NAME TEXT
    printf '#!/bin/sh\nprintf "%%b" "%s"\n' "$2" >"$work/$1"
    [ -n "$2" ] || echo 'exit 1' >>"$work/$1"
    chmod +x "$work/$1"
}
tool nvidia-smi '' && tool __nvcc_device_query ''
expect native 'code of kernels: sm_90a, PTX'
tool __nvcc_device_query '90'
expect native 'code of kernels: sm_90a '
tool nvidia-smi '8.9\n9.0\n9.0\n12.0\n'
expect native 'code of kernels: sm_89, sm_90a, sm_120a '
tool nvidia-smi '7.5\n'
expect native 'code of kernels: sm_90a, PTX' # none that the variants run on
refuse() { # LIST UNWANTED
    case $(chosen "$1" || true) in *"$2"*) echo "'$1' says '$2'" >&2; failed=1 ;; esac
}
for list in all 90a '80;ptx' 89; do refuse "$list" 'lacks the instructions'; done
toolkit 35 80 86 87 89 90 # 11.8
expect all 'code of kernels: sm_80, sm_86, sm_89, sm_90, PTX'
expect native 'code of kernels: sm_90, PTX'
refuse 90 'lacks the instructions' # nothing better to write

# The table for people has each code once.
for code in $(sed -n 's/^set(cpprof_code_of_all \(.*\))$/\1/p' "$module"); do
    [ "$(grep -c "| \`$code\` |\$" "$page")" = 1 ] || { echo "the page has no row for $code" >&2; failed=1; }
    rows=$((${rows:-0} + 1))
done
[ "${rows:-0}" = 7 ] || { echo "$module names ${rows:-0} codes, expected 7" >&2; failed=1; }
exit $failed
