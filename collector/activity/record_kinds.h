/* record_kinds.h - what CUPTI is asked to record.
 *
 * API calls are switched on one id at a time: a launch then costs the records of
 * the launch and nothing for what else the program asks. A call of the runtime
 * and the driver's call inside it are one record, the runtime's: CUPTI leaves
 * the inner one out, so both sides are asked for without paying twice.
 *
 * Single ids count only when they are switched on before CUDA starts; whole kinds
 * do at any time. What is switched while CUDA runs therefore asks for all calls,
 * and the decoder leaves out those that nobody asked for. */
#ifndef CPPROF_RECORD_KINDS_H
#define CPPROF_RECORD_KINDS_H

#include <stdbool.h>

#include "collector/dynload/cupti_api.h"

struct record_choice {
    bool all_calls; /* every API call, and records of waits beside them; else calls that launch, copy, set and wait */
    bool whole_graphs; /* one event a graph launch instead of one a node */
    bool annotations;  /* NVTX ranges, names, overhead */
    bool switches;     /* goes on and off while CUDA runs */
};

/* Switches them on or off. CUPTI keeps what was recorded before. */
int record_kinds_set(const struct cupti_api *api, const struct record_choice *choice, bool on, struct err *e);

/* Records of the calls that allocate managed memory, whatever else is on; before CUDA starts. */
void record_kinds_watch_managed(const struct cupti_api *api);

/* Unified-memory migrations, on every device; works once CUDA is initialised. */
int record_kinds_migrations(const struct cupti_api *api, int devices, struct err *e);

#endif
