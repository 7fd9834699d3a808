#!/usr/bin/env bash
# What does cpprof show? With a GPU an A/B of two kernels here, without one the report of a recorded run.
# usage: quickstart.sh      on a fresh Debian 12 it installs and builds what it needs
#
# Uses dist/ when an installed tree is there already (nothing is installed or
# built then). The exit status is cpprof's own: 0 pass, 1 a check failed,
# 3 inconclusive (README.md lists all).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ $# -gt 0 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0"
    case $1 in -h | --help) exit 0 ;; *) echo "unknown argument: $1" >&2 && exit 2 ;; esac
fi

# nvidia-smi is not in every container that has a GPU; the device file is.
is_gpu_here() {
    [[ $(nvidia-smi -L 2>/dev/null) == GPU* ]] || { : </dev/nvidia0; } 2>/dev/null
}

# On a terminal ninja shows its progress on one line; elsewhere only what went wrong is printed.
build() {
    local log=build/quickstart.log
    if [ -t 1 ]; then
        cmake --build build/quickstart --parallel "${CPPROF_JOBS:-2}"
    elif ! cmake --build build/quickstart --parallel "${CPPROF_JOBS:-2}" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        return 1
    fi
}

# Without a GPU nothing can run that needs a CUDA toolkit: that part is left out. With one its own code is enough.
build_and_install() {
    local cuda=OFF what='the part that needs no GPU, one to two minutes on two cores'
    if is_gpu_here; then cuda=AUTO what='with kernels for the GPU that is here, some minutes'; fi
    echo "== no installed tree in dist/: building it ($what)"
    scripts/packages.sh
    # Debug information would be stripped again.
    cmake --preset release -B build/quickstart -DCPPROF_CUDA="$cuda" -DBUILD_TESTING=OFF -DCPPROF_BENCH=OFF -DCPPROF_GPU_PROGRAMS=OFF \
        -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O2 -DNDEBUG' -Wno-dev --log-level=NOTICE
    build
    cmake --install build/quickstart --prefix "$PWD/dist" >/dev/null
}

have_gpu() {
    [ -x dist/libexec/cpprof/cpprof-runner ] && is_gpu_here
}

run_here() {
    echo "== a GPU is here: pipeline/sync against pipeline/cpasync3, at 1 and 4 CTAs per SM"
    dist/bin/cpprof run pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --set ctas_per_sm=1,4 \
        -o out/quickstart.cpprof --force || status=$?
    report=out/quickstart.cpprof/report.md
}

# The checkout may be an archive without git, and dist/ one whose commit is not known: then nothing is said.
warn_of_old_tree() {
    local built here
    built=$(dist/bin/cpprof version | sed -n 's/^commit *\([0-9a-f]*\).*/\1/p') || return 0
    here=$(git rev-parse HEAD 2>/dev/null) || return 0
    if [ -n "$built" ] && [ "$built" != "$here" ]; then
        echo "== dist/ was built from ${built:0:12}, this is ${here:0:12}: delete dist/ to build anew"
    fi
}

# The verdict of each bundle behind its name, which has a heading of its own where the report is of several.
print_verdicts() {
    local line name='' planted
    while IFS= read -r line; do
        if [[ $line =~ ^\#\ \`([^\`]*)\`$ ]]; then
            name=${BASH_REMATCH[1]}
            continue
        fi
        planted=
        [ "$name" != misdispatched.cpprof ] || planted=' (its bug is planted: an example)'
        line="${name:+$name$planted: }${line#\# }"
        echo "${line:0:240}"
    done < <(grep '^# ' "$1")
}

report_recorded() {
    echo "== no GPU that cpprof can use here: the report of the recorded runs in examples/pipeline"
    dist/bin/cpprof report examples/pipeline/*.cpprof -o out/pipeline.md --force || status=$?
    report=out/pipeline.md
}

if [ -x dist/bin/cpprof ]; then
    echo "== using the installed tree in dist/"
    warn_of_old_tree
else
    build_and_install
fi

mkdir -p out
status=0
report=
if have_gpu; then run_here; else report_recorded; fi
if [ -f "$report" ]; then
    echo "== report: $PWD/$report"
    print_verdicts "$report"
    echo "== next: export PATH=\"$PWD/dist/bin:\$PATH\"; cpprof help; cpprof classify examples/pipeline/one-cta.cpprof"
fi
exit "$status"
