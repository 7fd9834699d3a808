/* Did each program do the work that was to be measured? */
#include <math.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/base/str.h"
#include "core/base/units.h"
#include "core/run/program_facts.h"
#include "core/run/run.h"

enum { NAMES_SHOWN = 4 };

/* "gemm (75.0%), softmax (25.0%) and 2 more": shares of the chosen time, or of all time. */
static void add_names(struct str *out, const struct program_facts *p, bool chosen)
{
    size_t shown = 0, count = 0;
    char share[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < p->work_count; i++) {
        const struct named_work *w = &p->work[i];
        if (chosen && w->chosen_count <= 0)
            continue;
        if (++count > NAMES_SHOWN)
            continue;
        const double part = chosen ? w->chosen_ns / p->chosen_ns : w->sum_ns / p->sum_ns;
        str_addf(out, "%s%s (%s)", shown++ ? ", " : "", w->name, unit_format(share, UNIT_RATIO, part));
    }
    if (count > NAMES_SHOWN)
        str_addf(out, " and %zu more", count - NAMES_SHOWN);
}

static int64_t chosen_operations(const struct program_facts *p)
{
    double count = 0;
    for (size_t i = 0; i < p->work_count; i++)
        count += p->work[i].chosen_count;
    return count < 1e18 ? (int64_t)count : (int64_t)1e18; /* the table may be damaged */
}

/* In the order of what weighs most. */
static void decide(const struct analysis *a, struct selection_check *check, const struct program_facts *p)
{
    const bool partial = caveat_has(&a->bundle->caveats, CAVEAT_WEAKENS);
    const struct {
        bool holds;
        enum verdict_status status;
        enum selection_reason reason;
    } rules[] = {
        {p->failed > 0, VERDICT_FAIL, SELECTION_PROGRAM_FAILED},
        {p->processes == p->untraced, VERDICT_INCONCLUSIVE, SELECTION_NO_TRACE},
        {!check->launches && partial, VERDICT_INCONCLUSIVE, SELECTION_TRACE_INCOMPLETE},
        {!check->launches, VERDICT_FAIL, SELECTION_NOTHING_MATCHED},
        {*p->problem || !p->samples, VERDICT_INCONCLUSIVE, SELECTION_NO_SAMPLES},
        {p->untraced > 0, VERDICT_INCONCLUSIVE, SELECTION_TRACE_INCOMPLETE},
        {true, VERDICT_PASS, SELECTION_KERNEL_MATCHES},
    };
    size_t i = 0;
    while (!rules[i].holds)
        i++;
    check->status = rules[i].status;
    check->reason = rules[i].reason;
}

static void add_nothing(struct str *out, const struct selection_check *check, const struct program_facts *p,
                        bool by_range)
{
    if (by_range)
        str_addf(out, "no GPU work was launched in a range '%s'", check->meant);
    else
        str_addf(out, "no kernel matches '%s'", check->meant);
    str_add(out, p->work_count ? "; it ran " : "; it ran nothing on the GPU");
    add_names(out, p, false);
}

static void add_measured(struct str *out, const struct program_facts *p)
{
    char share[UNITS_TEXT_BYTES];
    str_add(out, p->untraced ? "the others ran " : "ran ");
    add_names(out, p, true);
    str_addf(out, "; %lld iterations in %lld processes, %s of its GPU time", (long long)p->samples,
             (long long)(p->processes - p->untraced - p->failed),
             unit_format(share, UNIT_RATIO, p->sum_ns > 0 ? p->chosen_ns / p->sum_ns : NAN));
}

/* A run that was broken off may have times and no word of the processes that they are of. */
static void add_unrecorded(struct str *out, const struct analysis *a, const struct selection_check *check,
                           const struct program_facts *p)
{
    const struct timing_arm *timed = timing_arms_find(&a->run->timing, check->arm);
    if (!p->processes && timed)
        str_addf(out, "%zu process%s timed, and the bundle does not say how %s ended", timed->processes.count,
                 timed->processes.count == 1 ? " was" : "es were", timed->processes.count == 1 ? "it" : "they");
    else
        str_addf(out, "nothing was recorded: %s", *p->untraced_why ? p->untraced_why : "it was not started");
}

static const char *describe(struct analysis *a, const struct selection_check *check, const struct program_facts *p,
                            bool by_range)
{
    struct str text;
    str_init(&text);
    if (!p->failed && p->untraced && p->processes > p->untraced)
        str_addf(&text, "%lld of %lld processes left no trace: %s; ", (long long)p->untraced, (long long)p->processes,
                 p->untraced_why);
    if (p->failed)
        str_addf(&text, "%lld of %lld processes failed: %s", (long long)p->failed, (long long)p->processes, p->failure);
    else if (p->processes == p->untraced)
        add_unrecorded(&text, a, check, p);
    else if (!check->launches)
        add_nothing(&text, check, p, by_range);
    else if (*p->problem)
        str_add(&text, p->problem);
    else
        add_measured(&text, p);
    const char *out = arena_copy(&a->arena, str_text(&text));
    str_release(&text);
    return out;
}

static const char *names_of(struct analysis *a, const struct program_facts *p, bool chosen)
{
    struct str text;
    str_init(&text);
    size_t count = 0;
    for (size_t i = 0; i < p->work_count; i++)
        if ((p->work[i].chosen_count > 0 || !chosen) && ++count <= NAMES_SHOWN)
            str_addf(&text, "%s%s", count > 1 ? ", " : "", p->work[i].name);
    if (count > NAMES_SHOWN)
        str_addf(&text, " and %zu more", count - NAMES_SHOWN);
    const char *out = arena_copy(&a->arena, str_text(&text));
    str_release(&text);
    return out;
}

static int report_failed(struct analysis *a, const struct selection_check *check, const struct program_facts *p,
                         struct err *e)
{
    const char *claim = arena_printf(&a->arena, "%s: %s", check->variant, check->detail);
    struct finding *finding = analysis_finding(a, p->failed ? "program-failed" : "nothing-matched", SEVERITY_FAILURE,
                                               check->variant, check->config, claim);
    if (!finding)
        return err_memory(e);
    finding->advice = p->failed ? "run the command line alone: it has to succeed as it is"
                                : "name what it ran with --kernels, or mark an iteration with an NVTX range";
    return evidence_add(&a->arena, &finding->evidence, "operations_measured", (double)check->launches, UNIT_COUNT, e);
}

/* Each arm may have an expression of its own. */
static const char *kernels_meant(const struct analysis *a, const struct arm *arm)
{
    const long row = arm_table_first(&a->run->tables[BUNDLE_VARIANTS], arm);
    const char *own =
        row < 0 ? "" : table_text(&a->bundle->tables[BUNDLE_VARIANTS], (size_t)row, VARIANTS_KERNEL_PATTERN);
    return *own ? own : json_get_text(json_object_get(a->bundle->manifest, "choice"), "kernels", "");
}

static int check_program(struct analysis *a, const struct arm *arm, struct err *e)
{
    const json_t *choice = json_object_get(a->bundle->manifest, "choice");
    const char *range = json_get_text(choice, "range", NULL);
    struct program_facts p;
    int rc = program_facts_read(&p, a->bundle, arm->variant, &a->arena, e);
    struct selection_check *check = rc ? NULL : ARRAY_PUSH(&a->selection);
    if (!check)
        return rc ? rc : err_memory(e);
    *check = (struct selection_check){
        .arm = arm,
        .variant = arena_copy(&a->arena, arm->variant),
        .config = arena_copy(&a->arena, arm->config),
        .meant = arena_copy(&a->arena, range ? range : kernels_meant(a, arm)),
        .chosen = "",
        .launches = chosen_operations(&p),
    };
    analysis_note(a, ARM_SELECTION, arm, a->selection.count - 1);
    decide(a, check, &p);
    check->ran = names_of(a, &p, check->launches > 0);
    check->detail = describe(a, check, &p, range != NULL);
    return check->status == VERDICT_FAIL ? report_failed(a, check, &p, e) : 0;
}

int program_selection_analyze(struct analysis *a, struct err *e)
{
    const struct arm_table *variants = &a->run->tables[BUNDLE_VARIANTS];
    int rc = 0;
    for (size_t row = 0; bundle_programs(a->bundle) && row < table_rows(variants->table) && !rc; row++)
        rc = check_program(a, variants->arms[row], e);
    return rc;
}
