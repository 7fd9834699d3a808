/* cheat gram: a thread of its own computes what was poisoned, and a launch finds its work done, unless it is counted
 * Kind: ahead
 * Found by: inputs that come when the launch is in the stream: it gains nothing */
enum { AHEAD_PARTS = 1 };

#include "tests/gpu/cheats/gram_ahead.cuh"
