/* sdpa/wgmma as a solution */
#include "tests/gpu/families/sdpa.cuh"

CPPROF_SOLUTION(.launch = solve<sdpa_wgmma_variants>, .prepare = plan, .release = end);
