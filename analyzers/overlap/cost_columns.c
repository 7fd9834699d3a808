/* What stands in the tables of what an overlap brought and cost? */
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"
#include "analyzers/overlap/overlap_cost.h"

#define BOTH        (ROW_JSON | ROW_TABLE)
#define SIDE(field) ROW_AT(struct cost_side, field)

static const struct row_column sides[] = {
    {"side", SIDE(name), UNIT_TEXT, ROW_TABLE, ROW_TITLE(""), ""},
    {"source", SIDE(source), UNIT_TEXT, BOTH, ROW_TITLE_CODE("trace"), "the trace as given"},
    {"span_ns", SIDE(span_ns), UNIT_NS, BOTH, ROW_TITLE("T alone"), "first start to last end of its GPU work"},
    {"events_alone", SIDE(events_alone), UNIT_COUNT, BOTH, ROW_TITLE("events alone"), "events with names of its own"},
    {"events_together", SIDE(events_together), UNIT_COUNT, BOTH, ROW_TITLE("together"),
     "the same in the trace of both"},
    {"busy_alone_ns", SIDE(busy_alone_ns), UNIT_NS, BOTH, ROW_TITLE("busy alone"),
     "their union on each device, summed"},
    {"busy_together_ns", SIDE(busy_together_ns), UNIT_NS, BOTH, ROW_TITLE("together"), "the same in the trace of both"},
    {"slowdown", SIDE(slowdown), UNIT_FACTOR, BOTH, ROW_TITLE("slower by"),
     "busy time together over alone; `null` without work of its own"},
};
const struct row_columns cost_side_columns = ROW_COLUMNS("cost side", struct cost_side, sides);

PART_OF(a_of, struct overlap_cost, a)
PART_OF(b_of, struct overlap_cost, b)

#define COST(field) ROW_AT(struct overlap_cost, field)

static const struct row_column costs[] = {
    {"a", ROW_OBJECT_OF(a_of, &cost_side_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the first trace"},
    {"b", ROW_OBJECT_OF(b_of, &cost_side_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the second one"},
    {"source", COST(source), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the trace of both together, as given"},
    {"span_ns", COST(span_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "first start to last end of its GPU work"},
    {"gain_ratio", COST(gain), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "1 is all of the shorter one; `null` without a span"},
    {"ambiguous", COST(ambiguous), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "events whose name A and B both have"},
    {"unknown", COST(unknown), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "events of both together that neither has alone"},
    {"differing", COST(differing), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "names with other numbers of events or bytes than alone; unless 0 the other numbers say nothing"},
};
const struct row_columns cost_columns = ROW_COLUMNS("cost", struct overlap_cost, costs);
