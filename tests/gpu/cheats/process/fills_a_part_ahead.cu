/* cheat gram: a thread of its own computes an eighth of what was poisoned; most is poison up to the launch
 * Kind: ahead
 * Found by: inputs that come when the launch is in the stream: it gains nothing */
enum { AHEAD_PARTS = 8 };

#include "tests/gpu/cheats/gram_ahead.cuh"
