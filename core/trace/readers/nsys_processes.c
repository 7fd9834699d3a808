/* Which processes of an nsys export used the GPU, and which NVTX domains did they make? */
#include "core/trace/readers/nsys_processes.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

enum { THREAD_BITS = 24 };

/* The lowest bits of a global id are the thread. */
static int64_t process_of(int64_t global_id)
{
    return (int64_t)((uint64_t)global_id >> THREAD_BITS);
}

void nsys_processes_release(struct nsys_processes *p)
{
    free(p->items);
    free(p->domains.items);
    *p = (struct nsys_processes){0};
}

/* Returns where the process is, or would be inserted. */
static size_t place_of(const struct nsys_processes *p, int64_t process)
{
    size_t low = 0, high = p->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->items[middle] < process)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int nsys_processes_add(struct nsys_processes *p, int64_t global_id, struct err *e)
{
    int64_t process = process_of(global_id);
    size_t place = place_of(p, process);
    if (place < p->count && p->items[place] == process)
        return 0;
    if (p->count == NSYS_PROCESSES_MAX)
        return err_set(e, ERR_INPUT, "more than %d processes used the GPU", NSYS_PROCESSES_MAX);
    if (!ARRAY_PUSH(p))
        return err_memory(e);
    memmove(p->items + place + 1, p->items + place, (p->count - 1 - place) * sizeof *p->items);
    p->items[place] = process;
    return 0;
}

int16_t nsys_processes_rank(const struct nsys_processes *p, int64_t global_id)
{
    size_t place = place_of(p, process_of(global_id));
    return place < p->count && p->items[place] == process_of(global_id) ? (int16_t)place : NSYS_PROCESS_UNKNOWN;
}

int nsys_processes_add_domain(struct nsys_processes *p, int64_t global_id, int64_t domain, uint32_t name, struct err *e)
{
    if (p->domains.count == NSYS_DOMAINS_MAX)
        return err_set(e, ERR_INPUT, "more than %d NVTX domains", NSYS_DOMAINS_MAX);
    struct nsys_domain *slot = ARRAY_PUSH(&p->domains);
    if (!slot)
        return err_memory(e);
    *slot = (struct nsys_domain){process_of(global_id), domain, name};
    return 0;
}

/* A process has only a few domains. */
uint32_t nsys_processes_domain(const struct nsys_processes *p, int64_t global_id, int64_t domain)
{
    for (size_t i = 0; i < p->domains.count; i++)
        if (p->domains.items[i].domain == domain && p->domains.items[i].process == process_of(global_id))
            return p->domains.items[i].name;
    return 0;
}
