/* What does `gaps` say to a program? */
#include "analyzers/capture/gap_words.h"
#include "analyzers/columns.h"
#include "reports/gaps_report.h"
#include "reports/rows/row_formats.h"

static json_t *trace_of(struct arena *arena, const struct gaps_report *r, size_t side)
{
    const struct gap_context context = {.arena = arena, .strings = r->strings[side]};
    const struct idle_gaps *gaps = &r->gaps[side];
    return json_pack("{so sI so so}", "source", json_text(r->sides[side].source), "api_calls", (json_int_t)gaps->calls,
                     "devices", row_json_array(&gap_device_columns, 0, gaps->items, gaps->count, &context), "caveats",
                     json_trace_caveats(r->sides[side].caveats));
}

json_t *json_gaps(const struct gaps_report *r)
{
    struct arena arena;
    arena_init(&arena);
    json_t *traces = json_array();
    for (size_t i = 0; i < r->side_count; i++)
        json_array_append_new(traces, trace_of(&arena, r, i));
    arena_release(&arena);
    return json_pack("{ss so}", "schema", "cpprof.gaps/1", "traces", traces);
}
