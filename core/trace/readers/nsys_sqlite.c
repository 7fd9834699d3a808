/* What happened on the GPU and in the CUDA API, according to an SQLite export of nsys?
 *
 * Tables and columns differ between nsys's versions (2022 to 2026), so both are looked up by name. Each table has a
 * description: which columns become which members of an event, and a function for the rest. The first row of a table
 * with impossible values ends the good part of that table. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/trace/readers/foreign_tools.h"
#include "core/trace/readers/nsys_export.h"
#include "core/trace/readers/nsys_gpus.h"
#include "core/trace/readers/nsys_recording.h"

static int bad_row(const struct nsys_export *x, const struct nsys_event_table *t, const struct sqlite_rows *row,
                   const char *what, struct err *e)
{
    return err_set(e, ERR_INPUT, "%s: table %s, row %" PRId64 ": %s", x->input->path, t->name, sqlite_rows_number(row),
                   what);
}

/* Only ranges may lack an end: they were open when the capture ended. */
static int read_times(const struct nsys_export *x, const struct nsys_event_table *t, const struct sqlite_rows *row,
                      struct cpprof_event *event, struct err *e)
{
    event->start_ns = sqlite_rows_integer(row, NSYS_ROW_START);
    event->end_ns = sqlite_rows_integer(row, NSYS_ROW_END);
    if (t->kind == CPPROF_EVENT_RANGE && sqlite_rows_type(row, NSYS_ROW_END) == SQLITE_CELL_NONE) {
        event->flags = CPPROF_EVENT_UNFINISHED;
        event->end_ns = event->start_ns;
    } else if (sqlite_rows_type(row, NSYS_ROW_END) != SQLITE_CELL_INTEGER)
        return bad_row(x, t, row, "the end is no whole number", e);
    if (sqlite_rows_type(row, NSYS_ROW_START) != SQLITE_CELL_INTEGER)
        return bad_row(x, t, row, "the start is no whole number", e);
    if (!event_times_fit(event->start_ns, event->end_ns))
        return bad_row(x, t, row, "its times are no times", e);
    return 0;
}

static size_t extra_count(const struct nsys_event_table *t)
{
    size_t count = 0;
    while (count < NSYS_EXTRA_MAX && t->extra[count])
        count++;
    return count;
}

static int read_members(const struct nsys_export *x, const struct nsys_event_table *t, const struct sqlite_rows *row,
                        struct cpprof_event *event, struct err *e)
{
    size_t column = NSYS_ROW_EXTRA + extra_count(t);
    for (size_t i = 0; i < NSYS_MEMBERS_MAX && t->members[i].column; i++, column++) {
        enum sqlite_cell type = sqlite_rows_type(row, column);
        bool good = type == SQLITE_CELL_INTEGER &&
                    event_member_set(event, t->members[i].member, sqlite_rows_integer(row, column));
        if (!good && type != SQLITE_CELL_NONE) {
            char what[96];
            snprintf(what, sizeof what, "column '%s' is no whole number that fits", t->members[i].column);
            return bad_row(x, t, row, what, e);
        }
    }
    return 0;
}

/* Does a row of GPU work have a device and a stream? */
static bool is_placed(const struct nsys_event_table *t, const struct sqlite_rows *row)
{
    const size_t first = NSYS_ROW_EXTRA + extra_count(t);
    for (size_t i = 0; i < NSYS_MEMBERS_MAX && t->members[i].column; i++) {
        const char *column = t->members[i].column;
        if ((!strcmp(column, "deviceId") || !strcmp(column, "streamId")) &&
            (!sqlite_rows_has(row, first + i) || sqlite_rows_type(row, first + i) == SQLITE_CELL_NONE))
            return false;
    }
    return true;
}

/* Calls of a process that did not use the GPU are left out: their correlation ids could be confused with those of a
 * process that did. */
static bool is_call_of_idle_process(const struct nsys_export *x, const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_API && x->processes.count && event->rank == NSYS_PROCESS_UNKNOWN;
}

static int complete(struct nsys_export *x, const struct nsys_event_table *t, const struct sqlite_rows *row,
                    struct cpprof_event *event, struct err *e)
{
    struct err bad = {0};
    int rc = t->complete(x, row, event, &bad);
    if (rc == ERR_INPUT)
        return bad_row(x, t, row, bad.text, e);
    return rc ? err_set(e, rc, "%s", bad.text) : 0;
}

static int read_row(struct nsys_export *x, const struct nsys_event_table *t, const struct sqlite_rows *row,
                    struct err *e)
{
    struct cpprof_event event = {.kind = t->kind, .device = -1};
    if (!nsys_row_is_event(t, row))
        return 0;
    int rc = read_times(x, t, row, &event, e);
    if (!rc)
        rc = read_members(x, t, row, &event, e);
    if (rc)
        return rc;
    event.rank = nsys_processes_rank(&x->processes, sqlite_rows_integer(row, NSYS_ROW_PROCESS));
    if (is_call_of_idle_process(x, &event)) {
        x->idle_process_calls++;
        return 0;
    }
    rc = complete(x, t, row, &event, e);
    if (rc)
        return rc;
    if (x->processes.count < 2)
        event.rank = -1;
    x->gpu_events += nsys_event_table_is_gpu(t);
    x->calls += t->kind == CPPROF_EVENT_API;
    x->launches += t->kind == CPPROF_EVENT_API && event.detail == CPPROF_API_LAUNCH;
    x->unplaced += nsys_event_table_is_gpu(t) && !is_placed(t, row);
    return event_spool_add(x->sink->events, &event, e);
}

static int read_rows(struct nsys_export *x, const struct nsys_event_table *t, struct sqlite_rows *rows, struct err *e)
{
    int rc;
    while ((rc = sqlite_rows_next(rows, e)) == 1)
        if ((rc = read_row(x, t, rows, e)))
            break;
    return rc;
}

static int open_table(struct nsys_export *x, const struct nsys_event_table *t, struct sqlite_rows **rows, struct err *e)
{
    const char *columns[NSYS_ROW_EXTRA + NSYS_EXTRA_MAX + NSYS_MEMBERS_MAX] = {"start", "end", t->process};
    size_t count = NSYS_ROW_EXTRA;
    for (size_t i = 0; i < extra_count(t); i++)
        columns[count++] = t->extra[i];
    for (size_t i = 0; i < NSYS_MEMBERS_MAX && t->members[i].column; i++)
        columns[count++] = t->members[i].column;
    int rc = sqlite_rows_open(rows, x->file, t->name, columns, count, e);
    if (!rc && (!sqlite_rows_has(*rows, NSYS_ROW_START) || !sqlite_rows_has(*rows, NSYS_ROW_END)))
        rc = err_set(e, ERR_INPUT, "'%s': table %s lacks column 'start' or 'end'", x->input->path, t->name);
    return rc;
}

/* Returns 1 when there is a readable table of that name. An unusable one adds a caveat. */
static int has_table(struct nsys_export *x, const char *table, struct err *e)
{
    int rc = sqlite_file_has(x->file, table, e);
    if (rc != SQLITE_TABLE_UNUSABLE)
        return rc;
    return caveat_add(x->sink->caveats, CAVEAT_TRUNCATED, e,
                      "%s: table %s is not used: it is a view or has computed columns; nsys makes none", x->input->path,
                      table);
}

static int read_table(struct nsys_export *x, const struct nsys_event_table *t, struct err *e)
{
    int rc = has_table(x, t->name, e);
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

static int note_process(struct nsys_export *x, const struct sqlite_rows *row, struct err *e)
{
    if (sqlite_rows_type(row, 0) != SQLITE_CELL_INTEGER)
        return 0;
    const int rc = nsys_processes_add(&x->processes, sqlite_rows_integer(row, 0), e);
    return rc || sqlite_rows_type(row, 1) != SQLITE_CELL_INTEGER
               ? rc
               : nsys_gpus_note(x, sqlite_rows_integer(row, 0), sqlite_rows_integer(row, 1), e);
}

/* Which processes used the GPU? Several processes become ranks, because each counts its devices, streams and
 * correlation ids by itself. */
static int find_processes(struct nsys_export *x, struct err *e)
{
    static const char *const columns[] = {"globalPid", "deviceId"};
    for (size_t i = 0; i < nsys_event_table_count && nsys_event_table_is_gpu(&nsys_event_tables[i]); i++) {
        struct sqlite_rows *rows = NULL;
        struct err bad = {0};
        int rc = sqlite_file_has(x->file, nsys_event_tables[i].name, &bad);
        if (rc == SQLITE_TABLE_USABLE)
            rc = sqlite_rows_open(&rows, x->file, nsys_event_tables[i].name, columns, 2, &bad);
        while (rows && !rc && (rc = sqlite_rows_next(rows, &bad)) == 1)
            rc = note_process(x, rows, &bad);
        sqlite_rows_close(rows);
        if (rc < 0 && rc != ERR_INPUT) /* problems of the table are reported when it is read */
            return err_set(e, rc, "%s", bad.text);
    }
    if (x->processes.count < 2)
        return 0;
    return caveat_add(x->sink->caveats, CAVEAT_NOTE, e,
                      "%s: %zu processes used the GPU; they are shown as ranks, in the order of their process ids",
                      x->input->path, x->processes.count);
}

/* nsys's numbers and words since 2021. ENUM_ tables in the file take precedence. */
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

static int set_copy_label(struct nsys_export *x, int64_t id, const char *label, struct err *e)
{
    struct str name;
    str_init(&name);
    str_addf(&name, "[CUDA memcpy %.64s]", label);
    x->copy_names[id] = name.failed ? 0 : strtab_add_bytes(x->sink->strings, name.text, name.length);
    str_release(&name);
    return x->copy_names[id] ? 0 : err_memory(e);
}

static int set_memory_label(struct nsys_export *x, int64_t id, const char *label, struct err *e)
{
    (void)e;
    x->pageable[id] = !strcmp(label, "Pageable");
    return 0;
}

static int read_labels(struct nsys_export *x, const char *table, const char *const *defaults, size_t default_count,
                       int (*set)(struct nsys_export *, int64_t, const char *, struct err *), struct err *e)
{
    static const char *const columns[] = {"id", "label"};
    struct sqlite_rows *rows = NULL;
    int rc = 0;
    for (size_t i = 0; !rc && i < default_count; i++)
        rc = set(x, (int64_t)i, defaults[i], e);
    if (!rc && (rc = has_table(x, table, e)) == 1)
        rc = sqlite_rows_open(&rows, x->file, table, columns, COUNT_OF(columns), e);
    while (rows && !rc && (rc = sqlite_rows_next(rows, e)) == 1) {
        int64_t id = sqlite_rows_integer(rows, 0);
        size_t length;
        const char *label = sqlite_rows_text(rows, 1, &length);
        rc = *label && id >= 0 && id < NSYS_LABELS_MAX ? set(x, id, label, e) : 0;
    }
    sqlite_rows_close(rows);
    return rc;
}

/* By default nsys records a CUDA graph as one launch, without its kernels. */
static int count_graphs(struct nsys_export *x, struct err *e)
{
    static const char *const columns[] = {"start"};
    struct sqlite_rows *rows = NULL;
    int rc = has_table(x, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", e);
    if (rc != 1)
        return rc;
    rc = sqlite_rows_open(&rows, x->file, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", columns, 1, e);
    while (!rc && (rc = sqlite_rows_next(rows, e)) == 1) {
        x->graph_launches++;
        rc = 0;
    }
    sqlite_rows_close(rows);
    return rc;
}

static void describe_graphs(const struct nsys_export *x, char *text, size_t bytes)
{
    snprintf(text, bytes,
             "%" PRId64 " launches of CUDA graphs were recorded without the work in them; record with "
             "nsys profile --cuda-graph-trace=node",
             x->graph_launches);
}

static int note_graphs(struct nsys_export *x, struct err *e)
{
    char text[160];
    if (!x->graph_launches)
        return 0;
    describe_graphs(x, text, sizeof text);
    return caveat_add(x->sink->caveats, CAVEAT_WEAKENS, e, "%s: %s", x->input->path, text);
}

/* The kinds of events that may be missing according to a text of nsys: the first entry whose word is in the text
 * counts. */
static const struct {
    const char *word;
    enum caveat_kind kind;
} losses[] = {{"NVTX", CAVEAT_RANGES}, {"OS runtime", CAVEAT_NOTE}, {"OpenGL", CAVEAT_NOTE},
              {"Vulkan", CAVEAT_NOTE}, {"DX1", CAVEAT_NOTE},        {"", CAVEAT_WEAKENS}};

static enum caveat_kind kind_of_loss(const char *text)
{
    size_t i = 0;
    while (!strstr(text, losses[i].word))
        i++;
    return losses[i].kind;
}

enum { DIAGNOSTIC_TEXT, DIAGNOSTIC_SEVERITY, DIAGNOSTIC_COLUMNS };

/* Warnings and errors. */
static bool is_serious(const struct sqlite_rows *row)
{
    enum { SEVERITY_INFORMATION = 1 };
    return sqlite_rows_type(row, DIAGNOSTIC_SEVERITY) == SQLITE_CELL_INTEGER &&
           sqlite_rows_integer(row, DIAGNOSTIC_SEVERITY) > SEVERITY_INFORMATION;
}

static int first_line_length(const char *text)
{
    enum { SHOWN_BYTES_MAX = 200 };
    const size_t length = strcspn(text, "\n");
    return length < SHOWN_BYTES_MAX ? (int)length : SHOWN_BYTES_MAX;
}

/* Notes what nsys reports as lost. When no GPU work was recorded, all of its warnings are noted, since they may have
 * the reason. */
static int note_diagnostics(struct nsys_export *x, struct err *e)
{
    static const char *const columns[DIAGNOSTIC_COLUMNS] = {"text", "severity"};
    struct sqlite_rows *rows = NULL;
    int rc = has_table(x, "DIAGNOSTIC_EVENT", e);
    if (rc == 1)
        rc = sqlite_rows_open(&rows, x->file, "DIAGNOSTIC_EVENT", columns, DIAGNOSTIC_COLUMNS, e);
    while (rows && !rc && (rc = sqlite_rows_next(rows, e)) == 1) {
        size_t length;
        const char *text = sqlite_rows_text(rows, DIAGNOSTIC_TEXT, &length);
        const bool is_loss = strstr(text, "might have been collected");
        rc = is_loss || (!x->gpu_events && is_serious(rows))
                 ? caveat_add(x->sink->caveats, is_loss ? kind_of_loss(text) : CAVEAT_NOTE, e, "%s: nsys says: %.*s",
                              x->input->path, first_line_length(text), text)
                 : 0;
    }
    sqlite_rows_close(rows);
    return rc;
}

static int check_is_export(struct nsys_export *x, struct err *e)
{
    int strings = sqlite_file_has(x->file, "StringIds", e);
    if (strings == SQLITE_TABLE_UNUSABLE)
        return err_set(e, ERR_INPUT, "'%s': table StringIds is a view or has computed columns; nsys makes none",
                       x->input->path);
    if (strings)
        return strings < 0 ? strings : 0;
    return err_set(e, ERR_INPUT,
                   "'%s' is an SQLite database, but no export of nsys: it has no table StringIds; make one with "
                   "nsys export --type sqlite REPORT.nsys-rep",
                   x->input->path);
}

static int refuse_vacuous(const struct nsys_export *x, struct err *e)
{
    const struct caveat_list *caveats = x->sink->caveats;
    for (size_t i = 0; i < caveats->count; i++)
        if (caveats->items[i].kind == CAVEAT_TRUNCATED)
            return err_set(e, ERR_INPUT, "%s", caveats->items[i].text);
    if (x->graph_launches) {
        char text[160];
        describe_graphs(x, text, sizeof text);
        return err_set(e, ERR_INPUT, "'%s' is an export of nsys without work on the GPU: %s", x->input->path, text);
    }
    struct str why;
    str_init(&why);
    int rc = nsys_recording_describe(x->file, &why, e);
    if (!rc)
        rc = err_set(e, ERR_INPUT, "'%s' is an export of nsys without work on the GPU: %s", x->input->path,
                     str_text(&why));
    str_release(&why);
    return rc;
}

static int note_idle_process_calls(struct nsys_export *x, struct err *e)
{
    if (!x->idle_process_calls)
        return 0;
    return caveat_add(x->sink->caveats, CAVEAT_NOTE, e,
                      "%s: %" PRId64 " calls of processes without work on the GPU are left out", x->input->path,
                      x->idle_process_calls);
}

static int note_unplaced(struct nsys_export *x, struct err *e)
{
    if (!x->unplaced)
        return 0;
    x->sink->has_unplaced = true;
    return caveat_add(x->sink->caveats, CAVEAT_WEAKENS, e,
                      "%s: GPU operations whose row does not say on which device or stream they ran (NULL): %" PRId64
                      "; they are taken to be on stream 0, or on no device",
                      x->input->path, x->unplaced);
}

/* That a database was truncated is noted before anything that follows from it. */
static int note_cut(struct nsys_export *x, struct err *e)
{
    const int64_t there = sqlite_file_bytes(x->file), own = sqlite_file_own_bytes(x->file);
    if (there >= own)
        return 0;
    return caveat_add(x->sink->caveats, CAVEAT_TRUNCATED, e,
                      "%s: the database is truncated: %" PRId64 " of its %" PRId64
                      " bytes are there; copy or export it "
                      "again",
                      x->input->path, there, own);
}

static int prepare(struct nsys_export *x, struct err *e)
{
    int rc = check_is_export(x, e);
    if (!rc)
        rc = nsys_strings_new(&x->strings, x->file, x->sink->strings, e);
    if (!rc)
        rc = read_labels(x, "ENUM_CUDA_MEMCPY_OPER", copy_labels, COUNT_OF(copy_labels), set_copy_label, e);
    if (!rc)
        rc = read_labels(x, "ENUM_CUDA_MEM_KIND", memory_labels, COUNT_OF(memory_labels), set_memory_label, e);
    if (!rc)
        rc = find_processes(x, e);
    if (!rc)
        rc = nsys_gpus_tell(x, e);
    return rc ? rc : nsys_export_find_domains(x, e);
}

/* The table is optional, and problems of it change no number. */
static void read_chips(struct nsys_export *x)
{
    enum { NAME, MAJOR };
    static const char *const columns[] = {[NAME] = "name", [MAJOR] = "computeMajor"};
    struct sqlite_rows *rows = NULL;
    struct err ignored = {0};
    if (sqlite_file_has(x->file, "TARGET_INFO_GPU", &ignored) != SQLITE_TABLE_USABLE ||
        sqlite_rows_open(&rows, x->file, "TARGET_INFO_GPU", columns, COUNT_OF(columns), &ignored))
        return;
    while (sqlite_rows_next(rows, &ignored) == 1) {
        size_t length;
        const char *name = sqlite_rows_text(rows, NAME, &length);
        const bool has_major = sqlite_rows_type(rows, MAJOR) == SQLITE_CELL_INTEGER;
        const enum dependent_launch own =
            dependent_launch_of_chip(name ? name : "", has_major ? sqlite_rows_integer(rows, MAJOR) : -1);
        x->sink->dependent_launch = dependent_launch_with(x->sink->dependent_launch, own);
    }
    sqlite_rows_close(rows);
}

static int read_tables(struct nsys_export *x, struct err *e)
{
    int rc = 0;
    read_chips(x);
    for (size_t i = 0; !rc && i < nsys_event_table_count; i++)
        rc = read_table(x, &nsys_event_tables[i], e);
    if (!rc)
        rc = count_graphs(x, e);
    if (!rc && !x->gpu_events && !x->calls)
        rc = refuse_vacuous(x, e);
    if (!rc && !x->gpu_events)
        rc = reader_note_calls_alone(x->sink, x->input->path, x->calls, x->launches, e);
    if (!rc)
        rc = note_idle_process_calls(x, e);
    if (!rc)
        rc = note_unplaced(x, e);
    if (!rc)
        rc = note_graphs(x, e);
    return rc ? rc : note_diagnostics(x, e);
}

static int read_export(const struct open_input *input, struct reader_sink *sink, struct err *e)
{
    struct nsys_export x = {.input = input, .sink = sink};
    int rc = sqlite_file_open(&x.file, input->file, input->path, e);
    if (!rc)
        rc = note_cut(&x, e);
    if (!rc)
        rc = prepare(&x, e);
    if (!rc)
        rc = read_tables(&x, e);
    if (rc == ERR_INPUT && x.file && sqlite_file_bytes(x.file) < sqlite_file_own_bytes(x.file))
        rc = err_set(e, ERR_INPUT,
                     "'%s' is a truncated SQLite database: %" PRId64 " of its %" PRId64
                     " bytes are there, and it cannot be read without the others; copy or export it again",
                     input->path, sqlite_file_bytes(x.file), sqlite_file_own_bytes(x.file));
    nsys_processes_release(&x.processes);
    free(x.places.items);
    nsys_strings_free(x.strings);
    sqlite_file_close(x.file);
    return rc;
}

static bool recognise(const struct open_input *input)
{
    return input->file && sqlite_file_is(input->head, input->head_bytes) && !foreign_database_find(input);
}

const struct reader nsys_sqlite_reader = {"nsys SQLite export", recognise, read_export};
