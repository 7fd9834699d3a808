/* Which columns has what the units of the GPU do while a kernel runs? */
#include <math.h>
#include <string.h>

#include "analyzers/capture/busiest_words.h"
#include "analyzers/capture/kernel_windows.h"
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"
#include "core/trace/short_names.h"

#define OF_UNIT(field) ROW_AT(struct window_unit, field)

const struct reason kernel_window_reasons[] = {KERNEL_WINDOW_REASONS(REASON_ROW)};

static const struct row_column units[] = {
    {"unit", OF_UNIT(unit), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "[profile](profile.md) says what each is"},
    {"share", OF_UNIT(share), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "of its peak while the kernel ran, `null` below 20 samples and where the chip does not sample it"},
    {"standard_error", OF_UNIT(standard_error), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "of the share, from the spread between samples, launches or bursts, whichever is largest"},
    {"error", OF_UNIT(error), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "what the share may be off ([profile](profile.md))"},
};
const struct row_columns window_unit_columns = ROW_COLUMNS("window unit", struct window_unit, units);

ALL_OF(grid_of, struct kernel_window, grid)
ALL_OF(block_of, struct kernel_window, block)

static struct row_value class_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(bound_class_name(((const struct kernel_window *)row)->class_));
}

static struct row_value name_of(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return row_text(short_names_full(context, ((const struct kernel_window *)row)->name));
}

static struct row_value short_name_of(const void *row, const void *context, struct str *scratch)
{
    (void)scratch;
    return row_text(short_names_text(context, ((const struct kernel_window *)row)->name));
}

static struct row_value shown_name_of(const void *row, const void *context, struct str *scratch)
{
    str_clear(scratch);
    kernel_window_add_name(scratch, row, context);
    return row_text(str_text(scratch));
}

static void show_share(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct kernel_window *k = row;
    (void)context, (void)value;
    add_busiest(out, k->unit, k->unit_share, k->unit_error, k->busiest_share);
}

static void show_headroom(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct kernel_window *k = row;
    (void)context, (void)value;
    add_headroom(out, k->headroom_ns, k->headroom_most_ns);
}

/* Which witness decided? */
static struct row_value decided_by(const void *row, const void *context, struct str *scratch)
{
    const struct kernel_window *k = row;
    (void)context, (void)scratch;
    return k->class_ == BOUND_INCONCLUSIVE ? row_unknown()
                                           : row_text(k->reason == WINDOW_REPLAYED ? "replays" : "samples");
}

static struct row_value other_of(const void *row, const void *context, struct str *scratch)
{
    const struct kernel_window *k = row;
    (void)context, (void)scratch;
    return k->reason == WINDOW_NEAR_BOUNDARY ? row_text(bound_class_name(k->other)) : row_unknown();
}

static void show_by(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)row, (void)context;
    str_add(out, value->type == ROW_UNKNOWN ? "-" : value->text);
}

/* Links and the data over them have members of their own. */
static size_t units_of(const void *row, const void *context, const void **items)
{
    (void)context;
    *items = ((const struct kernel_window *)row)->units;
    return SAMPLED_LINK_DATA_SENT;
}

static void show_class(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct kernel_window *k = row;
    (void)context;
    str_add(out, value->text);
    if (k->class_ == BOUND_INCONCLUSIVE)
        str_addf(out, ": %s", kernel_window_reasons[k->reason].key);
}

#define OF_KERNEL(field) ROW_AT(struct kernel_window, field)

static const struct row_column kernels[] = {
    {"device", OF_KERNEL(device), UNIT_NONE, ROW_JSON | ROW_TABLE, ROW_TITLE("GPU"), "the device that it ran on"},
    {"share", OF_KERNEL(device_share), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("of the span"),
     "its time, of the device's from its first work to its last"},
    {"total_ns", OF_KERNEL(total_ns), UNIT_NS, ROW_JSON | ROW_TABLE_2, ROW_TITLE("time"), "time of all launches"},
    {"launches", OF_KERNEL(launches), UNIT_COUNT, ROW_JSON | ROW_TABLE, ROW_TITLE("launches"), "how often it ran"},
    {"alone", OF_KERNEL(alone), UNIT_COUNT, ROW_JSON | ROW_TABLE_2, ROW_TITLE("alone"),
     "launches of which other work overlapped a tenth at most, at their begin or end; the others are not looked at"},
    {"sampled_launches", OF_KERNEL(sampled_launches), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "those that have a sample"},
    {"bursts", OF_KERNEL(bursts), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "bursts of samples that met it"},
    {"samples", OF_KERNEL(samples), UNIT_COUNT, ROW_JSON | ROW_TABLE, ROW_TITLE("samples"),
     "samples in which a launch is the only work"},
    {"class", ROW_MADE(ROW_TEXT, class_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_SHOWN("bound", show_class),
     "as of [bounds](bounds.md): `compute-bound`, `memory-bound`, `balanced`, `latency-bound` or `inconclusive`"},
    {"by", ROW_MADE(ROW_TEXT, decided_by), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_SHOWN("by", show_by),
     "`samples` of the undisturbed program, or `replays` where they leave it open; `null` of `inconclusive`"},
    {"reason", ROW_REASON(struct kernel_window, reason, kernel_window_reasons), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "why ([profile](profile.md)): `unit_busy`, `all_units`, `sms_idle`, `replayed`; of `inconclusive`: `too_few_samples`, `not_alone`, "
     "`units_not_sampled`, `near_boundary`, `not_credible`, `other_work`, `clocks_disagree`, `records_missing`, "
     "`device_not_sampled`"},
    {"other", ROW_MADE(ROW_TEXT, other_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "of `near_boundary`: another class within the error; else `null`"},
    {"lean", ROW_AT_OR_NULL(struct kernel_window, lean), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "`compute` or `memory`: the side of `unit`; `null` when a side has no share"},
    {"unit", ROW_AT_OR_NULL(struct kernel_window, unit), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_SHOWN("unit", show_share),
     "the busiest of the units that can bound it; `null` when none is known"},
    {"unit_share", OF_KERNEL(unit_share), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "its share of its peak"},
    {"unit_error", OF_KERNEL(unit_error), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "what that may be off; `null` of a replay"},
    {"busiest_share", OF_KERNEL(busiest_share), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "that of the busiest of all, issue slots too; `null` where a unit is not known"},
    {"headroom_ns", OF_KERNEL(headroom_ns), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_SHOWN("headroom", show_headroom),
     "of its time, what would go if its busiest unit were busy all the time, DRAM at the rate that it reaches: without less "
     "work no more can be gained; `null` where a unit is not known, neither by samples nor by replays"},
    {"headroom_most_ns", OF_KERNEL(headroom_most_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "the same, or else of its time what its busiest known unit leaves, whose share may be off by its error: no more can go; "
     "`null` where no unit is known well enough"},
    {"sent_bytes", OF_KERNEL(sent_bytes), UNIT_BYTES, ROW_JSON, ROW_NO_TITLE,
     "data that a launch sends over links to other GPUs, without what the protocol adds; `null` where links are not sampled"},
    {"received_bytes", OF_KERNEL(received_bytes), UNIT_BYTES, ROW_JSON, ROW_NO_TITLE, "data that it receives"},
    {"units", ROW_LIST_OF(units_of, &window_unit_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "all that are sampled"},
    {"grid", ROW_LIST_OF_INTEGERS(grid_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "blocks in x, y, z"},
    {"block", ROW_LIST_OF_INTEGERS(block_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "threads in x, y, z"},
    {"kernel", ROW_MADE(ROW_TEXT, name_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "its name"},
    {"shown_name", ROW_MADE(ROW_TEXT, shown_name_of), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("kernel"),
     "the same, and grid and block where kernels share it"},
    {"short_name", ROW_MADE(ROW_TEXT, short_name_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the shortest text that tells it from the names of all others"},
};
const struct row_columns kernel_window_columns =
    ROW_COLUMNS("kernel window", struct kernel_window, kernels); /* context: short names */

#define OF_DEVICE(field) ROW_AT(struct sampled_device, field)

static const struct row_column devices[] = {
    {"device", OF_DEVICE(device), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the device"},
    {"samples", OF_DEVICE(samples), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "how many there are"},
    {"step_ns", OF_DEVICE(step_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "mean length of a sample"},
    {"span_ns", OF_DEVICE(span_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "from the first sample to the last"},
    {"sampled_ns", OF_DEVICE(sampled_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "of it that samples cover"},
    {"idle_samples", OF_DEVICE(idle_samples), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "samples in which no recorded work runs"},
    {"idle_active", OF_DEVICE(idle_active), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "of them those in which SMs work all the same; above 5% something ran that has no record"},
    {"inside_samples", OF_DEVICE(inside_samples), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "samples well within a launch that runs alone"},
    {"inside_idle", OF_DEVICE(inside_idle), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "of them those in which no SM works; above 1% the clocks of samples and records disagree"},
    {"doubt", ROW_REASON(struct sampled_device, doubt, kernel_window_reasons), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "`other_work` or `clocks_disagree`: no class follows from its samples; else `null`"},
};
const struct row_columns sampled_device_columns = ROW_COLUMNS("sampled device", struct sampled_device, devices);
