/* How does a trace become the tables that 'nsys stats' prints as CSV?
 *
 * The columns of cuda_gpu_trace and cuda_api_trace as of 2024 to 2026, with
 * sizes in bytes where nsys rounds to kilobytes. A table of an incomplete trace
 * ends without a newline: the format has no other way to say that rows may be
 * missing, and our reader takes it as that. */
#include <inttypes.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/io/csv.h"
#include "core/trace/readers/work_names.h"
#include "core/trace/selector.h"
#include "reports/document/inert_cell.h"
#include "reports/export/export_names.h"
#include "reports/export/export_text.h"
#include "reports/export/trace_export.h"

struct table_writer {
    struct export_names names;
    struct str row, cell;
};

struct table {
    const char *header;
    bool (*takes)(const struct cpprof_event *event);
    int (*write)(struct table_writer *w, const struct cpprof_event *event, struct err *e); /* the cells of a row */
};

/* ---- cells ---- */

static void add_cell(struct str *row, int64_t value)
{
    export_add_whole(row, value);
    str_add_char(row, ',');
}

static void add_cell_if(struct str *row, bool applies, int64_t value)
{
    if (applies)
        export_add_whole(row, value);
    str_add_char(row, ',');
}

static void add_word(struct str *row, const char *word)
{
    str_add(row, word);
    str_add_char(row, ',');
}

/* The table's reader takes the kind of work from its name, which others may have called otherwise. */
static const char *name_of_kind(const struct cpprof_event *event)
{
    static const char *const copies[] = {
        [CPPROF_COPY_UNKNOWN] = "[CUDA memcpy]",
        [CPPROF_COPY_H2D] = "[CUDA memcpy Host-to-Device]",
        [CPPROF_COPY_D2H] = "[CUDA memcpy Device-to-Host]",
        [CPPROF_COPY_D2D] = "[CUDA memcpy Device-to-Device]",
        [CPPROF_COPY_P2P] = "[CUDA memcpy Peer-to-Peer]",
        [CPPROF_COPY_H2H] = "[CUDA memcpy Host-to-Host]",
    };
    static const char *const migrations[] = {
        [CPPROF_COPY_UNKNOWN] = "[CUDA memcpy Unified]",
        [CPPROF_COPY_H2D] = "[CUDA memcpy Unified Host-to-Device]",
        [CPPROF_COPY_D2H] = "[CUDA memcpy Unified Device-to-Host]",
        [CPPROF_COPY_D2D] = "[CUDA memcpy Unified Device-to-Device]",
        [CPPROF_COPY_P2P] = "[CUDA memcpy Unified Peer-to-Peer]",
        [CPPROF_COPY_H2H] = "[CUDA memcpy Unified Host-to-Host]",
    };
    const uint32_t direction = event->detail < COUNT_OF(copies) ? event->detail : CPPROF_COPY_UNKNOWN;
    switch (event->kind) {
    case CPPROF_EVENT_COPY: return copies[direction];
    case CPPROF_EVENT_MIGRATION: return migrations[direction];
    case CPPROF_EVENT_MEMSET: return "[CUDA memset]";
    default: return NULL;
    }
}

static bool says_its_kind(const struct cpprof_event *event, const char *name)
{
    if (work_kind_of_name(name) != event->kind)
        return false;
    return event->kind == CPPROF_EVENT_MEMSET || work_copy_direction(name) == event->detail;
}

static void add_inert(struct table_writer *w, const char *text, size_t length)
{
    str_clear(&w->cell);
    inert_cell_add(&w->cell, text, length);
    csv_add_field(&w->row, str_text(&w->cell), w->cell.length);
}

static int add_name(struct table_writer *w, const struct cpprof_event *event, struct err *e)
{
    size_t length;
    const char *name = export_names_of(&w->names, event, &length), *of_kind = name_of_kind(event);
    if (!name)
        return err_memory(e);
    if (of_kind && !says_its_kind(event, name))
        csv_add_field(&w->row, of_kind, strlen(of_kind));
    else
        add_inert(w, name, length);
    return w->row.failed || w->cell.failed ? err_memory(e) : 0;
}

/* ---- cuda_gpu_trace ---- */

#define GPU_HEADER                                                                                                     \
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem (B),Bytes (B),"         \
    "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name"

/* Empty where it is not known: no kernel has 0 blocks, 0 threads or 0 registers. */
static void add_shape(struct str *row, const struct cpprof_event *event)
{
    const bool has_grid = event->grid[0] || event->grid[1] || event->grid[2];
    const bool has_block = event->block[0] || event->block[1] || event->block[2];
    for (size_t i = 0; i < 3; i++)
        add_cell_if(row, has_grid, event->grid[i]);
    for (size_t i = 0; i < 3; i++)
        add_cell_if(row, has_block, event->block[i]);
    add_cell_if(row, event->registers, event->registers);
    add_cell_if(row, has_grid || event->shared_static_bytes, event->shared_static_bytes);
    add_cell_if(row, has_grid || event->shared_dynamic_bytes, event->shared_dynamic_bytes);
}

/* In MB/s, which are bytes per us, with the three decimals that times have. */
static void add_rate(struct str *row, double bytes_per_ns)
{
    const double thousandths = bytes_per_ns * 1e6;
    if (thousandths < (double)INT64_MAX)
        export_add_us(row, (int64_t)(thousandths + 0.5));
}

static void add_transfer(struct str *row, const struct cpprof_event *event)
{
    const int64_t length_ns = export_end_ns(event) - event->start_ns;
    const bool has_size = event->kind != CPPROF_EVENT_KERNEL && event->size_bytes <= INT64_MAX / 1024;
    add_cell_if(row, has_size, (int64_t)event->size_bytes);
    if (has_size && length_ns)
        add_rate(row, (double)event->size_bytes / (double)length_ns);
    str_add_char(row, ',');
    add_word(row, event->flags & CPPROF_EVENT_SRC_PAGEABLE ? "Pageable" : "");
    add_word(row, event->flags & CPPROF_EVENT_DST_PAGEABLE ? "Pageable" : "");
}

static void add_device(struct str *row, int16_t device)
{
    if (device >= 0) {
        str_add(row, "GPU (");
        export_add_whole(row, device);
        str_add_char(row, ')');
    }
    str_add_char(row, ',');
}

static bool is_finished_work(const struct cpprof_event *event)
{
    return event_is_gpu_work(event) && !(event->flags & CPPROF_EVENT_UNFINISHED);
}

static int write_work(struct table_writer *w, const struct cpprof_event *event, struct err *e)
{
    struct str *row = &w->row;
    add_cell(row, event->start_ns);
    add_cell(row, export_end_ns(event) - event->start_ns);
    add_cell_if(row, event->correlation, event->correlation);
    add_shape(row, event);
    add_transfer(row, event);
    add_device(row, event->device);
    add_cell(row, event->context);
    add_word(row, "");
    add_cell(row, event->stream);
    return add_name(w, event, e);
}

static const struct table gpu_table = {GPU_HEADER, is_finished_work, write_work};

/* ---- cuda_api_trace ---- */

#define API_HEADER "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name"

static bool is_finished_call(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_API && !(event->flags & CPPROF_EVENT_UNFINISHED);
}

static int write_call(struct table_writer *w, const struct cpprof_event *event, struct err *e)
{
    struct str *row = &w->row;
    add_cell(row, event->start_ns);
    add_cell(row, export_end_ns(event) - event->start_ns);
    int rc = add_name(w, event, e);
    add_word(row, ",");
    add_cell_if(row, event->correlation, event->correlation);
    add_word(row, "");
    add_cell(row, event->thread);
    str_add_char(row, ',');
    return rc;
}

static const struct table api_table = {API_HEADER, is_finished_call, write_call};

/* ---- tables ---- */

static int64_t unfinished_work(const struct trace_survey *s)
{
    int64_t sum = 0;
    for (int kind = CPPROF_EVENT_KERNEL; kind <= CPPROF_EVENT_MIGRATION; kind++)
        sum += s->unfinished[kind];
    return sum;
}

static int write_row(struct table_writer *w, const struct table *table, const struct cpprof_event *event,
                     struct byte_sink *sink, struct err *e)
{
    str_clear(&w->row);
    str_add_char(&w->row, '\n'); /* of the row before */
    int rc = table->write(w, event, e);
    if (!rc && w->row.failed)
        rc = err_memory(e);
    if (!rc)
        byte_sink_write(sink, w->row.text, w->row.length);
    return rc;
}

static int write_table(const struct trace_export *x, const struct table *table, bool is_whole, struct byte_sink *sink,
                       struct err *e)
{
    struct table_writer w = {
        .names = {.strings = event_stream_strings(x->stream), .mangled = x->mangled_names},
    };
    struct cpprof_event event;
    int rc = 0, got = 0;
    str_init(&w.row);
    str_init(&w.cell);
    byte_sink_write(sink, table->header, strlen(table->header));
    while (!rc && !byte_sink_failed(sink) && (got = event_stream_next(x->stream, &event, e)) == 1)
        if (table->takes(&event))
            rc = write_row(&w, table, &event, sink, e);
    if (is_whole)
        byte_sink_write(sink, "\n", 1);
    str_release(&w.row);
    str_release(&w.cell);
    export_names_release(&w.names);
    return got < 0 ? got : rc;
}

int nsys_gpu_export_write(const struct trace_export *x, struct byte_sink *sink, struct err *e)
{
    const bool is_whole = !x->survey->is_incomplete && !unfinished_work(x->survey);
    return write_table(x, &gpu_table, is_whole, sink, e);
}

int nsys_api_export_write(const struct trace_export *x, struct byte_sink *sink, struct err *e)
{
    const bool is_whole = !x->survey->is_incomplete && !x->survey->unfinished[CPPROF_EVENT_API];
    return write_table(x, &api_table, is_whole, sink, e);
}

/* ---- what a table cannot carry ---- */

static int lose(struct caveat_list *losses, int64_t count, const char *what, struct err *e)
{
    return count ? caveat_add(losses, CAVEAT_NOTE, e, "left out: %" PRId64 " %s", count, what) : 0;
}

static int check_ranks(const struct trace_survey *s, struct caveat_list *losses, struct err *e)
{
    if (s->several_ranks)
        return err_set(e, ERR_USAGE,
                       "the trace has several ranks and a table of nsys has one; write a file for each "
                       "with --rank, or all into one with --to chrome");
    if (s->rank < 0)
        return 0;
    return caveat_add(losses, CAVEAT_NOTE, e, "a table of nsys has no column for the rank, which is %d here", s->rank);
}

static int check_incomplete(const struct trace_survey *s, struct caveat_list *losses, struct err *e)
{
    if (!s->is_incomplete)
        return 0;
    return caveat_add(losses, CAVEAT_NOTE, e,
                      "the trace is incomplete; the table says so only by ending without a newline");
}

int nsys_gpu_export_check(const struct trace_survey *s, struct caveat_list *losses, struct err *e)
{
    if (s->launches_only)
        return err_set(e, ERR_INPUT,
                       "a table of launches has no copies and no streams: as a cuda_gpu_trace it would "
                       "say that there were none; use --to chrome");
    if (s->gpu_work == unfinished_work(s))
        return err_set(e, ERR_INPUT, "there is no finished work on a GPU, which is all that a cuda_gpu_trace holds");
    int rc = check_ranks(s, losses, e);
    if (!rc)
        rc = lose(losses, s->kinds[CPPROF_EVENT_API], "calls, which --report api writes", e);
    if (!rc)
        rc = lose(losses, s->kinds[CPPROF_EVENT_RANGE], "NVTX ranges", e);
    if (!rc)
        rc = lose(losses, s->kinds[CPPROF_EVENT_SYNC] + s->kinds[CPPROF_EVENT_OVERHEAD],
                  "records of waits and overhead", e);
    if (!rc)
        rc = lose(losses, unfinished_work(s), "operations without an end: the table ends without a newline", e);
    if (!rc && s->graph_work)
        rc = caveat_add(losses, CAVEAT_NOTE, e,
                        "a table of nsys has no column for the graph node of %" PRId64 " operations", s->graph_work);
    return rc ? rc : check_incomplete(s, losses, e);
}

int nsys_api_export_check(const struct trace_survey *s, struct caveat_list *losses, struct err *e)
{
    const int64_t calls = s->kinds[CPPROF_EVENT_API], ended = calls - s->unfinished[CPPROF_EVENT_API];
    if (!ended)
        return err_set(e, ERR_INPUT, "there are no calls that ended, which is all that a cuda_api_trace holds");
    int rc = check_ranks(s, losses, e);
    if (!rc)
        rc = lose(losses, s->gpu_work, "operations on a GPU, which --report gpu writes", e);
    if (!rc)
        rc = lose(losses, s->kinds[CPPROF_EVENT_RANGE], "NVTX ranges", e);
    if (!rc)
        rc = lose(losses, s->kinds[CPPROF_EVENT_SYNC] + s->kinds[CPPROF_EVENT_OVERHEAD],
                  "records of waits and overhead", e);
    if (!rc)
        rc = lose(losses, calls - ended, "calls without an end: the table ends without a newline", e);
    return rc ? rc : check_incomplete(s, losses, e);
}
