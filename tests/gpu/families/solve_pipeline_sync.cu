/* pipeline/sync as a solution */
#include "tests/gpu/families/pipeline.cuh"

CPPROF_SOLUTION(.launch = solve<launch_sync>, .prepare = plan, .release = free);
