/* What did Nsight Compute's rule say, and why does our verdict differ from it? */
#include "analyzers/bounds/ncu_words.h"

#include <math.h>
#include <string.h>

#include "analyzers/bound_decision.h"
#include "core/base/count_of.h"
#include "core/base/units.h"
#include "core/gpu/other_units.h"
#include "core/run/imported_launches.h"

/* Half of the last digit that ncu prints. */
#define ROUNDING 0.00005

/* A difference of shares that is worth a reason. */
#define POINT 0.01

int ncu_agrees(const struct bound *b)
{
    const char *said = b->counted ? b->counted->ncu_rule : NULL;
    if (!said || !b->ncu_rule)
        return -1;
    return !strcmp(said, b->ncu_rule);
}

/* Would the unrounded numbers allow what the file says? */
static bool within_rounding(const struct thresholds *t, const struct imported_launch *launch)
{
    const double sm = counters_value(&launch->counters, METRIC_SM_THROUGHPUT);
    const double memory = counters_value(&launch->counters, METRIC_MEMORY_THROUGHPUT);
    for (int i = 0; i < 4; i++) {
        const char *rule = bound_ncu_rule(t, sm + (i & 1 ? ROUNDING : -ROUNDING),
                                          memory + (i & 2 ? ROUNDING : -ROUNDING), launch->resource.waves);
        if (rule && !strcmp(rule, launch->ncu_rule))
            return true;
    }
    return false;
}

static void write_rule(struct str *out, const struct thresholds *t, const struct bound *b)
{
    const char *said = b->counted->ncu_rule;
    if (said && !b->ncu_rule)
        str_addf(out, "Nsight Compute said %s; the file lacks the numbers to repeat its rule", said);
    else if (!said)
        str_addf(out, "Nsight Compute's rule gives %s", b->ncu_rule);
    else if (ncu_agrees(b) == 1)
        str_addf(out, "Nsight Compute's rule gives %s, as it said in the file", b->ncu_rule);
    else
        str_addf(out, "Nsight Compute's rule gives %s, but in the file it said %s: %s", b->ncu_rule, said,
                 within_rounding(t, b->counted) ? "the numbers are rounded, and lie on a boundary"
                                                : "its version has other limits, or it saw other numbers");
    str_add(out, ".");
}

static bool same_direction(const char *rule, enum bound_class class_)
{
    static const struct {
        const char *rule;
        enum bound_class class_;
    } same[] = {
        {"High Throughput", BOUND_COMPUTE},       {"High Throughput", BOUND_MEMORY},
        {"High Throughput", BOUND_BALANCED},      {"High Compute Throughput", BOUND_COMPUTE},
        {"High Memory Throughput", BOUND_MEMORY}, {"Balanced Throughput", BOUND_BALANCED},
        {"Latency Issue", BOUND_LATENCY},         {"Small Grid", BOUND_LATENCY},
    };
    for (size_t i = 0; i < COUNT_OF(same); i++)
        if (same[i].class_ == class_ && !strcmp(same[i].rule, rule))
            return true;
    return false;
}

static void write_larger(struct str *out, const char *what, double throughput, const char *why, double share)
{
    char its[UNITS_TEXT_BYTES], ours[UNITS_TEXT_BYTES];
    unit_format(its, UNIT_RATIO, throughput);
    unit_format(ours, UNIT_RATIO, share);
    str_addf(out, " Its %s throughput (%s) %s: %s.", what, its, why, ours);
}

/* Nsight Compute takes L1's data stage by its own peak, which can be above the one that L1 as a whole is measured by.
 */
static bool is_l1_data(const struct bound *b)
{
    const struct metric *data = other_unit_by_name(OTHER_UNIT_L1_DATA);
    return b->counted && !strcmp(b->unit, "l1") &&
           fabs(counters_share(&b->counted->counters, data) - b->memory_throughput) < ROUNDING;
}

static void write_less_memory(struct str *out, const struct bound *b)
{
    write_larger(out, "memory", b->memory_throughput,
                 is_l1_data(b) ? "is of L1's data stage, against a peak of its own; L1 as a whole is busy more"
                               : "is of other parts of the memory system; the busiest memory unit is busy more",
                 b->memory_share);
}

static void write_why(struct str *out, const struct bound *b)
{
    const double sm = b->sm_throughput, memory = b->memory_throughput;
    if (bound_is_of_gaps(b->class_)) {
        str_add(out, " It looks at the kernel alone, not at the time between launches.");
        return;
    }
    if (sm > b->compute_share + POINT)
        write_larger(
            out, "SM", sm,
            "counts load/store and other pipes, too; the busiest arithmetic pipe or the issue slots are busy less",
            b->compute_share);
    if (memory > b->memory_share + POINT)
        write_larger(out, "memory", memory,
                     "is of other parts of the memory system; the busiest memory unit is busy less", b->memory_share);
    if (b->memory_share > memory + POINT)
        write_less_memory(out, b);
}

void ncu_words_add_difference(struct str *out, const struct bound *b)
{
    if (!b->ncu_rule || b->class_ == BOUND_INCONCLUSIVE || same_direction(b->ncu_rule, b->class_))
        return;
    str_addf(out, "Nsight Compute's rule gives %s on the same numbers.", b->ncu_rule);
    const size_t before = out->length;
    write_why(out, b);
    if (out->length == before)
        str_add(out, " Its limits are others.");
}

void ncu_words_add(struct str *out, const struct thresholds *t, const struct bound *b)
{
    if (!b->counted || (!b->ncu_rule && !b->counted->ncu_rule))
        return;
    write_rule(out, t, b);
    if (!b->ncu_rule || b->class_ == BOUND_INCONCLUSIVE || same_direction(b->ncu_rule, b->class_))
        return;
    str_addf(out, " The verdict here is %s.", bound_class_name(b->class_));
    write_why(out, b);
}
