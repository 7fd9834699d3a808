/* What bounds it: the host, latency, a compute pipe, or a memory unit? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/entries.h"
#include "base/array.h"
#include "base/json.h"
#include "base/str.h"
#include "base/units.h"
#include "model/bound_advice.h"
#include "model/bound_decision.h"
#include "model/counters.h"
#include "model/evidence.h"
#include "model/thresholds.h"

/* Everything that one bound is decided by. */
struct inputs {
    const struct counters *counters;  /* NULL: none were recorded */
    const struct resource *resource;  /* NULL: unknown */
    const struct launch_cost *launch; /* NULL: not traced */
    double sm_count, grid_blocks, waves; /* NAN: unknown */
    struct bound_shares shares;
    const struct metric *compute_unit;   /* the busiest pipe; NULL when that side was not measured */
    const struct metric *memory_busiest; /* the busiest memory unit */
    const struct metric *memory_unit;    /* the one to name: that one or DRAM */
    double memory_unit_share;
};

/* Text of a share or a time for a sentence. */
struct shown {
    char text[UNITS_TEXT_BYTES];
};

static struct shown show(enum unit unit, double value)
{
    struct shown s;
    unit_format(s.text, unit, value);
    return s;
}
#define PERCENT(share) show(UNIT_RATIO, share).text

/* ---- gathering ---- */

static const struct resource *find_resource(const struct analysis *a, const char *variant, const char *shape,
                                            const char *kernel)
{
    const struct resource *of_arm = NULL;
    for (size_t i = 0; i < a->resources.count; i++) {
        const struct resource *r = &a->resources.items[i];
        if (strcmp(r->variant, variant) || strcmp(r->shape, shape))
            continue;
        if (!strcmp(r->kernel, kernel))
            return r;
        if (!of_arm)
            of_arm = r;
    }
    return of_arm;
}

static const struct launch_cost *find_launch(const struct analysis *a, const char *variant, const char *shape)
{
    for (size_t i = 0; i < a->launches.count; i++)
        if (!strcmp(a->launches.items[i].variant, variant) && !strcmp(a->launches.items[i].shape, shape))
            return &a->launches.items[i];
    return NULL;
}

static double sm_count_of(const struct bundle *bundle)
{
    long long count = bundle ? json_get_integer(json_object_get(bundle->manifest, "gpu"), "sm_count", 0) : 0;
    return count > 0 ? (double)count : NAN;
}

/* The share of the launch interval in which the device waits; NAN when the
 * kernel is no shorter than the interval or nothing was traced. */
static double launch_idle(const struct launch_cost *launch)
{
    if (!launch || !(launch->interval_median_ns > 0) || !(launch->kernel_median_ns < launch->interval_median_ns))
        return NAN;
    return launch->gap_median_ns / launch->interval_median_ns;
}

/* DRAM is named when it is close to what it can reach, even if another unit of
 * the memory side is busier: every byte passes L2 on its way. */
static void choose_memory_unit(struct inputs *in)
{
    const struct metric *dram = metric_by_id("dram_share");
    double dram_share = counters_share(in->counters, dram);
    if (bound_prefers_dram(dram_share, in->shares.memory)) {
        in->memory_unit = dram;
        in->memory_unit_share = dram_share;
    }
}

static struct inputs gather(const struct analysis *a, const struct counters *counters, const char *variant,
                            const char *shape, const char *kernel)
{
    struct inputs in = {.counters = counters,
                        .resource = find_resource(a, variant, shape, kernel),
                        .launch = find_launch(a, variant, shape),
                        .sm_count = sm_count_of(a->bundle),
                        .grid_blocks = NAN,
                        .waves = NAN,
                        .shares = {NAN, NAN, NAN},
                        .memory_unit_share = NAN};
    if (in.resource) {
        in.grid_blocks = in.resource->grid_blocks;
        in.waves = in.resource->waves;
    }
    in.shares.launch_idle = launch_idle(in.launch);
    if (!counters)
        return in;
    in.compute_unit = counters_busiest(counters, METRIC_COMPUTE, &in.shares.compute);
    in.memory_busiest = counters_busiest(counters, METRIC_MEMORY, &in.shares.memory);
    in.memory_unit = in.memory_busiest;
    in.memory_unit_share = in.shares.memory;
    choose_memory_unit(&in);
    return in;
}

/* ---- what is missing ---- */

static bool unit_measured(const struct counters *c, const struct metric *metrics, size_t count, const char *unit)
{
    for (size_t i = 0; i < count; i++)
        if ((metrics[i].role == METRIC_COMPUTE || metrics[i].role == METRIC_MEMORY) &&
            !strcmp(metrics[i].group, unit) && isfinite(counters_share(c, &metrics[i])))
            return true;
    return false;
}

/* Names the counters of units of which none was measured: any of them could be
 * the busiest one. Returns how many. */
static size_t list_missing(const struct counters *c, struct str *out)
{
    size_t count, missing = 0;
    const struct metric *metrics = metrics_default(&count);
    for (size_t i = 0; i < count; i++) {
        if (metrics[i].role != METRIC_COMPUTE && metrics[i].role != METRIC_MEMORY)
            continue;
        if (unit_measured(c, metrics, count, metrics[i].group))
            continue;
        str_addf(out, "%s%s", missing++ ? ", " : "", metrics[i].name);
    }
    return missing;
}

/* ---- sentences ---- */

static void add_leading_stall(struct str *out, const struct inputs *in)
{
    const struct metric *stall = counters_leading_stall(in->counters);
    if (!stall)
        return;
    double share = counters_stall_share(in->counters, stall);
    str_addf(out, "; leading stall: %s", stall->group);
    if (isfinite(share))
        str_addf(out, ", %s of warp cycles", PERCENT(share));
    str_addf(out, " (%s)", stall->meaning);
}

static void say_latency(struct str *out, const struct inputs *in)
{
    const char *busiest = in->shares.compute >= in->shares.memory ? in->compute_unit->group : in->memory_busiest->group;
    double share = fmax(in->shares.compute, in->shares.memory);
    switch (bound_latency_cause(in->grid_blocks, in->sm_count, in->waves)) {
    case LATENCY_SMALL_GRID:
        str_addf(out, "small grid: %.0f blocks for %.0f SMs; busiest unit %s at %s of its peak", in->grid_blocks,
                 in->sm_count, busiest, PERCENT(share));
        break;
    case LATENCY_TAIL:
        str_addf(out, "tail: %.2f waves, the last one %s full; busiest unit %s at %s of its peak", in->waves,
                 PERCENT(in->waves - 1), busiest, PERCENT(share));
        break;
    case LATENCY_STALL:
        str_addf(out, "no unit reaches %s of its peak (busiest: %s %s)",
                 PERCENT(threshold_value(THRESHOLD_LATENCY_SHARE)), busiest, PERCENT(share));
        add_leading_stall(out, in);
        break;
    }
}

/* "dram at 82.6% of its peak (93.8% of what it can reach)" */
static void add_unit(struct str *out, const struct metric *unit, double share)
{
    str_addf(out, "%s at %s of its peak", unit->group, PERCENT(share));
    if (!strcmp(unit->group, "dram"))
        str_addf(out, " (%s of what it can reach)", PERCENT(share / threshold_value(THRESHOLD_DRAM_CEILING)));
}

/* The memory unit that is named, and the busiest one where that is another. */
static void add_memory(struct str *out, const struct inputs *in)
{
    add_unit(out, in->memory_unit, in->memory_unit_share);
    if (in->memory_unit != in->memory_busiest)
        str_addf(out, ", %s at %s", in->memory_busiest->group, PERCENT(in->shares.memory));
}

static void say_winner(struct str *out, const struct inputs *in, bool compute)
{
    double lead = fabs(in->shares.compute - in->shares.memory) * 100;
    if (compute) {
        add_unit(out, in->compute_unit, in->shares.compute);
        str_addf(out, "; compute leads memory (%s %s) by %.1f points", in->memory_busiest->group,
                 PERCENT(in->shares.memory), lead);
    } else {
        add_memory(out, in);
        str_addf(out, "; memory leads compute (%s %s) by %.1f points", in->compute_unit->group,
                 PERCENT(in->shares.compute), lead);
    }
}

static void say_launch(struct str *out, const struct inputs *in)
{
    str_addf(out, "the device waits for the host %s of the launch interval: kernel %s, one launch every %s",
             PERCENT(in->shares.launch_idle), show(UNIT_NS, in->launch->kernel_median_ns).text,
             show(UNIT_NS, in->launch->interval_median_ns).text);
}

static void say_balanced(struct str *out, const struct inputs *in)
{
    str_addf(out, "compute and memory are %.1f points apart: ", fabs(in->shares.compute - in->shares.memory) * 100);
    add_unit(out, in->compute_unit, in->shares.compute);
    str_add(out, ", ");
    add_memory(out, in);
}

static void say_cause(struct str *out, const struct inputs *in, enum bound_class class_)
{
    switch (class_) {
    case BOUND_LAUNCH: say_launch(out, in); break;
    case BOUND_LATENCY: say_latency(out, in); break;
    case BOUND_COMPUTE: say_winner(out, in, true); break;
    case BOUND_MEMORY: say_winner(out, in, false); break;
    case BOUND_BALANCED: say_balanced(out, in); break;
    case BOUND_INCONCLUSIVE: str_add(out, "no counters were recorded for this kernel"); break;
    }
}

/* ---- what to try ---- */

static const char *advice_key(const struct inputs *in, enum bound_class class_)
{
    if (class_ == BOUND_COMPUTE)
        return in->compute_unit->group;
    if (class_ == BOUND_MEMORY)
        return in->memory_unit->group;
    if (class_ != BOUND_LATENCY)
        return "";
    const struct metric *stall = counters_leading_stall(in->counters);
    switch (bound_latency_cause(in->grid_blocks, in->sm_count, in->waves)) {
    case LATENCY_SMALL_GRID: return "small-grid";
    case LATENCY_TAIL: return "tail";
    case LATENCY_STALL: break;
    }
    return stall ? stall->group : "";
}

static void advise(struct bound *b, const struct inputs *in)
{
    const struct bound_advice *found = bound_advice_for(b->class_, advice_key(in, b->class_));
    b->advice = found ? found->advice : "";
    b->will_not_help = found ? found->will_not_help : "";
}

/* ---- evidence ---- */

static int add_metric(struct analysis *a, struct bound *b, const struct counters *c, const struct metric *m,
                      struct err *e)
{
    bool share = m->role == METRIC_COMPUTE || m->role == METRIC_MEMORY;
    double value = share ? counters_share(c, m) : counters_value(c, m->id);
    return bound_add_evidence(a, b, m->name, value, m->unit, e);
}

/* The units that decided come first, then what explains them, then the rest. */
static int add_counters(struct analysis *a, struct bound *b, const struct inputs *in, struct err *e)
{
    static const char *const explaining[] = {"sm_throughput", "memory_throughput", "issue_share", "achieved_occupancy",
                                             "warp_latency"};
    size_t count;
    const struct metric *metrics = metrics_default(&count), *stall = counters_leading_stall(in->counters);
    int rc = 0;
    if (in->compute_unit)
        rc = add_metric(a, b, in->counters, in->compute_unit, e);
    if (!rc && in->memory_unit)
        rc = add_metric(a, b, in->counters, in->memory_unit, e);
    for (size_t i = 0; i < sizeof explaining / sizeof explaining[0] && !rc; i++)
        rc = add_metric(a, b, in->counters, metric_by_id(explaining[i]), e);
    if (stall && !rc)
        rc = add_metric(a, b, in->counters, stall, e);
    for (size_t i = 0; i < count && !rc; i++)
        if ((metrics[i].role == METRIC_COMPUTE || metrics[i].role == METRIC_MEMORY) && &metrics[i] != in->compute_unit &&
            &metrics[i] != in->memory_unit)
            rc = add_metric(a, b, in->counters, &metrics[i], e);
    return rc;
}

static int add_evidence(struct analysis *a, struct bound *b, const struct inputs *in, struct err *e)
{
    const struct {
        const char *name;
        double value;
        enum unit unit;
    } others[] = {
        {"grid_blocks", in->grid_blocks, UNIT_COUNT},
        {"sm_count", in->sm_count, UNIT_COUNT},
        {"waves", in->waves, UNIT_NONE},
        {"launch_idle_ratio", in->shares.launch_idle, UNIT_RATIO},
        {"kernel_median_ns", in->launch ? in->launch->kernel_median_ns : NAN, UNIT_NS},
        {"launch_interval_median_ns", in->launch ? in->launch->interval_median_ns : NAN, UNIT_NS},
    };
    int rc = in->counters ? add_counters(a, b, in, e) : 0;
    for (size_t i = 0; i < sizeof others / sizeof others[0] && !rc; i++)
        rc = bound_add_evidence(a, b, others[i].name, others[i].value, others[i].unit, e);
    return rc;
}

/* ---- one bound ---- */

static void decide(struct bound *b, const struct inputs *in, struct str *cause)
{
    struct str missing;
    str_init(&missing);
    b->class_ = bound_decide(&in->shares, &b->margin);
    size_t missing_count = in->counters ? list_missing(in->counters, &missing) : 0;
    if (b->class_ != BOUND_LAUNCH && missing_count) {
        b->class_ = BOUND_INCONCLUSIVE;
        b->margin = NAN;
        str_addf(cause, "counters missing, any of which could be the limit: %s", str_text(&missing));
    } else {
        say_cause(cause, in, b->class_);
    }
    cause->failed |= missing.failed;
    str_release(&missing);
}

/* Compute or memory? Answered whenever both sides were measured. */
static void lean(struct bound *b, const struct inputs *in)
{
    b->lean = b->unit = "";
    if (!isfinite(in->shares.compute) || !isfinite(in->shares.memory))
        return;
    bool compute = in->shares.compute >= in->shares.memory;
    b->lean = compute ? "compute" : "memory";
    if ((compute ? in->shares.compute : in->memory_unit_share) > 0)
        b->unit = compute ? in->compute_unit->group : in->memory_unit->group;
}

static int add_bound(struct analysis *a, const struct counters *counters, const char *variant, const char *shape,
                     const char *kernel, struct err *e)
{
    struct bound *b = ARRAY_PUSH(&a->bounds);
    if (!b)
        return err_memory(e);
    struct inputs in = gather(a, counters, variant, shape, kernel);
    struct str cause;
    str_init(&cause);
    decide(b, &in, &cause);
    lean(b, &in);
    advise(b, &in);
    b->variant = arena_copy(&a->arena, variant);
    b->shape = arena_copy(&a->arena, shape);
    b->kernel = arena_copy(&a->arena, *kernel ? kernel : in.resource ? in.resource->kernel : "");
    b->cause = arena_copy(&a->arena, str_text(&cause));
    b->compute_share = in.shares.compute;
    b->memory_share = in.shares.memory;
    if (counters)
        b->ncu_rule = bound_ncu_rule(counters_value(counters, "sm_throughput"),
                                     counters_value(counters, "memory_throughput"),
                                     in.waves);
    int rc = cause.failed ? err_memory(e) : add_evidence(a, b, &in, e);
    str_release(&cause);
    return rc;
}

static bool has_bound(const struct analysis *a, const char *variant, const char *shape)
{
    for (size_t i = 0; i < a->bounds.count; i++)
        if (!strcmp(a->bounds.items[i].variant, variant) && !strcmp(a->bounds.items[i].shape, shape))
            return true;
    return false;
}

int bound_analyze(struct analysis *a, struct err *e)
{
    struct counters_list counters;
    counters_list_init(&counters);
    int rc = counters_read(&counters, &a->bundle->tables[BUNDLE_METRICS], e);
    for (size_t i = 0; i < counters.count && !rc; i++)
        rc = add_bound(a, &counters.items[i], counters.items[i].variant, counters.items[i].shape,
                       counters.items[i].kernel, e);

    /* An arm without counters still gets a row that says so. */
    const struct table *variants = &a->bundle->tables[BUNDLE_VARIANTS];
    for (size_t i = 0; i < table_rows(variants) && !rc; i++) {
        const char *variant = table_text(variants, i, VARIANTS_VARIANT), *shape = table_text(variants, i, VARIANTS_SHAPE);
        if (!has_bound(a, variant, shape))
            rc = add_bound(a, NULL, variant, shape, "", e);
    }
    counters_list_release(&counters);
    return rc;
}
