/* Which kernels communicate, and who needs data of whom? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "analyzers/ranks/rank_arrivals.h"
#include "core/base/count_of.h"

static bool has_any(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
}

/* "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "two_shot_all_reduce_kernel", "_allgather_base", "send". */
enum rank_operation rank_operation_of(const char *name)
{
    static const char *const of_all[] = {"allreduce",      "all_reduce", "allgather",  "all_gather", "reducescatter",
                                         "reduce_scatter", "alltoall",   "all_to_all", "barrier"};
    static const char *const paired[] = {"send", "recv"};
    static const char *const rooted[] = {"broadcast", "bcast", "reduce", "gather", "scatter"};
    if (has_any(name, of_all, COUNT_OF(of_all)))
        return RANK_OF_ALL;
    if (has_any(name, paired, COUNT_OF(paired)))
        return RANK_PAIRED;
    return has_any(name, rooted, COUNT_OF(rooted)) ? RANK_ROOTED : RANK_UNNAMED;
}

int rank_kinds_make(struct rank_kinds *k, const struct event_stream *stream, struct err *e)
{
    const struct strtab *strings = event_stream_strings(stream);
    const size_t count = strtab_count(strings);
    *k = (struct rank_kinds){.operations = calloc(count + 1, sizeof *k->operations)};
    int rc = k->operations ? selector_new(&k->communication, CLASS_COMM, e) : err_memory(e);
    if (!rc)
        rc = selector_bind(k->communication, stream, e);
    for (uint32_t id = 1; id <= count && !rc; id++)
        k->operations[id] = (uint8_t)rank_operation_of(strtab_text(strings, id));
    return rc;
}

void rank_kinds_release(struct rank_kinds *k)
{
    selector_free(k->communication);
    free(k->operations);
    *k = (struct rank_kinds){0};
}

bool rank_kinds_communicates(const struct rank_kinds *k, const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_KERNEL && selector_match(k->communication, event);
}

bool rank_kinds_arrives(const struct rank_kinds *k, const struct cpprof_event *event)
{
    return rank_kinds_communicates(k, event) && !(event->flags & CPPROF_EVENT_UNFINISHED);
}
