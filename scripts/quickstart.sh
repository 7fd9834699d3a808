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

build_and_install() {
    scripts/packages.sh
    cmake --preset release -B build/quickstart -DBUILD_TESTING=OFF -Wno-dev --log-level=NOTICE
    cmake --build build/quickstart --parallel "${CPPROF_JOBS:-2}" | tail -n 1
    cmake --install build/quickstart --prefix "$PWD/dist" >/dev/null
}

have_gpu() {
    [ -x dist/libexec/cpprof/cpprof-runner ] || return 1
    # nvidia-smi is not in every container that has a GPU; the device file is.
    [[ $(nvidia-smi -L 2>/dev/null) == GPU* ]] || { : </dev/nvidia0; } 2>/dev/null
}

run_here() {
    echo "== a GPU is here: pipeline/sync against pipeline/cpasync3, at 1 and 4 CTAs per SM"
    dist/bin/cpprof run pipeline/sync pipeline/cpasync3 --baseline pipeline/sync --set ctas_per_sm=1,4 \
        -o out/quickstart.cpprof --force || status=$?
    report=out/quickstart.cpprof/report.md
}

report_recorded() {
    echo "== no GPU that cpprof can use here: the report of the recorded runs in examples/pipeline"
    dist/bin/cpprof report examples/pipeline/*.cpprof -o out/pipeline.md --force || status=$?
    report=out/pipeline.md
}

if [ -x dist/bin/cpprof ]; then
    echo "== using the installed tree in dist/"
else
    echo "== no installed tree in dist/: building it"
    build_and_install
fi

mkdir -p out
status=0
report=
if have_gpu; then run_here; else report_recorded; fi
if [ -f "$report" ]; then
    echo "== report: $PWD/$report"
    grep '^# ' "$report" | grep -v '^# `[^`]*`$' | cut -c 3-200 # the verdict of each run
    echo "== next: export PATH=\"$PWD/dist/bin:\$PATH\"; cpprof help; cpprof classify examples/pipeline/one-cta.cpprof"
fi
exit "$status"
