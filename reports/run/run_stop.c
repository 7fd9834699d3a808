/* Why were no more processes timed? */
#include <math.h>
#include <string.h>

#include "core/stats/sequential_looks.h"
#include "reports/reports.h"
#include "reports/run/run_report.h"

/* What the manifest says, which may be anything. */
struct stop {
    enum stop_reason reason;
    const char *key; /* of STOP_OTHER what stands there */
    long long processes, looks;
    double wall_ns, until_width, budget_ns; /* NAN unknown, or not asked for */
};

static enum stop_reason reason_of(const char *key)
{
    enum stop_reason known = STOP_UNFINISHED;
    while (known < STOP_OTHER && strcmp(stop_reasons[known].key, key) != 0)
        known++;
    return known;
}

static bool stop_read(struct stop *out, const json_t *manifest)
{
    const json_t *stop = json_object_get(manifest, "stop");
    const char *key = json_get_text(stop, "reason", "");
    *out = (struct stop){reason_of(key),
                         key,
                         json_get_integer(stop, "processes", 0),
                         sequential_looks_of_manifest(manifest),
                         json_get_number(stop, "wall_ns", NAN),
                         json_get_number(stop, "until_width", NAN),
                         json_get_number(stop, "budget_ns", NAN)};
    return json_is_object(stop);
}

static void write_reason(struct document *d, const struct stop *s)
{
    char text[UNITS_TEXT_BYTES];
    if (s->reason == STOP_WIDTH && isfinite(s->until_width))
        document_span(d, SPAN_PLAIN, "half of every interval of a ratio was at most %s, as asked for",
                      unit_format(text, UNIT_RATIO, s->until_width));
    else if (s->reason == STOP_BUDGET)
        document_span(d, SPAN_PLAIN, "the budget of %s had no time left for more",
                      unit_format(text, UNIT_NS, s->budget_ns));
    else if (s->reason == STOP_PROCESSES && s->looks > 1)
        document_span(d, SPAN_PLAIN, "no run has more, whatever is still open");
    else
        document_span(d, SPAN_PLAIN, "%s", s->reason == STOP_OTHER ? s->key : stop_reasons[s->reason].sentence);
}

void run_stop_add(const json_t *manifest, struct document *d)
{
    struct stop s;
    char text[UNITS_TEXT_BYTES];
    if (!stop_read(&s, manifest))
        return;
    document_bullet(d);
    document_span(d, SPAN_STRONG, "Stopped:");
    if (!s.reason) {
        document_span(d, SPAN_PLAIN, " before its end: the run was not finished");
        return;
    }
    document_span(d, SPAN_PLAIN, " after %lld timing process%s of each arm", s.processes, s.processes == 1 ? "" : "es");
    if (isfinite(s.wall_ns))
        document_span(d, SPAN_PLAIN, ", %s", unit_format(text, UNIT_NS, s.wall_ns));
    document_span(d, SPAN_PLAIN, ": ");
    write_reason(d, &s);
}

json_t *json_stop(const json_t *manifest)
{
    struct stop s;
    if (!stop_read(&s, manifest))
        return json_null();
    json_t *out = json_object();
    json_object_set_new(out, "reason", s.reason ? json_text(s.key) : json_null());
    json_object_set_new(out, "processes", json_integer(s.processes));
    json_object_set_new(out, "wall_ns", json_number_or_null(s.wall_ns));
    json_object_set_new(out, "looks", json_integer(s.looks));
    json_object_set_new(out, "until_width", json_number_or_null(s.until_width));
    json_object_set_new(out, "budget_ns", json_number_or_null(s.budget_ns));
    return out;
}
