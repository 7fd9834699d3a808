/* What does a program read about a machine against itself? cpprof.aa/1 */
#include "reports/aa_report.h"

#include <math.h>

static void set_number(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_number_or_null(value));
}

static void set_count(json_t *object, const char *key, size_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void set_rate(json_t *object, const char *key, const struct rate_interval *r)
{
    json_object_set_new(object, key,
                        json_pack("{so so so}", "ratio", json_number_or_null(r->rate), "low",
                                  json_number_or_null(r->low), "high", json_number_or_null(r->high)));
}

static void set_verdicts(json_t *object, const size_t *verdicts)
{
    json_t *counts = json_object();
    for (int v = 0; v < AA_VERDICTS; v++)
        set_count(counts, comparison_verdict_name((enum comparison_verdict)v), verdicts[v]);
    json_object_set_new(object, "verdicts", counts);
}

static json_t *case_of(const char *variant, const char *config)
{
    return json_pack("{so so}", "variant", variant ? json_text(variant) : json_null(), "shape",
                     config ? json_text(config) : json_null());
}

static json_t *self_of(const struct aa_self *s)
{
    json_t *out = case_of(s->variant, s->config);
    set_number(out, "time_ns", s->time_ns);
    set_count(out, "processes", s->processes);
    set_count(out, "comparisons", s->comparisons);
    set_count(out, "covered", s->covered);
    set_verdicts(out, s->verdicts);
    set_rate(out, "coverage", &s->coverage);
    set_rate(out, "false_positives", &s->false_positives);
    set_rate(out, "equivalent", &s->equivalent);
    set_number(out, "detectable_80", s->detectable_80);
    set_number(out, "detectable_95", s->detectable_95);
    set_number(out, "mde_p50", s->mde_50);
    set_number(out, "mde_p90", s->mde_90);
    return out;
}

static json_t *planted_of(const struct aa_planted *p)
{
    json_t *out = case_of(p->variant, p->config), *effect = json_object();
    set_number(out, "share", p->share);
    set_number(effect, "median", p->effect.median);
    set_number(effect, "low", p->effect.low);
    set_number(effect, "high", p->effect.high);
    json_object_set_new(out, "slowdown", effect);
    set_count(out, "processes", p->processes);
    set_count(out, "comparisons", p->comparisons);
    set_verdicts(out, p->verdicts);
    set_rate(out, "found", &p->found);
    set_count(out, "wrong", p->wrong);
    return out;
}

json_t *json_aa(const struct aa_report *r)
{
    json_t *rows = json_array(), *planted = json_array(), *caveats = json_array();
    for (size_t i = 0; i < r->result->count; i++)
        json_array_append_new(rows, self_of(&r->result->items[i]));
    for (size_t i = 0; i < r->result->planted.count; i++)
        json_array_append_new(planted, planted_of(&r->result->planted.items[i]));
    for (size_t i = 0; i < r->caveats->count; i++)
        json_array_append_new(caveats, json_text(r->caveats->items[i].text));
    return json_pack("{ss so so sI so ss ss so so so so}", "schema", "cpprof.aa/1", "source", json_text(r->source),
                     "device", *r->device ? json_text(r->device) : json_null(), "processes",
                     (json_int_t)r->result->processes, "margin", json_number_or_null(r->result->margin), "status",
                     verdict_status_name(r->result->status), "reason", r->result->reason, "all",
                     self_of(&r->result->all), "rows", rows, "planted", planted, "caveats", caveats);
}
