#!/usr/bin/env bash
# Everything that only a GPU can show: holds doctor against nvidia-smi, records
# every example bundle anew, checks what each one claims, compares the verdicts
# with the recorded ones, checks that wrong kernels are noticed, sets our counters
# beside Nsight Compute's and our captures beside the PyTorch profiler's, and
# measures what a capture costs and that it changes nothing.
#
#   tests/gpu/all.sh [INTO]     INTO: where the bundles go (default: examples/)
#   ONLY="manners roundtrip"    only these scripts
#
# The whole takes more than twenty minutes: where a machine is lent for less at a time, use ONLY.
# What needs two GPUs or PyTorch runs where they are.
#
# Needs an installed tree: cmake --preset release -DCPPROF_INSTALL_TESTS=ON,
# cmake --build build/release --target all inside, cmake --install build/release --prefix dist;
# CPPROF names another cpprof than dist/bin/cpprof.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/gpu/lib.sh
into=${1:-examples}
mkdir -p "$into"

scripts="doctor record_pipeline record_streams record_captures record_verdicts record_sealed truth sdpa sdpa_stress sdpa_sanitizers sdpa_mutants allreduce allreduce_sanitizers aa compare gates sampling hotspots ceilings predict dishonest witnesses my_variant judge_process isolate tasks families cheats marks inside inside_methods inside_steps progress record_inside inside_sgemm two_builds block_sweep jit check_mutants metric_sets against_ncu cache_state roundtrip manners hidden_work copy_batches when dormant capture_cost causal advice advice_changes"
[ "$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')" -lt 2 ] || scripts+=" collective_counters"
if python3 -c 'import torch' 2>/dev/null; then
    scripts+=" python_solution capture_cost_python pytorch_train attention sdpa_beside sdpa_rising record_profile profile profile_samples profile_programs"
    [ "$(cuda_gpus)" -lt 2 ] || scripts+=" nccl_two_ranks nccl_graphs"
fi
[ "$(cuda_gpus)" -lt 2 ] || scripts+=" collective_tasks record_allreduce record_ranks"
scripts=${ONLY:-$scripts}
unset ONLY # some scripts have parts of that name
for script in $scripts; do
    printf '\n== %s\n' "$script"
    checks=$((checks + 1))
    case $script in
    record_allreduce | record_ranks) tests/gpu/"$script".sh "$(cuda_gpus)" "$into" ;;
    record_* | inside_sgemm | aa | advice | advice_changes | truth | sdpa | sdpa_beside | inside_methods | inside_steps) tests/gpu/"$script".sh "$into" ;;
    *) tests/gpu/"$script".sh ;;
    esac || failed=$((failed + 1))
done
# Tests change those of the other folders, row by row.
for bundle in "$into"/{allreduce,inside,overlap,profile,pytorch-attention,ranks,sdpa,sealed,truth}/*.cpprof; do
    [ ! -e "$bundle" ] || tests/gpu/pack_bundle.sh "$bundle"
done
finish
