/* Which columns has what counters say of a replayed kernel? */
#include <math.h>
#include <string.h>

#include "analyzers/capture/busiest_words.h"
#include "analyzers/capture/kernel_windows.h"
#include "analyzers/capture/replay_rows.h"
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"
#include "core/base/units.h"
#include "core/trace/short_names.h"

#define OF_UNIT(field) ROW_AT(struct replay_unit, field)

const struct reason kernel_replay_reasons[] = {KERNEL_REPLAY_REASONS(REASON_ROW)};

static const struct row_column units[] = {
    {"unit", OF_UNIT(unit), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the id of the counter ([metrics](metrics.md))"},
    {"share", OF_UNIT(share), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "of its peak by counters, mean of the replays that count"},
    {"of_sample", ROW_AT_OR_NULL(struct replay_unit, of_sample), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the unit of `profile` that counts the same; `null`: none does"},
    {"sampled", OF_UNIT(sampled), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "by samples; `null` where they have none of it"},
    {"error", OF_UNIT(error), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "what the sampled one may be off"},
};
const struct row_columns replay_unit_columns = ROW_COLUMNS("replay unit", struct replay_unit, units);

LIST_OF(units_of, struct kernel_replay, units, unit_count)
ALL_OF(grid_of, struct kernel_replay, grid)
ALL_OF(block_of, struct kernel_replay, block)

static struct row_value class_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(bound_class_name(((const struct kernel_replay *)row)->class_));
}

static struct row_value short_name_of(const void *row, const void *context, struct str *scratch)
{
    const struct kernel_replay *r = row;
    (void)scratch;
    return row_text(r->window ? short_names_text(context, r->window->name) : r->kernel);
}

static struct row_value shown_name_of(const void *row, const void *context, struct str *scratch)
{
    const struct kernel_replay *r = row;
    if (!r->window)
        return row_text(r->kernel);
    str_clear(scratch);
    kernel_window_add_name(scratch, r->window, context);
    return row_text(str_text(scratch));
}

static struct row_value share_of(const void *row, const void *context, struct str *scratch)
{
    const struct kernel_window *w = ((const struct kernel_replay *)row)->window;
    (void)context, (void)scratch;
    return w ? row_number(w->device_share) : row_unknown();
}

static struct row_value sampled_of(const void *row, const void *context, struct str *scratch)
{
    const struct kernel_window *w = ((const struct kernel_replay *)row)->window;
    (void)context, (void)scratch;
    return w && w->reason != WINDOW_REPLAYED && w->class_ != BOUND_INCONCLUSIVE ? row_text(bound_class_name(w->class_))
                                                                                : row_unknown();
}

static struct row_value odd_of(const void *row, const void *context, struct str *scratch)
{
    const struct replay_unit *odd = ((const struct kernel_replay *)row)->odd;
    (void)context, (void)scratch;
    return odd ? row_text(odd->unit) : row_unknown();
}

static void show_class(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct kernel_replay *r = row;
    (void)context;
    str_add(out, value->text);
    if (r->reason)
        str_addf(out, ": %s", kernel_replay_reasons[r->reason].key);
    else if (r->class_ == BOUND_LATENCY && *r->bound_by)
        str_addf(out, ": %s", r->bound_by);
}

static void show_unit(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct kernel_replay *r = row;
    (void)context, (void)value;
    add_busiest(out, r->unit, r->unit_share, NAN, r->busiest_share);
}

static void show_stall(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct kernel_replay *r = row;
    char share[UNITS_TEXT_BYTES];
    (void)context;
    if (value->type == ROW_UNKNOWN)
        str_add(out, "-");
    else
        str_addf(out, "%s %s", r->stall, unit_format(share, UNIT_RATIO, r->stall_share));
}

#define OF_REPLAY(field) ROW_AT(struct kernel_replay, field)

static const struct row_column replays[] = {
    {"share", ROW_MADE(ROW_NUMBER, share_of), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("of the span"),
     "the kernel's time in the trace, of the device's; `null` when it is not in the trace"},
    {"launches", OF_REPLAY(launches), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "launches that were replayed, of three that are chosen"},
    {"accepted", OF_REPLAY(accepted), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "those that took as long as in the trace; nothing is taken from the others"},
    {"replayed_ns", OF_REPLAY(replayed_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "mean duration of these"},
    {"traced_ns", OF_REPLAY(traced_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "mean duration of the same launches in the trace"},
    {"class", ROW_MADE(ROW_TEXT, class_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_SHOWN("bound", show_class),
     "as of [bounds](bounds.md), by the counters of the replays"},
    {"reason", ROW_REASON(struct kernel_replay, reason, kernel_replay_reasons), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "of `inconclusive` ([profile](profile.md#replays)): `durations_differ`, `launches_missing`, `launches_differ`, `samples_differ`, "
     "`links_not_counted`, `other_gpu`, `records_missing`, `counters`; else `null`"},
    {"bound_by", ROW_AT_OR_NULL(struct kernel_replay, bound_by), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the unit, or of a latency bound `small-grid`, `tail` or the leading stall; `null` where launches differ"},
    {"sampled_class", ROW_MADE(ROW_TEXT, sampled_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the class by samples; `null` where they decide nothing"},
    {"unit", ROW_AT_OR_NULL(struct kernel_replay, unit), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_SHOWN("unit", show_unit),
     "the group ([metrics](metrics.md)) of the counter to name, as of `classify`; `null` when none is known"},
    {"unit_share", OF_REPLAY(unit_share), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "its share of its peak"},
    {"busiest_share", OF_REPLAY(busiest_share), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "that of the busiest of all, issue slots too"},
    {"stall", ROW_AT_OR_NULL(struct kernel_replay, stall), UNIT_TEXT, ROW_JSON | ROW_TABLE,
     ROW_SHOWN("warps wait for", show_stall), "what warps wait for most, besides their turn"},
    {"stall_share", OF_REPLAY(stall_share), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "of a warp's time"},
    {"occupancy", OF_REPLAY(occupancy), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("occupancy"),
     "resident warps, of those that an SM can hold, while it has any"},
    {"cause", ROW_AT_OR_NULL(struct kernel_replay, cause), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "one sentence"},
    {"advice", ROW_AT_OR_NULL(struct kernel_replay, advice), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "what to try"},
    {"odd", ROW_MADE(ROW_TEXT, odd_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the counter that differs from samples by more than twice their error, most; `null`: none does"},
    {"units", ROW_LIST_OF(units_of, &replay_unit_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "all that were counted"},
    {"grid", ROW_LIST_OF_INTEGERS(grid_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "blocks in x, y, z"},
    {"block", ROW_LIST_OF_INTEGERS(block_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "threads in x, y, z"},
    {"kernel", OF_REPLAY(kernel), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "its name"},
    {"shown_name", ROW_MADE(ROW_TEXT, shown_name_of), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("kernel"),
     "the same, and grid and block where kernels share it"},
    {"short_name", ROW_MADE(ROW_TEXT, short_name_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the shortest text that tells it from the names of all others"},
};
const struct row_columns kernel_replay_columns =
    ROW_COLUMNS("kernel replay", struct kernel_replay, replays); /* context: short names */
