/* cheat gram: a thread of its own computes what was poisoned, and a launch finds its work done, unless it is counted */
enum { AHEAD_PARTS = 1 };

#include "tests/gpu/cheats/gram_ahead.cuh"
