/* Do the witnesses of each arm agree? What can be seen twice is compared before any ratio. */
#include <math.h>

#include "analyzers/entries.h"
#include "analyzers/witness/witness.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/units.h"

/* On H200s a DRAM-bound kernel takes up to 8% longer under the trace than among others of its kind, and kernels of four
 * GPUs, which wait for each other's launches, 11%. */
#define TIME_TOLERANCE    0.15
#define TIME_TOLERANCE_NS 1000.0
/* Counters of one launch repeat within 1%; a link may be missing in the sums of one GPU (1/18). More of them were, up
 * to four: less than that is no proof of anything, unless it is less than half. */
#define WORK_TOLERANCE 0.05
#define LINK_TOLERANCE 0.10
#define LINKS_MISSING  0.50
/* What counts as an operation is a convention: an exponential has no counter, and an algorithm may need fewer. A task
 * states the least, for an algorithm that is fixed: its solutions have the tolerance of counted work. */
#define OPERATIONS_TOLERANCE 0.50
/* Peaks are those of the clocks of the launch that was counted, which differ by 10% from those of one that was timed.
 */
#define PEAK_TOLERANCE 0.15
/* Tensor cores do twice as much with half of the values left out. */
#define SPARSE 2

/* Launches of a solution may depend on data, and the calls that are traced show that they do: then the one that is
 * verified may be as much more or less than the others. */
#define CALLS_DIFFER_TIMES 2

/* What is claimed of an arm and what was seen of it, for one witness to compare. */
struct two_sides {
    struct witnessing *w;
    const struct witnessed *arm;
    struct witness_check *check;
};

static void not_checked(struct two_sides *sides, const char *why)
{
    sides->check->detail = why;
}

static void hold(struct two_sides *sides, bool contradicts, double claimed, double seen, enum unit unit,
                 const char *words)
{
    struct witness_check *c = sides->check;
    c->claimed = claimed;
    c->seen = seen;
    c->unit = unit;
    c->status = contradicts ? WITNESS_CONTRADICTED : WITNESS_AGREES;
    c->detail = contradicts ? words : "";
}

/* `words` has two %s: what is claimed, what was seen. */
static void hold_against(struct two_sides *sides, bool contradicts, double claimed, double seen, enum unit unit,
                         const char *words)
{
    char left[UNITS_TEXT_BYTES], right[UNITS_TEXT_BYTES];
    hold(sides, contradicts, claimed, seen, unit,
         contradicts ? arena_printf(&sides->w->a->arena, words, unit_format(left, unit, claimed),
                                    unit_format(right, unit, seen))
                     : "");
}

/* ---- time ---- */

static double fastest_ns(const struct witnessed *arm)
{
    return fmin(arm->hot_ns, arm->cold_ns); /* fmin leaves a NAN out */
}

/* More time than the trace shows is no contradiction: there are pauses between launches. */
static void compare_event_time(struct two_sides *sides)
{
    const double timed_ns = fastest_ns(sides->arm);
    if (isnan(timed_ns))
        not_checked(sides, "it was not timed");
    else if (*sides->arm->no_verdict)
        not_checked(sides, "its times say nothing, as it declares");
    else if (isnan(sides->arm->busy_ns))
        not_checked(sides,
                    *sides->w->untraced ? sides->w->untraced : "the calls that were traced cannot be told apart");
    else
        hold_against(sides, timed_ns < (1 - TIME_TOLERANCE) * sides->arm->busy_ns - TIME_TOLERANCE_NS, timed_ns,
                     sides->arm->busy_ns, UNIT_NS, "by events a launch takes %s, its traced kernels take %s");
}

/* What else a launch may take that finds its caches empty. NAN when nobody says how much it moves. */
static double coldness_ns(const struct witnessed *arm)
{
    return fmax(arm->l2_bytes, arm->bytes) / arm->peak_dram * 1e9; /* fmax leaves a NAN out */
}

/* A launch that is verified must not take much longer than those that are timed, or do more. Its caches may be empty,
 * so what it moves may come from DRAM. Where launches overlap, a kernel of a traced call shows how long one takes. */
static void compare_verified_time(struct two_sides *sides)
{
    const struct witnessed *arm = sides->arm;
    const double shown_ns = fmax(fastest_ns(arm), arm->own_ns), cold_ns = coldness_ns(arm);
    if (isnan(fastest_ns(arm)) || *arm->no_verdict)
        not_checked(sides, "no times that say something");
    else if (isnan(cold_ns))
        not_checked(sides, "the rate of DRAM was not counted");
    else if (isnan(arm->verified_ns))
        not_checked(sides, *sides->w->untraced ? sides->w->untraced : "no launch was traced whose output was verified");
    else
        hold_against(sides, shown_ns < (1 - TIME_TOLERANCE) * (arm->verified_ns - cold_ns) - TIME_TOLERANCE_NS,
                     shown_ns, arm->verified_ns, UNIT_NS, "a launch takes %s, and %s where its output is verified");
}

/* What does not fit into the L2 cache has to come from DRAM, everything from L2 at least. */
static void compare_light_speed(struct two_sides *sides)
{
    const struct witnessed *arm = sides->arm;
    const double from_dram_ns = (arm->bytes - sides->w->l2_size_bytes) / arm->peak_dram * 1e9;
    const double from_l2_ns = arm->bytes / arm->peak_l2 * 1e9;
    const double operations_ns = arm->flops / (SPARSE * arm->peak_operations) * 1e9;
    const double least_ns = fmax(fmax(from_dram_ns, from_l2_ns), operations_ns); /* fmax leaves a NAN out */
    if (isnan(fastest_ns(arm)) || *arm->no_verdict)
        not_checked(sides, "no times that say something");
    else if (arm->bus_factor > 0)
        not_checked(sides, "its bytes cross links");
    else if (!(least_ns > 0))
        not_checked(sides, "it declares neither bytes nor operations, or peaks were not counted");
    else
        hold_against(sides, fastest_ns(arm) < (1 - PEAK_TOLERANCE) * least_ns, fastest_ns(arm), least_ns, UNIT_NS,
                     "a launch takes %s, but the GPU needs at least %s for the bytes and operations that it declares");
}

/* ---- launches ---- */

/* Blocks of a graph or of a counted launch may not be known: then kernels alone are compared. */
static bool is_same(double a, double b)
{
    return isnan(a) || isnan(b) || fabs(a - b) < 1e-6 * (1 + fabs(a));
}

static bool is_as_others(const struct two_sides *sides, double a, double b)
{
    return is_same(a, b) || (analysis_has_task(sides->w->a) && sides->arm->calls_differ &&
                             a <= CALLS_DIFFER_TIMES * b && b <= CALLS_DIFFER_TIMES * a);
}

static double per_call(double amount, double calls)
{
    return amount / calls;
}

/* "1 kernel of 131,072 blocks": of one call, on average. */
static const char *describe_call(struct arena *arena, const struct seen_calls *s)
{
    char kernels[UNITS_TEXT_BYTES], blocks[UNITS_TEXT_BYTES];
    const double per = per_call(s->kernels, s->calls);
    const char *of_blocks =
        isfinite(s->blocks) && per > 0
            ? arena_printf(arena, " of %s blocks", unit_format(blocks, UNIT_COUNT, per_call(s->blocks, s->calls)))
            : "";
    return arena_printf(arena, "%s kernel%s%s", unit_format(kernels, UNIT_COUNT, per), per == 1 ? "" : "s", of_blocks);
}

static bool is_known(const struct seen_calls *s)
{
    return isfinite(per_call(s->kernels, s->calls));
}

static void compare_calls(struct two_sides *sides, const struct seen_calls *base, const char *where,
                          const struct seen_calls *other)
{
    struct arena *arena = &sides->w->a->arena;
    const double kernels = per_call(base->kernels, base->calls), other_kernels = per_call(other->kernels, other->calls);
    const double blocks = per_call(base->blocks, base->calls), other_blocks = per_call(other->blocks, other->calls);
    const bool by_kernels = !is_as_others(sides, kernels, other_kernels),
               by_blocks = !is_as_others(sides, blocks, other_blocks);
    hold(sides, by_kernels || by_blocks, by_kernels || !by_blocks ? kernels : blocks,
         by_kernels || !by_blocks ? other_kernels : other_blocks, UNIT_COUNT,
         by_kernels || by_blocks ? arena_printf(arena, "a call launches %s where its output is verified, %s %s",
                                                describe_call(arena, base), describe_call(arena, other), where)
                                 : "");
}

/* A library may do something once, at its first call: that one is held against nothing. Where a call copies or sets
 * memory, the profiler may count that as a kernel. */
static void compare_launches(struct two_sides *sides)
{
    const struct seen_calls counted = {.calls = 1,
                                       .kernels =
                                           sides->arm->verified.copied_bytes > 0 ? NAN : sides->arm->counted_kernels,
                                       .blocks = NAN};
    const struct {
        const char *where;
        const struct seen_calls *calls;
    } others[] = {{"in the other traced calls", &sides->arm->measured},
                  {"in the graph that is timed", &sides->arm->graph},
                  {"where it is counted", &counted}};
    const struct seen_calls *base = &sides->arm->verified;
    if (!is_known(base)) {
        not_checked(sides, *sides->w->untraced ? sides->w->untraced : "no launch was traced whose output was verified");
        return;
    }
    not_checked(sides, "the other launches are not known");
    for (size_t i = 0; i < COUNT_OF(others) && sides->check->status != WITNESS_CONTRADICTED; i++)
        if (is_known(others[i].calls))
            compare_calls(sides, base, others[i].where, others[i].calls);
}

static void compare_timed_output(struct two_sides *sides)
{
    if (isnan(sides->arm->timed_bad) || isnan(sides->arm->before_bad))
        not_checked(sides, "the output of the timed launches was not verified");
    else
        hold_against(
            sides, sides->arm->timed_bad > 0 && sides->arm->before_bad == 0, sides->arm->before_bad,
            sides->arm->timed_bad, UNIT_RATIO,
            "%s of the output is wrong behind one launch, %s behind the timed ones: a launch must not depend on the one before");
}

/* ---- work ---- */

/* Collectives: some paths go around the links, so nothing received is nothing known. */
static void compare_links(struct two_sides *sides)
{
    const double declared =
        sides->arm->bytes * fmin(sides->arm->bus_factor, 1); /* a switch that adds up sends everything once */
    const double received = sides->arm->link_bytes;
    if (!(received > 0))
        not_checked(sides, "nothing was counted on the links");
    else if (received < (1 - LINK_TOLERANCE) * declared && received >= LINKS_MISSING * declared)
        not_checked(sides, "links are missing in its count, or it received less");
    else
        hold_against(sides, received < LINKS_MISSING * declared, declared, received, UNIT_BYTES,
                     "each GPU has to receive %s a launch, one received %s over its links");
}

/* Kernels ask the L2 cache for all that they load or store; the copy engine moves the rest. */
static void compare_bytes(struct two_sides *sides)
{
    const struct witnessed *arm = sides->arm;
    const double copied = per_call(arm->measured.copied_bytes, arm->measured.calls);
    const double least = (1 - WORK_TOLERANCE) * arm->bytes,
                 moved = arm->l2_bytes >= least ? arm->l2_bytes : arm->l2_bytes + copied;
    if (arm->bus_factor > 0)
        compare_links(sides);
    else if (!(arm->bytes > 0))
        not_checked(sides, "it declares no bytes");
    else if (isnan(moved))
        not_checked(sides, arm->is_on_several     ? "it declares no bytes over links (link_bytes)"
                           : isnan(arm->l2_bytes) ? "no counter of the L2 cache"
                                                  : "what it copies is not known");
    else
        hold_against(sides, moved < least, arm->bytes, moved, UNIT_BYTES,
                     analysis_has_task(sides->w->a)
                         ? "its task says that a launch moves %s, counters and copies show %s: where so little is "
                           "right, mend bytes of the task"
                         : "it declares that a launch moves %s, counters and copies show %s");
}

/* More than enough is enough, whatever was not counted. */
static void compare_operations(struct two_sides *sides)
{
    const struct witnessed *arm = sides->arm;
    const double tolerance = analysis_has_task(sides->w->a) ? WORK_TOLERANCE : OPERATIONS_TOLERANCE;
    const double least = (1 - tolerance) * arm->flops;
    if (!(arm->flops > 0))
        not_checked(sides, "it declares no operations");
    else if (isnan(arm->operations) || (arm->operations < least && arm->has_other_operations))
        not_checked(sides, "not all operations have a counter");
    else if (arm->operations < least && arm->integer_operations > 0 &&
             arm->operations + arm->integer_operations >= least)
        not_checked(sides, "operations of tensor cores on INT8 are no floating-point ones");
    else
        hold_against(sides, arm->operations < least, arm->flops, arm->operations, UNIT_COUNT,
                     analysis_has_task(sides->w->a)
                         ? "its task says %s floating-point operations a launch, counters show %s: where so few are "
                           "right, mend flops of the task"
                         : "it declares %s floating-point operations a launch, counters show %s");
}

/* ---- cold launches ---- */

/* What it writes may stay in the cache; what it reads can be nowhere but in DRAM. */
static void compare_cold_bytes(struct two_sides *sides)
{
    const struct witnessed *arm = sides->arm;
    const double read = arm->bytes - arm->l2_written_bytes - per_call(arm->measured.copied_bytes, arm->measured.calls);
    if (isnan(arm->cold_ns))
        not_checked(sides, "no cold launches");
    else if (arm->bus_factor > 0 || isnan(read) || isnan(arm->cold_dram_bytes))
        not_checked(sides, "no counter of what cold launches read");
    else if (read <= 0)
        not_checked(sides, "it writes more than it declares to move");
    else
        hold_against(sides, arm->cold_dram_bytes < (1 - WORK_TOLERANCE) * read, read, arm->cold_dram_bytes, UNIT_BYTES,
                     "behind a flush a launch has to read %s from DRAM, it read %s");
}

static void compare_persisting(struct two_sides *sides)
{
    if (isnan(sides->arm->cold_ns) || isnan(sides->arm->persisting_bytes))
        not_checked(sides, "no cold launches");
    else
        hold_against(sides, sides->arm->persisting_bytes > 0, 0, sides->arm->persisting_bytes, UNIT_BYTES,
                     "%s of the L2 cache may keep data over a flush, %s were set aside behind its cold launches");
}

static void compare_flush(struct two_sides *sides)
{
    if (isnan(sides->arm->cold_ns))
        not_checked(sides, "no cold launches");
    else if (isnan(sides->w->flushed_bytes) || isnan(sides->w->flush_read_bytes))
        not_checked(sides, "the flush was not counted");
    else
        hold_against(sides, sides->w->flush_read_bytes < (1 - WORK_TOLERANCE) * sides->w->flushed_bytes,
                     sides->w->flushed_bytes, sides->w->flush_read_bytes, UNIT_BYTES,
                     "%s were read, flushed and read again, which took %s from DRAM");
}

/* ---- all of them ---- */

/* In the order in which they weigh: the first one that contradicts is the one that is told. */
static const struct {
    const char *code;
    void (*compare)(struct two_sides *sides);
} witnesses[] = {
    {"launches", compare_launches},
    {"event_time", compare_event_time},
    {"verified_time", compare_verified_time},
    {"timed_output", compare_timed_output},
    {"least_bytes", compare_bytes},
    {"least_operations", compare_operations},
    {"persisting_l2", compare_persisting},
    {"cold_bytes", compare_cold_bytes},
    {"flush", compare_flush},
    {"light_speed", compare_light_speed},
};

static int add_finding(struct analysis *a, const struct witness_check *c, struct err *e)
{
    const char *claim = arena_printf(&a->arena, "the witnesses of %s at %s contradict each other: %s", c->variant,
                                     c->config, c->detail);
    struct finding *finding = analysis_finding(a, "contradicted", SEVERITY_FAILURE, c->variant, c->config, claim);
    if (!finding)
        return err_memory(e);
    finding->advice = "no time of it means anything before it is known which side is wrong";
    int rc = evidence_add(&a->arena, &finding->evidence, "claimed", c->claimed, c->unit, e);
    return rc ? rc : evidence_add(&a->arena, &finding->evidence, "seen", c->seen, c->unit, e);
}

static int compare_sides_of_arm(struct witnessing *w, const struct witnessed *arm, struct err *e)
{
    struct analysis *a = w->a;
    int rc = 0;
    for (size_t i = 0; i < COUNT_OF(witnesses) && !rc; i++) {
        struct witness_check check = {.arm = arm->arm,
                                      .variant = arena_copy(&a->arena, arm->arm->variant),
                                      .config = arena_copy(&a->arena, arm->arm->config),
                                      .witness = witnesses[i].code,
                                      .claimed = NAN,
                                      .seen = NAN,
                                      .detail = ""};
        struct two_sides sides = {w, arm, &check};
        if (*w->damage)
            not_checked(&sides, w->damage);
        else
            witnesses[i].compare(&sides);
        struct witness_check *slot = ARRAY_PUSH(&a->witnesses);
        if (!slot)
            return err_memory(e);
        *slot = check;
        analysis_note(a, ARM_WITNESSES, arm->arm, a->witnesses.count - 1);
        rc = check.status == WITNESS_CONTRADICTED ? add_finding(a, slot, e) : 0;
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
        rc = compare_sides_of_arm(&w, &w.arms[i], e);
    for (size_t i = 0; i < w.count && !rc; i++)
        rc = witness_note(&w, &w.arms[i], e);
    witnessing_release(&w);
    return rc;
}
