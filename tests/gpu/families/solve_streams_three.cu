/* streams/three as a solution */
#include "tests/gpu/families/streams.cuh"

CPPROF_SOLUTION(.launch = solve<launch_three>, .prepare = plan, .release = end);
