/* In which formats of other tools can a trace be written, and what is there to write? */
#include "reports/export/trace_export.h"

#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/base/stream_edge.h"
#include "core/trace/event_work.h"
#include "reports/export/export_text.h"

/* The first of a name is what is written without --report. */
static const struct export_format formats[] = {
    {"chrome", "JSON for Perfetto and chrome://tracing", NULL, NULL, chrome_export_check, chrome_export_write,
     .takes_lanes = true},
    {"pftrace", "for Perfetto alone, smaller, with gaps and counters", NULL, NULL, perfetto_export_check,
     perfetto_export_write, .takes_lanes = true, .takes_samples = true, .takes_rules = true, .is_binary = true},
    {"csv", "a table as 'nsys stats' prints it", "gpu", "a cuda_gpu_trace", nsys_gpu_export_check,
     nsys_gpu_export_write, .takes_lanes = false},
    {"csv", NULL, "api", "a cuda_api_trace", nsys_api_export_check, nsys_api_export_write, .takes_lanes = false},
};

enum { FORMATS = COUNT_OF(formats) };

static bool is_first_of_name(size_t at)
{
    return !at || strcmp(formats[at - 1].name, formats[at].name) != 0;
}

/* "chrome, pftrace, csv", or the reports of one format: "gpu, api". */
static void list_words(struct str *out, const char *of_format)
{
    for (size_t i = 0; i < FORMATS; i++) {
        const char *word = of_format ? formats[i].report : formats[i].name;
        const bool is_listed =
            of_format ? formats[i].report && !strcmp(formats[i].name, of_format) : is_first_of_name(i);
        if (is_listed)
            str_addf(out, "%s%s", out->length ? ", " : "", word);
    }
}

void export_format_names(struct str *out)
{
    list_words(out, NULL);
}

void export_format_help(struct str *out, bool of_reports)
{
    const char *between = "";
    for (size_t i = 0; i < FORMATS; i++) {
        const struct export_format *f = &formats[i];
        if (of_reports ? !f->report : !is_first_of_name(i))
            continue;
        if (of_reports)
            str_addf(out, "%s%s, %s%s", between, f->report, f->holds, is_first_of_name(i) ? " (default)" : "");
        else
            str_addf(out, "%s%s: %s", between, f->name, f->what);
        between = "; ";
    }
}

static int refuse(const char *name, const char *report, bool knows_name, struct err *e)
{
    struct str words;
    str_init(&words);
    list_words(&words, knows_name ? name : NULL);
    int rc = ERR_USAGE;
    if (!knows_name)
        err_set(e, rc, "unknown format '%s'; use --to with one of %s", name, str_text(&words));
    else if (!words.length)
        err_set(e, rc, "--to %s takes no --report: it holds the whole trace", name);
    else
        err_set(e, rc, "unknown report '%s'; use --report with one of %s", report, str_text(&words));
    str_release(&words);
    return rc;
}

int export_format_find(const char *name, const char *report, const struct export_format **out, struct err *e)
{
    bool knows_name = false;
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, name) != 0)
            continue;
        knows_name = true;
        *out = &formats[i];
        if (!report || (formats[i].report && !strcmp(formats[i].report, report)))
            return 0;
    }
    return refuse(name, report, knows_name, e);
}

static void count(struct trace_survey *s, const struct cpprof_event *event)
{
    if (!s->events) {
        s->first_ns = s->last_ns = event->start_ns;
        s->rank = event->rank;
    }
    if (export_end_ns(event) > s->last_ns)
        s->last_ns = export_end_ns(event);
    s->events++;
    s->kinds[event->kind]++;
    s->unfinished[event->kind] += event->flags & CPPROF_EVENT_UNFINISHED;
    s->gpu_work += event_is_gpu_work(event);
    s->graph_work += event_is_gpu_work(event) && event->graph_node;
    s->several_ranks |= event->rank != s->rank;
}

int trace_survey_take(struct event_stream *stream, struct trace_survey *out, struct err *e)
{
    const struct caveat_list *caveats = event_stream_caveats(stream);
    *out = (struct trace_survey){.rank = -1,
                                 .launches_only = event_stream_is_launches_only(stream),
                                 .is_incomplete =
                                     caveat_has(caveats, CAVEAT_WEAKENS) || caveat_has(caveats, CAVEAT_TRUNCATED)};
    struct cpprof_event event;
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1) {
        if (!stream_edge_is(&event))
            count(out, &event);
        rc = 0;
    }
    return rc ? rc : event_stream_rewind(stream, e);
}
