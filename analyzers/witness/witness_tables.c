/* What do times, counters, verifications and the runner's own notes say of each arm? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/witness/witness.h"
#include "core/base/count_of.h"
#include "core/base/json.h"
#include "core/run/counters.h"
#include "core/run/roofline.h"
#include "core/run/timing_arms.h"
#include "core/stats/ratio_estimate.h"

enum { SECTOR_BYTES = 32 };
#define BUSY 0.01 /* of a pipe: less is noise */

/* ---- times ---- */

static int typical_ns(const struct timing_arm *arm, double *out, struct err *e)
{
    double *times = malloc((arm->processes.count + 1) * sizeof *times);
    if (!times)
        return err_memory(e);
    for (size_t i = 0; i < arm->processes.count; i++)
        times[i] = arm->processes.items[i].typical_ns;
    *out = arm->processes.count ? typical_over_processes(times, arm->processes.count) : NAN;
    free(times);
    return 0;
}

static int read_times(struct witnessing *w, struct err *e)
{
    const struct timing_arms *arms = &w->a->run->timing;
    int rc = 0;
    for (size_t i = 0; i < arms->count && !rc; i++) {
        struct witnessed *arm = witnessed_find(w, arms->items[i].arm);
        if (arm)
            rc = typical_ns(&arms->items[i], strcmp(arms->items[i].cache, "cold") ? &arm->hot_ns : &arm->cold_ns, e);
    }
    return rc;
}

/* ---- counters ---- */

static double added(double sum, double more)
{
    return isnan(sum) ? more : sum + more;
}

/* Most operations a second of any precision; NAN unless the ceilings of all are there. */
static double highest_peak(const struct counters *c)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    double highest = 0;
    for (size_t i = 0; i < count; i++) {
        if (metrics[i].role != METRIC_PEAK || !(metric_flop(&metrics[i]) > 0))
            continue;
        const double peak = counters_value(c, metrics[i].id) * metric_flop(&metrics[i]);
        highest = isnan(peak) || peak > highest ? peak : highest;
        if (isnan(highest))
            break;
    }
    return highest;
}

static bool uses_tensor_cores(const struct roofline *r)
{
    for (size_t i = 0; i < r->precision_count; i++)
        if (!strncmp(r->precisions[i].name, "tensor", strlen("tensor")))
            return true;
    return false;
}

/* Tensor cores may be busy with what has no counter (INT4), or with what nobody counted (INT8). A small share alone
 * says nothing: a kernel that multiplies in FP32 alone showed 1.3%. */
static bool has_unknown_work(const struct counters *c, const struct roofline *r)
{
    return *r->uncounted || (counters_tensor_busy(c) > BUSY && !uses_tensor_cores(r) &&
                             isnan(counters_value(c, METRIC_TENSOR_INT8_OPS)));
}

static void take_operations(struct witnessing *w, struct witnessed *arm, const struct counters *c,
                            const struct chip *chip, bool is_first)
{
    struct roofline r = {0};
    const bool is_known = roofline_of(&r, c, chip, NULL, &w->a->arena);
    const double operations = is_known ? r.flop : NAN, integers = fmax(counters_value(c, METRIC_TENSOR_INT8_OPS), 0);
    arm->operations = is_first ? operations : arm->operations + operations;
    arm->integer_operations = is_first ? integers : arm->integer_operations + integers;
    arm->has_other_operations |= is_known && has_unknown_work(c, &r);
}

static void take_counters(struct witnessing *w, struct witnessed *arm, const struct counters *c,
                          const struct chip *chip)
{
    const bool is_first = isnan(arm->counted_kernels);
    const double l2_bytes = counters_value(c, METRIC_L2_BYTES),
                 written = SECTOR_BYTES * counters_value(c, METRIC_L2_WRITE_SECTORS);
    take_operations(w, arm, c, chip, is_first);
    arm->counted_kernels = added(arm->counted_kernels, 1);
    arm->l2_bytes = is_first ? l2_bytes : arm->l2_bytes + l2_bytes; /* one that is not known makes the sum unknown */
    arm->l2_written_bytes = is_first ? written : arm->l2_written_bytes + written;
    arm->peak_dram = fmax(arm->peak_dram, counters_value(c, METRIC_PEAK_DRAM));
    arm->peak_l2 = fmax(arm->peak_l2, counters_value(c, METRIC_PEAK_L2));
    arm->peak_operations = fmax(arm->peak_operations, highest_peak(c));
}

static void read_counters(struct witnessing *w)
{
    const struct counters_list *list = &w->a->run->counters;
    const struct chip *chip = analysis_chip(w->a);
    for (size_t i = 0; i < list->count; i++) {
        struct witnessed *arm = witnessed_find(w, list->items[i].arm);
        if (arm)
            take_counters(w, arm, &list->items[i], chip);
    }
}

static void read_links(struct witnessing *w)
{
    const struct table *metrics = &w->a->bundle->tables[BUNDLE_METRICS];
    const char *received = metric_by_id(METRIC_NVLINK_RECEIVED_DATA)->name;
    for (size_t row = 0; row < table_rows(metrics); row++) {
        if (counters_gpu(table_text(metrics, row, METRICS_KERNEL)) < 0)
            continue;
        struct witnessed *arm = witnessed_find(w, w->a->run->tables[BUNDLE_METRICS].arms[row]);
        if (arm)
            arm->is_on_several = true;
        if (arm && !strcmp(table_text(metrics, row, METRICS_METRIC), received))
            arm->link_bytes = fmin(arm->link_bytes, table_number(metrics, row, METRICS_VALUE));
    }
}

/* ---- what was verified ---- */

/* A check that says nothing of its values is not one that found none wrong. */
static void read_verified(struct witnessing *w)
{
    const struct table *verify = &w->a->bundle->tables[BUNDLE_VERIFY];
    for (size_t row = 0; row < table_rows(verify); row++) {
        struct witnessed *arm = witnessed_find(w, w->a->run->tables[BUNDLE_VERIFY].arms[row]);
        if (!arm)
            continue;
        const char *phase = table_text(verify, row, VERIFY_PHASE);
        const bool is_timed = !strcmp(phase, VERIFY_TIMED) || !strcmp(phase, VERIFY_TIMED_COLD);
        double *worst = is_timed ? &arm->timed_bad : &arm->before_bad;
        const double bad = table_number(verify, row, VERIFY_BAD_RATIO);
        *worst = fmax(*worst, strcmp(table_text(verify, row, VERIFY_PASS), "yes") && !(bad > 0) ? 1 : bad);
    }
}

/* ---- the runner's own notes ---- */

/* Where the note of an arm goes; `is_most`: the largest of several counts, else they are added up. */
struct note {
    const char *place, *what;
    size_t offset; /* of a double in struct witnessed */
    bool is_most;
};

#define NOTE(place, what, member, is_most)                                                                             \
    {                                                                                                                  \
        place, what, offsetof(struct witnessed, member), is_most                                                       \
    }
static const struct note notes[] = {
    NOTE(WITNESS_VERIFY, WITNESS_CALLS, verified.calls, false),
    NOTE(WITNESS_MEASURE, WITNESS_CALLS, measured.calls, false),
    NOTE(WITNESS_GRAPH, WITNESS_CALLS, graph.calls, false),
    NOTE(WITNESS_GRAPH, WITNESS_KERNELS, graph.kernels, false),
    NOTE(WITNESS_GRAPH, WITNESS_BLOCKS, graph.blocks, false),
    NOTE(WITNESS_GRAPH, WITNESS_COPIES, graph.copies, false),
    NOTE(WITNESS_GRAPH, WITNESS_MEMSETS, graph.memsets, false),
    NOTE(WITNESS_GRAPH, WITNESS_MOVED, graph.moved_bytes, false),
    NOTE(WITNESS_COLD, WITNESS_PERSISTING, persisting_bytes, true),
};

static void take_note(struct witnessed *arm, const char *place, const char *what, double value)
{
    if (!strcmp(what, WITNESS_CALLS) && (value < 1 || value != floor(value)))
        return; /* no number of calls */
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        if (strcmp(notes[i].place, place) != 0 || strcmp(notes[i].what, what) != 0)
            continue;
        double *at = (double *)((char *)arm + notes[i].offset);
        *at = notes[i].is_most ? fmax(*at, value) : added(*at, value);
    }
    if (!strcmp(place, WITNESS_COLD) &&
        !strcmp(what, WITNESS_DRAM_READ)) /* of several readings the least: any may be a lucky one */
        arm->cold_dram_bytes = fmin(arm->cold_dram_bytes, value);
}

static void read_notes(struct witnessing *w)
{
    const struct table *t = &w->a->bundle->tables[BUNDLE_WITNESS];
    for (size_t row = 0; row < table_rows(t); row++) {
        const char *place = table_text(t, row, WITNESS_PLACE), *what = table_text(t, row, WITNESS_WHAT);
        const double value = table_number(t, row, WITNESS_VALUE);
        struct witnessed *arm = witnessed_find(w, w->a->run->tables[BUNDLE_WITNESS].arms[row]);
        if (arm)
            take_note(arm, place, what, value);
        else if (!strcmp(place, WITNESS_FLUSH) && !strcmp(what, WITNESS_BYTES))
            w->flushed_bytes = value;
        else if (!strcmp(place, WITNESS_FLUSH) && !strcmp(what, WITNESS_DRAM_READ))
            w->flush_read_bytes = value;
    }
}

int witness_read_tables(struct witnessing *w, struct err *e)
{
    const int rc = read_times(w, e);
    if (rc)
        return rc;
    read_counters(w);
    read_links(w);
    read_verified(w);
    read_notes(w);
    return 0;
}
