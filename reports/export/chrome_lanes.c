/* How does the inside of a kernel become rows of a Chrome trace?
 *
 * Their category is "inside", which is no work of a GPU to any reader, and their times count from the begin of a launch
 * of its own, which no trace has. */
#include "reports/export/chrome_lanes.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "reports/export/export_lanes.h"
#include "reports/export/export_text.h"

struct lane_writer {
    struct byte_sink *sink;
    struct str row;
    bool has_rows;
};

static void begin_row(struct lane_writer *w, const char *phase)
{
    str_clear(&w->row);
    str_addf(&w->row, "%s\n{\"ph\":\"%s\"", w->has_rows ? "," : "", phase);
    w->has_rows = true;
}

static int end_row(struct lane_writer *w, struct err *e)
{
    str_add(&w->row, "}");
    if (w->row.failed)
        return err_memory(e);
    byte_sink_write(w->sink, w->row.text, w->row.length);
    return 0;
}

static void add_us(struct str *row, const char *key, int64_t ns)
{
    str_addf(row, ",\"%s\":", key);
    export_add_us(row, ns);
}

static void add_quoted(struct str *row, const char *key, const char *text)
{
    str_addf(row, "%s\"%s\":", row->text[row->length - 1] == '{' ? "" : ",", key);
    json_add_quoted(row, text, strlen(text));
}

/* A row about a process, or about the thread `thread` of it. */
static int write_fact(struct lane_writer *w, int process, size_t thread, const char *fact, const char *member,
                      const struct str *text, struct err *e)
{
    if (text->failed)
        return err_memory(e);
    begin_row(w, "M");
    str_addf(&w->row, ",\"pid\":%d,\"tid\":%zu,\"name\":\"%s\",\"args\":{", process, thread, fact);
    add_quoted(&w->row, member, str_text(text));
    str_add_char(&w->row, '}');
    return end_row(w, e);
}

static int name_process(struct lane_writer *w, const struct inside_lanes *l, int process, struct str *text,
                        struct err *e)
{
    str_clear(text);
    export_inside_name(text, l);
    int rc = write_fact(w, process, 0, "process_name", "name", text, e);
    str_clear(text);
    export_inside_labels(text, l);
    return rc ? rc : write_fact(w, process, 0, "process_labels", "labels", text, e);
}

static int name_lane(struct lane_writer *w, const struct lane *lane, int process, size_t thread, struct str *text,
                     struct err *e)
{
    str_clear(text);
    export_lane_name(text, lane);
    return write_fact(w, process, thread, "thread_name", "name", text, e);
}

static int write_span(struct lane_writer *w, const struct lane_span *span, int process, struct err *e)
{
    begin_row(w, "X");
    add_us(&w->row, "ts", span->begin_ns);
    add_us(&w->row, "dur", span->end_ns - span->begin_ns);
    str_addf(&w->row, ",\"pid\":%d,\"tid\":%zu,\"cat\":\"inside\"", process, span->lane + 1);
    add_quoted(&w->row, "name", span->name);
    str_addf(&w->row, ",\"args\":{\"tile\":%" PRId64 ",\"kind\":\"%s\",\"cycles\":%" PRId64, span->tile, span->kind,
             span->cycles);
    if (span->is_copy)
        str_addf(&w->row, ",\"arrival\":\"%s\"", span->is_censored ? "censored" : "seen");
    if (span->is_censored) {
        add_us(&w->row, "earliest us", span->earliest_ns);
        add_us(&w->row, "latest us", span->latest_ns);
    }
    if (span->is_before)
        str_add(&w->row, ",\"issue\":\"before the window\"");
    str_add_char(&w->row, '}');
    return end_row(w, e);
}

static int write_arm(struct lane_writer *w, const struct inside_lanes *l, int process, struct err *e)
{
    struct str text;
    str_init(&text);
    int rc = name_process(w, l, process, &text, e);
    for (size_t i = 0; i < l->lanes.count && !rc; i++)
        rc = name_lane(w, &l->lanes.items[i], process, i + 1, &text, e);
    for (size_t i = 0; i < l->spans.count && !rc; i++)
        rc = write_span(w, &l->spans.items[i], process, e);
    str_release(&text);
    return rc;
}

int chrome_lanes_write(const struct inside_lanes_list *l, bool has_rows, struct byte_sink *sink, struct err *e)
{
    struct lane_writer w = {.sink = sink, .has_rows = has_rows};
    int rc = 0;
    str_init(&w.row);
    for (size_t i = 0; i < l->arms.count && !rc; i++)
        rc = write_arm(&w, &l->arms.items[i], EXPORT_INSIDE_PROCESS + (int)i, e);
    str_release(&w.row);
    return rc;
}
