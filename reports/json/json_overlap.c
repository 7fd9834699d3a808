/* The overlap of a trace for programs: cpprof.overlap/1, see docs/overlap.md. */
#include "analyzers/columns.h"
#include "analyzers/overlap/overlap_rows.h"
#include "reports/rows/row_formats.h"
#include "reports/rule_rows.h"

/* Devices without GPU work have only events of the host. */
static json_t *devices_of(const struct overlap_report *r)
{
    struct arena arena;
    arena_init(&arena);
    const struct overlap_context context = overlap_context_of(r, &arena);
    json_t *list = json_array();
    for (size_t i = 0; i < r->timeline->device_count; i++) {
        const struct timeline_device *device = &r->timeline->devices[i];
        if (device->events)
            json_array_append_new(list, row_json(&overlap_device_columns, 0, device, &context));
    }
    arena_release(&arena);
    return list;
}

json_t *json_overlap(const struct overlap_report *r)
{
    const struct check_report rules = check_report_of(r);
    json_t *out = json_pack("{ss so so sI so so}", "schema", "cpprof.overlap/1", "source", json_text(r->source),
                            "devices", devices_of(r), "unfinished", (json_int_t)r->timeline->unfinished, "assertions",
                            json_assertions(&rules), "caveats", json_caveats(&rules));
    int64_t from_ns;
    if (out && rank_starts_get_only(r->starts, &from_ns))
        json_object_set_new(out, "from_ns", json_integer((json_int_t)from_ns));
    return out;
}
