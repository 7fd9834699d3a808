/* sdpa/baseline as a solution */
#include "tests/gpu/families/sdpa.cuh"

CPPROF_SOLUTION(.launch = solve<sdpa_baseline_variants>, .prepare = plan, .release = end);
