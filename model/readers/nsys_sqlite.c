/* What happened on the GPU and in the CUDA API, according to an SQLite export of nsys?
 *
 * Tables and columns come and go with nsys's versions (2022 to 2026), so both
 * are looked up by name. Each table has a description: which columns become
 * which members of an event, and what is left to do by hand. The first row of a
 * table that makes no sense ends the good part of that table. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/readers/event_member.h"
#include "model/readers/nsys_processes.h"
#include "model/readers/nsys_strings.h"
#include "model/readers/reader.h"
#include "model/readers/sqlite_rows.h"
#include "model/readers/work_names.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* nsys's own numbers for kinds of NVTX events. */
enum { NVTX_PUSH_POP = 59, NVTX_START_END = 60, NVTXT_PUSH_POP = 70, NVTXT_START_END = 71, NVTX_DOMAIN = 75 };

enum { LABELS_MAX = 32, THREAD_BITS = 24 };

struct export
{
    const struct reader_input *input;
    struct reader_sink *sink;
    struct sqlite_file *file;
    struct nsys_strings *strings;
    struct nsys_processes processes;
    uint32_t copy_names[LABELS_MAX]; /* "[CUDA memcpy Host-to-Device]" by copyKind; 0 when there is none */
    bool pageable[LABELS_MAX];       /* by srcKind and dstKind */
    int64_t gpu_events, foreign_calls;
};

/* The first columns of every table; `extra` and `members` follow. */
enum { ROW_START, ROW_END, ROW_PROCESS, ROW_EXTRA };

enum { EXTRA_MAX = 4, MEMBERS_MAX = 18 };

struct event_table {
    const char *name;
    uint16_t kind;
    const char *process; /* the column that names the process, or the thread */
    const char *extra[EXTRA_MAX];
    struct {
        const char *column;
        struct event_member member;
    } members[MEMBERS_MAX];
    /* Completes the event; *keep is true on entry. */
    int (*complete)(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                    struct err *e);
};

static int complete_kernel(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                           struct err *e);
static int complete_copy(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                         struct err *e);
static int complete_memset(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                           struct err *e);
static int complete_call(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                         struct err *e);
static int complete_wait(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                         struct err *e);
static int complete_overhead(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                             struct err *e);
static int complete_range(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                          struct err *e);

#define GPU_MEMBERS                                                                                                    \
    {"deviceId", EVENT_MEMBER(device)}, {"contextId", EVENT_MEMBER(context)}, {"streamId", EVENT_MEMBER(stream)},      \
        {"correlationId", EVENT_MEMBER(correlation)},                                                                  \
    {                                                                                                                  \
        "graphNodeId", EVENT_MEMBER(graph_node)                                                                        \
    }

enum { KERNEL_FULL_NAME = ROW_EXTRA, KERNEL_SHORT_NAME, KERNEL_MANGLED_NAME };
enum { COPY_KIND = ROW_EXTRA, COPY_SOURCE, COPY_TARGET };
enum { CALL_NAME = ROW_EXTRA };
enum { RANGE_TYPE = ROW_EXTRA, RANGE_TEXT, RANGE_TEXT_ID, RANGE_DOMAIN };

static const struct event_table event_tables[] = {
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

static bool is_gpu_table(const struct event_table *t)
{
    return t->kind <= CPPROF_EVENT_MEMSET;
}

static uint32_t add_text(struct export *x, const char *text, size_t length)
{
    return strtab_add_bytes(x->sink->strings, text, length);
}

/* The first of the columns that names a string, in *name; 0 when none does. */
static int first_name(struct export *x, const struct sqlite_rows *row, size_t column, size_t count, uint32_t *name,
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

static int complete_kernel(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                           struct err *e)
{
    (void)keep;
    int rc = first_name(x, row, KERNEL_FULL_NAME, 3, &event->name, e);
    return rc || event->name ? rc : err_set(e, ERR_INPUT, "the kernel has no name");
}

static bool memory_is_pageable(const struct export *x, const struct sqlite_rows *row, size_t column)
{
    int64_t kind = sqlite_rows_integer(row, column);
    return sqlite_rows_type(row, column) == SQLITE_CELL_INTEGER && kind >= 0 && kind < LABELS_MAX && x->pageable[kind];
}

static int complete_copy(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                         struct err *e)
{
    (void)keep;
    int64_t kind = sqlite_rows_integer(row, COPY_KIND);
    if (kind < 0 || kind >= LABELS_MAX || !x->copy_names[kind])
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

static int complete_memset(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                           struct err *e)
{
    static const char name[] = "[CUDA memset]";
    (void)row, (void)keep;
    event->name = add_text(x, name, sizeof name - 1);
    return event->name ? 0 : err_memory(e);
}

static uint32_t thread_of(const struct sqlite_rows *row)
{
    return (uint32_t)sqlite_rows_integer(row, ROW_PROCESS) & ((UINT32_C(1) << THREAD_BITS) - 1);
}

/* "cudaLaunchKernel_v7000" is cudaLaunchKernel, as nsys's own tables have it. */
static size_t length_without_version(const char *name)
{
    size_t length = strlen(name), digits = length;
    while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    bool versioned = digits < length && digits > 2 && name[digits - 1] == 'v' && name[digits - 2] == '_';
    return versioned ? digits - 2 : length;
}

static int complete_call(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                         struct err *e)
{
    event->device = -1;
    event->thread = thread_of(row);
    if (x->processes.count && event->rank == NSYS_PROCESS_UNKNOWN) {
        x->foreign_calls++; /* its correlation ids could be mistaken for those of one that used the GPU */
        *keep = false;
        return 0;
    }
    int rc = first_name(x, row, CALL_NAME, 1, &event->name, e);
    if (rc)
        return rc;
    const char *name = strtab_text(x->sink->strings, event->name);
    event->name = add_text(x, name, length_without_version(name));
    if (!event->name)
        return err_memory(e);
    event->detail = work_api_kind(name);
    event->flags = work_is_driver_call(name) ? CPPROF_EVENT_DRIVER_API : 0;
    return 0;
}

static int complete_wait(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                         struct err *e)
{
    (void)x, (void)row, (void)keep, (void)e;
    event->device = -1;
    return 0;
}

static int complete_overhead(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                             struct err *e)
{
    (void)keep;
    event->device = -1;
    event->thread = thread_of(row);
    return first_name(x, row, CALL_NAME, 1, &event->name, e);
}

/* Marks, categories and domains are no ranges; nor is one that never started. */
static bool is_range(const struct sqlite_rows *row)
{
    if (sqlite_rows_type(row, ROW_START) != SQLITE_CELL_INTEGER)
        return false;
    if (!sqlite_rows_has(row, RANGE_TYPE))
        return sqlite_rows_type(row, ROW_END) == SQLITE_CELL_INTEGER;
    int64_t type = sqlite_rows_integer(row, RANGE_TYPE);
    return type == NVTX_PUSH_POP || type == NVTX_START_END || type == NVTXT_PUSH_POP || type == NVTXT_START_END;
}

/* The text of a range stands in the row or among the strings. */
static int range_name(struct export *x, const struct sqlite_rows *row, uint32_t *name, struct err *e)
{
    size_t length;
    const char *text = sqlite_rows_text(row, RANGE_TEXT, &length);
    if (sqlite_rows_type(row, RANGE_TEXT) != SQLITE_CELL_TEXT)
        return first_name(x, row, RANGE_TEXT_ID, 1, name, e);
    *name = add_text(x, text, length);
    return *name ? 0 : err_memory(e);
}

static int complete_range(struct export *x, const struct sqlite_rows *row, struct cpprof_event *event, bool *keep,
                          struct err *e)
{
    event->device = -1;
    event->thread = thread_of(row);
    *keep = is_range(row);
    if (!*keep)
        return 0;
    event->detail = nsys_processes_domain(&x->processes, sqlite_rows_integer(row, ROW_PROCESS),
                                          sqlite_rows_integer(row, RANGE_DOMAIN));
    return range_name(x, row, &event->name, e);
}

static int bad_row(const struct export *x, const struct event_table *t, const struct sqlite_rows *row, const char *what,
                   struct err *e)
{
    return err_set(e, ERR_INPUT, "%s: table %s, row %" PRId64 ": %s", x->input->path, t->name, sqlite_rows_number(row),
                   what);
}

/* Only ranges may lack an end: they were open when the capture ended. */
static int read_times(const struct export *x, const struct event_table *t, const struct sqlite_rows *row,
                      struct cpprof_event *event, struct err *e)
{
    event->start_ns = sqlite_rows_integer(row, ROW_START);
    event->end_ns = sqlite_rows_integer(row, ROW_END);
    if (t->kind == CPPROF_EVENT_RANGE && sqlite_rows_type(row, ROW_END) == SQLITE_CELL_NONE) {
        event->flags = CPPROF_EVENT_UNFINISHED;
        event->end_ns = event->start_ns;
    } else if (sqlite_rows_type(row, ROW_END) != SQLITE_CELL_INTEGER)
        return bad_row(x, t, row, "the end is no whole number", e);
    if (sqlite_rows_type(row, ROW_START) != SQLITE_CELL_INTEGER)
        return bad_row(x, t, row, "the start is no whole number", e);
    if (!event_times_are_sane(event->start_ns, event->end_ns))
        return bad_row(x, t, row, "it ends before it starts, or its times are no times", e);
    return 0;
}

static size_t extra_count(const struct event_table *t)
{
    size_t count = 0;
    while (count < EXTRA_MAX && t->extra[count])
        count++;
    return count;
}

static int read_members(const struct export *x, const struct event_table *t, const struct sqlite_rows *row,
                        struct cpprof_event *event, struct err *e)
{
    size_t column = ROW_EXTRA + extra_count(t);
    for (size_t i = 0; i < MEMBERS_MAX && t->members[i].column; i++, column++) {
        enum sqlite_cell type = sqlite_rows_type(row, column);
        bool good = type == SQLITE_CELL_INTEGER &&
                    event_member_set(event, t->members[i].member, sqlite_rows_integer(row, column));
        if (!good && type != SQLITE_CELL_NONE) {
            char what[96];
            snprintf(what, sizeof what, "column '%s' is no whole number that fits", t->members[i].column);
            return bad_row(x, t, row, what, e);
        }
    }
    if (event->device < -1)
        return bad_row(x, t, row, "column 'deviceId' is no whole number that fits", e);
    return 0;
}

static int read_row(struct export *x, const struct event_table *t, const struct sqlite_rows *row, struct err *e)
{
    struct cpprof_event event = {.kind = t->kind, .device = -1};
    bool keep = t->kind != CPPROF_EVENT_RANGE || is_range(row);
    if (!keep)
        return 0;
    int rc = read_times(x, t, row, &event, e);
    if (!rc)
        rc = read_members(x, t, row, &event, e);
    if (rc)
        return rc;
    event.rank = nsys_processes_rank(&x->processes, sqlite_rows_integer(row, ROW_PROCESS));
    struct err bad = {0};
    rc = t->complete(x, row, &event, &keep, &bad);
    if (rc == ERR_INPUT)
        return bad_row(x, t, row, bad.text, e);
    if (rc)
        return err_set(e, rc, "%s", bad.text);
    if (x->processes.count < 2)
        event.rank = -1;
    x->gpu_events += keep && is_gpu_table(t);
    return keep ? event_spool_add(x->sink->events, &event, e) : 0;
}

static int read_rows(struct export *x, const struct event_table *t, struct sqlite_rows *rows, struct err *e)
{
    int rc;
    while ((rc = sqlite_rows_next(rows, e)) == 1)
        if ((rc = read_row(x, t, rows, e)))
            break;
    return rc;
}

static int open_table(struct export *x, const struct event_table *t, struct sqlite_rows **rows, struct err *e)
{
    const char *columns[ROW_EXTRA + EXTRA_MAX + MEMBERS_MAX] = {"start", "end", t->process};
    size_t count = ROW_EXTRA;
    for (size_t i = 0; i < extra_count(t); i++)
        columns[count++] = t->extra[i];
    for (size_t i = 0; i < MEMBERS_MAX && t->members[i].column; i++)
        columns[count++] = t->members[i].column;
    int rc = sqlite_rows_open(rows, x->file, t->name, columns, count, e);
    if (!rc && (!sqlite_rows_has(*rows, ROW_START) || !sqlite_rows_has(*rows, ROW_END)))
        rc = err_set(e, ERR_INPUT, "'%s': table %s lacks column 'start' or 'end'", x->input->path, t->name);
    return rc;
}

static int read_table(struct export *x, const struct event_table *t, struct err *e)
{
    int rc = sqlite_file_has(x->file, t->name, e);
    if (rc != 1)
        return rc;
    struct sqlite_rows *rows = NULL;
    struct err bad = {0};
    rc = open_table(x, t, &rows, &bad);
    if (!rc)
        rc = read_rows(x, t, rows, &bad);
    sqlite_rows_close(rows);
    if (rc == ERR_INPUT)
        return caveat_add(x->sink->caveats, CAVEAT_TRUNCATED, e, "%s; the rest of this table is not used", bad.text);
    return rc ? err_set(e, rc, "%s", bad.text) : 0;
}

/* Which processes used the GPU? Several of them become ranks: each counts its
 * devices, streams and correlation ids for itself. */
static int find_processes(struct export *x, struct err *e)
{
    static const char *const columns[] = {"globalPid"};
    for (size_t i = 0; i < COUNT(event_tables) && is_gpu_table(&event_tables[i]); i++) {
        struct sqlite_rows *rows = NULL;
        int rc = sqlite_file_has(x->file, event_tables[i].name, e);
        if (rc == 1)
            rc = sqlite_rows_open(&rows, x->file, event_tables[i].name, columns, 1, e);
        while (rows && !rc && (rc = sqlite_rows_next(rows, NULL)) == 1)
            rc = sqlite_rows_type(rows, 0) == SQLITE_CELL_INTEGER
                     ? nsys_processes_add(&x->processes, sqlite_rows_integer(rows, 0), e)
                     : 0;
        sqlite_rows_close(rows);
        if (rc && rc != ERR_INPUT)
            return rc; /* what is wrong with the table is said when it is read */
    }
    if (x->processes.count < 2)
        return 0;
    return caveat_add(x->sink->caveats, CAVEAT_NOTE, e,
                      "%s: %zu processes used the GPU; they are shown as ranks, in the order of their process ids",
                      x->input->path, x->processes.count);
}

static int find_domains(struct export *x, struct err *e)
{
    /* The name's columns stand where range_name looks for them. */
    enum { TYPE, PROCESS, DOMAIN };
    static const char *const columns[] = {
        [TYPE] = "eventType",       [PROCESS] = "globalTid", [DOMAIN] = "domainId",
        [RANGE_TYPE] = "eventType", [RANGE_TEXT] = "text",   [RANGE_TEXT_ID] = "textId"};
    struct sqlite_rows *rows = NULL;
    int rc = sqlite_file_has(x->file, "NVTX_EVENTS", e);
    if (rc == 1)
        rc = sqlite_rows_open(&rows, x->file, "NVTX_EVENTS", columns, COUNT(columns), e);
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
    return rc == ERR_INPUT ? 0 : rc;
}

/* nsys's numbers and words since 2021; ENUM_ tables of a file go before them. */
static const char *const copy_labels[] = {
    "Unknown",
    "Host-to-Device",
    "Device-to-Host",
    "Host-to-Array",
    "Array-to-Host",
    "Array-to-Array",
    "Array-to-Device",
    "Device-to-Array",
    "Device-to-Device",
    "Host-to-Host",
    "Peer-to-Peer",
    "Unified Host-to-Device",
    "Unified Device-to-Host",
    "Unified Device-to-Device",
};
static const char *const memory_labels[] = {"Pageable"};

static int set_copy_label(struct export *x, int64_t id, const char *label, struct err *e)
{
    struct str name;
    str_init(&name);
    str_addf(&name, "[CUDA memcpy %.64s]", label);
    x->copy_names[id] = name.failed ? 0 : add_text(x, name.text, name.length);
    str_release(&name);
    return x->copy_names[id] ? 0 : err_memory(e);
}

static int set_memory_label(struct export *x, int64_t id, const char *label, struct err *e)
{
    (void)e;
    x->pageable[id] = !strcmp(label, "Pageable");
    return 0;
}

static int read_labels(struct export *x, const char *table, const char *const *defaults, size_t default_count,
                       int (*set)(struct export *, int64_t, const char *, struct err *), struct err *e)
{
    static const char *const columns[] = {"id", "label"};
    struct sqlite_rows *rows = NULL;
    int rc = 0;
    for (size_t i = 0; !rc && i < default_count; i++)
        rc = set(x, (int64_t)i, defaults[i], e);
    if (!rc && (rc = sqlite_file_has(x->file, table, e)) == 1)
        rc = sqlite_rows_open(&rows, x->file, table, columns, COUNT(columns), e);
    while (rows && !rc && (rc = sqlite_rows_next(rows, e)) == 1) {
        int64_t id = sqlite_rows_integer(rows, 0);
        size_t length;
        const char *label = sqlite_rows_text(rows, 1, &length);
        rc = *label && id >= 0 && id < LABELS_MAX ? set(x, id, label, e) : 0;
    }
    sqlite_rows_close(rows);
    return rc;
}

/* nsys's default records a CUDA graph as one thing, without its kernels. */
static int note_graphs(struct export *x, struct err *e)
{
    static const char *const columns[] = {"start"};
    struct sqlite_rows *rows = NULL;
    int64_t count = 0;
    int rc = sqlite_file_has(x->file, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", e);
    if (rc != 1)
        return rc;
    rc = sqlite_rows_open(&rows, x->file, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns, 1, e);
    while (!rc && (rc = sqlite_rows_next(rows, e)) == 1) {
        count++;
        rc = 0;
    }
    sqlite_rows_close(rows);
    if (rc || !count)
        return rc;
    return caveat_add(x->sink->caveats, CAVEAT_WEAKENS, e,
                      "%s: %" PRId64 " launches of CUDA graphs were recorded without the work in them; record with "
                      "nsys profile --cuda-graph-trace=node",
                      x->input->path, count);
}

/* What nsys itself says was lost. */
static int note_losses(struct export *x, struct err *e)
{
    static const char *const columns[] = {"text"};
    struct sqlite_rows *rows = NULL;
    int rc = sqlite_file_has(x->file, "DIAGNOSTIC_EVENT", e);
    if (rc == 1)
        rc = sqlite_rows_open(&rows, x->file, "DIAGNOSTIC_EVENT", columns, 1, e);
    while (rows && !rc && (rc = sqlite_rows_next(rows, e)) == 1) {
        size_t length;
        const char *text = sqlite_rows_text(rows, 0, &length);
        rc = strstr(text, "might have been collected")
                 ? caveat_add(x->sink->caveats, CAVEAT_WEAKENS, e, "%s: nsys says: %.200s", x->input->path, text)
                 : 0;
    }
    sqlite_rows_close(rows);
    return rc;
}

static int check_is_export(struct export *x, struct err *e)
{
    int strings = sqlite_file_has(x->file, "StringIds", e);
    if (strings)
        return strings < 0 ? strings : 0;
    return err_set(e, ERR_INPUT,
                   "'%s' is an SQLite database, but no export of nsys: it has no table StringIds; make one with "
                   "nsys export --type sqlite REPORT.nsys-rep",
                   x->input->path);
}

static int refuse_vacuous(const struct export *x, struct err *e)
{
    const struct caveat_list *caveats = x->sink->caveats;
    for (size_t i = 0; i < caveats->count; i++)
        if (caveats->items[i].kind == CAVEAT_TRUNCATED)
            return err_set(e, ERR_INPUT, "%s", caveats->items[i].text);
    return err_set(e, ERR_INPUT,
                   "'%s' is an export of nsys without work on the GPU: nothing ran there while it was captured, or "
                   "CUDA was not traced (nsys profile -t cuda)",
                   x->input->path);
}

static int note_foreign_calls(struct export *x, struct err *e)
{
    if (!x->foreign_calls)
        return 0;
    return caveat_add(x->sink->caveats, CAVEAT_NOTE, e,
                      "%s: %" PRId64 " calls of processes without work on the GPU are left out", x->input->path,
                      x->foreign_calls);
}

static int prepare(struct export *x, struct err *e)
{
    int rc = check_is_export(x, e);
    if (!rc)
        rc = nsys_strings_new(&x->strings, x->file, x->sink->strings, e);
    if (!rc)
        rc = read_labels(x, "ENUM_CUDA_MEMCPY_OPER", copy_labels, COUNT(copy_labels), set_copy_label, e);
    if (!rc)
        rc = read_labels(x, "ENUM_CUDA_MEM_KIND", memory_labels, COUNT(memory_labels), set_memory_label, e);
    if (!rc)
        rc = find_processes(x, e);
    return rc ? rc : find_domains(x, e);
}

static int read_tables(struct export *x, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < COUNT(event_tables); i++)
        rc = read_table(x, &event_tables[i], e);
    if (!rc && !x->gpu_events)
        rc = refuse_vacuous(x, e);
    if (!rc)
        rc = note_foreign_calls(x, e);
    if (!rc)
        rc = note_graphs(x, e);
    return rc ? rc : note_losses(x, e);
}

static int read_export(const struct reader_input *input, struct reader_sink *sink, struct err *e)
{
    struct export x = {.input = input, .sink = sink};
    int rc = sqlite_file_open(&x.file, input->file, input->path, e);
    if (!rc)
        rc = prepare(&x, e);
    if (!rc)
        rc = read_tables(&x, e);
    nsys_processes_release(&x.processes);
    nsys_strings_free(x.strings);
    sqlite_file_close(x.file);
    return rc;
}

static bool recognise(const struct reader_input *input)
{
    return input->file && sqlite_file_is(input->head, input->head_bytes);
}

const struct reader nsys_sqlite_reader = {"nsys SQLite export", recognise, read_export};
