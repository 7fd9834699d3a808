/* guest_edges.h - which record of an event does a stream wait for? CUPTI's records of waits do not say it, so the calls
 * themselves are watched: `--trace api`. */
#ifndef CPPROF_GUEST_EDGES_H
#define CPPROF_GUEST_EDGES_H

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>

#include "collector/dynload/cupti_api.h"
#include "core/base/shard_writer.h"

/* The driver's calls to enable with cuptiEnableCallback. */
extern const CUpti_CallbackId guest_edge_calls[];
extern const size_t guest_edge_call_count;

/* From now on edges are known. Call it once, before the first guest_edges_take. Returns false when CUPTI cannot tell
 * streams apart. */
bool guest_edges_start(const struct cupti_api *api);

/* Right after that: they are not, after all. */
void guest_edges_forget(void);

/* Takes a callback of one of these calls, on the program's thread. */
void guest_edges_take(CUpti_CallbackId call, const CUpti_CallbackData *data);

/* Writes what has gathered, on the thread that writes the shard. */
void guest_edges_store(struct shard_writer *shard);

/* Returns why some are missing; NULL: none is known to be. */
const char *guest_edges_missing(void);

#endif
