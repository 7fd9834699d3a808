/* Who is who? */
#include "core/trace/identity.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

/* A call without work may have started what comes after the next call, and so may one with several pieces of work. */
bool call_uses_add_call(struct call_uses *u)
{
    u->is_doubtful |= u->calls && (u->work != 1 || u->begins_with_work);
    if (u->calls == CALL_USES_MAX) {
        u->is_doubtful = true;
        return false;
    }
    u->begins_with_work |= !u->calls && u->work;
    u->calls++;
    u->work = 0;
    return true;
}

void call_uses_add_work(struct call_uses *u)
{
    u->is_doubtful |= u->calls > 1 && u->work;
    u->work = u->work ? 2 : 1;
}

bool call_uses_are_known(const int64_t *calls, size_t call_count, const int64_t *work, size_t work_count)
{
    struct call_uses uses = {0};
    size_t c = 0, w = 0;
    if (call_count > 1 && (call_count > CALL_USES_MAX || work_count > CALL_USES_MAX))
        return false;
    while (c < call_count || w < work_count)
        if (w == work_count || (c < call_count && calls[c] <= work[w])) {
            call_uses_add_call(&uses);
            c++;
        } else {
            call_uses_add_work(&uses);
            w++;
        }
    return !uses.is_doubtful;
}

void gpu_places_release(struct gpu_places *g)
{
    free(g->items);
    *g = (struct gpu_places){0};
}

int gpu_places_add(struct gpu_places *g, int16_t rank, int16_t device, int64_t gpu, struct err *e)
{
    struct gpu_place *slot = ARRAY_PUSH(g);
    if (!slot)
        return err_memory(e);
    *slot = (struct gpu_place){.rank = rank, .device = device, .gpu = gpu};
    return 0;
}

static bool has_shared(const struct gpu_places *g)
{
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < i; k++)
            if (g->items[i].gpu == g->items[k].gpu)
                return true;
    return false;
}

int gpu_places_note_shared(const struct gpu_places *g, const char *path, struct caveat_list *caveats, struct err *e)
{
    return has_shared(g) ? caveat_add(caveats, CAVEAT_NOTE, e,
                                      "%s: several processes use one GPU: it is measured as one, and goes by the first "
                                      "of them",
                                      path)
                         : 0;
}

static int by_gpu(const void *left, const void *right)
{
    const struct gpu_place *a = left, *b = right;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    return a->rank != b->rank ? a->rank - b->rank : a->device - b->device;
}

static int by_place(const void *left, const void *right)
{
    const struct gpu_place *a = left, *b = right;
    return a->rank != b->rank ? a->rank - b->rank : a->device - b->device;
}

void gpu_places_settle(struct gpu_places *g)
{
    size_t kept = 0;
    int64_t gpus = 0;
    if (g->count)
        qsort(g->items, g->count, sizeof *g->items, by_gpu);
    for (size_t from = 0, end; from < g->count; from = end) {
        for (end = from + 1; end < g->count && g->items[end].gpu == g->items[from].gpu;)
            end++;
        for (size_t i = from; i < end && end - from > 1; i++) {
            g->items[kept] = g->items[i];
            g->items[kept++].gpu = gpus;
        }
        gpus += end - from > 1;
    }
    g->count = kept;
    if (g->count)
        qsort(g->items, g->count, sizeof *g->items, by_place);
    gpu_places_choose(g, NULL, NULL);
}

void gpu_places_choose(struct gpu_places *g, bool (*takes)(const void *context, int rank), const void *context)
{
    for (size_t i = 0; i < g->count; i++) {
        g->items[i].owner = (int32_t)i;
        for (size_t k = 0; k < i; k++)
            if (g->items[k].gpu == g->items[i].gpu && (!takes || takes(context, g->items[k].rank))) {
                g->items[i].owner = (int32_t)k;
                break;
            }
    }
}

void gpu_places_find(const struct gpu_places *g, int16_t *rank, int16_t *device)
{
    const struct gpu_place wanted = {.rank = *rank, .device = *device};
    const struct gpu_place *found = g->count ? bsearch(&wanted, g->items, g->count, sizeof *g->items, by_place) : NULL;
    if (!found)
        return;
    *rank = g->items[found->owner].rank;
    *device = g->items[found->owner].device;
}

void traced_processes_release(struct traced_processes *t)
{
    free(t->items);
    *t = (struct traced_processes){0};
}

static bool is_same_process(const struct traced_process *a, const struct traced_process *b)
{
    return a->process > 0 && a->process == b->process && !strcmp(a->host, b->host) && a->own_rank == b->own_rank &&
           a->path_rank == b->path_rank;
}

/* Recordings are told apart by time: ranks of a job run at once, in containers where they have one id. */
struct traced_process *traced_processes_find(struct traced_processes *t, const struct traced_process *p)
{
    struct traced_process *found = NULL;
    const bool is_timed = p->start_ns != INT64_MIN;
    for (size_t i = 0; i < t->count; i++) {
        struct traced_process *other = &t->items[i];
        if (!is_same_process(other, p))
            continue;
        if (is_timed && p->start_ns < other->end_ns && other->start_ns < p->end_ns)
            return NULL;
        found = other;
    }
    return found;
}

int traced_processes_add(struct traced_processes *t, const struct traced_process *p, struct err *e)
{
    struct traced_process *slot = ARRAY_PUSH(t);
    if (!slot)
        return err_memory(e);
    *slot = *p;
    return 0;
}
