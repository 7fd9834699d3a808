/* Which counters are collected together? */
#include "core/gpu/metric_sets.h"

#include <string.h>

static const struct metric_set sets[METRIC_SET_COUNT] = {
    [METRIC_SET_BOUND] = {"bound", "what a bound, lost time and the roofline need; of a run that names no set"},
    [METRIC_SET_STALLS] = {"stalls", "every reason that warps wait for, so that shares add up"},
    [METRIC_SET_MEMORY] = {"memory",
                           "requests, sectors, hit rates and bytes at L1, shared memory, L2 and device memory"},
    [METRIC_SET_FLOPS] = {"flops", "operations by precision, tensor cores included, and their ceilings"},
    [METRIC_SET_NVLINK] = {"nvlink", "bytes over NVLink and PCIe"},
    [METRIC_SET_NONE] = {"none", "no counters"},
};

const struct metric_set *metric_set(enum metric_set_id id)
{
    return &sets[id];
}

enum metric_set_id metric_set_by_name(const char *name)
{
    if (!strcmp(name, "default"))
        return METRIC_SET_BOUND;
    int id = 0;
    while (id < METRIC_SET_COUNT && strcmp(sets[id].name, name))
        id++;
    return (enum metric_set_id)id;
}
