/* record_kinds.h - what is CUPTI asked to record?
 *
 * API calls are switched on by id, so that a launch costs only its own record, and the program's other calls cost
 * nothing; an older CUPTI is asked for whole kinds. For a runtime call and the driver call inside it CUPTI makes one
 * record, the runtime's: it leaves the inner one out. So ids of both kinds are switched on without paying twice.
 *
 * Single ids take effect only when they are switched on before CUDA starts; whole kinds take effect at any time. A
 * switch while CUDA runs therefore asks for all calls, and the decoder leaves out those that nobody asked for. */
#ifndef CPPROF_RECORD_KINDS_H
#define CPPROF_RECORD_KINDS_H

#include <stdbool.h>

#include "collector/dynload/cupti_api.h"

struct record_choice {
    /* Record every API call, and also waits; otherwise only calls that launch, copy, set and wait. */
    bool all_calls;
    bool whole_graphs; /* one event per graph launch instead of one per node */
    bool annotations;  /* NVTX ranges, names, overhead */
    bool switches;     /* recording goes on and off while CUDA runs */
};

/* Switches these records on or off. CUPTI keeps what was recorded before. */
int record_kinds_set(const struct cupti_api *api, const struct record_choice *choice, bool on, struct err *e);

/* Always records the calls that allocate managed memory. Call it before CUDA starts. */
void record_kinds_watch_managed(const struct cupti_api *api);

/* Records unified-memory migrations on every device. Works only after CUDA is initialised. */
int record_kinds_migrations(const struct cupti_api *api, int devices, struct err *e);

#endif
