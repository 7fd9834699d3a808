/* What stands in the formats of the inside of a kernel? */
#include <math.h>

#include "analyzers/bounded_cells.h"
#include "analyzers/columns.h"
#include "analyzers/inner_rows.h"
#include "analyzers/inside/inside_rows.h"
#include "analyzers/inside/inside_words.h"

/* ---- phases ---- */

BOUNDED_OF(phase_cycles_of, struct inside_phase_row, cycles)
BOUNDED_OF(phase_ns_of, struct inside_phase_row, ns)
SHOWN(show_phase_cycles, struct inside_phase_row, cycles, add_amount)
SHOWN(show_phase_ns, struct inside_phase_row, ns, add_amount)

#define OF_PHASE(field) ROW_AT(struct inside_phase_row, field)

static const struct row_column phase_list[] = {
    {"role", OF_PHASE(role_name), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("role"),
     "who does it, as the kernel says"},
    {"name", OF_PHASE(name), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("phase"), "what it does, as the kernel says"},
    {"kind", OF_PHASE(kind), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("kind"),
     "`issue`, `wait`, `transform`, `compute`, `poll` or `other`"},
    {"mark", OF_PHASE(mark), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the mark of the role at which it begins"},
    {"tiles", OF_PHASE(tiles), UNIT_COUNT, ROW_JSON | ROW_TABLE, ROW_TITLE("tiles"),
     "how many have a begin and an end"},
    {"cycles", BOUNDED(phase_cycles_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "mean of a tile; `value`, `low`, `high`, or `null`"},
    {"ns", BOUNDED(phase_ns_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same in ns"},
    {"cycles_shown", ROW_MADE(ROW_TEXT, show_phase_cycles), UNIT_TEXT, ROW_TABLE, ROW_TITLE("cycles a tile"), ""},
    {"ns_shown", ROW_MADE(ROW_TEXT, show_phase_ns), UNIT_TEXT, ROW_TABLE, ROW_TITLE("ns a tile"), ""},
};
const struct row_columns inside_phase_columns = ROW_COLUMNS("inside phase", struct inside_phase_row, phase_list);

/* ---- overlaps ---- */

BOUNDED_OF(h_of, struct inside_overlap, h)
BOUNDED_OF(e_of, struct inside_overlap, e)
BOUNDED_OF(idle_of, struct inside_overlap, idle)
SHOWN(show_h, struct inside_overlap, h, add_percent)
SHOWN(show_e, struct inside_overlap, e, add_percent)
SHOWN(show_idle, struct inside_overlap, idle, add_percent)

#define OF_OVERLAP(field) ROW_AT(struct inside_overlap, field)

static const struct row_column overlap_list[] = {
    {"scope", OF_OVERLAP(scope), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("scope"),
     "`cta`: work of the same block; `sm`: of all blocks of the SM"},
    {"copy_cycles", OF_OVERLAP(copy_cycles), UNIT_CYCLES, ROW_JSON, ROW_NO_TITLE,
     "with a copy under way, in all that was recorded"},
    {"work_cycles", OF_OVERLAP(work_cycles), UNIT_CYCLES, ROW_JSON, ROW_NO_TITLE, "with work in progress"},
    {"hidden_cycles", OF_OVERLAP(hidden_cycles), UNIT_CYCLES, ROW_JSON, ROW_NO_TITLE,
     "with a copy under way and work on another tile in progress"},
    {"h", BOUNDED(h_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "part of the copy that is hidden; `value`, `low`, `high`, or `null` without a copy"},
    {"e", BOUNDED(e_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "part of what could be hidden; the same"},
    {"idle", BOUNDED(idle_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "share of the time, from the first work on, in which nothing of the scope works; `value`, `low`, `high`"},
    {"h_shown", ROW_MADE(ROW_TEXT, show_h), UNIT_TEXT, ROW_TABLE, ROW_TITLE("H"), ""},
    {"e_shown", ROW_MADE(ROW_TEXT, show_e), UNIT_TEXT, ROW_TABLE, ROW_TITLE("E"), ""},
    {"idle_shown", ROW_MADE(ROW_TEXT, show_idle), UNIT_TEXT, ROW_TABLE, ROW_TITLE("idle"), ""},
};
const struct row_columns inside_overlap_columns = ROW_COLUMNS("inside overlap", struct inside_overlap, overlap_list);

/* ---- samples ---- */

#define OF_SERIES(field) ROW_AT(struct inside_series, field)

static const struct row_column series_list[] = {
    {"work", OF_SERIES(work), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE_CODE("work"),
     "`tensor`: cycles in which the tensor cores work; `fma`: in which an instruction of the FMA pipe is issued"},
    {"copy_share", OF_SERIES(copy_share), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("requests of L1"),
     "share of the cycles in which the L1 caches make a request, mean over SMs"},
    {"work_share", OF_SERIES(work_share), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("work active"),
     "share of the cycles with this work"},
    {"h_least", OF_SERIES(h_least), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "part of the request cycles in which there is work at the same time, at least"},
    {"h_most", OF_SERIES(h_most), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "and at most"},
    {"e_least", OF_SERIES(e_least), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("both, at least"),
     "the same as a part of the smaller of the two, at least"},
    {"e_most", OF_SERIES(e_most), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("at most"), "and at most"},
    {"window_ns", OF_SERIES(window_ns), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("sample"), "mean length of a sample"},
    {"tile_ns", OF_SERIES(tile_ns), UNIT_NS, ROW_JSON | ROW_TABLE, ROW_TITLE("tile"),
     "mean time of a tile in the build that records"},
    {"attenuation", OF_SERIES(attenuation), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("left of a wave of a tile"),
     "what samples of this length leave of a wave with the period of a tile"},
    {"launches", OF_SERIES(launches), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "launches that were sampled and kept"},
    {"samples", OF_SERIES(samples), UNIT_COUNT, ROW_JSON | ROW_TABLE, ROW_TITLE("samples"), "samples in all of them"},
};
const struct row_columns inside_series_columns = ROW_COLUMNS("inside series", struct inside_series, series_list);

/* ---- samples of all launches on one axis ---- */

BOUNDED_OF(lead_in_of, struct inside_fold_unit, lead_in_ns)
BOUNDED_OF(tail_of, struct inside_fold_unit, tail_ns)
SHOWN(show_lead_in, struct inside_fold_unit, lead_in_ns, add_amount)
SHOWN(show_tail, struct inside_fold_unit, tail_ns, add_amount)

LIST_OF(points_of, struct inside_fold_unit, points, point_count)
LIST_OF(fold_units_of, struct inside_fold, units, unit_count)

static struct row_value fold_status_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(((const struct inside_fold *)row)->is_ok ? "ok" : "inconclusive");
}

#define OF_POINT(field) ROW_AT(struct inside_fold_point, field)
#define OF_UNIT(field)  ROW_AT(struct inside_fold_unit, field)
#define OF_FOLD(field)  ROW_AT(struct inside_fold, field)

static const struct row_column fold_point_list[] = {
    {"at_ns", OF_POINT(at_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "since the launch began; the middle of a step, in which the middles of its samples lie"},
    {"share", OF_POINT(share), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE, "their mean; `null` without a sample"},
    {"error", OF_POINT(error), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "its standard error; `null` with fewer than two samples"},
    {"samples", OF_POINT(samples), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "how many there are"},
};
const struct row_columns inside_fold_point_columns =
    ROW_COLUMNS("inside fold point", struct inside_fold_point, fold_point_list);

static const struct row_column fold_unit_list[] = {
    {"unit", OF_UNIT(unit), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE_CODE("unit"),
     "a column of [inside_series.csv](formats.md#inside_seriescsv)"},
    {"plateau", OF_UNIT(plateau), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("plateau"),
     "mean share in the middle half of the launch"},
    {"lead_in_ns", BOUNDED(lead_in_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "from the begin of the launch until the unit is at half of its plateau; `value`, `low`, `high`, or `null`"},
    {"tail_ns", BOUNDED(tail_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "from when it is there for the last time until the end of the launch; below 0 where that is later than the mean "
     "end of the SMs"},
    {"points", ROW_LIST_OF(points_of, &inside_fold_point_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "one for each step of the axis"},
    {"lead_in_shown", ROW_MADE(ROW_TEXT, show_lead_in), UNIT_TEXT, ROW_TABLE, ROW_TITLE("lead-in ns"), ""},
    {"tail_shown", ROW_MADE(ROW_TEXT, show_tail), UNIT_TEXT, ROW_TABLE, ROW_TITLE("tail ns"), ""},
};
const struct row_columns inside_fold_unit_columns =
    ROW_COLUMNS("inside fold unit", struct inside_fold_unit, fold_unit_list);

static const struct row_column fold_list[] = {
    {"launches", OF_FOLD(launches), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "launches that were sampled and kept"},
    {"folded", OF_FOLD(folded), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "those whose begin is known and that are as long as most; 0 when nothing is folded"},
    {"length_ns", OF_FOLD(length_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "mean length of these, as if all SMs ended at once"},
    {"length_spread_ns", OF_FOLD(length_spread_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "its standard deviation"},
    {"window_ns", OF_FOLD(window_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "mean length of a sample"},
    {"step_ns", OF_FOLD(step_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "a step of the axis"},
    {"attenuation", OF_FOLD(attenuation), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "what samples and steps leave of a wave with the period of a tile"},
    {"units", ROW_LIST_OF(fold_units_of, &inside_fold_unit_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "one for each unit that is active"},
    {"status", ROW_MADE(ROW_TEXT, fold_status_of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "`ok` or `inconclusive`"},
    {"reason", ROW_REASON(struct inside_fold, reason, inside_reasons), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "why it is inconclusive ([inside.md](inside.md#all-launches-on-one-axis)); `null` when it is not"},
};
const struct row_columns inside_fold_columns = ROW_COLUMNS("inside fold", struct inside_fold, fold_list);

/* ---- the receipt ---- */

#define OF_RECEIPT(field) ROW_AT(struct inside_receipt, field)

static const struct row_column receipt_list[] = {
    {"registers_off", OF_RECEIPT(registers_off), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "registers without marks"},
    {"registers", OF_RECEIPT(registers), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "registers of the build that records"},
    {"local_bytes_off", OF_RECEIPT(local_bytes_off), UNIT_BYTES, ROW_JSON, ROW_NO_TITLE,
     "local memory of a thread without marks, where spilled registers are"},
    {"local_bytes", OF_RECEIPT(local_bytes), UNIT_BYTES, ROW_JSON, ROW_NO_TITLE, "local memory of a thread with them"},
    {"blocks_per_sm_off", OF_RECEIPT(blocks_per_sm_off), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "blocks that an SM has at once without marks"},
    {"blocks_per_sm", OF_RECEIPT(blocks_per_sm), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "and with them"},
    {"counters_compared", OF_RECEIPT(counters_compared), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "counters of operations and of asynchronous copies that either build has"},
    {"differs", ROW_AT_OR_NULL(struct inside_receipt, differs), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the first of them that is not equal within 1%; `null` for none"},
};
const struct row_columns inside_receipt_columns = ROW_COLUMNS("inside receipt", struct inside_receipt, receipt_list);

/* ---- the arm ---- */

BOUNDED_OF(exposed_wait_of, struct inside, exposed_wait)
BOUNDED_OF(wait_cycles_of, struct inside, wait_cycles)
BOUNDED_OF(savable_of, struct inside, savable)
BOUNDED_OF(cost_of, struct inside, cost)
BOUNDED_OF(clock_of, struct inside, cycles_per_ns)
SHOWN(show_exposed_wait, struct inside, exposed_wait, add_percent)
SHOWN(show_savable, struct inside, savable, add_percent)

static void add_cost(struct str *out, struct bounded cost)
{
    char text[INSIDE_COST_BYTES];
    if (isfinite(cost.value))
        str_add(out, inside_cost_words(text, cost, " (", ")"));
}

SHOWN(show_cost, struct inside, cost, add_cost)

LIST_OF(phases_of, struct inside, phases, phase_count)
LIST_OF(overlaps_of, struct inside, overlaps, overlap_count)
LIST_OF(series_of, struct inside, series, series_count)

static size_t fold_of(const void *row, const void *context, const void **items)
{
    const struct inside *i = row;
    (void)context;
    *items = &i->fold;
    return i->fold.launches > 0;
}

PART_OF(receipt_of, struct inside, receipt)

static struct row_value status_of(const void *row, const void *context, struct str *scratch)
{
    (void)context, (void)scratch;
    return row_text(((const struct inside *)row)->is_ok ? "ok" : "inconclusive");
}

#define AT(field) ROW_AT(struct inside, field)

static const struct row_column columns[] = {
    {"variant", AT(variant), UNIT_TEXT, ROW_JSON | ROW_TABLE | INSIDE_ARM, ROW_TITLE_CODE("variant"),
     "the arm that records"},
    {"shape", AT(config), UNIT_TEXT, ROW_JSON | ROW_TABLE | INSIDE_ARM, ROW_TITLE("shape"), "the case"},
    {"of", ROW_AT_OR_NULL(struct inside, of), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "the variant without marks, or `null` when the name does not say"},
    {"method", AT(method), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("arrival by"),
     "how the arrival of a copy is known: `recorder`, by waits, or `poll`"},
    {"overlaps", ROW_LIST_OF(overlaps_of, &inside_overlap_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "one for each scope that is known"},
    {"series", ROW_LIST_OF(series_of, &inside_series_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "one for each kind of work that samples of the GPU saw; of the arm without marks"},
    {"fold", ROW_OBJECT_OF(fold_of, &inside_fold_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the samples of all launches on one axis of time; `null` without samples"},
    {"exposed_wait", BOUNDED(exposed_wait_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "share of the time of the roles that work in which they wait for tiles; `value`, `low`, `high`, or `null` when "
     "they mark no wait"},
    {"exposed_wait_shown", ROW_MADE(ROW_TEXT, show_exposed_wait), UNIT_TEXT, ROW_TABLE, ROW_TITLE("exposed wait"), ""},
    {"wait_cycles", BOUNDED(wait_cycles_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the same in cycles a tile"},
    {"savable", BOUNDED(savable_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "about the share of the time that tiles which come earlier save: the smaller of the waits for tiles that were not "
     "there and of `idle` in the widest scope that is known; or `null`"},
    {"savable_shown", ROW_MADE(ROW_TEXT, show_savable), UNIT_TEXT, ROW_TABLE, ROW_TITLE("savable"), ""},
    {"arrived", AT(arrived), UNIT_RATIO, ROW_JSON | ROW_TABLE, ROW_TITLE("there when asked"),
     "part of the waits that found their tile there"},
    {"stages", AT(stages), UNIT_NONE, ROW_JSON | ROW_TABLE, ROW_TITLE("copies at once"),
     "mean number of copies under way"},
    {"stages_possible", AT(stages_possible), UNIT_NONE, ROW_JSON | ROW_TABLE, ROW_TITLE("of"),
     "the tiles ahead that the phases state and the one in work, or more if they were seen"},
    {"imbalance", AT(imbalance), UNIT_FACTOR, ROW_JSON | ROW_TABLE, ROW_TITLE("slowest block"),
     "time of the slowest block over the mean of all"},
    {"phases", ROW_LIST_OF(phases_of, &inside_phase_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "one for each phase"},
    {"cost", BOUNDED(cost_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "time that the build which records takes more than the one without marks, as a share of it, or `null`"},
    {"cost_shown", ROW_MADE(ROW_TEXT, show_cost), UNIT_TEXT, ROW_TABLE, ROW_TITLE("cost"), ""},
    {"cycles_per_ns", BOUNDED(clock_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "over all warps; `low` and `high` are those of single warps"},
    {"launches", AT(launches), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "launches that were recorded"},
    {"blocks", AT(blocks), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "blocks of all of them that recorded"},
    {"windows", AT(windows), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "their windows of up to 8 tiles"},
    {"copies", AT(copies), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "copies whose arrival is known"},
    {"missing", AT(missing), UNIT_COUNT, ROW_JSON | ROW_TABLE, ROW_TITLE("missing"),
     "records that are missing, or contradict others"},
    {"receipt", ROW_OBJECT_OF(receipt_of, &inside_receipt_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "is it the same kernel as the one without marks?"},
    {"status", ROW_MADE(ROW_TEXT, status_of), UNIT_TEXT, ROW_JSON | ROW_TABLE, ROW_TITLE("status"),
     "`ok` or `inconclusive`"},
    {"reason", ROW_REASON(struct inside, reason, inside_reasons), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "why it is inconclusive ([inside.md](inside.md#how-to-read-the-report)); `null` when it is not"},
};

const struct row_columns inside_columns = ROW_COLUMNS("inside", struct inside, columns);
