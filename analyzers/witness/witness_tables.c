/* What do times, counters, verifications and the runner's own notes say of each arm? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/witness/witness.h"
#include "base/json.h"
#include "run/counters.h"
#include "run/roofline.h"
#include "run/timing_arms.h"
#include "stats/ratio_estimate.h"

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

/* All of a launch, or NAN: a precision that was not counted may have been used, such as one without a counter (INT8,
 * FP4) where tensor cores were busy and none of their counters says with what. */
static double operations_of(struct witnessing *w, const struct counters *c, const struct chip *chip)
{
    struct roofline roofline = {0};
    if (!roofline_of(&roofline, c, chip, NULL, &w->a->arena) || *roofline.uncounted ||
        (counters_tensor_busy(c) > BUSY && !uses_tensor_cores(&roofline)))
        return NAN;
    return roofline.flop;
}

static void take_counters(struct witnessing *w, struct witnessed *arm, const struct counters *c,
                          const struct chip *chip)
{
    const bool is_first = isnan(arm->counted_kernels);
    const double l2_bytes = counters_value(c, "l2_bytes"),
                 written = SECTOR_BYTES * counters_value(c, "l2_write_sectors");
    const double operations = operations_of(w, c, chip);
    arm->counted_kernels = added(arm->counted_kernels, 1);
    arm->l2_bytes = is_first ? l2_bytes : arm->l2_bytes + l2_bytes; /* one that is not known makes the sum unknown */
    arm->l2_written_bytes = is_first ? written : arm->l2_written_bytes + written;
    arm->operations = is_first ? operations : arm->operations + operations;
    arm->peak_dram = fmax(arm->peak_dram, counters_value(c, "peak_dram"));
    arm->peak_l2 = fmax(arm->peak_l2, counters_value(c, "peak_l2"));
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
    const char *received = metric_by_id("nvlink_received_data")->name;
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

/* Both are measured in the same way, in one process and a moment apart. */
#define AGAIN_TIMES    1.1
#define AGAIN_SPARE_NS 300.0

/* Behind timed launches the judge of a solution tells what others took: "new 1000 ns, again 990 ns; salt ...". */
static void read_renewed(const char *hint, struct renewed *r)
{
    double new_ns, again_ns;
    if (sscanf(hint, "new %lf ns, again %lf ns", &new_ns, &again_ns) != 2 || !(new_ns > 0 && again_ns > 0))
        return;
    r->slower += new_ns > AGAIN_TIMES * again_ns + AGAIN_SPARE_NS;
    if (!r->processes++ || new_ns * r->again_ns > r->new_ns * again_ns) {
        r->new_ns = new_ns;
        r->again_ns = again_ns;
    }
}

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
        if (!analysis_has_task(w->a))
            continue; /* a variant says what it likes */
        if (!strcmp(phase, VERIFY_TIMED))
            read_renewed(table_text(verify, row, VERIFY_HINT), &arm->hot_renewed);
        else if (is_timed)
            read_renewed(table_text(verify, row, VERIFY_HINT), &arm->cold_renewed);
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
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        if (strcmp(notes[i].place, place) != 0 || strcmp(notes[i].what, what) != 0)
            continue;
        double *at = (double *)((char *)arm + notes[i].offset);
        *at = notes[i].is_most ? fmax(*at, value) : added(*at, value);
    }
    if (!strcmp(place, WITNESS_COLD) &&
        !strcmp(what, WITNESS_DRAM_READ)) /* of several readings the least: any may be a lucky one */
        arm->cold_dram_bytes = fmin(arm->cold_dram_bytes, value);
    if (!strcmp(what, WITNESS_REFILLED) && value > 0) {
        double *least = strcmp(place, WITNESS_COLD) ? &arm->hot_refilled_ns : &arm->cold_refilled_ns;
        *least = fmin(*least, value);
    }
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
