/* range_name.h - how an NVTX range is named: "name" (in any domain) or "name@domain", with "@thread" behind it or not.
 */
#ifndef CPPROF_RANGE_NAME_H
#define CPPROF_RANGE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes of `wanted` before a trailing "@thread": with it only what the range's
 * own thread does is in the range, else what any thread of its process does. */
size_t range_words_length(const char *wanted, bool *own_thread);

/* Is this the name of the range? `wanted` is "name" (in any domain) or
 * "name@domain", with the last @ as the border, and "@thread" behind it or not. */
bool range_name_matches(const char *wanted, const char *name, const char *domain);

#endif
