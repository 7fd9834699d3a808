/* What stands in the table of a program's steps? */
#include "analyzers/columns.h"
#include "analyzers/steps/step_rows.h"

#define AT(field) ROW_AT(struct program_step, field)

static const struct row_column columns[] = {
    {"step", AT(which), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("step"),
     "`first`, `median` or `slowest`: the first one is in neither of the others where there are three and more"},
    {"rank", ROW_AT_OR_NULL(struct program_step, rank), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "its process"},
    {"time_ns", AT(time_ns), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("time"),
     "[its time](compare.md#two-captures-or-traces)"},
    {"compute_ns", AT(part_ns[STEP_COMPUTE]), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("kernels"),
     "a kernel runs that does not communicate; the parts are those of all devices of its process"},
    {"communication_ns", AT(part_ns[STEP_COMMUNICATION]), UNIT_NS, ROW_JSON | ROW_TABLE,
     ROW_TITLE("only communication"), "the only kernels that run communicate"},
    {"copy_ns", AT(part_ns[STEP_COPY]), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("only copies"), "only copies run"},
    {"memset_ns", AT(part_ns[STEP_MEMSET]), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("only memsets"),
     "only memsets run"},
    {"migration_ns", AT(part_ns[STEP_MIGRATION]), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("only migrations"),
     "only migrations of managed memory run"},
    {"idle_ns", AT(part_ns[STEP_IDLE]), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("idle"), "nothing runs"},
};
const struct row_columns program_step_columns = ROW_COLUMNS("program step", struct program_step, columns);
