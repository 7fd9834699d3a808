/* May the times of builds without a part of their work be believed? What is left must be the work of the variant, on as
 * many blocks at once. */
#include <math.h>
#include <string.h>

#include "analyzers/ablation/ablation_parts.h"
#include "analyzers/arm_differences.h"
#include "analyzers/build_receipt.h"
#include "run/arm_ratio.h"
#include "stats/sequential_looks.h"

/* Bytes in the L2 cache are those of instructions and of other processes, too. */
#define COUNTS_MARGIN 0.01
#define L2_MARGIN     0.05
#define COPIES_LEFT   0.1

/* ---- times ---- */

/* Returns "" or why the time of a build over that of the variant is not known. */
static const char *doubt_of_ratio(const struct arm_ratio *ratio)
{
    return ratio->processes < RATIO_PROCESSES_MIN || !isfinite(ratio->time.interval.high) ? "too_few_processes" : "";
}

static int measure(struct ablation *out, struct bounded *share, enum left_out what, const char **reason,
                   const struct analysis *a, struct err *e)
{
    const struct timing_arm *base = timing_arms_find(&a->run->timing, out->arms[LEFT_OUT_NOTHING]);
    const struct timing_arm *arm = base ? timing_arms_at(&a->run->timing, out->arms[what], base->cache) : NULL;
    struct arm_ratio ratio;
    *reason = *arm_no_verdict(a, out->arms[LEFT_OUT_NOTHING])       ? "times_say_nothing"
              : !arm || !base->samples.count || !arm->samples.count ? "not_timed"
              : !timing_arms_are_alike(base, arm)                   ? "mixed_timing"
                                                                    : "";
    if (**reason)
        return 0;
    const struct arm_pair pair = {base, arm, true};
    const int rc = arm_ratio_measure(&ratio, &pair, a->margin, sequential_looks_of_manifest(a->bundle->manifest), e);
    if (rc)
        return rc;
    *share = (struct bounded){ratio.time.interval.ratio, ratio.time.interval.low, ratio.time.interval.high};
    *reason = doubt_of_ratio(&ratio);
    out->ns[LEFT_OUT_NOTHING] = ratio.base_ns;
    out->ns[what] = ratio.base_ns * share->value;
    return 0;
}

static struct bounded scaled(struct bounded b, double factor)
{
    return (struct bounded){b.value * factor, b.low * factor, b.high * factor};
}

/* *reason: why the times say nothing; "" when they do. */
static int read_times(struct ablation *out, const struct analysis *a, const char **reason, struct err *e)
{
    struct ablation_times times;
    *reason = "";
    for (enum left_out what = LEFT_OUT_COPY; what < LEFT_OUT_COUNT && !**reason; what++) {
        const int rc = measure(out, &times.without[what], what, reason, a, e);
        if (rc)
            return rc;
    }
    if (**reason)
        return 0;
    const struct ablation_shares shares = ablation_shares_of(&times);
    const double ns = out->ns[LEFT_OUT_NOTHING];
    out->copy_ns = scaled(shares.copy, ns);
    out->compute_ns = scaled(shares.compute, ns);
    out->hidden_ns = scaled(shares.hidden, ns);
    out->h = shares.h;
    out->e = shares.e;
    return 0;
}

/* ---- receipts ---- */

static double copy_margin(const struct metric *m)
{
    static const char *const exact[] = {"ldgsts", "l1_bytes", "global_load_sectors"};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        if (!strcmp(m->id, exact[i]))
            return COUNTS_MARGIN;
    return strcmp(m->id, "l2_bytes") ? NAN : L2_MARGIN;
}

static double math_margin(const struct metric *m)
{
    const bool is_math = m->role == METRIC_FLOP || (m->unit == UNIT_COUNT && !strncmp(m->group, "tensor", 6));
    return is_math ? COUNTS_MARGIN : NAN;
}

/* Counters of copies that are exact: those in the L2 cache are not. */
static double exact_copy_margin(const struct metric *m)
{
    const double margin = copy_margin(m);
    return margin <= COUNTS_MARGIN ? margin : NAN;
}

/* What both have left out, and what neither has. */
static const char *doubt_of_counters(struct ablation *out, const struct analysis *a)
{
    const struct {
        enum left_out base, build;
        counter_margin margin_of;
        int64_t *counted;
    } pairs[] = {
        {LEFT_OUT_NOTHING, LEFT_OUT_MATH, copy_margin, NULL},
        {LEFT_OUT_NOTHING, LEFT_OUT_MATH, exact_copy_margin, &out->receipt.copy_counters},
        {LEFT_OUT_NOTHING, LEFT_OUT_COPY, math_margin, &out->receipt.math_counters},
        {LEFT_OUT_COPY, LEFT_OUT_BOTH, exact_copy_margin, NULL},
        {LEFT_OUT_MATH, LEFT_OUT_BOTH, math_margin, NULL},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] && !*out->receipt.differs; i++) {
        struct counters_match match = {.differs = "", .expected = NAN, .got = NAN};
        build_match_counters(&match, a, out->arms[pairs[i].base], out->arms[pairs[i].build], pairs[i].margin_of);
        out->receipt.differs = match.differs;
        out->receipt.expected = match.expected;
        out->receipt.got = match.got;
        if (pairs[i].counted)
            *pairs[i].counted = match.counted;
    }
    if (*out->receipt.differs)
        return "other_work";
    return out->receipt.copy_counters && out->receipt.math_counters ? "" : "not_counted";
}

static double worst_share_left(const struct ablation *out, const struct analysis *a, const char *counter)
{
    const struct arm_places base = arm_index_of(&a->run->counters.index, out->arms[LEFT_OUT_NOTHING]),
                            build = arm_index_of(&a->run->counters.index, out->arms[LEFT_OUT_COPY]);
    double worst = 0;
    for (size_t k = 0; k < base.count && k < build.count; k++)
        worst = fmax(worst, counters_value(&a->run->counters.items[build.items[k]], counter) /
                                counters_value(&a->run->counters.items[base.items[k]], counter));
    return worst;
}

/* The first tiles are brought in every build, no more. */
static const char *doubt_of_leftovers(const struct ablation *out, const struct analysis *a)
{
    const double left = fmax(worst_share_left(out, a, "ldgsts"), worst_share_left(out, a, "global_load_sectors"));
    return left > COPIES_LEFT ? "copies_left" : "";
}

static const char *doubt_of_memory(const struct ablation *out, const struct analysis *a)
{
    const struct arm_places arm = arm_index_of(&a->run->counters.index, out->arms[LEFT_OUT_MATH]);
    double most = arm.count ? 0 : NAN;
    for (size_t k = 0; k < arm.count; k++) {
        const double share = counters_value(&a->run->counters.items[arm.items[k]], "dram_share");
        most = share > most || isnan(share) ? share : most;
    }
    return isnan(most) ? "not_counted" : most > ABLATION_DRAM_MOST ? "memory_load" : "";
}

static const char *doubt_of_builds(const struct ablation *out, const struct analysis *a)
{
    const char *doubt = "";
    for (enum left_out what = LEFT_OUT_COPY; what < LEFT_OUT_COUNT && !*doubt; what++)
        doubt = build_doubt_of_resources(a, out->arms[LEFT_OUT_NOTHING], out->arms[what]);
    return doubt;
}

/* Who does less takes no longer. */
static const char *doubt_of_times(const struct ablation *out)
{
    for (enum left_out what = LEFT_OUT_COPY; what < LEFT_OUT_COUNT; what++)
        if (out->ns[what] > out->ns[LEFT_OUT_NOTHING])
            return "slower_without";
    return isfinite(out->e.value) ? "" : "nothing_alone";
}

/* ---- the recorder ---- */

/* What neighbours hide shows in the time of a launch, too: E of a block by itself is held against it only where each
 * block is alone on its SM. */
static void read_recorder(struct ablation *out, struct analysis *a)
{
    const struct arm *arm = analysis_arm(a, arena_printf(&a->arena, "%s" INSIDE_RECORD, out->variant), out->config);
    const struct inside *inside = analysis_inside(a, arm);
    if (!inside || !inside->is_ok || !inside->overlap_count)
        return;
    const struct inside_overlap *last = &inside->overlaps[inside->overlap_count - 1];
    const bool is_alone = build_blocks_at_once(a, out->arms[LEFT_OUT_NOTHING]) <= 1;
    if (!isfinite(last->e.value) || (strcmp(last->scope, INSIDE_SM) != 0 && !is_alone))
        return;
    out->recorder_e = last->e;
    out->recorder_scope = last->scope;
}

static const char *doubt_of_recorder(const struct ablation *out)
{
    const bool disagrees = out->e.low > out->recorder_e.high || out->e.high < out->recorder_e.low;
    return disagrees ? "recorder_disagrees" : "";
}

/* ---- the status ---- */

/* Its output is wrong by design: it must have run what was meant, no more. */
static const char *doubt_of_arms(const struct ablation *out, const struct analysis *a)
{
    if (!out->arms[LEFT_OUT_NOTHING])
        return "no_off_arm";
    for (enum left_out what = LEFT_OUT_COPY; what < LEFT_OUT_COUNT; what++) {
        const struct selection_check *check = analysis_selection(a, out->arms[what]);
        if (!out->arms[what])
            return "no_arm";
        if (analysis_contradiction(a, out->arms[what]))
            return "contradicted";
        if (!check || check->status != VERDICT_PASS)
            return "not_selected";
    }
    return analysis_doubt_of_arm(a, out->arms[LEFT_OUT_NOTHING]);
}

int ablation_judge(struct ablation *out, struct analysis *a, struct err *e)
{
    const char *timed = "";
    out->reason = doubt_of_arms(out, a);
    const bool is_complete = strcmp(out->reason, "no_off_arm") && strcmp(out->reason, "no_arm");
    const int rc = is_complete ? read_times(out, a, &timed, e) : 0;
    if (rc)
        return rc;
    read_recorder(out, a);
    const char *const doubts[] = {
        timed,
        is_complete ? doubt_of_builds(out, a) : "",
        is_complete ? doubt_of_counters(out, a) : "",
        is_complete ? doubt_of_leftovers(out, a) : "",
        is_complete ? doubt_of_memory(out, a) : "",
        doubt_of_times(out),
        doubt_of_recorder(out),
    };
    for (size_t i = 0; i < sizeof doubts / sizeof doubts[0] && !*out->reason; i++)
        out->reason = doubts[i];
    out->is_ok = !*out->reason;
    out->why = ablation_reason_words(out->reason);
    return 0;
}
