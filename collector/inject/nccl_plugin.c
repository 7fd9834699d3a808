/* Where does NCCL call the library that NCCL_PROFILER_PLUGIN names? These tables are exports; NCCL takes the one with
 * the highest number that it knows. */
#include "collector/inject/guest_collectives.h"
#include "collector/inject/nccl_profiler.h"

#define EXPORTED __attribute__((visibility("default")))

static const char own_name[] = "cpprof";

/* Asks for nothing where nothing is recorded: NCCL then never calls `start`. */
static int open_communicator(void **context, int *mask, const struct communicator_identity *identity)
{
    *context = guest_collectives_open(identity);
    *mask = *context ? NCCL_EVENT_PLAN | NCCL_EVENT_COLLECTIVE | NCCL_EVENT_CALL | NCCL_EVENT_LAUNCH : 0;
    return 0;
}

static int init_v3(void **context, int *mask)
{
    return open_communicator(context, mask, &(struct communicator_identity){.rank = -1});
}

static int init_v4(void **context, int *mask, const char *name, uint64_t communicator, int nodes, int ranks, int rank,
                   void (*log)(void))
{
    (void)nodes;
    (void)log;
    return open_communicator(
        context, mask, &(struct communicator_identity){.id = communicator, .name = name, .ranks = ranks, .rank = rank});
}

static int init_v5(void **context, uint64_t communicator, int *mask, const char *name, int nodes, int ranks, int rank,
                   void (*log)(void))
{
    return init_v4(context, mask, name, communicator, nodes, ranks, rank, log);
}

static int finalize(void *context)
{
    if (context)
        guest_collectives_close(context);
    return 0;
}

/* What the program's calls have as their handles: NCCL names it as the parent of their collectives. */
static const char direct_call, captured_call;

static enum reported_call call_of(const void *parent)
{
    if (parent == &captured_call)
        return CALL_CAPTURED;
    return parent == &direct_call ? CALL_DIRECT : CALL_UNKNOWN;
}

static void take(struct guest_communicator *c, const struct nccl_collective *from, const void *parent)
{
    const struct reported_collective reported = {.call = call_of(parent),
                                                 .operation = from->operation,
                                                 .type = from->type,
                                                 .algorithm = from->algorithm,
                                                 .protocol = from->protocol,
                                                 .sequence = from->sequence,
                                                 .count = from->count};
    guest_collectives_take(c, &reported);
}

/* Before NCCL 2.28 a plan without a handle has no collectives. */
static int start_v3(void *context, void **handle, struct nccl_event_v3 *event)
{
    *handle = NULL;
    if (!context)
        return 0;
    if (event->type == NCCL_EVENT_PLAN) {
        guest_collectives_plan(context);
        *handle = context;
    } else if (event->type == NCCL_EVENT_COLLECTIVE) {
        const struct nccl_collective_v3 *collective = &event->of.collective;
        guest_collectives_identify(context, &(struct communicator_identity){.id = collective->communicator,
                                                                            .name = collective->name,
                                                                            .rank = event->rank});
        take(context, &collective->is, event->parent);
    }
    return 0;
}

static int start_v4(void *context, void **handle, struct nccl_event_v4 *event)
{
    *handle = context && event->type == NCCL_EVENT_PLAN ? context : NULL;
    if (*handle)
        guest_collectives_plan(context);
    else if (context && event->type == NCCL_EVENT_COLLECTIVE)
        take(context, &event->of.collective, event->parent);
    return 0;
}

/* Only calls and launches have a handle, so these alone are stopped. */
static int start_v5(void *context, void **handle, struct nccl_event_v5 *event)
{
    *handle = NULL;
    if (!context)
        return 0;
    switch (event->type) {
    case NCCL_EVENT_PLAN: guest_collectives_plan(context); return 0;
    case NCCL_EVENT_COLLECTIVE: take(context, &event->of.collective, event->parent); return 0;
    case NCCL_EVENT_CALL:
        guest_collectives_call(context, event->of.call.is_captured);
        *handle = (void *)(uintptr_t)(event->of.call.is_captured ? &captured_call : &direct_call);
        return 0;
    case NCCL_EVENT_LAUNCH:
        guest_collectives_launch(context);
        *handle = context;
        return 0;
    default: return 0;
    }
}

static int stop_v5(void *handle)
{
    if (handle && call_of(handle) == CALL_UNKNOWN)
        guest_collectives_launched(handle);
    return 0;
}

static int ignore_stop(void *handle)
{
    (void)handle;
    return 0;
}

static int ignore_state(void *handle, int state, void *arguments)
{
    (void)handle;
    (void)state;
    (void)arguments;
    return 0;
}

EXPORTED extern const struct nccl_profiler_v3 ncclProfiler_v3;
EXPORTED extern const struct nccl_profiler_v4 ncclProfiler_v4;
EXPORTED extern const struct nccl_profiler_v5 ncclProfiler_v5;

const struct nccl_profiler_v3 ncclProfiler_v3 = {own_name, init_v3, start_v3, ignore_stop, ignore_state, finalize};
const struct nccl_profiler_v4 ncclProfiler_v4 = {own_name, init_v4, start_v4, ignore_stop, ignore_state, finalize};
const struct nccl_profiler_v5 ncclProfiler_v5 = {own_name, init_v5, start_v5, stop_v5, ignore_state, finalize};
