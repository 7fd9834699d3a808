/* What stands in the table of what launches cost? */
#include "analyzers/columns.h"
#include "analyzers/launch/launch_rows.h"

#define AT(field) ROW_AT(struct launch_cost, field)
#define TIME(name, field, title)                                                                                       \
    {                                                                                                                  \
        name, AT(field), UNIT_NS, ROW_TABLE, ROW_TITLE(title), ""                                                      \
    }

static const struct row_column columns[] = {
    {"variant", AT(variant), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("variant"), ""},
    {"shape", AT(config), UNIT_TEXT, ROW_TABLE, ROW_TITLE("shape"), ""},
    {"launches", AT(launches), UNIT_COUNT, ROW_TABLE, ROW_TITLE("launches"), ""},
    TIME("first_ns", first_ns, "first call"),
    TIME("median_ns", median_ns, "median call"),
    TIME("mean_ns", mean_ns, "mean call"),
    TIME("max_ns", max_ns, "longest call"),
    TIME("queue_median_ns", queue_median_ns, "queue"),
    TIME("kernel_median_ns", kernel_median_ns, "kernel"),
    TIME("interval_median_ns", interval_median_ns, "interval"),
    TIME("gap_median_ns", gap_median_ns, "device idle between"),
    TIME("copy_median_ns", copy_median_ns, "copying between"),
    TIME("other_median_ns", other_median_ns, "other work between"),
};

const struct row_columns launch_columns = ROW_COLUMNS("launch", struct launch_cost, columns);
