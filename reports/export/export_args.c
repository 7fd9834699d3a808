/* Which arguments does an exported event have? */
#include "reports/export/export_args.h"

#include <string.h>

#include "core/base/count_of.h"
#include "core/trace/event_work.h"

/* Kineto's category of each kind; "gpu_migration" is ours, it has none. */
static const char *const categories[] = {
    [CPPROF_EVENT_KERNEL] = "kernel",         [CPPROF_EVENT_COPY] = "gpu_memcpy",
    [CPPROF_EVENT_MEMSET] = "gpu_memset",     [CPPROF_EVENT_MIGRATION] = "gpu_migration",
    [CPPROF_EVENT_API] = "cuda_runtime",      [CPPROF_EVENT_SYNC] = "cuda_sync",
    [CPPROF_EVENT_RANGE] = "user_annotation", [CPPROF_EVENT_OVERHEAD] = "overhead",
};

static const char *const directions[] = {
    [CPPROF_COPY_UNKNOWN] = NULL, [CPPROF_COPY_H2D] = "H2D", [CPPROF_COPY_D2H] = "D2H",
    [CPPROF_COPY_D2D] = "D2D",    [CPPROF_COPY_P2P] = "P2P", [CPPROF_COPY_H2H] = "H2H",
};

struct arg_list {
    struct export_arg *items;
    size_t count;
};

static void add(struct arg_list *list, const struct export_arg *arg)
{
    if (list->count < EXPORT_ARGS_MAX)
        list->items[list->count++] = *arg;
}

static void add_whole(struct arg_list *list, const char *key, int64_t value)
{
    add(list, &(struct export_arg){.key = key, .type = EXPORT_ARG_WHOLE, .numbers = {value}});
}

/* Where readers keep whole numbers in 64 bits with a sign, larger ones are left out. */
static void add_count(struct arg_list *list, const char *key, uint64_t value)
{
    if (value && value <= INT64_MAX)
        add_whole(list, key, (int64_t)value);
}

/* Nothing for axes that are not known: no kernel has 0 blocks. */
static void add_axes(struct arg_list *list, const char *key, int64_t x, int64_t y, int64_t z)
{
    if (x || y || z)
        add(list, &(struct export_arg){.key = key, .type = EXPORT_ARG_AXES, .numbers = {x, y, z}});
}

static void add_text(struct arg_list *list, const char *key, const char *text, size_t length)
{
    add(list, &(struct export_arg){.key = key, .type = EXPORT_ARG_TEXT, .text = text, .length = length});
}

static void add_word(struct arg_list *list, const char *key, const char *word)
{
    add_text(list, key, word, strlen(word));
}

static void add_kernel_args(struct arg_list *list, const struct cpprof_event *event)
{
    const uint64_t shared = (uint64_t)event->shared_static_bytes + event->shared_dynamic_bytes;
    add_axes(list, "grid", event->grid[0], event->grid[1], event->grid[2]);
    add_axes(list, "block", event->block[0], event->block[1], event->block[2]);
    add_axes(list, "cluster", event->detail & 255, event->detail >> 8 & 255, event->detail >> 16 & 255);
    add_count(list, "registers per thread", event->registers);
    if (shared || event->grid[0])
        add_whole(list, "shared memory", shared < UINT32_MAX ? (int64_t)shared : UINT32_MAX);
    add_count(list, "static shared memory", event->shared_static_bytes);
    add_count(list, "local memory per thread", event->local_bytes);
}

static void add_copy_args(struct arg_list *list, const struct cpprof_event *event)
{
    if (event->detail < COUNT_OF(directions) && directions[event->detail])
        add_word(list, "direction", directions[event->detail]);
    if (event->flags & CPPROF_EVENT_SRC_PAGEABLE)
        add_word(list, "source", "pageable");
    if (event->flags & CPPROF_EVENT_DST_PAGEABLE)
        add_word(list, "destination", "pageable");
}

static void add_work_args(struct arg_list *list, const struct cpprof_event *event)
{
    if (event->device >= 0)
        add_whole(list, "device", event->device);
    add_whole(list, "context", event->context);
    add_whole(list, "stream", event->stream);
    add_count(list, "correlation", event->correlation);
    add_count(list, "graph node id", event->graph_node);
    add_count(list, "bytes", event->size_bytes);
    if (event->kind == CPPROF_EVENT_KERNEL)
        add_kernel_args(list, event);
    if (event->kind == CPPROF_EVENT_COPY || event->kind == CPPROF_EVENT_MIGRATION)
        add_copy_args(list, event);
}

static void add_host_args(struct arg_list *list, const struct cpprof_event *event, bool is_elsewhere,
                          const struct strtab *strings)
{
    add_count(list, "correlation", event->correlation);
    if (is_elsewhere)
        add_whole(list, "thread", event->thread);
    if (event->kind == CPPROF_EVENT_SYNC) {
        add_count(list, "context", event->context);
        add_count(list, "stream", event->stream);
    }
    if (event->kind == CPPROF_EVENT_RANGE && event->detail)
        add_text(list, "domain", strtab_text(strings, event->detail), strtab_length(strings, event->detail));
}

size_t export_args_of(struct export_arg args[static EXPORT_ARGS_MAX], const struct cpprof_event *event,
                      bool is_elsewhere, bool several_ranks, const struct strtab *strings)
{
    struct arg_list list = {args, 0};
    if (event_is_gpu_work(event))
        add_work_args(&list, event);
    else
        add_host_args(&list, event, is_elsewhere, strings);
    if (event->flags & CPPROF_EVENT_UNFINISHED)
        add_whole(&list, "unfinished", 1);
    if (several_ranks && event->rank >= 0)
        add_whole(&list, "rank", event->rank);
    return list.count;
}

const char *export_category_of(const struct cpprof_event *event)
{
    const bool is_driver_call = event->kind == CPPROF_EVENT_API && event->flags & CPPROF_EVENT_DRIVER_API;
    return is_driver_call ? "cuda_driver" : categories[event->kind];
}

int64_t export_arrow_of(const struct cpprof_event *event)
{
    const bool starts_work =
        event->kind == CPPROF_EVENT_API && (event->detail == CPPROF_API_LAUNCH || event->detail == CPPROF_API_COPY);
    if (!event->correlation || !(event_is_gpu_work(event) || starts_work))
        return 0;
    return ((int64_t)event->rank + 1) * ((int64_t)1 << 32) + event->correlation;
}
