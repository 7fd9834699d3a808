/* What ran on the GPU, according to a cuda_gpu_trace (or gputrace) table of nsys? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "core/trace/readers/nsys_layouts.h"

enum trace_column {
    COLUMN_START,
    COLUMN_DURATION,
    COLUMN_CORRELATION,
    COLUMN_GRID_X,
    COLUMN_GRID_Y,
    COLUMN_GRID_Z,
    COLUMN_BLOCK_X,
    COLUMN_BLOCK_Y,
    COLUMN_BLOCK_Z,
    COLUMN_REGISTERS,
    COLUMN_SHARED_STATIC,
    COLUMN_SHARED_DYNAMIC,
    COLUMN_BYTES,
    COLUMN_THROUGHPUT,
    COLUMN_SOURCE_MEMORY,
    COLUMN_TARGET_MEMORY,
    COLUMN_DEVICE,
    COLUMN_CONTEXT,
    COLUMN_GREEN_CONTEXT,
    COLUMN_STREAM,
    COLUMN_NAME,
    COLUMN_COUNT
};

static const struct nsys_column columns[COLUMN_COUNT] = {
    [COLUMN_START] = {"Start", NSYS_TIME, true, NO_MEMBER, NSYS_START},
    [COLUMN_DURATION] = {"Duration", NSYS_TIME, true, NO_MEMBER, NSYS_DURATION},
    [COLUMN_CORRELATION] = {"CorrId", NSYS_PLAIN, false, EVENT_MEMBER(correlation)},
    [COLUMN_GRID_X] = {"GrdX", NSYS_PLAIN, false, EVENT_MEMBER(grid[0])},
    [COLUMN_GRID_Y] = {"GrdY", NSYS_PLAIN, false, EVENT_MEMBER(grid[1])},
    [COLUMN_GRID_Z] = {"GrdZ", NSYS_PLAIN, false, EVENT_MEMBER(grid[2])},
    [COLUMN_BLOCK_X] = {"BlkX", NSYS_PLAIN, false, EVENT_MEMBER(block[0])},
    [COLUMN_BLOCK_Y] = {"BlkY", NSYS_PLAIN, false, EVENT_MEMBER(block[1])},
    [COLUMN_BLOCK_Z] = {"BlkZ", NSYS_PLAIN, false, EVENT_MEMBER(block[2])},
    [COLUMN_REGISTERS] = {"Reg/Trd", NSYS_PLAIN, false, EVENT_MEMBER(registers)},
    [COLUMN_SHARED_STATIC] = {"StcSMem", NSYS_SIZE, false, EVENT_MEMBER(shared_static_bytes)},
    [COLUMN_SHARED_DYNAMIC] = {"DymSMem", NSYS_SIZE, false, EVENT_MEMBER(shared_dynamic_bytes)},
    [COLUMN_BYTES] = {"Bytes", NSYS_SIZE, false, EVENT_MEMBER(size_bytes)},
    [COLUMN_THROUGHPUT] = {"Throughput", NSYS_PLAIN, false, NO_MEMBER},
    [COLUMN_SOURCE_MEMORY] = {"SrcMemKd", NSYS_PLAIN, false, NO_MEMBER, NSYS_SOURCE_MEMORY},
    [COLUMN_TARGET_MEMORY] = {"DstMemKd", NSYS_PLAIN, false, NO_MEMBER, NSYS_TARGET_MEMORY},
    [COLUMN_DEVICE] = {"Device", NSYS_PLAIN, true, NO_MEMBER, NSYS_DEVICE},
    [COLUMN_CONTEXT] = {"Ctx", NSYS_PLAIN, false, EVENT_MEMBER(context)},
    [COLUMN_GREEN_CONTEXT] = {"GreenCtx", NSYS_PLAIN, false, NO_MEMBER},
    [COLUMN_STREAM] = {"Strm", NSYS_PLAIN, true, EVENT_MEMBER(stream), NSYS_STREAM},
    [COLUMN_NAME] = {"Name", NSYS_PLAIN, true, NO_MEMBER, NSYS_NAME},
};

/* "NVIDIA A100 80GB PCIe (0)" is device 0; a bare number is accepted, too. */
static int read_device(struct nsys_table *t, const struct csv_row *row, struct cpprof_event *event, struct err *e)
{
    const char *text = nsys_table_cell(t, row, COLUMN_DEVICE);
    const char *open = strrchr(text, '(');
    const char *digits = open ? open + 1 : text;
    event->device = -1;
    if (!*text)
        return 0;
    char *end;
    long ordinal = strtol(digits, &end, 10);
    bool good =
        end != digits && *digits >= '0' && *digits <= '9' && ordinal <= INT16_MAX && !strcmp(end, open ? ")" : "");
    if (!good)
        return nsys_table_bad_cell(t, row, COLUMN_DEVICE, "a name and '(ordinal)'", e);
    event->device = (int16_t)ordinal;
    return 0;
}

static uint16_t pageable_flags(const struct nsys_table *t, const struct csv_row *row)
{
    unsigned flags = 0;
    if (!strcmp(nsys_table_cell(t, row, COLUMN_SOURCE_MEMORY), "Pageable"))
        flags |= CPPROF_EVENT_SRC_PAGEABLE;
    if (!strcmp(nsys_table_cell(t, row, COLUMN_TARGET_MEMORY), "Pageable"))
        flags |= CPPROF_EVENT_DST_PAGEABLE;
    return (uint16_t)flags;
}

static int read_name(struct nsys_table *t, const struct csv_row *row, struct cpprof_event *event, struct err *e)
{
    int rc = nsys_table_name(t, row, COLUMN_NAME, &event->name, e);
    if (rc)
        return rc;
    const struct nsys_meaning *meaning = nsys_table_meaning(t, event->name);
    if (!meaning)
        return err_memory(e);
    event->kind = meaning->kind;
    if (event->kind != CPPROF_EVENT_COPY && event->kind != CPPROF_EVENT_MIGRATION)
        return 0;
    event->detail = meaning->direction;
    event->flags = pageable_flags(t, row);
    if (event->detail == CPPROF_COPY_UNKNOWN)
        return caveat_add(t->sink->caveats, CAVEAT_NOTE, e, "%s:%lld: '%.60s' is a copy in no direction that is known",
                          t->path, (long long)row->line, row->fields[t->field[COLUMN_NAME]].text);
    return 0;
}

/* Migrations have no stream. */
static bool is_unplaced(const struct nsys_table *t, const struct csv_row *row, const struct cpprof_event *event)
{
    return event->device < 0 || (event->kind != CPPROF_EVENT_MIGRATION && !*nsys_table_cell(t, row, COLUMN_STREAM));
}

static int read_event(struct nsys_table *t, const struct csv_row *row, struct cpprof_event *event, struct err *e)
{
    *event = (struct cpprof_event){.rank = -1};
    int rc = nsys_table_times(t, row, COLUMN_START, COLUMN_DURATION, event, e);
    if (!rc)
        rc = nsys_table_members(t, row, event, e);
    if (!rc)
        rc = read_device(t, row, event, e);
    if (!rc)
        rc = read_name(t, row, event, e);
    if (rc)
        return rc;
    t->has_sizes |= event->size_bytes > 0;
    t->unplaced += is_unplaced(t, row, event);
    return 0;
}

static int read_row(struct nsys_table *t, const struct csv_row *row, struct err *e)
{
    struct cpprof_event event;
    const int rc = read_event(t, row, &event, e);
    if (rc)
        return rc;
    if (!event.kind)
        return caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e,
                          "%s:%lld: '%.60s' is no operation that is known; left out", t->path, (long long)row->line,
                          strtab_text(t->sink->strings, event.name));
    return event_spool_add(t->sink->events, &event, e);
}

const struct nsys_layout nsys_gpu_layout = {
    .report = "gpu trace",
    .header_words = {"Start (", "Duration (", "Strm", ","},
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .start_column = COLUMN_START,
    .duration_column = COLUMN_DURATION,
    .size_column = COLUMN_BYTES,
    .correlation_column = COLUMN_CORRELATION,
    .name_column = COLUMN_NAME,
    .read_row = read_row,
    .read_event = read_event,
};
