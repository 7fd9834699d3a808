/* Which columns has what the program would gain from a kernel? */
#include <math.h>

#include "analyzers/bounded_cells.h"
#include "analyzers/capture/program_gains.h"
#include "analyzers/columns.h"
#include "core/base/units.h"

#define GAIN(row) ((const struct program_gain *)(row))

static struct row_value kind_of(const void *row, const void *context, struct str *scratch)
{
    static const char *const names[] = {[GAIN_KERNEL] = "kernel", [GAIN_COPY] = "copies", [GAIN_HOST] = "host before"};
    (void)context, (void)scratch;
    return row_text(names[GAIN(row)->kind]);
}

static struct row_value criticality_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_number(GAIN(row)->criticality.value);
}

static struct row_value target_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text_or_unknown(GAIN(row)->causal ? GAIN(row)->causal->target : "");
}

static struct row_value source_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(GAIN(row)->causal ? "measured" : "re-run");
}

static struct row_value full_name_of(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return row_text(short_names_full(context, GAIN(row)->name));
}

static struct row_value short_name_of(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return row_text(short_names_text(context, GAIN(row)->name));
}

static void show_criticality(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct bounded *c = &GAIN(row)->criticality;
    (void)context;
    if (value->type == ROW_UNKNOWN)
        str_add(out, GAIN(row)->reason);
    else if (GAIN(row)->causal)
        str_addf(out, "%.2f (%.2f to %.2f)", c->value, c->low, c->high);
    else
        str_addf(out, "%.2f to %.2f", c->low, c->high);
}

static void show_gain(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct program_gain *g = row;
    char share[UNITS_TEXT_BYTES];
    (void)context;
    if (value->type == ROW_UNKNOWN)
        str_add(out, "n/a");
    else
        str_addf(out, "%s%s", unit_format(share, UNIT_RATIO, g->gain.value), g->is_beyond ? " *" : "");
}

BOUNDED_OF(step_of, struct program_gain, step.median)
BOUNDED_OF(least_step_of, struct program_gain, step.least)

SHOWN_BOTH(show_step, struct program_gain, step.median, step.least, add_shares)

#define OF_GAIN(field) ROW_AT(struct program_gain, field)

static const struct row_column gains[] = {
    {"gain", OF_GAIN(gain.value), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_SHOWN("at most", show_gain),
     "of the time from the device's first work to its last, what would go if the kernel's busiest unit were busy all the "
     "time, the copies took no time, or the host were never late: headroom x criticality; by the graph the middle between "
     "the ends; `null` where one is not known"},
    {"gain_low", OF_GAIN(gain.low), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "with the lowest criticality: 95% where it was measured, and by the graph if every wait that cannot be seen is there"},
    {"gain_high", OF_GAIN(gain.high), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "with the highest"},
    {"step", BOUNDED(step_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the same of the median step, by the graph; `null` without steps, or where the criticality was measured "
     "([profile](profile.md#of-a-step))"},
    {"step_least", BOUNDED(least_step_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the same of the step of which least goes"},
    {"step_shown", ROW_MADE(ROW_TEXT, show_step), UNIT_TEXT, ROW_TABLE_2, ROW_TITLE("of a step (least)"), ""},
    {"beyond", OF_GAIN(is_beyond), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "a launch would save more than the longest delay that was tried"},
    {"share", OF_GAIN(share), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("of the span"),
     "its time, of the device's; of the host the time in which devices are idle right before it"},
    {"headroom", OF_GAIN(headroom), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("headroom"),
     "what of this time could go: of copies and of the host all of it"},
    {"criticality", ROW_MADE(ROW_NUMBER, criticality_of), UNIT_NONE, ROW_JSON | ROW_TABLE,
     ROW_SHOWN("criticality", show_criticality), "how much of a saving reaches the program; `null`: not known"},
    {"source", ROW_MADE(ROW_TEXT, source_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("source"),
     "of the criticality: `measured` by delays, or `re-run` of the recorded graph"},
    {"reason", ROW_AT_OR_NULL(struct program_gain, reason), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "why it is not known ([profile](profile.md#what-the-program-would-gain)); else `null`"},
    {"target", ROW_MADE(ROW_TEXT, target_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the target by which it was delayed; `null`: it was not"},
    {"kind", ROW_MADE(ROW_TEXT, kind_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("what"),
     "`kernel`, `copies` of one kind, or `host before` launches of it"},
    {"kernel", ROW_MADE(ROW_TEXT, full_name_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "its name"},
    {"short_name", ROW_MADE(ROW_TEXT, short_name_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE_CODE("kernel"),
     "the shortest text that tells it from the names of all others"},
};
const struct row_columns program_gain_columns =
    ROW_COLUMNS("program gain", struct program_gain, gains); /* context: short names */
