/* What stands in the tables of steps that are compared? */
#include "analyzers/columns.h"
#include "analyzers/steps/step_rows.h"

#define BOTH        (ROW_JSON | ROW_TABLE)
#define MADE(maker) ROW_MADE(ROW_NUMBER, maker)

#define OF_MEASURE(field) ROW_AT(struct step_difference, field)

static struct row_value make_difference(const void *row, const void *context, struct str *scratch)
{
    const struct step_difference *d = row;
    (void)context, (void)scratch;
    return row_number(d->after_ns - d->before_ns);
}

static struct row_value make_factor(const void *row, const void *context, struct str *scratch)
{
    const struct step_difference *d = row;
    (void)context, (void)scratch;
    return row_ratio(d->after_ns, d->before_ns);
}

static const struct row_column measures[] = {
    {"measure", OF_MEASURE(measure), UNIT_TEXT, BOTH, ROW_TITLE("per step"),
     "`time`, `kernels`, `exposed communication`, `exposed copies`, `exposed memsets`, `exposed migrations`, `idle`"},
    {"before_ns", OF_MEASURE(before_ns), UNIT_NS, BOTH, ROW_TITLE("before"),
     "median over the steps of the first trace"},
    {"after_ns", OF_MEASURE(after_ns), UNIT_NS, BOTH, ROW_TITLE("after"), "of the second one"},
    {"change_ns", MADE(make_difference), UNIT_NS, BOTH, ROW_TITLE_SIGNED("change"), "after - before"},
    {"factor", MADE(make_factor), UNIT_FACTOR, BOTH, ROW_TITLE("after / before"), "`null` when it was 0 before"},
};
const struct row_columns step_difference_columns = ROW_COLUMNS("step measure", struct step_difference, measures);

#define OF_WORK(field) ROW_AT(struct step_work, field)

static struct row_value make_change(const void *row, const void *context, struct str *scratch)
{
    const struct step_work *w = row;
    (void)context, (void)scratch;
    return row_number(w->after_ns - w->before_ns);
}

static const struct row_column work[] = {
    {"name", OF_WORK(name), UNIT_TEXT, BOTH, ROW_TITLE_KERNEL("work"),
     "the kernel's symbol as it was recorded; `copy h2d`, `memset`"},
    {"launched", ROW_AT_OR_NULL(struct step_work, launched), UNIT_TEXT, BOTH,
     ROW_TITLE_OR("grid of block", ROW_PLAIN, ""),
     "grid and block, or `sizes not recorded`: such kernels are matched by name; `null` for other work than kernels"},
    {"differs", OF_WORK(differs), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "are there more or fewer launches per step?"},
    {"before_launches", OF_WORK(before_launches), UNIT_NONE, BOTH, ROW_TITLE("launches before"),
     "mean over the steps of the first trace"},
    {"after_launches", OF_WORK(after_launches), UNIT_NONE, BOTH, ROW_TITLE("after"), "of the second one"},
    {"before_ns", OF_WORK(before_ns), UNIT_NS, BOTH, ROW_TITLE("time before"),
     "sum of their durations in a step, the mean over steps"},
    {"after_ns", OF_WORK(after_ns), UNIT_NS, BOTH, ROW_TITLE("after"), "the same of the second trace"},
    {"change_ns", MADE(make_change), UNIT_NS, BOTH, ROW_TITLE_SIGNED("change"), "after - before"},
};
const struct row_columns step_work_columns = ROW_COLUMNS("step work", struct step_work, work);
