/* Does all that is known of an arm agree? What can be seen twice is compared before any ratio. */
#include <math.h>

#include "analyzers/entries.h"
#include "base/array.h"
#include "base/str.h"
#include "base/units.h"
#include "model/witness.h"

/* Of kernels that were timed among others of their kind and traced one by one (H200): DRAM-bound ones take up to 8% longer
 * under the trace, and those of several GPUs wait for each other's launches. */
#define TIME_TOLERANCE 0.15
#define TIME_TOLERANCE_NS 1000.0
/* Counters of one launch repeat within 1%; a link may be missing in the sums of one GPU (1/18). */
#define WORK_TOLERANCE 0.05
#define LINK_TOLERANCE 0.10
/* Peaks are those of the clocks of the launch that was counted, which differ by 10% from those of one that was timed. */
#define PEAK_TOLERANCE 0.15
/* Tensor cores do twice as much with half of the values left out. */
#define SPARSE 2

struct look {
    struct witnessing *w;
    const struct witnessed *arm;
    struct witness_check *check;
};

static const char *format(char *text, int unit, double value)
{
    return unit_format(text, (enum unit)unit, value);
}

static void not_checked(struct look *l, const char *why)
{
    l->check->detail = why;
}

/* `words` has two %s: what is claimed, what was seen. */
static void hold_against(struct look *l, bool contradicts, double claimed, double seen, enum unit unit, const char *words)
{
    char left[UNITS_TEXT_BYTES], right[UNITS_TEXT_BYTES];
    struct witness_check *c = l->check;
    c->claimed = claimed;
    c->seen = seen;
    c->unit = (int)unit;
    c->status = contradicts ? WITNESS_CONTRADICTED : WITNESS_AGREES;
    c->detail = contradicts ? arena_printf(&l->w->a->arena, words, format(left, c->unit, claimed), format(right, c->unit, seen)) : "";
}

/* ---- time ---- */

static double fastest_ns(const struct witnessed *arm)
{
    return fmin(arm->hot_ns, arm->cold_ns); /* fmin leaves a NAN out */
}

/* More time than the trace shows is no contradiction: there are pauses between launches. */
static void look_at_event_time(struct look *l)
{
    const double timed_ns = fastest_ns(l->arm);
    if (isnan(timed_ns))
        not_checked(l, "it was not timed");
    else if (*l->arm->no_verdict)
        not_checked(l, "its times say nothing, as it declares");
    else if (isnan(l->arm->busy_ns))
        not_checked(l, *l->w->untraced ? l->w->untraced : "the calls that were traced cannot be told apart");
    else
        hold_against(l, timed_ns < (1 - TIME_TOLERANCE) * l->arm->busy_ns - TIME_TOLERANCE_NS, timed_ns, l->arm->busy_ns,
                     UNIT_NS, "by events a launch takes %s, its traced kernels take %s");
}

/* What does not fit into the L2 cache has to come from DRAM, everything from L2 at least. */
static void look_at_light_speed(struct look *l)
{
    const struct witnessed *arm = l->arm;
    const double from_dram_ns = (arm->bytes - l->w->l2_size_bytes) / arm->peak_dram * 1e9;
    const double from_l2_ns = arm->bytes / arm->peak_l2 * 1e9;
    const double operations_ns = arm->flops / (SPARSE * arm->peak_operations) * 1e9;
    const double least_ns = fmax(fmax(from_dram_ns, from_l2_ns), operations_ns); /* fmax leaves a NAN out */
    if (isnan(fastest_ns(arm)) || *arm->no_verdict)
        not_checked(l, "no times that say something");
    else if (arm->bus_factor > 0)
        not_checked(l, "its bytes cross links");
    else if (!(least_ns > 0))
        not_checked(l, "it declares neither bytes nor operations, or peaks were not counted");
    else
        hold_against(l, fastest_ns(arm) < (1 - PEAK_TOLERANCE) * least_ns, fastest_ns(arm), least_ns, UNIT_NS,
                     "a launch takes %s, but the GPU needs at least %s for the bytes and operations that it declares");
}

/* ---- launches ---- */

static bool is_same(double a, double b)
{
    return isnan(a) || isnan(b) || fabs(a - b) < 1e-6 * (1 + fabs(a));
}

static double per_call(double amount, double calls)
{
    return amount / calls;
}

/* "0 kernels (0 blocks) in 30 calls" */
static void add_calls(struct str *out, const struct seen_calls *s)
{
    char kernels[UNITS_TEXT_BYTES], blocks[UNITS_TEXT_BYTES], calls[UNITS_TEXT_BYTES];
    str_addf(out, "%s kernel%s", unit_format(kernels, UNIT_COUNT, s->kernels), s->kernels == 1 ? "" : "s");
    if (isfinite(s->blocks))
        str_addf(out, " (%s blocks)", unit_format(blocks, UNIT_COUNT, s->blocks));
    str_addf(out, " in %s call%s", unit_format(calls, UNIT_COUNT, s->calls), s->calls == 1 ? "" : "s");
}

static bool are_alike(const struct seen_calls *a, const struct seen_calls *b)
{
    return is_same(per_call(a->kernels, a->calls), per_call(b->kernels, b->calls)) &&
           is_same(per_call(a->blocks, a->calls), per_call(b->blocks, b->calls));
}

static int say_unlike(struct look *l, const struct seen_calls *base, const char *where, const struct seen_calls *other,
                      struct err *e)
{
    const bool by_kernels = !is_same(per_call(base->kernels, base->calls), per_call(other->kernels, other->calls));
    struct str text;
    str_init(&text);
    add_calls(&text, base);
    str_add(&text, " whose output was verified, ");
    add_calls(&text, other);
    str_addf(&text, " %s", where);
    struct witness_check *c = l->check;
    c->status = WITNESS_CONTRADICTED;
    c->claimed = by_kernels ? per_call(base->kernels, base->calls) : per_call(base->blocks, base->calls);
    c->seen = by_kernels ? per_call(other->kernels, other->calls) : per_call(other->blocks, other->calls);
    c->unit = UNIT_COUNT;
    c->detail = arena_copy(&l->w->a->arena, str_text(&text));
    const bool failed = text.failed;
    str_release(&text);
    return failed ? err_memory(e) : 0;
}

/* A library may do something once, at its first call: that one is held against nothing. */
static int look_at_launches(struct look *l, struct err *e)
{
    const struct seen_calls counted = {1, l->arm->counted_kernels, NAN, NAN};
    const struct {
        const char *where;
        const struct seen_calls *calls;
    } others[] = {{"traced after it", &l->arm->measured},
                  {"of the graph that was timed", &l->arm->graph},
                  {"that was counted", &counted}};
    const struct seen_calls *base = &l->arm->verified;
    if (isnan(base->kernels) || isnan(base->calls)) {
        not_checked(l, *l->w->untraced ? l->w->untraced : "no launch was traced whose output was verified");
        return 0;
    }
    hold_against(l, false, per_call(base->kernels, base->calls), per_call(l->arm->measured.kernels, l->arm->measured.calls),
                 UNIT_COUNT, "%s%s");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!are_alike(base, others[i].calls))
            return say_unlike(l, base, others[i].where, others[i].calls, e);
    return 0;
}

static void look_at_timed_output(struct look *l)
{
    if (isnan(l->arm->timed_bad))
        not_checked(l, "the output of the timed launches was not verified");
    else
        hold_against(l, l->arm->timed_bad > 0 && l->arm->before_bad == 0, l->arm->before_bad, l->arm->timed_bad, UNIT_RATIO,
                     "of the output %s is wrong when it is verified alone, %s as the timed launches leave it");
}

/* ---- work ---- */

/* Collectives: some paths go around the links, so nothing received is nothing known. */
static void look_at_links(struct look *l)
{
    const double declared = l->arm->bytes * l->arm->bus_factor;
    if (!(l->arm->link_bytes > 0))
        not_checked(l, "nothing was counted on the links");
    else
        hold_against(l, l->arm->link_bytes < (1 - LINK_TOLERANCE) * declared, declared, l->arm->link_bytes, UNIT_BYTES,
                     "each GPU has to receive %s a launch, one received %s over its links");
}

/* Kernels ask the L2 cache for all that they load or store; the copy engine moves the rest. */
static void look_at_bytes(struct look *l)
{
    const struct witnessed *arm = l->arm;
    const double copied = per_call(arm->measured.copied_bytes, arm->measured.calls);
    const double moved = arm->l2_bytes + (isfinite(copied) ? copied : 0);
    if (arm->bus_factor > 0)
        look_at_links(l);
    else if (!(arm->bytes > 0))
        not_checked(l, "it declares no bytes");
    else if (isnan(moved))
        not_checked(l, "no counter of the L2 cache");
    else
        hold_against(l, moved < (1 - WORK_TOLERANCE) * arm->bytes, arm->bytes, moved, UNIT_BYTES,
                     "it declares that a launch moves %s, counters and copies show %s");
}

static void look_at_operations(struct look *l)
{
    if (!(l->arm->flops > 0))
        not_checked(l, "it declares no operations");
    else if (isnan(l->arm->operations))
        not_checked(l, "not all operations have a counter");
    else
        hold_against(l, l->arm->operations < (1 - WORK_TOLERANCE) * l->arm->flops, l->arm->flops, l->arm->operations,
                     UNIT_COUNT, "it declares %s floating-point operations a launch, counters show %s");
}

/* ---- cold launches ---- */

/* What it writes may stay in the cache; what it reads can be nowhere but in DRAM. */
static void look_at_cold_bytes(struct look *l)
{
    const struct witnessed *arm = l->arm;
    const double read = arm->bytes - arm->l2_written_bytes - per_call(arm->measured.copied_bytes, arm->measured.calls);
    if (isnan(arm->cold_ns))
        not_checked(l, "no cold launches");
    else if (arm->bus_factor > 0 || isnan(read) || isnan(arm->cold_dram_bytes))
        not_checked(l, "no counter of what cold launches read");
    else if (read <= 0)
        not_checked(l, "it writes more than it declares to move");
    else
        hold_against(l, arm->cold_dram_bytes < (1 - WORK_TOLERANCE) * read, read, arm->cold_dram_bytes, UNIT_BYTES,
                     "behind a flush a launch has to read %s from DRAM, it read %s");
}

static void look_at_persisting(struct look *l)
{
    if (isnan(l->arm->cold_ns) || isnan(l->arm->persisting_bytes))
        not_checked(l, "no cold launches");
    else
        hold_against(l, l->arm->persisting_bytes > 0, 0, l->arm->persisting_bytes, UNIT_BYTES,
                     "of the L2 cache %s may keep data over a flush, behind its cold launches %s were set aside");
}

static void look_at_flush(struct look *l)
{
    if (isnan(l->arm->cold_ns))
        not_checked(l, "no cold launches");
    else if (isnan(l->w->flushed_bytes) || isnan(l->w->flush_read_bytes))
        not_checked(l, "the flush was not counted");
    else
        hold_against(l, l->w->flush_read_bytes < (1 - WORK_TOLERANCE) * l->w->flushed_bytes, l->w->flushed_bytes,
                     l->w->flush_read_bytes, UNIT_BYTES, "of %s that were flushed, reading them again took %s from DRAM");
}

/* ---- all of them ---- */

/* In the order in which they weigh: the first one that contradicts is the one that is told. */
static const struct {
    const char *code;
    void (*look)(struct look *l);
    int (*look_far)(struct look *l, struct err *e); /* of which words take memory */
} witnesses[] = {
    {"launches", NULL, look_at_launches},
    {"event_time", look_at_event_time, NULL},
    {"timed_output", look_at_timed_output, NULL},
    {"least_bytes", look_at_bytes, NULL},
    {"least_operations", look_at_operations, NULL},
    {"persisting_l2", look_at_persisting, NULL},
    {"cold_bytes", look_at_cold_bytes, NULL},
    {"flush", look_at_flush, NULL},
    {"light_speed", look_at_light_speed, NULL},
};

static int add_finding(struct analysis *a, const struct witness_check *c, struct err *e)
{
    const char *claim = arena_printf(&a->arena, "what is known of %s at %s does not agree: %s", c->variant, c->shape, c->detail);
    struct finding *finding = analysis_finding(a, "contradicted", SEVERITY_FAILURE, c->variant, c->shape, claim);
    if (!finding)
        return err_memory(e);
    finding->advice = "no time of it means anything before it is known which side is wrong";
    int rc = evidence_add(a, &finding->evidence, "claimed", c->claimed, (enum unit)c->unit, e);
    return rc ? rc : evidence_add(a, &finding->evidence, "seen", c->seen, (enum unit)c->unit, e);
}

static int look_at_arm(struct witnessing *w, const struct witnessed *arm, struct err *e)
{
    struct analysis *a = w->a;
    int rc = 0;
    for (size_t i = 0; i < sizeof witnesses / sizeof witnesses[0] && !rc; i++) {
        struct witness_check check = {.variant = arena_copy(&a->arena, arm->variant),
                                      .shape = arena_copy(&a->arena, arm->shape),
                                      .witness = witnesses[i].code,
                                      .claimed = NAN,
                                      .seen = NAN,
                                      .detail = ""};
        struct look look = {w, arm, &check};
        if (witnesses[i].look)
            witnesses[i].look(&look);
        else
            rc = witnesses[i].look_far(&look, e);
        struct witness_check *slot = rc ? NULL : ARRAY_PUSH(&a->witnesses);
        if (!rc && !slot)
            rc = err_memory(e);
        if (slot)
            *slot = check;
        if (slot && check.status == WITNESS_CONTRADICTED)
            rc = add_finding(a, slot, e);
    }
    return rc;
}

/* Programs are timed by their trace: there is nothing else to hold it against. */
int witness_analyze(struct analysis *a, struct err *e)
{
    if (bundle_programs(a->bundle))
        return 0;
    struct witnessing w;
    int rc = witnessing_init(&w, a, e);
    for (size_t i = 0; i < w.count && !rc; i++)
        rc = look_at_arm(&w, &w.arms[i], e);
    witnessing_release(&w);
    return rc;
}
