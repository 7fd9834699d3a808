/* What does `doctor` say to a program? */
#include "reports/doctor_report.h"

static json_t *stops_of(unsigned stops)
{
    json_t *list = json_array();
    if (stops & STOPS_RUN)
        json_array_append_new(list, json_string("run"));
    if (stops & STOPS_CAPTURE)
        json_array_append_new(list, json_string("capture"));
    return list;
}

static json_t *check_of(const struct checkup_item *item)
{
    return json_pack("{ss ss ss so so so}", "group", item->group, "check", item->name, "level",
                     check_level_name(item->level), "found", json_text(item->found), "advice",
                     *item->advice ? json_text(item->advice) : json_null(), "stops", stops_of(item->stops));
}

/* A part of what the runner found; an empty list without it. */
static json_t *facts(const struct checkup *c, const char *key)
{
    json_t *part = json_object_get(c->probe, key);
    return part ? json_incref(part) : json_array();
}

json_t *json_doctor(const struct checkup *c)
{
    const unsigned stops = checkup_stops(c);
    json_t *checks = json_array();
    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(checks, check_of(&c->items[i]));
    json_t *commands =
        json_pack("{sb sb sb}", "run", !(stops & STOPS_RUN), "capture", !(stops & STOPS_CAPTURE), "report", 1);
    json_t *all = json_pack("{ss so so so so}", "schema", "cpprof.doctor/1", "commands", commands, "checks", checks,
                            "devices", facts(c, "devices"), "links", facts(c, "links"));
    if (c->ceilings)
        json_object_set(all, "ceilings", (json_t *)c->ceilings);
    return all;
}
