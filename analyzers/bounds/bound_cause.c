/* Why does a kernel have its bound? Said in one sentence with its numbers. */
#include "analyzers/bounds/bound_cause.h"

#include <math.h>
#include <string.h>

#include "core/base/units.h"
#include "core/gpu/thresholds.h"

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

static const char *words_of(const struct metric *unit)
{
    return !strcmp(unit->group, "issue") ? "issue slots" : unit->group;
}

static void add_leading_stall(struct str *out, const struct bound_inputs *in)
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

static void add_short(struct str *out, const struct bound_inputs *in, const struct bound_record *made)
{
    if (made->is_short)
        str_addf(out, "; its SMs have warps for %s of its %s", PERCENT(made->active_share),
                 show(UNIT_NS, counters_value(in->counters, METRIC_DURATION)).text);
}

/* The unit that the tables name; where that is dram, also the one that is busier. Shared memory is a part of
 * l1 and stands for it. */
static void add_busiest(struct str *out, const struct bound_inputs *in)
{
    const bool compute = in->shares.compute >= in->shares.memory;
    const bool dram = !compute && in->memory_unit != in->memory_busiest && !strcmp(in->memory_unit->group, "dram");
    const bool at_most = (compute ? in->compute_is : in->memory_is) == SHARE_AT_MOST;
    str_addf(out, "%s %s%s", words_of(compute ? in->compute_unit : in->memory_unit), at_most ? "at most " : "",
             PERCENT(compute ? in->compute_unit_share : in->memory_unit_share));
    if (dram)
        str_addf(out, " beside %s %s", in->memory_busiest->group, PERCENT(in->shares.memory));
}

static void write_latency(struct str *out, const struct bound_inputs *in, const struct bound_record *made)
{
    switch (made->latency_cause) {
    case LATENCY_SMALL_GRID:
        str_add(out, "small grid: ");
        bound_inputs_write_grid(out, in);
        str_add(out, "; busiest unit: ");
        add_busiest(out, in);
        str_add(out, " of its peak");
        break;
    case LATENCY_TAIL:
        str_addf(out, "tail: %.2f waves, the last one %s full; busiest unit: ", in->waves, PERCENT(in->waves - 1));
        add_busiest(out, in);
        str_add(out, " of its peak");
        break;
    case LATENCY_STALL:
        str_addf(out, "no unit reaches %s of its peak (busiest: ",
                 PERCENT(threshold(in->thresholds, THRESHOLD_LATENCY_SHARE)));
        add_busiest(out, in);
        str_add(out, ")");
        add_leading_stall(out, in);
        add_short(out, in, made);
        break;
    }
}

/* "dram at 82.6% of its peak (93.8% of what it can reach)"; a kernel that reaches more has reached all. */
static void add_unit(struct str *out, const struct bound_inputs *in, const struct metric *unit, double share)
{
    str_addf(out, "%s at %s of %s peak", words_of(unit), PERCENT(share),
             strcmp(unit->group, "issue") ? "its" : "their");
    if (!strcmp(unit->group, "dram"))
        str_addf(out, " (%s of what it can reach)", PERCENT(fmin(1, share / in->dram_reach)));
}

/* The memory unit that is named, and the busiest one where that is another. */
static void add_memory(struct str *out, const struct bound_inputs *in)
{
    add_unit(out, in, in->memory_unit, in->memory_unit_share);
    if (in->memory_unit != in->memory_busiest)
        str_addf(out, ", %s at %s", in->memory_busiest->group, PERCENT(in->shares.memory));
}

/* The pipe that is named, and what is busier: the issue slots, or the tensor memory. */
static void add_compute(struct str *out, const struct bound_inputs *in)
{
    add_unit(out, in, in->compute_unit, in->compute_unit_share);
    if (in->compute_unit == in->compute_busiest)
        return;
    if (in->compute_busiest == metric_by_id(METRIC_TMEM_SHARE))
        str_addf(out, ", tensor memory at %s", PERCENT(in->shares.compute));
    else
        str_addf(out, ", issue slots at %s%s", strcmp(in->compute_busiest->group, "issue") ? "most " : "",
                 PERCENT(in->shares.compute));
}

/* From here on per cent have too many digits. */
#define SHARE_ABSURD 100

/* Why does a unit that could be the limit have no share? */
enum absence { ABSENCE_UNCOUNTED, ABSENCE_OF_CHIP, ABSENCE_INCREDIBLE, ABSENCES };

static const char *const absence_words[ABSENCES] = {
    [ABSENCE_UNCOUNTED] = "counters missing, any of which could be the limit: ",
    [ABSENCE_OF_CHIP] = "not counted on this chip, but could be the limit: ",
    [ABSENCE_INCREDIBLE] = "counted, but not taken: ",
};

/* ABSENCES: it has one, and the other counter of its unit is not credible. */
static enum absence absence_of(const struct bound_inputs *in, const struct metric *metric)
{
    if (counters_is_incredible(in->counters, metric))
        return ABSENCE_INCREDIBLE;
    if (isfinite(counters_share(in->counters, metric)))
        return ABSENCES;
    return in->chip && chip_lacks(in->chip, metric->id) ? ABSENCE_OF_CHIP : ABSENCE_UNCOUNTED;
}

static void add_incredible(struct str *out, double share)
{
    if (fabs(share) >= SHARE_ABSURD && isfinite(share))
        str_addf(out, " (%.3g times its peak, which is not credible)", share);
    else if (isfinite(share))
        str_addf(out, " (%s of its peak, which is not credible)", PERCENT(share));
    else
        str_add(out, " (its value is no share of a peak)");
}

static void add_absent(struct str *out, const struct bound_inputs *in, const struct bound_record *made,
                       enum absence absence)
{
    bool begun = false;
    for (size_t i = 0; i < made->missing_count; i++) {
        const struct metric *metric = made->missing[i];
        if (absence_of(in, metric) != absence)
            continue;
        str_add(out, begun ? ", " : out->length ? "; " : "");
        str_addf(out, "%s%s", begun ? "" : absence_words[absence], metric->name);
        if (absence == ABSENCE_INCREDIBLE)
            add_incredible(out, in->counters->values[counters_index(metric)]);
        begun = true;
    }
}

static double most_of_missing(const struct bound_inputs *in, const struct bound_record *made)
{
    double most = 0;
    for (size_t i = 0; i < made->missing_count; i++)
        most = fmax(most, in->busy_at_most[counters_index(made->missing[i])]);
    return most;
}

/* Compute is the limit whichever of its units it is. */
static void write_open_unit(struct str *out, const struct bound_inputs *in, const struct bound_record *made)
{
    double share;
    const struct metric *counted = counters_busiest(in->counters, METRIC_COMPUTE, &share);
    add_unit(out, in, counted, share);
    str_addf(
        out,
        "; compute leads memory (%s %s) by %.1f points%s; which unit is the limit is open: not counted, and at most %s busy: ",
        in->memory_busiest->group, PERCENT(in->shares.memory), (share - in->shares.memory) * 100,
        in->shares.compute > share ? " at least" : "", PERCENT(most_of_missing(in, made)));
    for (size_t i = 0; i < made->missing_count; i++)
        str_addf(out, "%s%s", i ? ", " : "", made->missing[i]->name);
}

static void write_winner(struct str *out, const struct bound_inputs *in, bool compute)
{
    double lead = fabs(in->shares.compute - in->shares.memory) * 100;
    if (compute) {
        add_compute(out, in);
        str_addf(out, "; compute leads memory (%s %s) by %.1f points", in->memory_busiest->group,
                 PERCENT(in->shares.memory), lead);
    } else {
        add_memory(out, in);
        str_addf(out, "; memory leads compute (%s %s) by %.1f points", words_of(in->compute_busiest),
                 PERCENT(in->shares.compute), lead);
    }
}

static void write_launch(struct str *out, const struct bound_inputs *in)
{
    str_addf(out, "the device waits for the host %s of the launch interval: kernel %s, one launch every %s",
             PERCENT(in->shares.launch_idle), show(UNIT_NS, in->launch->kernel_median_ns).text,
             show(UNIT_NS, in->launch->interval_median_ns).text);
}

/* "no kernel of it runs for 55.6% of the launch interval, while the device copies" */
static void write_waiting(struct str *out, const struct bound_inputs *in, const char *doing, double share)
{
    str_addf(
        out,
        "no kernel of it runs for %s of the launch interval, in which the device %s: kernel %s, one launch every %s",
        PERCENT(share), doing, show(UNIT_NS, in->launch->kernel_median_ns).text,
        show(UNIT_NS, in->launch->interval_median_ns).text);
}

static void write_balanced(struct str *out, const struct bound_inputs *in)
{
    str_addf(out, "compute and memory are %.1f points apart: ", fabs(in->shares.compute - in->shares.memory) * 100);
    add_compute(out, in);
    str_add(out, ", ");
    add_memory(out, in);
}

/* "SM throughput is 62.0%, and ..." */
static void write_unknown_unit(struct str *out, const struct bound_inputs *in, const struct metric *throughput)
{
    const bool compute = !strcmp(throughput->group, "sm");
    str_addf(
        out,
        "%s throughput is %s, and the busiest unit counted there, %s, only %s: a unit that is not known may be the limit",
        compute ? "SM" : "memory", PERCENT(counters_share(in->counters, throughput)),
        compute ? in->compute_busiest->group : in->memory_busiest->group,
        PERCENT(compute ? in->shares.compute : in->shares.memory));
}

static const char *whole_words(const struct metric *whole)
{
    return whole == metric_by_id(METRIC_SM_THROUGHPUT) ? "SM"
           : whole == metric_by_id(METRIC_L1_SHARE)    ? "L1"
                                                       : "memory";
}

/* The data stage is of the unit L1 itself. */
static const char *part_words(const struct metric *part)
{
    return !strcmp(part->group, "l1") ? "L1's data stage" : words_of(part);
}

/* "fma at 91.2%, and SM throughput, which includes it, at 0.5%" */
static void write_contradiction(struct str *out, const struct bound_inputs *in)
{
    const struct bound_contradiction *c = &in->contradiction;
    str_add(out, "the file contradicts itself: ");
    if (c->part) {
        str_addf(out, "%s at %s, and %s throughput, which includes %s, at %s", part_words(c->part),
                 PERCENT(counters_share(in->counters, c->part)), whole_words(c->whole),
                 !strcmp(c->part->group, "issue") ? "them" : "it", PERCENT(counters_share(in->counters, c->whole)));
        return;
    }
    str_addf(out, "Nsight Compute's rule said %s, which it does not say of SM throughput %s and memory throughput %s",
             c->rule, PERCENT(counters_share(in->counters, metric_by_id(METRIC_SM_THROUGHPUT))),
             PERCENT(counters_share(in->counters, metric_by_id(METRIC_MEMORY_THROUGHPUT))));
}

/* Contradictions go first, then what is missing. */
static void write_inconclusive(struct str *out, const struct bound_inputs *in, const struct bound_record *made)
{
    if (in->recorded_nothing) {
        str_add(out, "ncu recorded nothing for this launch: each counter that decides is nan, n/a or empty");
    } else if (bound_contradicts(&in->contradiction)) {
        write_contradiction(out, in);
    } else if (made->missing_count) {
        for (enum absence i = 0; i < ABSENCES; i++)
            add_absent(out, in, made, i);
    } else if (in->counted_nothing) {
        str_add(out, "each unit that was counted is at 0, which no kernel is that ran");
    } else if (made->unknown_unit) {
        write_unknown_unit(out, in, made->unknown_unit);
    } else {
        str_add(out, "no counters of its kernels were recorded");
    }
}

void bound_cause_add(struct str *out, const struct bound_inputs *in, const struct bound_record *made)
{
    switch (made->class_) {
    case BOUND_LAUNCH: write_launch(out, in); break;
    case BOUND_COPY: write_waiting(out, in, "copies", in->shares.copying); break;
    case BOUND_OTHER_WORK: write_waiting(out, in, "runs other kernels or memsets", in->shares.other_work); break;
    case BOUND_LATENCY: write_latency(out, in, made); break;
    case BOUND_COMPUTE:
        if (made->unit_is_open)
            write_open_unit(out, in, made);
        else
            write_winner(out, in, true);
        break;
    case BOUND_MEMORY: write_winner(out, in, false); break;
    case BOUND_BALANCED: write_balanced(out, in); break;
    case BOUND_INCONCLUSIVE: write_inconclusive(out, in, made); break;
    }
}
