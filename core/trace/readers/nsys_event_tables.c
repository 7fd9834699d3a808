/* Which tables of an SQLite export of nsys hold events, and what do their columns mean? */
#define _GNU_SOURCE
#include <inttypes.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/trace/readers/nsys_export.h"
#include "core/trace/readers/work_names.h"
#include "core/trace/short_names.h"

/* nsys's own numbers for kinds of NVTX events. */
enum { NVTX_PUSH_POP = 59, NVTX_START_END = 60, NVTXT_PUSH_POP = 70, NVTXT_START_END = 71, NVTX_DOMAIN = 75 };

enum { THREAD_BITS = 24 };

static nsys_complete complete_kernel, complete_copy, complete_memset, complete_call, complete_wait, complete_overhead,
    complete_range;

#define GPU_MEMBERS                                                                                                    \
    {"deviceId", EVENT_MEMBER(device)}, {"contextId", EVENT_MEMBER(context)}, {"streamId", EVENT_MEMBER(stream)},      \
        {"correlationId", EVENT_MEMBER(correlation)},                                                                  \
    {                                                                                                                  \
        "graphNodeId", EVENT_MEMBER(graph_node)                                                                        \
    }

enum { KERNEL_FULL_NAME = NSYS_ROW_EXTRA, KERNEL_SHORT_NAME, KERNEL_MANGLED_NAME };
enum { COPY_KIND = NSYS_ROW_EXTRA, COPY_SOURCE, COPY_TARGET };
enum { CALL_NAME = NSYS_ROW_EXTRA };
enum { RANGE_TYPE = NSYS_ROW_EXTRA, RANGE_TEXT, RANGE_TEXT_ID, RANGE_DOMAIN };

const struct nsys_event_table nsys_event_tables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     CPPROF_EVENT_KERNEL,
     "globalPid",
     {"demangledName", "shortName", "mangledName"},
     {GPU_MEMBERS,
      {"gridX", EVENT_MEMBER(grid[0])},
      {"gridY", EVENT_MEMBER(grid[1])},
      {"gridZ", EVENT_MEMBER(grid[2])},
      {"blockX", EVENT_MEMBER(block[0])},
      {"blockY", EVENT_MEMBER(block[1])},
      {"blockZ", EVENT_MEMBER(block[2])},
      {"registersPerThread", EVENT_MEMBER(registers)},
      {"staticSharedMemory", EVENT_MEMBER(shared_static_bytes)},
      {"dynamicSharedMemory", EVENT_MEMBER(shared_dynamic_bytes)},
      {"localMemoryPerThread", EVENT_MEMBER(local_bytes)}},
     complete_kernel},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     CPPROF_EVENT_COPY,
     "globalPid",
     {"copyKind", "srcKind", "dstKind"},
     {GPU_MEMBERS, {"bytes", EVENT_MEMBER(size_bytes)}},
     complete_copy},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     CPPROF_EVENT_MEMSET,
     "globalPid",
     {NULL},
     {GPU_MEMBERS, {"bytes", EVENT_MEMBER(size_bytes)}},
     complete_memset},
    {"CUPTI_ACTIVITY_KIND_RUNTIME",
     CPPROF_EVENT_API,
     "globalTid",
     {"nameId"},
     {{"correlationId", EVENT_MEMBER(correlation)}},
     complete_call},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     CPPROF_EVENT_SYNC,
     "globalPid",
     {NULL},
     {{"contextId", EVENT_MEMBER(context)},
      {"streamId", EVENT_MEMBER(stream)},
      {"correlationId", EVENT_MEMBER(correlation)}},
     complete_wait},
    {"CUPTI_ACTIVITY_KIND_OVERHEAD", CPPROF_EVENT_OVERHEAD, "globalTid", {"nameId"}, {{0}}, complete_overhead},
    {"PROFILER_OVERHEAD", CPPROF_EVENT_OVERHEAD, "globalTid", {"nameId"}, {{0}}, complete_overhead},
    {"NVTX_EVENTS",
     CPPROF_EVENT_RANGE,
     "globalTid",
     {"eventType", "text", "textId", "domainId"},
     {{0}},
     complete_range},
};

const size_t nsys_event_table_count = COUNT_OF(nsys_event_tables);

bool nsys_event_table_is_gpu(const struct nsys_event_table *t)
{
    return t->kind <= CPPROF_EVENT_MEMSET;
}

static uint32_t add_text(struct nsys_export *x, const char *text, size_t length)
{
    return strtab_add_bytes(x->sink->strings, text, length);
}

/* Sets *name to the first of the columns that has a string; 0 when none has. */
static int first_name(struct nsys_export *x, const struct sqlite_rows *row, size_t column, size_t count, uint32_t *name,
                      struct err *e)
{
    *name = 0;
    for (size_t i = 0; i < count && !*name; i++)
        if (sqlite_rows_type(row, column + i) == SQLITE_CELL_INTEGER) {
            int rc = nsys_strings_find(x->strings, sqlite_rows_integer(row, column + i), name, e);
            if (rc)
                return rc;
        }
    return 0;
}

static int complete_kernel(struct nsys_export *x, const struct sqlite_rows *row, struct cpprof_event *event,
                           struct err *e)
{
    int rc = first_name(x, row, KERNEL_FULL_NAME, 3, &event->name, e);
    return rc || event->name ? rc : err_set(e, ERR_INPUT, "the kernel has no name");
}

static bool memory_is_pageable(const struct nsys_export *x, const struct sqlite_rows *row, size_t column)
{
    int64_t kind = sqlite_rows_integer(row, column);
    return sqlite_rows_type(row, column) == SQLITE_CELL_INTEGER && kind >= 0 && kind < NSYS_LABELS_MAX &&
           x->pageable[kind];
}

static int complete_copy(struct nsys_export *x, const struct sqlite_rows *row, struct cpprof_event *event,
                         struct err *e)
{
    int64_t kind = sqlite_rows_integer(row, COPY_KIND);
    if (kind < 0 || kind >= NSYS_LABELS_MAX || !x->copy_names[kind])
        return err_set(e, ERR_INPUT, "copyKind %" PRId64 " is not known", kind);
    event->name = x->copy_names[kind];
    const char *name = strtab_text(x->sink->strings, event->name);
    event->kind = work_kind_of_name(name);
    event->detail = work_copy_direction(name);
    unsigned flags = memory_is_pageable(x, row, COPY_SOURCE) ? CPPROF_EVENT_SRC_PAGEABLE : 0;
    flags |= memory_is_pageable(x, row, COPY_TARGET) ? CPPROF_EVENT_DST_PAGEABLE : 0;
    event->flags = (uint16_t)(event->flags | flags);
    return 0;
}

static int complete_memset(struct nsys_export *x, const struct sqlite_rows *row, struct cpprof_event *event,
                           struct err *e)
{
    static const char name[] = "[CUDA memset]";
    (void)row;
    event->name = add_text(x, name, sizeof name - 1);
    return event->name ? 0 : err_memory(e);
}

static uint32_t thread_of(const struct sqlite_rows *row)
{
    return (uint32_t)sqlite_rows_integer(row, NSYS_ROW_PROCESS) & ((UINT32_C(1) << THREAD_BITS) - 1);
}

static int complete_call(struct nsys_export *x, const struct sqlite_rows *row, struct cpprof_event *event,
                         struct err *e)
{
    event->device = -1;
    event->thread = thread_of(row);
    int rc = first_name(x, row, CALL_NAME, 1, &event->name, e);
    if (rc)
        return rc;
    const char *name = strtab_text(x->sink->strings, event->name);
    event->name = add_text(x, name, call_name_length(name));
    if (!event->name)
        return err_memory(e);
    event->detail = work_api_kind(name);
    event->flags = work_is_driver_call(name) ? CPPROF_EVENT_DRIVER_API : 0;
    return 0;
}

static int complete_wait(struct nsys_export *x, const struct sqlite_rows *row, struct cpprof_event *event,
                         struct err *e)
{
    (void)x, (void)row, (void)e;
    event->device = -1;
    return 0;
}

static int complete_overhead(struct nsys_export *x, const struct sqlite_rows *row, struct cpprof_event *event,
                             struct err *e)
{
    event->device = -1;
    event->thread = thread_of(row);
    return first_name(x, row, CALL_NAME, 1, &event->name, e);
}

/* Marks, categories and domains are not ranges, nor is a range without a start. */
static bool is_range(const struct sqlite_rows *row)
{
    if (sqlite_rows_type(row, NSYS_ROW_START) != SQLITE_CELL_INTEGER)
        return false;
    if (!sqlite_rows_has(row, RANGE_TYPE))
        return sqlite_rows_type(row, NSYS_ROW_END) == SQLITE_CELL_INTEGER;
    int64_t type = sqlite_rows_integer(row, RANGE_TYPE);
    return type == NVTX_PUSH_POP || type == NVTX_START_END || type == NVTXT_PUSH_POP || type == NVTXT_START_END;
}

/* The text of a range is in the row, or in the table of strings. */
static int range_name(struct nsys_export *x, const struct sqlite_rows *row, uint32_t *name, struct err *e)
{
    size_t length;
    const char *text = sqlite_rows_text(row, RANGE_TEXT, &length);
    if (sqlite_rows_type(row, RANGE_TEXT) != SQLITE_CELL_TEXT)
        return first_name(x, row, RANGE_TEXT_ID, 1, name, e);
    *name = add_text(x, text, length);
    return *name ? 0 : err_memory(e);
}

static int complete_range(struct nsys_export *x, const struct sqlite_rows *row, struct cpprof_event *event,
                          struct err *e)
{
    event->device = -1;
    event->thread = thread_of(row);
    event->detail = nsys_processes_domain(&x->processes, sqlite_rows_integer(row, NSYS_ROW_PROCESS),
                                          sqlite_rows_integer(row, RANGE_DOMAIN));
    return range_name(x, row, &event->name, e);
}

bool nsys_row_is_event(const struct nsys_event_table *t, const struct sqlite_rows *row)
{
    return t->kind != CPPROF_EVENT_RANGE || is_range(row);
}

int nsys_export_find_domains(struct nsys_export *x, struct err *e)
{
    /* The columns of the name are where range_name expects them. */
    enum { TYPE, PROCESS, DOMAIN };
    static const char *const columns[] = {
        [TYPE] = "eventType",       [PROCESS] = "globalTid", [DOMAIN] = "domainId",
        [RANGE_TYPE] = "eventType", [RANGE_TEXT] = "text",   [RANGE_TEXT_ID] = "textId"};
    struct sqlite_rows *rows = NULL;
    int rc = sqlite_file_has(x->file, "NVTX_EVENTS", e);
    if (rc == SQLITE_TABLE_USABLE)
        rc = sqlite_rows_open(&rows, x->file, "NVTX_EVENTS", columns, COUNT_OF(columns), e);
    while (rows && !rc && (rc = sqlite_rows_next(rows, NULL)) == 1) {
        uint32_t name;
        rc = 0;
        if (sqlite_rows_integer(rows, TYPE) != NVTX_DOMAIN)
            continue;
        rc = range_name(x, rows, &name, e);
        if (!rc)
            rc = nsys_processes_add_domain(&x->processes, sqlite_rows_integer(rows, PROCESS),
                                           sqlite_rows_integer(rows, DOMAIN), name, e);
    }
    sqlite_rows_close(rows);
    return rc < 0 && rc != ERR_INPUT ? rc : 0; /* problems of the table are reported when it is read */
}
