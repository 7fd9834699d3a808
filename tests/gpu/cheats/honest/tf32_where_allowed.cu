/* honest gram_loose: multiplies in tf32, which the task's tolerance allows */
#include "tests/gpu/cheats/gram_tf32.cuh"

CPPROF_SOLUTION(.launch = launch);
