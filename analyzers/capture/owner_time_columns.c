/* What stands in the tables of who launched the work? */
#include "analyzers/capture/owner_times.h"
#include "analyzers/columns.h"

static struct row_value name_of(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return row_text(short_names_full(context, ((const struct owner_time *)row)->name));
}

#define AT(field) ROW_AT(struct owner_time, field)

static const struct row_column columns[] = {
    {"share", AT(share), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("of GPU time"),
     "its work, of the time of all GPU work"},
    {"total_ns", AT(total_ns), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("total"), "sum of durations"},
    {"idle_ns", AT(idle_ns), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("idle before"),
     "time in which devices ran nothing until its work began"},
    {"count", AT(count), UNIT_COUNT, ROW_JSON | ROW_TABLE, ROW_TITLE("count"),
     "kernels, copies, memsets and migrations"},
    {"name", ROW_MADE(ROW_TEXT, name_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the operator, module, frame or range"},
};
const struct row_columns owner_time_columns = ROW_COLUMNS("owner", struct owner_time, columns); /* context: names */
