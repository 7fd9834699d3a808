/* pipeline/cpasync3 as a solution */
#include "tests/gpu/families/pipeline.cuh"

CPPROF_SOLUTION(.launch = solve<launch_ring<3>>, .prepare = plan, .release = free);
