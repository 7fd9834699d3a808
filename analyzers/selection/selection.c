/* Did the kernel that was meant really run? Two witnesses: the names of the
 * kernels that the traced process launched, and the counters. */
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/base/pattern.h"
#include "core/base/str.h"
#include "core/gpu/metrics.h"
#include "core/run/counters.h"
#include "core/run/noted_calls.h"
#include "core/run/variant_launches.h"

enum { NAMES_SHOWN = 4, PATTERN_BYTES_MAX = 1024 };

/* Ids of distinct kernels, in the order of their first launch. */
struct kernel_names {
    uint32_t *items;
    size_t count, capacity;
};

/* What the trace says about one variant at one config. */
struct testimony {
    bool in_range;          /* the process got as far as launching it */
    int64_t launches;       /* kernels */
    int64_t first_call;     /* of the first call alone, with and without a record */
    int64_t without_record; /* calls whose kernel is not in the trace */
    int64_t graphs_alone;   /* of them those of a graph, which may have none */
    int64_t measured_kernels;
    struct kernel_names names;
    struct kernel_names measured,
        verified; /* of a task's solution: without the first call, where outputs are verified */
};

/* What the counters say about it: the more telling value is the larger one. */
enum counted { COUNTERS_NOT_ASKED, COUNTERS_MET, COUNTERS_MISSING, COUNTERS_MISSED };

struct measurement {
    enum counted verdict;
    struct str detail;
    struct evidence_list evidence;
};

struct selecting {
    struct analysis *a;
    const struct variant_launches *launches;
    unsigned char *seen;     /* by name id, scratch of one variant */
    const char *trace_error; /* why the trace cannot be read; "" */
    bool has_task;           /* the variants are solutions */
};

/* ---- the trace ---- */

enum { SEEN = 1, SEEN_MEASURED = 2, SEEN_VERIFIED = 4 };

static int take_name(struct selecting *s, struct kernel_names *names, unsigned seen, uint32_t name, struct err *e)
{
    if (s->seen[name] & seen)
        return 0;
    s->seen[name] = (unsigned char)(s->seen[name] | seen);
    uint32_t *slot = ARRAY_PUSH(names);
    if (!slot)
        return err_memory(e);
    *slot = name;
    return 0;
}

static void forget_names(struct selecting *s, const struct kernel_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        s->seen[names->items[i]] = 0;
}

/* A solution could run one kernel to be right and another one to be fast. */
static int take_judged(struct selecting *s, struct testimony *t, const struct variant_launch *launch, struct err *e)
{
    if (launch->has_kernel && launch->phase == LAUNCH_PHASE_VERIFY)
        return take_name(s, &t->verified, SEEN_VERIFIED, launch->name, e);
    if (launch->has_kernel && launch->phase == LAUNCH_PHASE_MEASURE)
        return take_name(s, &t->measured, SEEN_MEASURED, launch->name, e);
    return 0;
}

static bool is_checked(enum launch_phase phase)
{
    return phase == LAUNCH_PHASE_FIRST || phase == LAUNCH_PHASE_MEASURE;
}

static int take_launches(struct selecting *s, struct testimony *t, const struct arm *arm, struct err *e)
{
    const struct arm_places ranges = variant_ranges_of(s->launches, arm),
                            launches = variant_launches_of(s->launches, arm);
    for (size_t i = 0; i < ranges.count && !t->in_range; i++)
        t->in_range = is_checked(s->launches->ranges.items[ranges.items[i]].phase);
    for (size_t i = 0; i < launches.count; i++) {
        const struct variant_launch *launch = &s->launches->items[launches.items[i]];
        if (s->has_task && take_judged(s, t, launch, e))
            return err_memory(e);
        if (!is_checked(launch->phase))
            continue;
        t->launches += launch->has_kernel;
        t->without_record += !launch->has_kernel;
        t->graphs_alone += !launch->has_kernel && launch->is_graph;
        t->measured_kernels += launch->has_kernel && launch->phase == LAUNCH_PHASE_MEASURE;
        t->first_call += launch->phase == LAUNCH_PHASE_FIRST;
        int rc = launch->has_kernel ? take_name(s, &t->names, SEEN, launch->name, e) : 0;
        if (rc)
            return rc;
    }
    forget_names(s, &t->names);
    forget_names(s, &t->verified);
    return 0;
}

/* A graph of copies leaves no kernel. That a graph had one which left no record shows in the graph that is timed: its
 * nodes are counted, and would be more than the kernels of a traced call. */
static void excuse_graphs(const struct selecting *s, struct testimony *t, const struct arm *arm)
{
    const double calls = noted_calls(s->a->run, arm, WITNESS_MEASURE);
    const double timed = noted_graph_kernels(s->a->run, arm), traced = (double)t->measured_kernels / calls;
    if (s->has_task && t->graphs_alone == t->without_record && fabs(timed - traced) < 1e-6)
        t->without_record = 0;
}

static const char *describe_names(struct selecting *s, const struct testimony *t)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < t->names.count && i < NAMES_SHOWN; i++)
        str_addf(&text, "%s%s", i ? ", " : "", strtab_text(&s->launches->strings, t->names.items[i]));
    if (t->names.count > NAMES_SHOWN)
        str_addf(&text, " and %zu more", t->names.count - NAMES_SHOWN);
    const char *out = arena_copy(&s->a->arena, str_text(&text));
    str_release(&text);
    return out;
}

/* The first kernel that the pattern does not match, NULL when all match. */
static const char *stranger_of(const struct selecting *s, const struct kernel_names *names, const regex_t *pattern)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *name = strtab_text(&s->launches->strings, names->items[i]);
        if (regexec(pattern, name, 0, NULL, 0))
            return name;
    }
    return NULL;
}

static const char *stranger(const struct selecting *s, const struct testimony *t, const regex_t *pattern)
{
    const char *name = stranger_of(s, &t->names, pattern);
    return name ? name : stranger_of(s, &t->verified, pattern);
}

/* The first kernel that runs where the output of a solution is verified, and in no call that is measured; NULL when
 * there is none. */
static const char *only_verified(const struct selecting *s, const struct testimony *t)
{
    for (size_t i = 0; i < t->verified.count && t->measured.count; i++) {
        size_t k = 0;
        while (k < t->measured.count && t->measured.items[k] != t->verified.items[i])
            k++;
        if (k == t->measured.count)
            return strtab_text(&s->launches->strings, t->verified.items[i]);
    }
    return NULL;
}

/* ---- the counters ---- */

struct reading {
    double launch;
    int gpu; /* that was counted for itself; -1: none was */
    double value;
};

struct readings {
    struct reading *items;
    size_t count, capacity;
};

static int reading_order(const void *left, const void *right)
{
    const struct reading *a = left, *b = right;
    if (a->launch != b->launch)
        return a->launch < b->launch ? -1 : 1;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

static int read_metric(struct readings *out, const struct counted_rows *counted, const struct arm *arm,
                       const char *metric, struct err *e)
{
    const struct table *metrics = counted->metrics;
    size_t first, end;
    counted_rows_find(counted, arm, metric, &first, &end);
    for (size_t i = first; i < end; i++) {
        const size_t row = counted->items[i];
        const double launch = table_number(metrics, row, METRICS_LAUNCH);
        const double value = table_number(metrics, row, METRICS_VALUE);
        if (!isfinite(value))
            continue;
        struct reading *reading = ARRAY_PUSH(out);
        if (!reading)
            return err_memory(e);
        *reading = (struct reading){isfinite(launch) ? launch : 0,
                                    counters_gpu(table_text(metrics, row, METRICS_KERNEL)), value};
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, reading_order);
    return 0;
}

static void describe_expectation(struct str *out, const char *metric, const struct reading *shown, double min,
                                 double max)
{
    const struct metric *known = metric_by_name(metric);
    const enum unit unit = metric_unit(metric);
    char got[UNITS_TEXT_BYTES], least[UNITS_TEXT_BYTES], most[UNITS_TEXT_BYTES];
    unit_format(got, unit, shown->value);
    unit_format(least, unit, min);
    unit_format(most, unit, max);
    str_addf(out, "%s%s: %s", out->length ? "; " : "", known ? known->meaning : metric, got);
    if (shown->gpu >= 0)
        str_addf(out, " on GPU %d", shown->gpu);
    str_add(out, ", expected ");
    if (isfinite(min) && isfinite(max) && min < max)
        str_addf(out, "%s to %s", least, most);
    else if (isfinite(min) && isfinite(max))
        str_add(out, least);
    else
        str_addf(out, "%s %s", isfinite(min) ? "at least" : "at most", isfinite(min) ? least : most);
}

/* A variant may launch several kernels of which only one does what is expected:
 * the largest reading of each launch must lie within the limits, on each GPU that was counted for itself. Reports the
 * first launch where it does not, else the last. */
static enum counted judge_readings(const struct readings *r, double min, double max, struct reading *shown)
{
    for (size_t i = 0; i < r->count; i++) {
        if (i + 1 < r->count && r->items[i + 1].launch == r->items[i].launch && r->items[i + 1].gpu == r->items[i].gpu)
            continue;
        *shown = r->items[i];
        if (shown->value < min || shown->value > max)
            return COUNTERS_MISSED;
    }
    return r->count ? COUNTERS_MET : COUNTERS_MISSING;
}

static int judge_expectation(struct selecting *s, const struct selection_check *check, size_t row,
                             struct measurement *m, struct err *e)
{
    const struct table *expect = &s->a->bundle->tables[BUNDLE_EXPECT];
    const char *metric = table_text(expect, row, EXPECT_METRIC);
    double min = table_number(expect, row, EXPECT_MIN), max = table_number(expect, row, EXPECT_MAX);
    min = isnan(min) ? -INFINITY : min; /* an empty cell is no limit */
    max = isnan(max) ? INFINITY : max;
    struct readings readings = {0};
    int rc = read_metric(&readings, &s->a->run->counted, check->arm, metric, e);
    struct reading shown = {.gpu = -1, .value = NAN};
    const enum counted verdict = rc ? COUNTERS_MISSING : judge_readings(&readings, min, max, &shown);
    free(readings.items);
    if (rc)
        return rc;
    if (verdict > m->verdict)
        m->verdict = verdict;
    if (verdict == COUNTERS_MISSING) {
        str_addf(&m->detail, "%s%s was not measured", m->detail.length ? "; " : "", metric);
        return 0;
    }
    describe_expectation(&m->detail, metric, &shown, min, max);
    return evidence_add(&s->a->arena, &m->evidence, metric, shown.value, metric_unit(metric), e);
}

static int judge_counters(struct selecting *s, const struct selection_check *check, struct measurement *m,
                          struct err *e)
{
    const struct arm_table *expect = &s->a->run->tables[BUNDLE_EXPECT];
    const struct arm *everywhere = analysis_arm(s->a, check->variant, ""); /* without a shape: at all of them */
    const struct arm_places own = arm_table_rows(expect, check->arm),
                            of_all = arm_table_rows(expect, everywhere == check->arm ? NULL : everywhere);
    int rc = 0;
    for (size_t i = 0, k = 0; (i < own.count || k < of_all.count) && !rc;) { /* as they stand in the table */
        const bool is_own = k == of_all.count || (i < own.count && own.items[i] < of_all.items[k]);
        rc = judge_expectation(s, check, is_own ? own.items[i++] : of_all.items[k++], m, e);
    }
    return rc;
}

/* ---- the verdict ---- */

/* In the order of what weighs most: a contradiction before a gap, a gap before
 * agreement. */
static void decide(struct selecting *s, struct selection_check *check, const struct testimony *t, bool has_pattern,
                   const char *odd_one, enum counted counters)
{
    const bool traced = s->launches->has_trace && !s->trace_error[0];
    const bool partial = s->launches->partial || t->without_record > 0;
    const struct {
        bool holds;
        enum verdict_status status;
        enum selection_reason reason;
    } rules[] = {
        {odd_one != NULL, VERDICT_FAIL, SELECTION_KERNEL_DIFFERS},
        {only_verified(s, t) != NULL, VERDICT_FAIL, SELECTION_VERIFIED_DIFFERS},
        {counters == COUNTERS_MISSED, VERDICT_FAIL, SELECTION_EXPECTATION_MISSED},
        {!traced, VERDICT_INCONCLUSIVE, SELECTION_NO_TRACE},
        {!t->launches && t->in_range && !partial, VERDICT_FAIL, SELECTION_NOT_LAUNCHED},
        {s->launches->is_gap || t->without_record > 0, VERDICT_INCONCLUSIVE, SELECTION_TRACE_INCOMPLETE},
        {partial, VERDICT_INCONCLUSIVE, SELECTION_BUNDLE_DAMAGED},
        {!t->launches, VERDICT_INCONCLUSIVE, SELECTION_NOT_LAUNCHED},
        {!has_pattern, VERDICT_INCONCLUSIVE, SELECTION_NO_PATTERN},
        {counters == COUNTERS_MISSING, VERDICT_INCONCLUSIVE, SELECTION_NO_COUNTERS},
        {true, VERDICT_PASS, SELECTION_KERNEL_MATCHES},
    };
    size_t i = 0;
    while (!rules[i].holds)
        i++;
    check->status = rules[i].status;
    check->reason = rules[i].reason;
}

static const char *describe(struct selecting *s, const struct selection_check *check, const struct testimony *t,
                            const char *odd_one, const struct str *counters)
{
    struct str text;
    str_init(&text);
    if (odd_one)
        str_addf(&text, "ran %s, meant a kernel matching '%s'", odd_one, check->meant);
    else if (only_verified(s, t))
        str_addf(&text, "ran %s, but %s where its output is verified", check->ran, only_verified(s, t));
    else if (t->launches)
        str_addf(&text, "ran %s", check->ran);
    else if (s->trace_error[0])
        str_addf(&text, "the trace cannot be read: %s", s->trace_error);
    else
        str_add(&text, s->launches->has_trace ? "no kernel of it is in the trace" : "the bundle holds no trace");
    if (*check->chosen)
        str_addf(&text, " (%s)", check->chosen);
    if (t->without_record)
        str_addf(&text, "; %lld of its launches left no record", (long long)t->without_record);
    if (s->launches->partial)
        str_addf(&text, "; %s", s->launches->partial_reason);
    if (check->reason == SELECTION_NO_PATTERN)
        str_add(&text, "; it declares no valid pattern for the names of its kernels");
    if (counters->length)
        str_addf(&text, "; %s", str_text(counters));
    const char *out = arena_copy(&s->a->arena, str_text(&text));
    str_release(&text);
    return out;
}

static int report_wrong(struct selecting *s, const struct selection_check *check, const struct evidence_list *counters,
                        struct err *e)
{
    struct analysis *a = s->a;
    const char *claim =
        arena_printf(&a->arena, "%s is not what ran at %s: %s", check->variant, check->config, check->detail);
    struct finding *finding =
        analysis_finding(a, "wrong-kernel", SEVERITY_FAILURE, check->variant, check->config, claim);
    if (!finding)
        return err_memory(e);
    finding->evidence = *counters;
    finding->advice = "check which kernel the dispatcher picks for this shape before reading any number below";
    return evidence_add(&a->arena, &finding->evidence, "kernels_launched", (double)check->launches, UNIT_COUNT, e);
}

/* A bundle may come from a stranger. Counted repetitions multiply the size of
 * the compiled pattern, back references make matching exponential; no name of a
 * kernel needs either. */
static bool is_harmless(const char *pattern)
{
    for (size_t i = 0; pattern[i]; i++)
        if (pattern[i] == '{' || (pattern[i] == '\\' && pattern[i + 1] >= '1' && pattern[i + 1] <= '9'))
            return false;
    return strlen(pattern) <= PATTERN_BYTES_MAX;
}

static bool compile_pattern(regex_t *out, const char *pattern)
{
    return pattern[0] && is_harmless(pattern) && !pattern_compile(out, pattern, "kernel pattern", NULL);
}

static int check_variant(struct selecting *s, struct selection_check *check, struct err *e)
{
    struct testimony t = {0};
    struct measurement m = {.verdict = COUNTERS_NOT_ASKED};
    regex_t pattern;
    const bool has_pattern = compile_pattern(&pattern, check->meant);
    int rc = take_launches(s, &t, check->arm, e);
    if (!rc)
        rc = judge_counters(s, check, &m, e);
    if (!rc) {
        excuse_graphs(s, &t, check->arm);
        const char *odd_one = has_pattern ? stranger(s, &t, &pattern) : NULL;
        check->launches = t.launches;
        check->kernels_per_call = s->launches->partial ? 0 : t.first_call;
        check->ran = describe_names(s, &t);
        decide(s, check, &t, has_pattern, odd_one, m.verdict);
        check->detail = describe(s, check, &t, odd_one, &m.detail);
        if (check->status == VERDICT_FAIL)
            rc = report_wrong(s, check, &m.evidence, e);
    }
    if (has_pattern)
        regfree(&pattern);
    free(t.names.items);
    free(t.measured.items);
    free(t.verified.items);
    str_release(&m.detail);
    return rc;
}

static struct selection_check *add_check(struct analysis *a, const struct table *variants, size_t row)
{
    const struct arm *arm = a->run->tables[BUNDLE_VARIANTS].arms[row];
    struct selection_check *check = ARRAY_PUSH(&a->selection);
    if (check)
        *check = (struct selection_check){
            .arm = arm,
            .variant = arena_copy(&a->arena, arm->variant),
            .config = arena_copy(&a->arena, arm->config),
            .meant = arena_copy(&a->arena, table_text(variants, row, VARIANTS_KERNEL_PATTERN)),
            .chosen = arena_copy(&a->arena, table_text(variants, row, VARIANTS_CHOSEN)),
            .ran = "",
            .detail = "",
        };
    if (check)
        analysis_note(a, ARM_SELECTION, arm, a->selection.count - 1);
    return check;
}

int selection_analyze(struct analysis *a, struct err *e)
{
    const struct table *variants = &a->bundle->tables[BUNDLE_VARIANTS];
    struct selecting s = {.a = a,
                          .launches = &a->run->launches,
                          .trace_error = a->run->trace_error ? a->run->trace_error : "",
                          .has_task = analysis_has_task(a)};
    const bool of_kernels = !bundle_programs(a->bundle); /* program_selection.c asks of programs */
    s.seen = calloc(strtab_count(&s.launches->strings) + 1, 1);
    int rc = s.seen ? 0 : err_memory(e);
    for (size_t row = 0; of_kernels && row < table_rows(variants) && !rc; row++) {
        struct selection_check *check = add_check(a, variants, row);
        rc = check ? check_variant(&s, check, e) : err_memory(e);
    }
    free(s.seen);
    return rc;
}
