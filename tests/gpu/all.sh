#!/usr/bin/env bash
# Everything that only a GPU can show, in one go (one GPU, about a minute):
# holds doctor against nvidia-smi, records every example bundle anew, checks
# what each one claims, compares the verdicts with the recorded ones, checks that
# wrong kernels are noticed, and sets our counters beside Nsight Compute's.
#
#   tests/gpu/all.sh [INTO]     INTO: where the bundles go (default: examples/)
#
# Needs an installed tree: cmake --preset release -DCPPROF_INSTALL_TESTS=ON,
# cmake --build build/release, cmake --install build/release --prefix dist;
# CPPROF names another cpprof than dist/bin/cpprof.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}
mkdir -p "$into"

for script in doctor record_pipeline record_streams check_mutants against_ncu; do
    printf '\n== %s\n' "$script"
    checks=$((checks + 1))
    tests/gpu/$script.sh "$into" || failed=$((failed + 1))
done
finish
