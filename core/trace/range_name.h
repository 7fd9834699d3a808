/* range_name.h - how is an NVTX range named? "name" (in any domain) or "name@domain", with an optional "@thread" at the
 * end. */
#ifndef CPPROF_RANGE_NAME_H
#define CPPROF_RANGE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the number of bytes before a trailing "@thread". With it, only events on the range's own thread are in the
 * range; without it, events on any thread of its process. */
size_t range_words_length(const char *wanted, bool *own_thread);

/* Is this the name of the range? `wanted` is "name" (in any domain) or "name@domain", split at the last @, with an
 * optional "@thread" at the end. */
bool range_name_matches(const char *wanted, const char *name, const char *domain);

#endif
