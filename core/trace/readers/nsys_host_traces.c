/* Which calls did the host make, according to a cuda_api_trace or cuda_kern_exec_trace table of nsys? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "core/trace/readers/nsys_layouts.h"
#include "core/trace/readers/work_names.h"

#define GPU_TRACE "nsys stats --report cuda_gpu_trace --format csv REPORT.nsys-rep > trace.csv"

static void set_call(const struct nsys_table *t, struct cpprof_event *call)
{
    const char *name = strtab_text(t->sink->strings, call->name);
    call->kind = CPPROF_EVENT_API;
    call->detail = work_api_kind(name);
    call->flags = work_is_driver_call(name) ? CPPROF_EVENT_DRIVER_API : 0;
}

static int add_process(struct nsys_table *t, int64_t process, struct err *e)
{
    if (t->processes.count == NSYS_TABLE_PROCESSES_MAX)
        return err_set(e, ERR_INPUT, "%s: calls of more than %d processes", t->path, NSYS_TABLE_PROCESSES_MAX);
    t->processes.items[t->processes.count++] = process;
    if (t->processes.count != 2)
        return 0;
    t->sink->rank = 0; /* rank of the first process, whose events have none */
    return caveat_add(t->sink->caveats, CAVEAT_NOTE, e,
                      "%s: several processes made calls; they are shown as ranks, in the order in which they come",
                      t->path);
}

/* Each process has its own correlation ids, so several processes become ranks. The first gets no rank until a second
 * one appears: nearly all tables have one process. */
static int set_rank(struct nsys_table *t, const struct csv_row *row, size_t column, struct cpprof_event *event,
                    struct err *e)
{
    int64_t process;
    if (!*nsys_table_cell(t, row, column))
        return 0;
    int rc = nsys_table_number(t, row, column, 0, UINT32_MAX, &process, e);
    if (rc)
        return rc;
    size_t place = t->processes.last;
    if (place >= t->processes.count || t->processes.items[place] != process)
        for (place = 0; place < t->processes.count && t->processes.items[place] != process;)
            place++;
    if (place == t->processes.count)
        rc = add_process(t, process, e);
    t->processes.last = place;
    event->rank = place ? (int16_t)place : -1;
    return rc;
}

enum {
    API_START,
    API_DURATION,
    API_NAME,
    API_RESULT,
    API_CORRELATION,
    API_PROCESS,
    API_THREAD,
    API_PRIORITY,
    API_THREAD_NAME,
    API_COLUMNS
};

static const struct nsys_column api_columns[API_COLUMNS] = {
    [API_START] = {"Start", NSYS_TIME, true, NO_MEMBER},
    [API_DURATION] = {"Duration", NSYS_TIME, true, NO_MEMBER},
    [API_NAME] = {"Name", NSYS_PLAIN, true, NO_MEMBER},
    [API_RESULT] = {"Result", NSYS_PLAIN, false, NO_MEMBER},
    [API_CORRELATION] = {"CorrID", NSYS_PLAIN, false, EVENT_MEMBER(correlation)},
    [API_PROCESS] = {"Pid", NSYS_PLAIN, false, NO_MEMBER},
    [API_THREAD] = {"Tid", NSYS_PLAIN, true, EVENT_MEMBER(thread)},
    [API_PRIORITY] = {"T-Pri", NSYS_PLAIN, false, NO_MEMBER},
    [API_THREAD_NAME] = {"Thread Name", NSYS_PLAIN, false, NO_MEMBER},
};

static int read_api_row(struct nsys_table *t, const struct csv_row *row, struct err *e)
{
    struct cpprof_event call = {.rank = -1, .device = -1};
    int rc = nsys_table_times(t, row, API_START, API_DURATION, &call, e);
    if (!rc)
        rc = nsys_table_members(t, row, &call, e);
    if (!rc)
        rc = nsys_table_name(t, row, API_NAME, &call.name, e);
    if (!rc)
        rc = set_rank(t, row, API_PROCESS, &call, e);
    if (rc)
        return rc;
    set_call(t, &call);
    return event_spool_add(t->sink->events, &call, e);
}

const struct nsys_layout nsys_api_layout = {
    .report = "cuda_api_trace",
    .header_words = {"Start (", "Duration (", "Name", "CorrID", "Tid", ","},
    .columns = api_columns,
    .column_count = API_COLUMNS,
    .start_column = API_START,
    .duration_column = API_DURATION,
    .size_column = NSYS_COLUMNS_MAX,
    .correlation_column = API_CORRELATION,
    .name_column = API_THREAD_NAME,
    .lacks = "a cuda_api_trace has calls on the host and no work on the GPU; for that, " GPU_TRACE,
    .read_row = read_api_row,
};

enum {
    EXEC_API_START,
    EXEC_API_DURATION,
    EXEC_QUEUE_START,
    EXEC_QUEUE_DURATION,
    EXEC_KERNEL_START,
    EXEC_KERNEL_DURATION,
    EXEC_TOTAL,
    EXEC_PROCESS,
    EXEC_THREAD,
    EXEC_DEVICE,
    EXEC_FUNCTION,
    EXEC_GRID,
    EXEC_BLOCK,
    EXEC_NAME,
    EXEC_COLUMNS
};

static const struct nsys_column exec_columns[EXEC_COLUMNS] = {
    [EXEC_API_START] = {"API Start", NSYS_TIME, true, NO_MEMBER},
    [EXEC_API_DURATION] = {"API Dur", NSYS_TIME, true, NO_MEMBER},
    [EXEC_QUEUE_START] = {"Queue Start", NSYS_TIME, false, NO_MEMBER},
    [EXEC_QUEUE_DURATION] = {"Queue Dur", NSYS_TIME, false, NO_MEMBER},
    [EXEC_KERNEL_START] = {"Kernel Start", NSYS_TIME, true, NO_MEMBER},
    [EXEC_KERNEL_DURATION] = {"Kernel Dur", NSYS_TIME, true, NO_MEMBER},
    [EXEC_TOTAL] = {"Total Dur", NSYS_TIME, false, NO_MEMBER},
    [EXEC_PROCESS] = {"PID", NSYS_PLAIN, false, NO_MEMBER},
    [EXEC_THREAD] = {"TID", NSYS_PLAIN, true, NO_MEMBER},
    [EXEC_DEVICE] = {"DevId", NSYS_PLAIN, true, NO_MEMBER},
    [EXEC_FUNCTION] = {"API Function", NSYS_PLAIN, true, NO_MEMBER},
    [EXEC_GRID] = {"GridXYZ", NSYS_PLAIN, false, NO_MEMBER},
    [EXEC_BLOCK] = {"BlockXYZ", NSYS_PLAIN, false, NO_MEMBER},
    [EXEC_NAME] = {"Kernel Name", NSYS_PLAIN, true, NO_MEMBER},
};

/* "195313    1    1" */
static int read_axes(const struct nsys_table *t, const struct csv_row *row, size_t column,
                     const struct event_member axes[3], struct cpprof_event *event, struct err *e)
{
    const char *at = nsys_table_cell(t, row, column);
    if (!*at)
        return 0;
    for (size_t i = 0; i < 3; i++) {
        char *end;
        at += strspn(at, " ");
        long long value = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : -1;
        if (value < 0 || !event_member_set(event, axes[i], value))
            return nsys_table_bad_cell(t, row, column, "three whole numbers", e);
        at = end;
    }
    return *at ? nsys_table_bad_cell(t, row, column, "three whole numbers", e) : 0;
}

static int read_exec_call(struct nsys_table *t, const struct csv_row *row, struct cpprof_event *call, struct err *e)
{
    int64_t thread;
    int rc = nsys_table_times(t, row, EXEC_API_START, EXEC_API_DURATION, call, e);
    if (!rc)
        rc = nsys_table_number(t, row, EXEC_THREAD, 0, UINT32_MAX, &thread, e);
    if (!rc)
        rc = nsys_table_name(t, row, EXEC_FUNCTION, &call->name, e);
    if (!rc)
        rc = set_rank(t, row, EXEC_PROCESS, call, e);
    if (rc)
        return rc;
    call->thread = (uint32_t)thread;
    set_call(t, call);
    return 0;
}

static int read_exec_kernel(struct nsys_table *t, const struct csv_row *row, struct cpprof_event *kernel, struct err *e)
{
    static const struct event_member grid[] = {EVENT_MEMBER(grid[0]), EVENT_MEMBER(grid[1]), EVENT_MEMBER(grid[2])};
    static const struct event_member block[] = {EVENT_MEMBER(block[0]), EVENT_MEMBER(block[1]), EVENT_MEMBER(block[2])};
    int64_t device;
    int rc = nsys_table_times(t, row, EXEC_KERNEL_START, EXEC_KERNEL_DURATION, kernel, e);
    if (!rc)
        rc = nsys_table_number(t, row, EXEC_DEVICE, 0, INT16_MAX, &device, e);
    if (!rc)
        rc = read_axes(t, row, EXEC_GRID, grid, kernel, e);
    if (!rc)
        rc = read_axes(t, row, EXEC_BLOCK, block, kernel, e);
    if (!rc)
        rc = nsys_table_name(t, row, EXEC_NAME, &kernel->name, e);
    if (!rc)
        kernel->device = (int16_t)device;
    return rc;
}

/* Each kernel of a graph has a row, with the call that launched the graph. */
static bool is_same_call(const struct cpprof_event *a, const struct cpprof_event *b)
{
    return a->start_ns == b->start_ns && a->end_ns == b->end_ns && a->thread == b->thread && a->name == b->name &&
           a->rank == b->rank;
}

/* The table has no correlation ids. The number of the call joins it with its kernels. */
static int read_exec_row(struct nsys_table *t, const struct csv_row *row, struct err *e)
{
    struct cpprof_event call = {.rank = -1, .device = -1};
    struct cpprof_event kernel = {.rank = -1, .device = -1, .kind = CPPROF_EVENT_KERNEL};
    int rc = read_exec_call(t, row, &call, e);
    if (!rc)
        rc = read_exec_kernel(t, row, &kernel, e);
    if (rc)
        return rc;
    bool repeated = t->previous.correlation && is_same_call(&call, &t->previous);
    kernel.rank = call.rank;
    call.correlation = t->previous.correlation + !repeated;
    kernel.correlation = call.correlation;
    if (!repeated)
        rc = event_spool_add(t->sink->events, &call, e);
    t->previous = call;
    return rc ? rc : event_spool_add(t->sink->events, &kernel, e);
}

const struct nsys_layout nsys_exec_layout = {
    .report = "cuda_kern_exec_trace",
    .header_words = {"API Start (", "Kernel Start (", "API Function", "DevId", ","},
    .columns = exec_columns,
    .column_count = EXEC_COLUMNS,
    .start_column = EXEC_API_START,
    .duration_column = EXEC_API_DURATION,
    .size_column = NSYS_COLUMNS_MAX,
    .correlation_column = NSYS_COLUMNS_MAX,
    .name_column = EXEC_NAME,
    .lacks = "a cuda_kern_exec_trace has launches and no copies and no streams: rules on GPU work find nothing in it, "
             "and when the GPU is idle cannot be told; for that, " GPU_TRACE,
    .launches_only = true,
    .read_row = read_exec_row,
};
