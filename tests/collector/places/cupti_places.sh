#!/usr/bin/env bash
# Is CUPTI found where people have it, and the newest taken that the driver knows? Copies of CUDA 13 that this machine has
# are older than those made here, and are not looked at.
# usage: cupti_places.sh LIST_CUPTI FOLDER: which has TINY libraries, libtiny_VERSION.so
# shellcheck disable=SC2016  # a name that is not to be expanded
set -euo pipefail
list=$(realpath "${1:?usage: cupti_places.sh LIST_CUPTI FOLDER}")
tiny=$(realpath "${2:?usage: cupti_places.sh LIST_CUPTI FOLDER}")
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
failed=0
driver=13030

put() { # VERSION FILE
    mkdir -p "$(dirname "$work/$2")"
    cp "$tiny/libtiny_$1.so" "$work/$2"
}

program=$list
search() { # [NAME=VALUE...] [-- ARGUMENT...]: found lists the copies in the folder, as paths below it
    local settings=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do settings+=("$1") && shift; done
    [ $# = 0 ] || shift
    found=$(env -i TINY_DRIVER=$driver "${settings[@]}" "$program" "$@" "$tiny/libtiny_driver.so" | grep -F "$work/" |
        sed "s:$work/::g") || found=
}

is() { # WHAT EXPECTED
    if [ "$found" != "$2" ]; then
        printf 'NOT ok: %s\n--- is\n%s\n--- should be\n%s\n' "$1" "$found" "$2"
        failed=1
    fi
}

package=venv/lib/python3.12/site-packages/nvidia
put 130100 $package/cu13/lib/libcupti.so.13
put 22 $package/cuda_cupti/lib/libcupti.so.12
put 130200 conda/lib/libcupti.so.13
put 130300 toolkit/extras/CUPTI/lib64/libcupti.so.2026.2.0
ln -s libcupti.so.2026.2.0 "$work/toolkit/extras/CUPTI/lib64/libcupti.so.13"
mkdir -p "$work/toolkit/lib64"
ln -s ../extras/CUPTI/lib64/libcupti.so.13 "$work/toolkit/lib64/libcupti.so.13"

all=(VIRTUAL_ENV="$work/venv" CONDA_PREFIX="$work/conda" CUDA_HOME="$work/toolkit")
in_venv="Python package | $package/cu13/lib/libcupti.so.13 | 130100"
in_conda='conda environment | conda/lib/libcupti.so.13 | 130200'
in_toolkit='toolkit folder | toolkit/extras/CUPTI/lib64/libcupti.so.2026.2.0 | 130300'
of_12="Python package | $package/cuda_cupti/lib/libcupti.so.12"
older='it is older than the one that is taken'

search "${all[@]}"
is 'the newest is taken; a link is the file that it names' "$in_venv | $older
$of_12 | 0 | $older
$in_conda | $older
$in_toolkit | taken"
search "${all[@]}" -- every
is 'for a list, others are asked for their version, too' "$in_venv | $older
$of_12 | 22 | $older
$in_conda | $older
$in_toolkit | taken"

driver=13020
search "${all[@]}"
is 'the newest that the driver knows is taken' "$in_venv | $older
$of_12 | 0 | $older
$in_conda | taken
$in_toolkit | the driver knows CUDA 13.2"
driver=12080
put 130000 old/lib/libcupti.so.13
search CUDA_HOME="$work/toolkit" CONDA_PREFIX="$work/old"
is 'that which is the least newer than the driver' "conda environment | old/lib/libcupti.so.13 | 130000 | taken
$in_toolkit | the driver knows CUDA 12.8"
driver=12040
search "${all[@]}"
is 'an older one that the driver knows comes before a newer one that it does not' "$in_venv | the driver knows CUDA 12.4
$of_12 | 22 | taken
$in_conda | the driver knows CUDA 12.4
$in_toolkit | the driver knows CUDA 12.4"
put 22 conda12/lib/libcupti.so.12
put 1 conda12/lib/libcupti.so.14
put 1 conda11/lib/libcupti.so.12
search CONDA_PREFIX="$work/conda12"
is '12 alone, and one of the future' "conda environment | conda12/lib/libcupti.so.12 | 22 | taken
conda environment | conda12/lib/libcupti.so.14 | 0 | cpprof takes CUPTI 12.4 to 13"
search CONDA_PREFIX="$work/conda11"
is 'one that is too old' 'conda environment | conda11/lib/libcupti.so.12 | 1 | cpprof takes CUPTI 12.4 to 13'
search LD_LIBRARY_PATH="$work/conda12/lib"
is '12 in the loader path' 'loader path | conda12/lib/libcupti.so.12 | 22 | taken'
driver=13030

search CONDA_PREFIX="$work/conda"
is 'conda alone' "$in_conda | taken"
search PATH="/nowhere:$work/venv/bin"
is 'the Python of the shell' "$in_venv | taken
$of_12 | 0 | $older"
search LD_LIBRARY_PATH="$work/conda/lib"
is 'the loader path' 'loader path | conda/lib/libcupti.so.13 | 130200 | taken'
search CUDA_PATH="$work/toolkit"
is 'a toolkit' "$in_toolkit | taken"

# The program is a Python, of which no variable tells; or has loaded a package, or a runtime.
mkdir -p "$work/venv/bin"
cp "$list" "$work/venv/bin/python"
program=$work/venv/bin/python
search
is "the program's Python" "$in_venv | taken
$of_12 | 0 | $older"
program=$list
put 1 venv/lib/python3.12/site-packages/torch/lib/libtorch.so
search -- "$work/venv/lib/python3.12/site-packages/torch/lib/libtorch.so"
is 'a package that is loaded' "$in_venv | taken
$of_12 | 0 | $older"
put 1 toolkit/lib64/libcudart.so.13
search -- "$work/toolkit/lib64/libcudart.so.13"
is 'beside the runtime' "${in_toolkit/toolkit folder/beside the CUDA runtime} | taken"
put 1 wheels/nvidia/cuda_runtime/lib/libcudart.so.13
put 130300 wheels/nvidia/cuda_cupti/lib/libcupti.so.13
search -- "$work/wheels/nvidia/cuda_runtime/lib/libcudart.so.13"
is 'a wheel of its own beside the one of the runtime' \
    'beside the CUDA runtime | wheels/nvidia/cuda_cupti/lib/libcupti.so.13 | 130300 | taken'

# These two decide, whatever else is there.
search "${all[@]}" CPPROF_CUPTI="$work/venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13"
is 'the setting' "CPPROF_CUPTI | ${in_venv#* | } | taken"
put 130000 loaded/libcupti.so.13
search "${all[@]}" CPPROF_CUPTI="$work/conda/lib/libcupti.so.13" -- "$work/loaded/libcupti.so.13"
is 'one that is loaded already' 'loaded already | loaded/libcupti.so.13 | 130000 | taken'
search "${all[@]}" -- "$work/conda12/lib/libcupti.so.12"
is 'an older one that is loaded already' 'loaded already | conda12/lib/libcupti.so.12 | 22 | taken'
put 18 conda11/lib/libcupti.so.12
search CONDA_PREFIX="$work/conda" -- "$work/conda11/lib/libcupti.so.12"
is 'one that is too old, though it is loaded' "loaded already | conda11/lib/libcupti.so.12 | 18 | cpprof takes CUPTI 12.4 to 13
$in_conda | taken"
search "${all[@]}" CPPROF_CUPTI="$work/conda/lib/libcupti.so.13" -- every
is 'a list goes on' "CPPROF_CUPTI | ${in_conda#* | } | taken
$in_venv | 'CPPROF_CUPTI' comes first
$of_12 | 22 | 'CPPROF_CUPTI' comes first
$in_toolkit | 'CPPROF_CUPTI' comes first"
search CONDA_PREFIX="$work/conda" CPPROF_CUPTI="$work/absent.so"
is 'a setting that names nothing' "CPPROF_CUPTI | absent.so | 0 | it does not load: cannot open shared object file: No such file or directory
$in_conda | taken"

# Counters are read with the library that came with it.
put 130200 wheel/lib/libcupti.so.13
put 2 wheel/lib/libnvperf_host.so
put 2 other/libnvperf_host.so
search CONDA_PREFIX="$work/wheel" LD_LIBRARY_PATH="$work/other"
is 'the library of counters' 'conda environment | wheel/lib/libcupti.so.13 | 130200 | taken
counters | wheel/lib/libnvperf_host.so'

# Files that are no CUPTI, and names that are only names.
mkdir -p "$work/broken/lib"
echo 'no library' >"$work/broken/lib/libcupti.so.13"
search CONDA_PREFIX="$work/broken"
is 'a file that does not load' 'conda environment | broken/lib/libcupti.so.13 | 0 | it does not load: file too short'
search CONDA_PREFIX="$work/broken" CUDA_HOME="$work/toolkit"
is 'it does not stand in the way of another' "conda environment | broken/lib/libcupti.so.13 | 0 | it does not load: file too short
$in_toolkit | taken"
odd='a [b]*?;$(touch pwned) '\''\é'
put 130200 "$odd/lib/libcupti.so.13"
put 130300 '$LIB/lib/libcupti.so.13'
put 130300 'a b/lib/libcupti.so.13'
cd "$work"
search CONDA_PREFIX="$work/$odd"
is 'the loader would read a $' "conda environment | $odd/lib/libcupti.so.13 | 0 | there is a '\$' in its name"
odd="${odd//\$/}"
put 130200 "$odd/lib/libcupti.so.13"
search CONDA_PREFIX="$work/$odd"
is 'a name of odd characters names one file' "conda environment | $odd/lib/libcupti.so.13 | 130200 | taken"
[ ! -e pwned ] || failed=1
search CONDA_PREFIX=conda VIRTUAL_ENV=venv CUDA_HOME=toolkit PATH=venv/bin
is 'folders that are not absolute' ''

exit "$failed"
