/* May the times of builds without a part of their work be believed? What is left must be the work of the variant, on as
 * many blocks at once. */
#include <math.h>
#include <string.h>

#include "analyzers/ablation/ablation_parts.h"
#include "analyzers/arm_differences.h"
#include "run/arm_ratio.h"
#include "stats/sequential_looks.h"

/* Bytes in the L2 cache are those of instructions and of other processes, too. */
#define COUNTS_MARGIN 0.01
#define L2_MARGIN     0.05

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

/* Returns how many counters were compared; one that only one of them has differs, too. */
static int64_t compare_counters(struct ablation *out, const struct analysis *a, enum left_out what,
                                double (*margin_of)(const struct metric *m))
{
    size_t known_count;
    int64_t compared = 0;
    const struct metric *known = metrics_known(&known_count);
    const struct arm_places base = arm_index_of(&a->run->counters.index, out->arms[LEFT_OUT_NOTHING]);
    const struct arm_places arm = arm_index_of(&a->run->counters.index, out->arms[what]);
    if (base.count != arm.count && !*out->receipt.differs)
        out->receipt.differs = "kernels";
    for (size_t k = 0; k < base.count && base.count == arm.count; k++)
        for (size_t i = 0; i < known_count; i++) {
            const double expected = counters_value(&a->run->counters.items[base.items[k]], known[i].id),
                         got = counters_value(&a->run->counters.items[arm.items[k]], known[i].id);
            const double margin = margin_of(&known[i]);
            if (isnan(margin) || (isnan(expected) && isnan(got)))
                continue;
            compared++;
            if (fabs(got - expected) <= margin * expected || *out->receipt.differs)
                continue;
            out->receipt.differs = known[i].id;
            out->receipt.expected = expected;
            out->receipt.got = got;
        }
    return compared;
}

static const char *doubt_of_resources(const struct ablation *out, const struct analysis *a)
{
    const struct resource *base = analysis_resource(a, out->arms[LEFT_OUT_NOTHING]);
    for (enum left_out what = LEFT_OUT_COPY; what < LEFT_OUT_COUNT; what++) {
        const struct resource *own = analysis_resource(a, out->arms[what]);
        if (!base || !own || isnan(own->local_bytes - base->local_bytes) ||
            isnan(own->blocks_per_sm - base->blocks_per_sm))
            return "no_receipt";
        if (own->local_bytes > base->local_bytes)
            return "new_spills";
        if (own->blocks_per_sm != base->blocks_per_sm)
            return "other_occupancy";
    }
    return "";
}

static const char *doubt_of_counters(struct ablation *out, const struct analysis *a)
{
    out->receipt.copy_counters = compare_counters(out, a, LEFT_OUT_MATH, copy_margin);
    out->receipt.math_counters = compare_counters(out, a, LEFT_OUT_COPY, math_margin);
    if (*out->receipt.differs)
        return "other_work";
    return out->receipt.copy_counters && out->receipt.math_counters ? "" : "not_counted";
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

/* ---- the recorder ---- */

/* Times of a launch see what neighbours hide, too: of one block alone they say something only where it is alone. */
static void read_recorder(struct ablation *out, struct analysis *a)
{
    const struct arm *arm = analysis_arm(a, arena_printf(&a->arena, "%s" INSIDE_RECORD, out->variant), out->config);
    const struct inside *inside = analysis_inside(a, arm);
    const struct resource *resource = analysis_resource(a, out->arms[LEFT_OUT_NOTHING]);
    const double sms = json_get_number(json_object_get(a->bundle->manifest, "gpu"), "sm_count", NAN);
    if (!inside || !inside->is_ok || !inside->overlap_count)
        return;
    const struct inside_overlap *last = &inside->overlaps[inside->overlap_count - 1];
    const bool is_alone = resource && (resource->blocks_per_sm <= 1 || resource->grid_blocks <= sms);
    if (!isfinite(last->e.value) || (strcmp(last->scope, INSIDE_SM) != 0 && !is_alone))
        return;
    out->recorder_e = last->e;
    out->recorder_scope = last->scope;
    out->disagrees = out->is_ok && (out->e.low > last->e.high || out->e.high < last->e.low);
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
    const char *const doubts[] = {
        timed,
        is_complete ? doubt_of_resources(out, a) : "",
        is_complete ? doubt_of_counters(out, a) : "",
        is_complete ? doubt_of_memory(out, a) : "",
        isfinite(out->e.value) ? "" : "nothing_alone",
    };
    for (size_t i = 0; i < sizeof doubts / sizeof doubts[0] && !*out->reason; i++)
        out->reason = doubts[i];
    out->is_ok = !*out->reason;
    out->why = ablation_reason_words(out->reason);
    read_recorder(out, a);
    return 0;
}
