/* cheat gram: multiplies in tf32 where the task asks for fp32
 * Kind: precision
 * Found by: the tolerance of the task */
#include "tests/gpu/cheats/gram_tf32.cuh"

CPPROF_SOLUTION(.launch = launch);
