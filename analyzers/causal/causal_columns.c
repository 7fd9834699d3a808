/* What stands in the formats of a criticality? */
#include <math.h>

#include "analyzers/bounded_cells.h"
#include "analyzers/causal/causal_rows.h"
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"
#include "core/base/units.h"
#include "core/trace/short_names.h"

#define OF_DOSE(field) ROW_AT(struct causal_dose, field)

static const struct row_column dose_list[] = {
    {"asked_ns", OF_DOSE(asked_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "the delay that was asked for"},
    {"delay_ns", OF_DOSE(delay_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "what it was, as recorded: the mean, less that of delays of no time; of the host as it was asked for"},
    {"time_ns", OF_DOSE(time_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "from one launch of the kernel to the next"},
    {"blocks", OF_DOSE(blocks), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "series of launches with it"},
    {"launches", OF_DOSE(launches), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "launches in them, without the last one of each"},
};
const struct row_columns causal_dose_columns = ROW_COLUMNS("causal dose", struct causal_dose, dose_list);

/* ---- the kernel ---- */

static void add_slope(struct str *out, struct bounded b)
{
    if (isfinite(b.value))
        str_addf(out, "%.2f (%.2f to %.2f)", b.value, b.low, b.high);
}

static void add_delay(struct str *out, const struct causal_row *row)
{
    char text[UNITS_TEXT_BYTES];
    for (size_t i = 1; i < row->dose_count; i++)
        if (isfinite(row->doses[i].delay_ns))
            str_addf(out, "%s%s", out->length ? ", " : "", unit_format(text, UNIT_NS, row->doses[i].delay_ns));
}

static struct row_value show_delay(const void *row, const void *context, struct str *scratch)
{
    (void)context;
    add_delay(scratch, row);
    return row_text_or_unknown(str_text(scratch));
}

static struct row_value place_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(((const struct causal_row *)row)->asked.on_host ? "host" : "stream");
}

static struct row_value status_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(causal_status_name(((const struct causal_row *)row)->status));
}

static struct row_value name_of(const void *row, const void *context, struct str *scratch)
{
    const struct causal_row *r = row;
    (void)scratch;
    return row_text_or_unknown(r->name ? short_names_full(context, r->name) : "");
}

/* The expression where no kernel has the name. */
static struct row_value short_name_of(const void *row, const void *context, struct str *scratch)
{
    const struct causal_row *r = row;
    (void)scratch;
    return row_text(r->name ? short_names_text(context, r->name) : r->target);
}

static size_t doses_of(const void *row, const void *context, const void **items)
{
    const struct causal_row *r = row;
    (void)context;
    *items = r->doses;
    return r->dose_count;
}

BOUNDED_OF(criticality_of, struct causal_row, criticality)
BOUNDED_OF(first_of, struct causal_row, first)
BOUNDED_OF(further_of, struct causal_row, further)
SHOWN(show_criticality, struct causal_row, criticality, add_slope)

#define AT(field) ROW_AT(struct causal_row, field)

static const struct row_column columns[] = {
    {"target", AT(target), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "as it was asked for: an expression, `copy:h2d`, `host:` before either"},
    {"rank", ROW_AT_OR_NULL(struct causal_row, rank), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the process"},
    {"share", AT(share), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("of the time"),
     "its time without delays, of the program's; `null` of the host"},
    {"launches", AT(launches), UNIT_COUNT, ROW_JSON | ROW_TABLE, ROW_TITLE("launches"),
     "launches with a delay, also with one of no time"},
    {"place", ROW_MADE(ROW_TEXT, place_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("waits"),
     "what waits: the `stream` before the work, or the `host` before the call"},
    {"delays_shown", ROW_MADE(ROW_TEXT, show_delay), UNIT_TEXT, ROW_TABLE, ROW_TITLE("delays"), ""},
    {"criticality", BOUNDED(criticality_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "time that the program takes longer for each ns of delay: 1 critical, 0 hidden; `value`, `low`, `high`, or `null`"},
    {"criticality_shown", ROW_MADE(ROW_TEXT, show_criticality), UNIT_TEXT, ROW_TABLE, ROW_TITLE("criticality"), ""},
    {"first", BOUNDED(first_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same up to the shorter delay"},
    {"further", BOUNDED(further_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same from there to the longer one"},
    {"status", ROW_MADE(ROW_TEXT, status_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("status"),
     "`critical`, `partly`, `hidden` or `inconclusive` ([profile](profile.md#what-a-faster-kernel-would-save))"},
    {"reason", ROW_REASON(struct causal_row, reason, causal_reasons), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "why it is inconclusive: `no_launches`, `records_missing`, `too_few_blocks`, `delays_not_as_asked`, `not_linear`, `not_all_delayed`, "
     "`several_streams`, `not_credible`, `too_coarse`; else `null`"},
    {"doses", ROW_LIST_OF(doses_of, &causal_dose_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the delays, that of no time first"},
    {"kernels", AT(kernels), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "kernels, or kinds of copies, that it matches"},
    {"kernel", ROW_MADE(ROW_TEXT, name_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the name of the one with most launches; `null` without any"},
    {"short_name", ROW_MADE(ROW_TEXT, short_name_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE_CODE("kernel"),
     "the shortest text that tells it from the names of all others"},
};
const struct row_columns causal_columns = ROW_COLUMNS("causal", struct causal_row, columns);
