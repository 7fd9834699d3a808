/* What stands in the formats of comparisons over sizes? */
#include <math.h>
#include <string.h>

#include "analyzers/bounded_cells.h"
#include "analyzers/columns.h"
#include "analyzers/compare/comparison_words.h"
#include "analyzers/compare/sweep_rows.h"
#include "analyzers/inner_rows.h"

#define OF_BOUNDED(field) ROW_AT(struct bounded, field)

static const struct row_column bounded_list[] = {
    {"value", OF_BOUNDED(value), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "in the unit of its name"},
    {"low", OF_BOUNDED(low), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "lower end of the 95% interval; `null` where it is open"},
    {"high", OF_BOUNDED(high), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "upper end; `null` where it is open"},
};

const struct row_columns bounded_columns = ROW_COLUMNS("bounded", struct bounded, bounded_list);

/* ---- a line through the times ---- */

PART_OF(fixed_of, struct sweep_fit, fixed_ns)
PART_OF(bandwidth_of, struct sweep_fit, bytes_per_s)

#define OF_FIT(field) ROW_AT(struct sweep_fit, field)

static const struct row_column fit_list[] = {
    {"fixed_ns", ROW_OBJECT_OF(fixed_of, &bounded_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the time that does not grow with the size"},
    {"bytes_per_s", ROW_OBJECT_OF(bandwidth_of, &bounded_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "the bandwidth at which the rest grows"},
    {"worst_residual", OF_FIT(worst_residual), UNIT_RATIO, ROW_JSON, ROW_NO_TITLE,
     "share of the time at `worst_size` that the line misses"},
    {"worst_size", OF_FIT(worst_size), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "where it misses most"},
};

const struct row_columns sweep_fit_columns = ROW_COLUMNS("sweep fit", struct sweep_fit, fit_list);

/* ---- a size ---- */

static double rate(double bytes, double ns)
{
    return bytes / ns * 1e9;
}

#define POINT_NUMBER(name, value)                                                                                      \
    static struct row_value name(const void *row, const void *context, struct str *scratch)                            \
    {                                                                                                                  \
        const struct sweep_point *p = row;                                                                             \
        (void)context, (void)scratch;                                                                                  \
        return row_number(value);                                                                                      \
    }
POINT_NUMBER(baseline_rate_of, rate(p->base_bytes, p->base_ns))
POINT_NUMBER(baseline_bus_of, rate(p->base_bytes, p->base_ns) * p->base_bus_factor)
POINT_NUMBER(candidate_rate_of, rate(p->cand_bytes, p->cand_ns))
POINT_NUMBER(candidate_bus_of, rate(p->cand_bytes, p->cand_ns) * p->cand_bus_factor)
POINT_NUMBER(ratio_of, p->row ? p->row->ratio : NAN)
POINT_NUMBER(speedup_of, p->row ? p->row->speedup : NAN)
#undef POINT_NUMBER

static struct row_value verdict_of(const void *row, const void *context, struct str *scratch)
{
    const struct sweep_point *p = row;
    (void)context, (void)scratch;
    return p->row ? row_text(comparison_verdict_name(p->row->verdict)) : row_unknown();
}

static void show_gain(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct sweep_point *p = row;
    struct gain_words words = {.gain = "n/a"};
    (void)value, (void)context;
    if (p->row)
        gain_words_of(&words, p->row);
    str_add(out, words.gain);
}

static void show_interval(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct sweep_point *p = row;
    struct gain_words words = {.interval = "n/a"};
    (void)value, (void)context;
    if (p->row)
        gain_words_of(&words, p->row);
    str_add(out, words.interval);
}

#define OF_POINT(field) ROW_AT(struct sweep_point, field)
enum { JSON = ROW_JSON, ALONE = SWEEP_ALONE, ALONE_BUS = SWEEP_BUS, PAIR = SWEEP_PAIR, PAIR_BUS = SWEEP_PAIR_BUS };

static const struct row_column point_list[] = {
    {"size", OF_POINT(size), UNIT_TEXT, JSON | ALONE | PAIR, ROW_TITLE("size"), "the shape without its parameters"},
    {"bytes", OF_POINT(base_bytes), UNIT_BYTES, JSON, ROW_NO_TITLE, "per launch, as the variant states them"},
    {"time_ns", OF_POINT(base_ns), UNIT_NS, ALONE, ROW_TITLE("time"), ""},
    {"baseline_ns", OF_POINT(base_ns), UNIT_NS, JSON | PAIR, ROW_TITLE("baseline"), "typical over the processes"},
    {"baseline_bytes_per_s", ROW_MADE(ROW_NUMBER, baseline_rate_of), UNIT_BYTES_PER_S, JSON | ALONE | PAIR,
     ROW_TITLE("rate"), "stated bytes over the time"},
    {"baseline_bus_bytes_per_s", ROW_MADE(ROW_NUMBER, baseline_bus_of), UNIT_BYTES_PER_S, JSON | ALONE_BUS,
     ROW_TITLE("bus"), "on each link; `null` on one GPU"},
    {"candidate_ns", OF_POINT(cand_ns), UNIT_NS, JSON | PAIR, ROW_TITLE("candidate"), "the same of the candidate"},
    {"candidate_bytes_per_s", ROW_MADE(ROW_NUMBER, candidate_rate_of), UNIT_BYTES_PER_S, JSON | PAIR, ROW_TITLE("rate"),
     "the same of the candidate"},
    {"candidate_bus_bytes_per_s", ROW_MADE(ROW_NUMBER, candidate_bus_of), UNIT_BYTES_PER_S, JSON | PAIR_BUS,
     ROW_TITLE("bus"), "the same of the candidate"},
    {"ratio", ROW_MADE(ROW_NUMBER, ratio_of), UNIT_FACTOR, JSON, ROW_NO_TITLE,
     "that of the comparison at this size; `null` of one arm alone"},
    {"speedup", ROW_MADE(ROW_NUMBER, speedup_of), UNIT_FACTOR, PAIR, ROW_TITLE("speedup"), ""},
    {"gain", ROW_MADE(ROW_NUMBER, ratio_of), UNIT_RATIO, PAIR, ROW_SHOWN("gain", show_gain), ""},
    {"interval", ROW_MADE(ROW_NUMBER, ratio_of), UNIT_RATIO, PAIR, ROW_SHOWN("95% interval", show_interval), ""},
    {"verdict", ROW_MADE(ROW_TEXT, verdict_of), UNIT_TEXT, PAIR, ROW_TITLE("verdict"), ""},
};

const struct row_columns sweep_point_columns = ROW_COLUMNS("sweep point", struct sweep_point, point_list);

/* ---- all sizes ---- */

LIST_OF(points_of, struct sweep, points, count)

static size_t average_of(const void *row, const void *context, const void **items)
{
    const struct sweep *s = row;
    (void)context;
    *items = &s->average;
    return s->averaged ? 1 : 0;
}

static size_t baseline_fit_of(const void *row, const void *context, const void **items)
{
    const struct sweep *s = row;
    (void)context;
    *items = &s->base;
    return s->has_fit;
}

static size_t candidate_fit_of(const void *row, const void *context, const void **items)
{
    const struct sweep *s = row;
    (void)context;
    *items = &s->cand;
    return s->has_fit && *s->candidate;
}

BOUNDED_OF(fixed_change_of, struct sweep, fixed_change_ns)
BOUNDED_OF(factor_of, struct sweep, bandwidth_factor)

#define AT(field) ROW_AT(struct sweep, field)

static const struct row_column columns[] = {
    {"baseline", AT(baseline), UNIT_TEXT, JSON, ROW_NO_TITLE, "the variant, of a pair what it is compared with"},
    {"candidate", ROW_AT_OR_NULL(struct sweep, candidate), UNIT_TEXT, JSON, ROW_NO_TITLE,
     "the other of the pair; `null` when the baseline stands alone"},
    {"cache", AT(cache), UNIT_TEXT, JSON, ROW_NO_TITLE, "as of a comparison"},
    {"parameters", AT(parameters), UNIT_TEXT, JSON, ROW_NO_TITLE,
     "what is the same in all shapes; empty when nothing is"},
    {"points", ROW_LIST_OF(points_of, &sweep_point_columns), UNIT_NONE, JSON, ROW_NO_TITLE, "one for each size"},
    {"average_ratio", BOUNDED(average_of), UNIT_NONE, JSON, ROW_NO_TITLE, "geometric mean over `averaged` points"},
    {"averaged", AT(averaged), UNIT_COUNT, JSON, ROW_NO_TITLE, "how many points the average has"},
    {"baseline_fit", ROW_OBJECT_OF(baseline_fit_of, &sweep_fit_columns), UNIT_NONE, JSON, ROW_NO_TITLE,
     "the line through its times ([statistics](statistics.md)); `null` without one"},
    {"candidate_fit", ROW_OBJECT_OF(candidate_fit_of, &sweep_fit_columns), UNIT_NONE, JSON, ROW_NO_TITLE, "the same"},
    {"fixed_change_ns", BOUNDED(fixed_change_of), UNIT_NONE, JSON, ROW_NO_TITLE,
     "how the fixed time changed: candidate minus baseline"},
    {"bandwidth_factor", BOUNDED(factor_of), UNIT_NONE, JSON, ROW_NO_TITLE,
     "how the bandwidth changed: candidate over baseline"},
};

const struct row_columns sweep_columns = ROW_COLUMNS("sweep", struct sweep, columns);
