/* What does a run say about one variant at one config? */
#include "analyzers/run_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/arm_differences.h"
#include "core/base/json.h"
#include "core/gpu/metrics.h"
#include "core/run/arm_ratio.h"
#include "core/run/counters.h"
#include "core/run/timed_outputs.h"
#include "core/run/timing_arms.h"
#include "core/stats/sequential_looks.h"
#include "core/stats/statistics.h"

struct run_facts {
    const struct analysis *analysis;
    double *times; /* room for the processes of any arm */
};

int run_facts_new(struct run_facts **out, const struct analysis *a, struct err *e)
{
    *out = NULL;
    struct run_facts *f = calloc(1, sizeof *f);
    if (!f)
        return err_memory(e);
    f->analysis = a;
    const struct timing_arms *arms = &a->run->timing;
    int code = 0;
    size_t most = 1;
    for (size_t i = 0; i < arms->count; i++)
        if (arms->items[i].processes.count > most)
            most = arms->items[i].processes.count;
    f->times = calloc(most, sizeof *f->times);
    if (!code && !f->times)
        code = err_memory(e);
    if (code)
        run_facts_free(f);
    else
        *out = f;
    return code;
}

void run_facts_free(struct run_facts *f)
{
    if (!f)
        return;
    free(f->times);
    free(f);
}

const struct analysis *run_facts_analysis(const struct run_facts *f)
{
    return f->analysis;
}

double fact_time(const struct run_facts *f, const struct fact_place *p)
{
    const struct timing_arm *arm = timing_arms_find(&f->analysis->run->timing, p->arm);
    if (!arm)
        return NAN;
    for (size_t i = 0; i < arm->processes.count; i++)
        f->times[i] = arm->processes.items[i].typical_ns;
    return typical_over_processes(f->times, arm->processes.count);
}

size_t run_facts_processes(const struct run_facts *f, const struct arm *arm)
{
    const struct timing_arm *timed = timing_arms_find(&f->analysis->run->timing, arm);
    return timed ? timed->processes.count : 0;
}

static double of_resources(const struct run_facts *f, const struct fact_place *p, size_t column)
{
    const long row = arm_table_first(&f->analysis->run->tables[BUNDLE_RESOURCES], p->arm);
    return row < 0 ? NAN : table_number(&f->analysis->bundle->tables[BUNDLE_RESOURCES], (size_t)row, column);
}

double fact_registers(const struct run_facts *f, const struct fact_place *p)
{
    return of_resources(f, p, RESOURCES_REGISTERS);
}

double fact_shared(const struct run_facts *f, const struct fact_place *p)
{
    return of_resources(f, p, RESOURCES_SHARED);
}

double fact_spills(const struct run_facts *f, const struct fact_place *p)
{
    return of_resources(f, p, RESOURCES_SPILL);
}

double fact_occupancy(const struct run_facts *f, const struct fact_place *p)
{
    return of_resources(f, p, RESOURCES_OCCUPANCY);
}

double fact_local(const struct run_facts *f, const struct fact_place *p)
{
    return of_resources(f, p, RESOURCES_LOCAL);
}

double fact_waves(const struct run_facts *f, const struct fact_place *p)
{
    return of_resources(f, p, RESOURCES_WAVES);
}

double fact_launches(const struct run_facts *f, const struct fact_place *p)
{
    const struct selection_check *check = analysis_selection(f->analysis, p->arm);
    return check && check->kernels_per_call > 0 ? (double)check->kernels_per_call : NAN;
}

double fact_wrong_kernels(const struct run_facts *f, const struct fact_place *p)
{
    const struct selection_check *check = analysis_selection(f->analysis, p->arm);
    return check ? check->status == VERDICT_FAIL : NAN;
}

double fact_max_abs_err(const struct run_facts *f, const struct fact_place *p)
{
    const struct correctness *c = analysis_correctness(f->analysis, p->arm);
    return c ? c->max_abs_err : NAN;
}

double fact_bad_ratio(const struct run_facts *f, const struct fact_place *p)
{
    const struct correctness *c = analysis_correctness(f->analysis, p->arm);
    return c ? c->bad_ratio : NAN;
}

static bool adds_up(enum unit unit)
{
    return unit == UNIT_COUNT || unit == UNIT_NS || unit == UNIT_BYTES || unit == UNIT_CYCLES;
}

/* The mean over the readings of one kernel, or of one GPU: a reading that is missing, below 0, or beyond the peak that
 * it is a share of, makes it unknown. */
static double mean_of_kernel(const struct counted_rows *rows, size_t first, size_t end, const char *name)
{
    double sum = 0;
    for (size_t i = first; i < end; i++) {
        const double value = table_number(rows->metrics, rows->items[i], METRICS_VALUE);
        sum += value >= 0 && !counters_exceeds_peak(name, value) ? value : NAN;
    }
    return sum / (double)(end - first);
}

static const char *kernel_of(const struct counted_rows *rows, size_t item)
{
    return table_text(rows->metrics, rows->items[item], METRICS_KERNEL);
}

/* `of_gpus`: what each of several GPUs has counted in a whole launch, too. */
static double counted(const struct counted_rows *rows, const struct fact_place *p, const char *name, bool of_gpus)
{
    double sum = 0;
    size_t first, last, kernels = 0;
    counted_rows_find(rows, p->arm, name, &first, &last);
    for (size_t i = first, end; i < last; i = end) {
        for (end = i + 1; end < last && !strcmp(kernel_of(rows, end), kernel_of(rows, i));)
            end++;
        if (!of_gpus && counters_gpu(kernel_of(rows, i)) >= 0)
            continue;
        sum += mean_of_kernel(rows, i, end, name); /* NAN stays NAN */
        kernels++;
    }
    return kernels == 1 || (kernels && adds_up(metric_unit(name))) ? sum : NAN;
}

/* The largest part. One that the chip has and that was not counted makes it unknown. */
static double largest_of(const struct analysis *a, const struct fact_place *p, const char *const *parts, size_t count,
                         bool of_gpus)
{
    const struct chip *chip = analysis_chip(a);
    double largest = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const struct metric *metric = metric_by_name(parts[i]);
        const double value = counted(&a->run->counted, p, parts[i], of_gpus);
        if (chip && chip_lacks(chip, metric->id))
            continue;
        largest = value > largest || isnan(value) ? value : largest;
        if (isnan(value))
            break;
    }
    return isfinite(largest) ? largest : NAN;
}

static double value_of(const struct analysis *a, const struct fact_place *p, bool of_gpus)
{
    const char *parts[METRIC_PARTS_MAX];
    const size_t count = metric_parts(p->metric, parts);
    if (metric_is_largest(p->metric))
        return largest_of(a, p, parts, count, of_gpus);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += counted(&a->run->counted, p, parts[i], of_gpus);
    return sum;
}

double metric_of_arm(const struct analysis *a, const struct fact_place *p)
{
    return value_of(a, p, false);
}

double fact_metric(const struct run_facts *f, const struct fact_place *p)
{
    return value_of(f->analysis, p, true);
}

double fact_class(const struct run_facts *f, const struct fact_place *p)
{
    const struct analysis *a = f->analysis;
    const struct arm_rows rows = analysis_rows(a, ARM_BOUNDS, p->arm);
    const struct bound *found = analysis_bound(a, p->arm);
    for (size_t i = rows.first; i < rows.end; i++)
        if (a->bounds.items[i].arm == p->arm && a->bounds.items[i].class_ != found->class_)
            return NAN;
    return found ? (double)found->class_ : NAN;
}

/* ---- the inside of a kernel ---- */

static const struct inside *inside_of(const struct run_facts *f, const struct fact_place *p)
{
    const struct analysis *a = f->analysis;
    const struct inside *own = analysis_inside(a, p->arm);
    if (own || !p->arm)
        return own;
    for (size_t i = 0; i < a->insides.count; i++)
        if (a->insides.items[i].off == p->arm)
            return &a->insides.items[i];
    return NULL;
}

static const struct bounded nothing = {NAN, NAN, NAN};

static struct bounded exposed_wait_of(const struct inside *i, const struct fact_place *p)
{
    (void)p;
    return i ? i->exposed_wait : nothing;
}

static struct bounded savable_of(const struct inside *i, const struct fact_place *p)
{
    (void)p;
    return i ? i->savable : nothing;
}

static struct bounded overlap_of(const struct inside *i, const struct fact_place *p)
{
    (void)p;
    for (size_t k = 0; i && k < i->overlap_count; k++)
        if (!strcmp(i->overlaps[k].scope, INSIDE_CTA))
            return i->overlaps[k].e;
    return nothing;
}

static struct bounded phase_of(const struct inside *i, const struct fact_place *p)
{
    struct bounded longest = nothing;
    for (size_t k = 0; i && k < i->phase_count; k++)
        if (!strcmp(i->phases[k].name, p->metric) && !(i->phases[k].ns.value <= longest.value))
            longest = i->phases[k].ns;
    return longest;
}

double fact_exposed_wait(const struct run_facts *f, const struct fact_place *p)
{
    return exposed_wait_of(inside_of(f, p), p).value;
}

double fact_savable(const struct run_facts *f, const struct fact_place *p)
{
    return savable_of(inside_of(f, p), p).value;
}

double fact_inside_overlap(const struct run_facts *f, const struct fact_place *p)
{
    return overlap_of(inside_of(f, p), p).value;
}

double fact_phase(const struct run_facts *f, const struct fact_place *p)
{
    return phase_of(inside_of(f, p), p).value;
}

static int inside_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                           struct bounded (*part)(const struct inside *i, const struct fact_place *p))
{
    const struct inside *i = inside_of(f, p);
    const struct bounded b = part(i, p);
    *out = (struct fact_interval){b.low, b.high, i ? i->why : ""};
    return 0;
}

int fact_exposed_wait_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                               struct err *e)
{
    (void)e;
    return inside_interval(f, p, out, exposed_wait_of);
}

int fact_savable_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                          struct err *e)
{
    (void)e;
    return inside_interval(f, p, out, savable_of);
}

int fact_inside_overlap_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                                 struct err *e)
{
    (void)e;
    return inside_interval(f, p, out, overlap_of);
}

int fact_phase_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out, struct err *e)
{
    (void)e;
    return inside_interval(f, p, out, phase_of);
}

/* ---- delays ---- */

static bool is_named(const struct slack *row, const char *phase)
{
    for (size_t i = 0; i < row->name_count; i++)
        if (!strcmp(row->names[i], phase))
            return true;
    return false;
}

/* Is `a` worse known than `b`, or else more critical? */
static bool is_worse(const struct slack *a, const struct slack *b)
{
    const bool doubted_a = *a->why, doubted_b = *b->why;
    return doubted_a != doubted_b ? doubted_a : a->slack_ns.low < b->slack_ns.low;
}

/* NULL without a delay of that phase. One of which nothing can be stated is returned before one that is known. */
static const struct slack *slack_of(const struct run_facts *f, const struct fact_place *p)
{
    const struct analysis *a = f->analysis;
    const struct arm_rows rows = analysis_rows(a, ARM_SLACKS, p->arm);
    const struct slack *worst = NULL;
    for (size_t i = rows.first; i < rows.end; i++) {
        const struct slack *row = &a->slacks.items[i];
        if (row->off == p->arm && is_named(row, p->metric) && (!worst || is_worse(row, worst)))
            worst = row;
    }
    return worst;
}

double fact_slack(const struct run_facts *f, const struct fact_place *p)
{
    const struct slack *row = slack_of(f, p);
    return row ? row->slack_ns.value : NAN;
}

double fact_critical(const struct run_facts *f, const struct fact_place *p)
{
    const struct slack *row = slack_of(f, p);
    return row ? row->criticality.value : NAN;
}

static void take_interval(struct fact_interval *out, const struct slack *row, const struct bounded *b)
{
    *out = row ? (struct fact_interval){b->low, b->high, row->why} : (struct fact_interval){NAN, NAN, ""};
}

int fact_slack_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out, struct err *e)
{
    const struct slack *row = slack_of(f, p);
    (void)e;
    take_interval(out, row, row ? &row->slack_ns : NULL);
    return 0;
}

int fact_critical_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                           struct err *e)
{
    const struct slack *row = slack_of(f, p);
    (void)e;
    take_interval(out, row, row ? &row->criticality : NULL);
    return 0;
}

/* ---- comparisons ---- */

/* `baseline` NULL: of any. */
static const struct comparison *find_comparison(const struct run_facts *f, const struct arm *baseline,
                                                const struct arm *candidate)
{
    const struct arm_rows rows = analysis_rows(f->analysis, ARM_COMPARISONS, candidate);
    for (size_t i = rows.first; i < rows.end; i++) {
        const struct comparison *c = &f->analysis->comparisons.items[i]; /* hot caches stand first */
        if (c->cand.arm == candidate && (!baseline || c->base.arm == baseline))
            return c;
    }
    return NULL;
}

const struct comparison *run_facts_comparison(const struct run_facts *f, const struct arm *arm)
{
    return find_comparison(f, NULL, arm);
}

static const struct comparison *comparison_of(const struct run_facts *f, const struct fact_place *p)
{
    return run_facts_comparison(f, p->arm);
}

double fact_ratio(const struct run_facts *f, const struct fact_place *p)
{
    const struct comparison *c = comparison_of(f, p);
    return c ? c->ratio : NAN;
}

double fact_speedup(const struct run_facts *f, const struct fact_place *p)
{
    const struct comparison *c = comparison_of(f, p);
    return c ? c->speedup : NAN;
}

double fact_gain(const struct run_facts *f, const struct fact_place *p)
{
    const struct comparison *c = comparison_of(f, p);
    return c ? c->gain : NAN;
}

static const char *sentence(enum comparison_reason reason)
{
    return comparison_reasons[reason].sentence;
}

static const char *doubt_of_reason(enum comparison_reason reason)
{
    return comparison_is_doubted(reason) ? sentence(reason) : "";
}

static const char *doubt_of(const struct comparison *c)
{
    return doubt_of_reason(c->reason);
}

static int looks_of(const struct run_facts *f)
{
    return sequential_looks_of_manifest(f->analysis->bundle->manifest);
}

int fact_ratio_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out, struct err *e)
{
    const struct comparison *c = comparison_of(f, p);
    (void)e;
    *out = c ? (struct fact_interval){c->ci_low, c->ci_high, doubt_of(c)} : (struct fact_interval){NAN, NAN, ""};
    return 0;
}

int fact_speedup_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out,
                          struct err *e)
{
    const int code = fact_ratio_interval(f, p, out, e);
    *out = (struct fact_interval){1 / out->high, 1 / out->low, out->doubt};
    return code;
}

int fact_gain_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out, struct err *e)
{
    const int code = fact_ratio_interval(f, p, out, e);
    *out = (struct fact_interval){1 - out->high, 1 - out->low, out->doubt};
    return code;
}

/* Ranks that share a GPU take some time, and it is not the variant's. */
static bool says_nothing(const struct run_facts *f, const struct arm *arm)
{
    return *arm_no_verdict(f->analysis, arm);
}

static const char *doubt_of_time(const struct run_facts *f, const struct timing_arm *arm)
{
    return says_nothing(f, arm->arm)                    ? sentence(COMPARISON_TIMES_SAY_NOTHING)
           : arm->untimed                               ? sentence(COMPARISON_UNCOUNTED)
           : arm->processes.count < RATIO_PROCESSES_MIN ? sentence(COMPARISON_TOO_FEW_PROCESSES)
                                                        : "";
}

int fact_time_interval(const struct run_facts *f, const struct fact_place *p, struct fact_interval *out, struct err *e)
{
    const struct timing_arm *arm = timing_arms_find(&f->analysis->run->timing, p->arm);
    struct ratio_interval interval = {NAN, NAN, NAN};
    const int code = arm ? arm_time_interval(arm, looks_of(f), &interval, e) : 0;
    *out = (struct fact_interval){interval.low, interval.high, arm ? doubt_of_time(f, arm) : ""};
    return code;
}

/* Why times of two solutions do not decide, or the faster one is not faster beyond doubt; "": nothing is against it. */
static const char *doubt_of_solutions(const struct run_facts *f, const struct timing_arm *over,
                                      const struct timing_arm *arm, const struct ratio_interval *ratio)
{
    const bool is_faster = ratio->high < 1;
    if (!analysis_has_task(f->analysis))
        return "";
    if (arm_is_unsteady(f->analysis, over->arm, over->processes.items, over->processes.count) ||
        arm_is_unsteady(f->analysis, arm->arm, arm->processes.items, arm->processes.count))
        return sentence(COMPARISON_UNSTEADY_RANKS);
    if (!is_faster && !(ratio->low > 1))
        return "";
    const struct timed_outputs t =
        timed_outputs_of(&f->analysis->run->tables[BUNDLE_VERIFY], is_faster ? arm->arm : over->arm, arm->cache);
    return timed_outputs_suffice(&t, is_faster ? 1 - ratio->high : 1 - 1 / ratio->low) ? ""
           : t.without_gate ? sentence(COMPARISON_WITHOUT_GATE)
                            : sentence(COMPARISON_FEW_VERIFIED);
}

/* Two variants of which neither is the other's baseline. */
static int ratio_of_arms(const struct run_facts *f, const struct arm *numerator, const struct arm *denominator,
                         double *ratio, struct fact_interval *out, struct err *e)
{
    const struct timing_arm *over = timing_arms_find(&f->analysis->run->timing, denominator);
    const struct timing_arm *arm = timing_arms_find(&f->analysis->run->timing, numerator);
    struct ratio_decision decision;
    if (!arm || !over)
        return 0;
    if (says_nothing(f, numerator) || says_nothing(f, denominator)) {
        out->doubt = sentence(COMPARISON_TIMES_SAY_NOTHING);
        return 0;
    }
    if (arm->untimed || over->untimed) {
        out->doubt = sentence(COMPARISON_UNCOUNTED);
        return 0;
    }
    int code = arm_ratio_decide(over, arm, f->analysis->margin, looks_of(f), &decision, e);
    if (code)
        return code;
    *ratio = decision.interval.ratio;
    const bool alike = timing_arms_are_alike(arm, over) && !strcmp(arm->cache, over->cache);
    const char *doubt =
        alike ? doubt_of_reason(comparison_reason_of_ratio(decision.reason)) : sentence(COMPARISON_MIXED_TIMING);
    *out = (struct fact_interval){decision.interval.low, decision.interval.high,
                                  *doubt ? doubt : doubt_of_solutions(f, over, arm, &decision.interval)};
    return 0;
}

int run_facts_time_ratio(const struct run_facts *f, const struct arm *numerator, const struct arm *denominator,
                         double *ratio, struct fact_interval *out, struct err *e)
{
    *ratio = NAN;
    *out = (struct fact_interval){NAN, NAN, ""};
    if (!numerator || !denominator)
        return 0;
    const struct comparison *c = find_comparison(f, denominator, numerator);
    const struct comparison *reverse = c ? NULL : find_comparison(f, numerator, denominator);
    if (c) {
        *ratio = c->ratio;
        *out = (struct fact_interval){c->ci_low, c->ci_high, doubt_of(c)};
    } else if (reverse) {
        *ratio = reverse->speedup;
        *out = (struct fact_interval){1 / reverse->ci_high, 1 / reverse->ci_low, doubt_of(reverse)};
    } else {
        return ratio_of_arms(f, numerator, denominator, ratio, out, e);
    }
    return 0;
}

const char *run_facts_baseline(const struct run_facts *f, const char *variant)
{
    return analysis_baseline_of(f->analysis, variant);
}

/* ---- the manifest ---- */

static const json_t *manifest_at(const json_t *at, const char *path)
{
    while (at && *path) {
        char name[64];
        const size_t length = strcspn(path, ".");
        if (length >= sizeof name)
            return NULL;
        memcpy(name, path, length);
        name[length] = '\0';
        at = json_object_get(at, name);
        path += length + (path[length] == '.');
    }
    return at;
}

const char *run_facts_recorded(const struct run_facts *f, const char *path, struct arena *arena)
{
    const json_t *found = manifest_at(f->analysis->bundle->manifest, path);
    if (json_is_string(found)) {
        const char *text = json_string_value(found);
        return strcmp(text, "unknown") ? arena_copy(arena, text) : "";
    }
    if (json_is_integer(found))
        return arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(found));
    if (json_is_real(found))
        return arena_printf(arena, "%g", json_real_value(found));
    const size_t members = json_is_array(found) ? json_array_size(found) : json_object_size(found);
    return members ? arena_printf(arena, "%zu members", members) : "";
}
