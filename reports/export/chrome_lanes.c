/* How does the inside of a kernel become rows of a Chrome trace?
 *
 * Their category is "inside", which is no work of a GPU to any reader, and their times count from the begin of a launch
 * of its own, which no trace has. */
#include "reports/export/chrome_lanes.h"

#include <string.h>

#include "reports/export/export_lanes.h"

/* A row about a process, or about the thread `thread` of it. */
static int write_fact(struct chrome_rows *r, int process, size_t thread, const char *fact, const char *member,
                      const struct str *text, struct err *e)
{
    if (text->failed)
        return err_memory(e);
    chrome_begin_row(r, "M");
    chrome_add_line(&r->row, process, (int64_t)thread);
    chrome_add_word(&r->row, "name", fact);
    chrome_begin_args(&r->row);
    chrome_add_text(&r->row, member, str_text(text), text->length);
    str_add_char(&r->row, '}');
    return chrome_end_row(r, e);
}

static int name_process(struct chrome_rows *r, const struct inside_lanes *l, int process, struct str *text,
                        struct err *e)
{
    str_clear(text);
    export_inside_name(text, l);
    int rc = write_fact(r, process, 0, "process_name", "name", text, e);
    str_clear(text);
    export_inside_labels(text, l);
    return rc ? rc : write_fact(r, process, 0, "process_labels", "labels", text, e);
}

static int name_lane(struct chrome_rows *r, const struct lane *lane, int process, size_t thread, struct str *text,
                     struct err *e)
{
    str_clear(text);
    export_lane_name(text, lane);
    return write_fact(r, process, thread, "thread_name", "name", text, e);
}

static int write_span(struct chrome_rows *r, const struct lane_span *span, int process, struct err *e)
{
    struct str *row = &r->row;
    chrome_begin_row(r, "X");
    chrome_add_us(row, "ts", span->begin_ns);
    chrome_add_us(row, "dur", span->end_ns - span->begin_ns);
    chrome_add_line(row, process, (int64_t)span->lane + 1);
    chrome_add_word(row, "cat", "inside");
    chrome_add_text(row, "name", span->name, strlen(span->name));
    chrome_begin_args(row);
    chrome_add_whole(row, "tile", span->tile);
    chrome_add_word(row, "kind", span->kind);
    chrome_add_whole(row, "cycles", span->cycles);
    if (span->is_copy)
        chrome_add_word(row, "arrival", span->is_censored ? "censored" : "seen");
    if (span->is_censored) {
        chrome_add_us(row, "earliest us", span->earliest_ns);
        chrome_add_us(row, "latest us", span->latest_ns);
    }
    if (span->is_before)
        chrome_add_word(row, "issue", "before the window");
    str_add_char(row, '}');
    return chrome_end_row(r, e);
}

static int write_arm(struct chrome_rows *r, const struct inside_lanes *l, int process, struct err *e)
{
    struct str text;
    str_init(&text);
    int rc = name_process(r, l, process, &text, e);
    for (size_t i = 0; i < l->lanes.count && !rc; i++)
        rc = name_lane(r, &l->lanes.items[i], process, i + 1, &text, e);
    for (size_t i = 0; i < l->spans.count && !rc; i++)
        rc = write_span(r, &l->spans.items[i], process, e);
    str_release(&text);
    return rc;
}

int chrome_lanes_write(const struct inside_lanes_list *l, struct chrome_rows *rows, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < l->arms.count && !rc; i++)
        rc = write_arm(rows, &l->arms.items[i], EXPORT_INSIDE_PROCESS + (int)i, e);
    return rc;
}
