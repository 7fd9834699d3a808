/* Does a run say of a variant what its tables hold, and the same of a pair from both sides?
 *
 * The first byte is the number of rows, eight bytes each: table, variant, config, process, block, flags and a number.
 * The manifest in JSON follows. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "analyzers/run_facts.h"
#include "core/base/count_of.h"
#include "core/gpu/metrics.h"

enum { ROW_BYTES = 8 };

static const char *const variants[] = {"f/a", "f/b", "f/c", "f/ab"};
static const char *const configs[] = {"s", "t"};
static const char *const metrics[] = {"sm__inst_executed.sum", "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                      "gpu__time_duration.sum", "strange.ratio"};
static const char *const kernels[] = {"k", "k2", "gpu 0", "gpu 1"};

#define ONE_OF(words, i) (words)[(i) % COUNT_OF(words)]

/* ---- the bundle ---- */

static double number_of(const uint8_t *row)
{
    static const double scales[] = {1, 1e3, 1e6, 1e15, 1e-3, 1e-9, -1, 0};
    return row[7] == 255 ? NAN : (1 + row[6]) * ONE_OF(scales, row[7]);
}

static void add_arm(struct table *t, struct cell *cells, const uint8_t *row, size_t variant, size_t config)
{
    cells[variant] = cell_text(t, ONE_OF(variants, row[1]));
    cells[config] = cell_text(t, ONE_OF(configs, row[2]));
}

static void add_timing(struct table *t, const uint8_t *row)
{
    static const char *const caches[] = {"hot", "cold", "program"};
    const double iteration = (double)table_rows(t); /* no row is another one again */
    struct cell *cells = table_add_row(t);
    REQUIRE(cells);
    add_arm(t, cells, row, TIMING_VARIANT, TIMING_SHAPE);
    cells[TIMING_PROCESS] = cell_number(row[3] % 12);
    cells[TIMING_BLOCK] = cell_number(row[4] % 4);
    cells[TIMING_ITERATION] = cell_number(iteration);
    cells[TIMING_CACHE] = cell_text(t, ONE_OF(caches, row[5] & 3));
    cells[TIMING_BATCH] = cell_number(row[5] & 4 ? 8 : 1);
    cells[TIMING_SM_CLOCK] = cell_number(row[5] & 8 ? 1e9 * (1 + row[3] % 3) : NAN);
    cells[TIMING_DURATION] = cell_number(number_of(row));
    cells[TIMING_THROTTLED] = cell_text(t, row[5] & 16 ? "yes" : "no");
}

static void add_variant(struct table *t, const uint8_t *row)
{
    struct cell *cells = table_add_row(t);
    REQUIRE(cells);
    add_arm(t, cells, row, VARIANTS_VARIANT, VARIANTS_SHAPE);
    if (row[5] & 1)
        cells[VARIANTS_BASELINE] = cell_text(t, ONE_OF(variants, row[3]));
    if (row[5] & 2)
        cells[VARIANTS_NO_VERDICT] = cell_text(t, "ranks share a GPU");
    cells[VARIANTS_STATUS] = cell_text(t, row[5] & 4 ? "not runnable: no" : VARIANT_READY);
}

static void add_resources(struct table *t, const uint8_t *row)
{
    struct cell *cells = table_add_row(t);
    REQUIRE(cells);
    add_arm(t, cells, row, RESOURCES_VARIANT, RESOURCES_SHAPE);
    cells[RESOURCES_KERNEL] = cell_text(t, ONE_OF(kernels, row[3]));
    cells[RESOURCES_REGISTERS] = cell_number(row[6]);
    cells[RESOURCES_OCCUPANCY] = cell_number(row[7] / 255.0);
}

static void add_metric(struct table *t, const uint8_t *row)
{
    const char *metric = ONE_OF(metrics, row[4]);
    const double launch = (double)table_rows(t);
    struct cell *cells = table_add_row(t);
    REQUIRE(cells);
    add_arm(t, cells, row, METRICS_VARIANT, METRICS_SHAPE);
    cells[METRICS_KERNEL] = cell_text(t, ONE_OF(kernels, row[3]));
    cells[METRICS_LAUNCH] = cell_number(launch);
    cells[METRICS_METRIC] = cell_text(t, metric);
    cells[METRICS_UNIT] = cell_text(t, unit_name(metric_unit(metric)));
    cells[METRICS_VALUE] = cell_number(number_of(row));
}

/* As it is when a bundle is opened: the good part. */
static void keep_good(struct bundle *b)
{
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++) {
        struct table *t = &b->tables[i];
        struct str why;
        size_t good;
        str_init(&why);
        REQUIRE(!bundle_table_check(t, (enum bundle_table)i, &good, &why, NULL));
        table_truncate(t, good);
        b->has_table[i] = good > 0;
        str_release(&why);
    }
}

static void make_bundle(struct bundle *b, const uint8_t *data, size_t size)
{
    const size_t rows = size ? data[0] : 0;
    size_t at = size ? 1 : 0;
    bundle_init(b);
    b->path = strdup("fuzz");
    b->complete = true;
    for (size_t i = 0; i < rows && at + ROW_BYTES <= size; i++, at += ROW_BYTES)
        switch (data[at] % 8) {
        case 0: add_variant(&b->tables[BUNDLE_VARIANTS], data + at); break;
        case 1: add_resources(&b->tables[BUNDLE_RESOURCES], data + at); break;
        case 2:
        case 3: add_metric(&b->tables[BUNDLE_METRICS], data + at); break;
        default: add_timing(&b->tables[BUNDLE_TIMING], data + at); break;
        }
    b->manifest = json_loadb((const char *)data + at, size - at, 0, NULL);
    if (!b->manifest)
        b->manifest = json_object();
    keep_good(b);
}

/* ---- what the tables hold ---- */

static bool is_near(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
}

/* What is asked for by its arm, looked for in the tables by its names. */
struct asked {
    const char *variant, *config;
    struct fact_place at;
};

static bool is_of(const struct table *t, size_t row, size_t variant, size_t config, const struct asked *p)
{
    return !strcmp(table_text(t, row, variant), p->variant) && !strcmp(table_text(t, row, config), p->config);
}

/* Hot caches if it was timed so, else cold ones, else as a program; "" when it was not timed. */
static const char *cache_of(const struct table *t, const struct asked *p)
{
    const char *cache = "";
    for (size_t row = 0; row < table_rows(t); row++) {
        if (!is_of(t, row, TIMING_VARIANT, TIMING_SHAPE, p) || !(table_number(t, row, TIMING_DURATION) > 0))
            continue;
        const char *this = table_text(t, row, TIMING_CACHE);
        if (!*cache || strchr("hcp", *this) < strchr("hcp", *cache)) /* hot, cold, program */
            cache = this;
    }
    return cache;
}

/* Its processes; the shortest and the longest time. */
static size_t look_at_times(const struct table *t, const struct asked *p, double *low, double *high)
{
    const char *cache = cache_of(t, p);
    unsigned processes = 0;
    *low = INFINITY;
    *high = 0;
    for (size_t row = 0; row < table_rows(t); row++) {
        const double duration = table_number(t, row, TIMING_DURATION);
        if (!is_of(t, row, TIMING_VARIANT, TIMING_SHAPE, p) || strcmp(table_text(t, row, TIMING_CACHE), cache) != 0 ||
            !(duration > 0) || !strcmp(table_text(t, row, TIMING_THROTTLED), "yes"))
            continue;
        processes |= 1u << (unsigned)table_number(t, row, TIMING_PROCESS);
        *low = fmin(*low, duration);
        *high = fmax(*high, duration);
    }
    return (size_t)__builtin_popcount(processes);
}

/* ---- one variant ---- */

static bool is_within(double value, double low, double high)
{
    return value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9);
}

static void check_time(const struct run_facts *f, const struct table *timing, const struct asked *p)
{
    double low, high;
    struct fact_interval interval;
    const size_t processes = look_at_times(timing, p, &low, &high);
    const double time = fact_time(f, &p->at);
    REQUIRE(run_facts_processes(f, p->at.arm) == processes);
    REQUIRE(processes ? is_within(time, low, high) : isnan(time));
    REQUIRE(!fact_time_interval(f, &p->at, &interval, NULL) && interval.doubt);
    REQUIRE(!processes || is_within(time, interval.low, interval.high));
    REQUIRE(processes > 1 || *interval.doubt || !*cache_of(timing, p));
    REQUIRE(*cache_of(timing, p) || (isnan(interval.low) && isnan(interval.high)));
}

static void check_resources(const struct run_facts *f, const struct table *t, const struct asked *p)
{
    double registers = NAN, occupancy = NAN;
    for (size_t row = table_rows(t); row-- > 0;)
        if (is_of(t, row, RESOURCES_VARIANT, RESOURCES_SHAPE, p)) {
            registers = table_number(t, row, RESOURCES_REGISTERS);
            occupancy = table_number(t, row, RESOURCES_OCCUPANCY);
        }
    REQUIRE(is_near(fact_registers(f, &p->at), registers) && is_near(fact_occupancy(f, &p->at), occupancy));
    REQUIRE(isnan(fact_spills(f, &p->at)));
}

/* The mean of what was read of a kernel; NAN for one that was not read at all, INFINITY where a reading is not known.
 */
static double mean_of(const struct table *t, const struct asked *p, const char *kernel)
{
    double sum = 0;
    size_t count = 0;
    for (size_t row = 0; row < table_rows(t); row++) {
        if (!is_of(t, row, METRICS_VARIANT, METRICS_SHAPE, p) ||
            strcmp(table_text(t, row, METRICS_METRIC), p->at.metric) != 0 ||
            strcmp(table_text(t, row, METRICS_KERNEL), kernel) != 0)
            continue;
        const double value = table_number(t, row, METRICS_VALUE);
        const bool is_share = p->at.metric == metrics[1]; /* of a peak, beyond which there is nothing but rounding */
        sum += value >= 0 && !(is_share && value > 1.02) ? value : INFINITY;
        count++;
    }
    return count ? sum / (double)count : NAN;
}

static double sum_over_kernels(const struct table *t, const struct asked *p, size_t kernel_count)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < kernel_count; i++) {
        const double mean = mean_of(t, p, kernels[i]);
        sum += isnan(mean) ? 0 : mean;
        count += !isnan(mean);
    }
    const bool adds_up = p->at.metric == metrics[0] || p->at.metric == metrics[2]; /* a count, a time */
    return !count || (count > 1 && !adds_up) || isinf(sum) ? NAN : sum;
}

static void check_metric(const struct run_facts *f, const struct analysis *a, const struct asked *p)
{
    const struct table *t = &a->bundle->tables[BUNDLE_METRICS];
    const double all = fact_metric(f, &p->at), own = metric_of_arm(a, &p->at);
    REQUIRE(is_near(all, sum_over_kernels(t, p, 4)));
    REQUIRE(is_near(own, sum_over_kernels(t, p, 2)));
}

/* ---- pairs ---- */

/* When two arms scatter over hundreds of decades, one end is 0, or infinite, a little earlier. */
static bool is_turned(double end, double other)
{
    return is_near(end, 1 / other) || (fmin(end, other) < 1e-250 && fmax(end, other) > 1e250);
}

/* What one side says of the other is what the other says of it, turned round. */
static void check_pair(const struct run_facts *f, const char *config, const char *one, const char *other)
{
    double ratio, reverse;
    struct fact_interval interval, turned;
    const struct arm *left = analysis_arm(run_facts_analysis(f), one, config),
                     *right = analysis_arm(run_facts_analysis(f), other, config);
    REQUIRE(!run_facts_time_ratio(f, left, right, &ratio, &interval, NULL) && interval.doubt);
    REQUIRE(!run_facts_time_ratio(f, right, left, &reverse, &turned, NULL) && turned.doubt);
    if (!run_facts_processes(f, left) || !run_facts_processes(f, right)) {
        REQUIRE(isnan(ratio) && isnan(reverse));
        return;
    }
    REQUIRE(isnan(ratio) == isnan(reverse));
    if (isnan(ratio) || isnan(interval.low) || !isfinite(ratio) || !isfinite(reverse))
        return;
    REQUIRE(is_within(ratio, interval.low, interval.high));
    REQUIRE(!strcmp(one, other) || is_near(ratio, 1 / reverse));
    REQUIRE(is_turned(interval.low, turned.high) && is_turned(interval.high, turned.low));
}

static void check_comparison(const struct run_facts *f, const struct asked *p)
{
    const struct comparison *c = run_facts_comparison(f, p->at.arm);
    struct fact_interval ratio, speedup, gain;
    REQUIRE(!fact_ratio_interval(f, &p->at, &ratio, NULL) && !fact_speedup_interval(f, &p->at, &speedup, NULL) &&
            !fact_gain_interval(f, &p->at, &gain, NULL));
    REQUIRE(ratio.doubt && speedup.doubt && gain.doubt);
    REQUIRE(!strcmp(ratio.doubt, speedup.doubt) && !strcmp(ratio.doubt, gain.doubt));
    if (!c) {
        REQUIRE(isnan(fact_ratio(f, &p->at)) && isnan(fact_speedup(f, &p->at)) && isnan(fact_gain(f, &p->at)));
        return;
    }
    REQUIRE(!strcmp(c->candidate, p->variant) && !strcmp(c->config, p->config) && strcmp(c->baseline, p->variant) != 0);
    REQUIRE(is_near(fact_speedup(f, &p->at), 1 / fact_ratio(f, &p->at)) &&
            is_near(fact_gain(f, &p->at), 1 - fact_ratio(f, &p->at)));
    REQUIRE(is_near(speedup.low, 1 / ratio.high) && is_near(gain.high, 1 - ratio.low));
    if (isfinite(fact_ratio(f, &p->at)) && isfinite(ratio.low))
        REQUIRE(is_within(fact_ratio(f, &p->at), ratio.low, ratio.high));
}

static void check_baseline(const struct run_facts *f, const struct table *t, const char *variant)
{
    const char *expected = "";
    for (size_t row = table_rows(t); row-- > 0;)
        if (!strcmp(table_text(t, row, VARIANTS_VARIANT), variant) && *table_text(t, row, VARIANTS_BASELINE))
            expected = table_text(t, row, VARIANTS_BASELINE);
    REQUIRE(!strcmp(run_facts_baseline(f, variant), expected));
}

/* ---- the manifest ---- */

static void check_recorded(const struct run_facts *f, const json_t *manifest, struct arena *arena)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)manifest, key, value) {
        if (strchr(key, '.') || strlen(key) > 63 || !*key)
            continue;
        const char *text = run_facts_recorded(f, key, arena);
        REQUIRE(text);
        if (json_is_string(value))
            REQUIRE(!strcmp(text, strcmp(json_string_value(value), "unknown") ? json_string_value(value) : ""));
        else if (json_is_integer(value))
            REQUIRE(strtoll(text, NULL, 10) == json_integer_value(value));
        else
            REQUIRE(!*text == !(json_is_real(value) || json_array_size(value) || json_object_size(value)));
    }
    REQUIRE(!*run_facts_recorded(f, "no such.member", arena));
}

/* ---- all of it ---- */

static void check(const struct run_facts *f, struct analysis *a)
{
    const struct bundle *b = a->bundle;
    for (size_t v = 0; v < 4; v++) {
        check_baseline(f, &b->tables[BUNDLE_VARIANTS], variants[v]);
        for (size_t s = 0; s < 2; s++) {
            struct asked p = {variants[v], configs[s], {analysis_arm(a, variants[v], configs[s]), ""}};
            check_time(f, &b->tables[BUNDLE_TIMING], &p);
            check_resources(f, &b->tables[BUNDLE_RESOURCES], &p);
            check_comparison(f, &p);
            for (size_t m = 0; m < 4; m++) {
                p.at.metric = metrics[m];
                check_metric(f, a, &p);
            }
            for (size_t other = 0; other < 4; other++)
                check_pair(f, configs[s], variants[v], variants[other]);
        }
    }
    check_recorded(f, b->manifest, &a->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bundle b;
    struct analysis a;
    struct run_facts *f;
    struct err e = {0};
    make_bundle(&b, data, size);
    analysis_init(&a, &b);
    REQUIRE(!analysis_join(&a, &e));
    REQUIRE(!correctness_analyze(&a, &e) && !compare_analyze(&a, &e));
    REQUIRE(!run_facts_new(&f, &a, &e) && run_facts_analysis(f) == &a);
    check(f, &a);
    run_facts_free(f);
    analysis_release(&a);
    bundle_release(&b);
    return 0;
}
