/* Is it the same work in every iteration of a program, is all of it counted, and
 * how does it differ between the programs? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/str.h"
#include "core/base/units.h"
#include "core/gpu/thresholds.h"
#include "core/run/iterations.h"
#include "core/run/program_facts.h"

static const char *count_text(char text[UNITS_TEXT_BYTES], double count)
{
    return unit_format(text, UNIT_COUNT, count);
}

static const char *transfers_named(const struct iteration_summary *s)
{
    return s->memsets == 0 ? "copies" : s->memsets == s->copies ? "memsets" : "copies and memsets";
}

/* "1 kernel, 2 copies and 1 memset (4.00 KiB)" */
static void add_work(struct str *out, const struct iteration_summary *s)
{
    char text[UNITS_TEXT_BYTES];
    const double copies = s->copies - s->memsets;
    str_addf(out, "%s %s", count_text(text, s->kernels), s->kernels == 1 ? "kernel" : "kernels");
    if (!(s->copies > 0))
        return;
    if (isnan(s->memsets))
        str_addf(out, " and %s %s", count_text(text, s->copies), transfers_named(s));
    if (copies > 0)
        str_addf(out, "%s %s %s", s->memsets > 0 ? "," : " and", count_text(text, copies),
                 copies == 1 ? "copy" : "copies");
    if (s->memsets > 0)
        str_addf(out, " and %s %s", count_text(text, s->memsets), s->memsets == 1 ? "memset" : "memsets");
    if (s->bytes > 0)
        str_addf(out, " (%s)", unit_format(text, UNIT_BYTES, s->bytes));
}

static struct finding *add_finding(struct analysis *a, const char *id, enum severity severity, const char *variant,
                                   const char *config, struct str *claim)
{
    struct finding *finding =
        claim->failed ? NULL : analysis_finding(a, id, severity, variant, config, str_text(claim));
    str_release(claim);
    return finding;
}

static int note_varies(struct analysis *a, const struct iteration_summary *s, const char *variant, const char *config,
                       struct err *e)
{
    char least[UNITS_TEXT_BYTES], most[UNITS_TEXT_BYTES];
    struct str claim;
    if (!s->count ||
        (s->kernels_min == s->kernels_max && s->copies_min == s->copies_max && s->bytes_min == s->bytes_max))
        return 0;
    str_init(&claim);
    str_addf(&claim, "iterations of %s differ in their work: %s to %s kernels", variant,
             count_text(least, s->kernels_min), count_text(most, s->kernels_max));
    str_addf(&claim, ", %s to %s %s", count_text(least, s->copies_min), count_text(most, s->copies_max),
             transfers_named(s));
    str_addf(&claim, ", %s to %s", unit_format(least, UNIT_BYTES, s->bytes_min),
             unit_format(most, UNIT_BYTES, s->bytes_max));
    struct finding *finding = add_finding(a, "work-varies", SEVERITY_WARNING, variant, config, &claim);
    if (!finding)
        return err_memory(e);
    finding->advice = "the median stands for the most common ones: mark iterations that do the same work";
    int rc = evidence_add(&a->arena, &finding->evidence, "kernels_min", s->kernels_min, UNIT_COUNT, e);
    return rc ? rc : evidence_add(&a->arena, &finding->evidence, "kernels_max", s->kernels_max, UNIT_COUNT, e);
}

/* Launches are one name, but not one kind of work, so no ratio of their times is of anything. */
static int note_unlike(struct analysis *a, size_t row, const char *variant, const char *config, struct err *e)
{
    const char *why = table_text(&a->bundle->tables[BUNDLE_VARIANTS], row, VARIANTS_NO_VERDICT);
    if (!*why)
        return 0;
    struct finding *finding = analysis_finding(a, "work-varies", SEVERITY_WARNING, variant, config, why);
    if (!finding)
        return err_memory(e);
    finding->advice =
        "choose launches of one kind with --kernels NAME='REGEX@grid=X,block=Y', or mark them with --range";
    return 0;
}

static int note_not_counted(struct analysis *a, const struct program_facts *p, const char *config, struct err *e)
{
    if (p->of_other_threads) {
        struct str claim;
        str_init(&claim);
        str_addf(
            &claim,
            "%lld operations of %s were launched by other threads while the range was open: they are in no iteration",
            (long long)p->of_other_threads, p->variant);
        struct finding *finding = add_finding(a, "work-beside", SEVERITY_WARNING, p->variant, config, &claim);
        if (!finding)
            return err_memory(e);
        finding->advice = "record it with a range that @thread does not narrow: it holds what any thread launches";
        int rc = evidence_add(&a->arena, &finding->evidence, "operations", (double)p->of_other_threads, UNIT_COUNT, e);
        if (rc)
            return rc;
    }
    if (p->empty && p->samples) {
        struct str claim;
        str_init(&claim);
        str_addf(&claim, "%lld occurrences of the range launched no GPU work in %s: they are no iterations",
                 (long long)p->empty, p->variant);
        struct finding *finding = add_finding(a, "range-empty", SEVERITY_WARNING, p->variant, config, &claim);
        if (!finding)
            return err_memory(e);
        return evidence_add(&a->arena, &finding->evidence, "occurrences", (double)p->empty, UNIT_COUNT, e);
    }
    return 0;
}

static int note_differs(struct analysis *a, const struct iteration_summary *candidate, const char *variant,
                        const struct iteration_summary *base, const char *baseline, const char *config, struct err *e)
{
    if (!candidate->count || !base->count ||
        (candidate->kernels == base->kernels && candidate->copies == base->copies && candidate->bytes == base->bytes &&
         !(fabs(candidate->memsets - base->memsets) > 0)))
        return 0;
    struct str claim;
    str_init(&claim);
    str_addf(&claim, "an iteration of %s is ", variant);
    add_work(&claim, candidate);
    str_addf(&claim, ", one of %s is ", baseline);
    add_work(&claim, base);
    struct finding *finding = add_finding(a, "work-differs", SEVERITY_INFO, variant, config, &claim);
    if (!finding)
        return err_memory(e);
    int rc = evidence_add(&a->arena, &finding->evidence, "kernels", candidate->kernels, UNIT_COUNT, e);
    return rc ? rc : evidence_add(&a->arena, &finding->evidence, "baseline_kernels", base->kernels, UNIT_COUNT, e);
}

/* Whatever bounds the kernels: a device that waits between them is not kept busy by the host. */
static int note_idle(struct analysis *a, const struct iteration_summary *s, const char *variant, const char *config,
                     struct err *e)
{
    const double share = s->idle_ns / s->interval_ns, limit = threshold(&a->thresholds, THRESHOLD_LAUNCH_IDLE);
    if (!isfinite(share) || share < limit)
        return 0;
    char idle[UNITS_TEXT_BYTES], interval[UNITS_TEXT_BYTES];
    struct str claim;
    str_init(&claim);
    str_addf(&claim,
             "the device is idle %s of the time from one iteration of %s to the next (%s): the host is the limit there",
             unit_format(idle, UNIT_RATIO, share), variant, unit_format(interval, UNIT_NS, s->interval_ns));
    struct finding *finding = add_finding(a, "host-bound", SEVERITY_INFO, variant, config, &claim);
    if (!finding)
        return err_memory(e);
    finding->advice = "durations here are those of the GPU work alone; CUDA graphs or fewer launches shorten the rest";
    int rc = evidence_add(&a->arena, &finding->evidence, "idle_ns", s->idle_ns, UNIT_NS, e);
    return rc ? rc : evidence_add(&a->arena, &finding->evidence, "interval_ns", s->interval_ns, UNIT_NS, e);
}

static int look_at(struct analysis *a, size_t row, struct err *e)
{
    const struct table *variants = &a->bundle->tables[BUNDLE_VARIANTS];
    const char *variant = table_text(variants, row, VARIANTS_VARIANT),
               *config = table_text(variants, row, VARIANTS_SHAPE);
    const char *baseline = table_text(variants, row, VARIANTS_BASELINE);
    struct iteration_summary own, base = {0};
    struct program_facts facts;
    int rc = program_facts_read(&facts, a->bundle, variant, &a->arena, e);
    if (!rc)
        rc = iterations_summarise(&own, a->run->tables, a->run->tables[BUNDLE_VARIANTS].arms[row], e);
    if (!rc && *baseline)
        rc = iterations_summarise(&base, a->run->tables, analysis_arm(a, baseline, config), e);
    if (!rc)
        rc = note_idle(a, &own, variant, config, e);
    if (!rc)
        rc = note_varies(a, &own, variant, config, e);
    if (!rc)
        rc = note_unlike(a, row, variant, config, e);
    if (!rc)
        rc = note_not_counted(a, &facts, config, e);
    return rc ? rc : note_differs(a, &own, variant, &base, baseline, config, e);
}

int program_work_analyze(struct analysis *a, struct err *e)
{
    int rc = 0;
    for (size_t row = 0; bundle_programs(a->bundle) && row < table_rows(&a->bundle->tables[BUNDLE_VARIANTS]) && !rc;
         row++)
        rc = look_at(a, row, e);
    return rc;
}
