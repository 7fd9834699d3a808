/* Is the step of one trace faster than that of another?
 *
 * Processes are replicates where at least three of each side ran one after the other. Otherwise a side is one process,
 * and its values are medians of consecutive blocks of steps (analyzers/spread_decision.h). */
#include "analyzers/steps/step_comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/count_sum.h"
#include "core/base/strtab.h"
#include "core/base/words.h"
#include "core/stats/statistics.h"
#include "core/trace/duration_groups.h"

/* ---- values ---- */

struct values {
    double *items;
    size_t count, capacity;
};

static int add_value(struct values *v, double value, struct err *e)
{
    double *slot = ARRAY_PUSH(v);
    if (!slot)
        return err_memory(e);
    *slot = value;
    return 0;
}

static double time_of(const struct step *s)
{
    return (double)duration_ns(s->start_ns, s->end_ns);
}

static size_t steps_of_rank(const struct trace_steps *t, size_t from)
{
    size_t count = 1;
    while (from + count < t->count && t->items[from + count].rank == t->items[from].rank)
        count++;
    return count;
}

static bool spans_meet(const struct step *first, const struct step *last, const struct step *other,
                       const struct step *other_last)
{
    return first->start_ns < other_last->end_ns && other->start_ns < last->end_ns;
}

/* Where the steps of each process lie. */
struct rank_steps {
    const struct step *first;
    size_t count;
};

struct ranks {
    struct rank_steps *items;
    size_t count, capacity;
};

static int find_ranks(struct ranks *out, const struct trace_steps *t, struct err *e)
{
    *out = (struct ranks){0};
    for (size_t from = 0, count; from < t->count; from += count) {
        count = steps_of_rank(t, from);
        struct rank_steps *slot = ARRAY_PUSH(out);
        if (!slot)
            return err_memory(e);
        *slot = (struct rank_steps){&t->items[from], count};
    }
    return 0;
}

/* How many pairs of processes ran at the same time? They may wait for one another, and share the machine. */
static size_t pairs_that_meet(const struct ranks *r)
{
    size_t pairs = 0;
    for (size_t a = 0; a < r->count; a++)
        for (size_t b = a + 1; b < r->count; b++) {
            const struct rank_steps *one = &r->items[a], *other = &r->items[b];
            pairs += spans_meet(one->first, one->first + one->count - 1, other->first, other->first + other->count - 1);
        }
    return pairs;
}

static bool has_replicates(const struct ranks *r)
{
    return r->count >= RATIO_PROCESSES_MIN && !pairs_that_meet(r);
}

/* Are all processes parts of one run, with a step each for every step of the others? */
static bool is_one_run(const struct ranks *r)
{
    for (size_t i = 1; i < r->count; i++)
        if (r->items[i].count != r->items[0].count)
            return false;
    return pairs_that_meet(r) == r->count * (r->count - (r->count > 0)) / 2;
}

static int median_of_steps(const struct step *steps, size_t count, double *out, struct err *e)
{
    double *times = calloc(count + 1, sizeof *times);
    if (!times)
        return err_memory(e);
    for (size_t i = 0; i < count; i++)
        times[i] = time_of(&steps[i]);
    *out = median(times, count);
    free(times);
    return 0;
}

static int values_of_processes(struct values *out, const struct ranks *r, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < r->count && !rc; i++) {
        double value;
        rc = median_of_steps(r->items[i].first, r->items[i].count, &value, e);
        if (!rc)
            rc = add_value(out, value, e);
    }
    return rc;
}

/* The nth step of all processes, which takes as long as that of the slowest one. */
static int slowest_of_ranks(struct values *out, const struct ranks *r, struct err *e)
{
    size_t shortest = r->count ? SIZE_MAX : 0;
    int rc = 0;
    for (size_t i = 0; i < r->count; i++)
        shortest = r->items[i].count < shortest ? r->items[i].count : shortest;
    for (size_t n = 0; n < shortest && !rc; n++) {
        double slowest = 0;
        for (size_t i = 0; i < r->count; i++)
            slowest = fmax(slowest, time_of(&r->items[i].first[n]));
        rc = add_value(out, slowest, e);
    }
    return rc;
}

/* ---- the verdict ---- */

const struct reason step_reasons[] = {STEP_REASONS(REASON_ROW)};

static enum step_reason of_ratio(enum ratio_reason reason)
{
    static const enum step_reason reasons[] = {[RATIO_TOO_FEW_PROCESSES] = STEPS_TOO_FEW_STEPS,
                                               [RATIO_BELOW_MARGIN] = STEPS_INTERVAL_BELOW_MARGIN,
                                               [RATIO_ABOVE_MARGIN] = STEPS_INTERVAL_ABOVE_MARGIN,
                                               [RATIO_WITHIN_MARGIN] = STEPS_INTERVAL_WITHIN_MARGIN,
                                               [RATIO_CROSSES_MARGIN] = STEPS_INTERVAL_CROSSES_MARGIN,
                                               [RATIO_BEYOND_SPREAD] = STEPS_BEYOND_SPREAD,
                                               [RATIO_WITHIN_SPREAD] = STEPS_WITHIN_SPREAD};
    return reasons[reason];
}

static void set_verdict(struct step_comparison *c, enum comparison_verdict verdict, enum step_reason reason)
{
    c->verdict = verdict;
    c->reason = reason;
}

static void decide(struct step_comparison *c, const struct values *before, const struct values *after)
{
    const struct ratio_decision decision =
        spread_decide(&(struct arm_values){before->items, after->items, before->count, after->count, false},
                      c->has_replicates, c->margin);
    c->interval = decision.interval;
    set_verdict(c, decision.verdict, of_ratio(decision.reason));
}

/* Missing or damaged evidence takes a good verdict away; slower stays. False times take any. */
static void weaken(struct step_comparison *c, const struct step_input *in)
{
    if (caveat_has(in->caveats, CAVEAT_TIMES)) {
        set_verdict(c, COMPARE_INCONCLUSIVE, STEPS_FALSE_TIMES);
        return;
    }
    static const struct {
        enum caveat_kind kind;
        enum step_reason reason;
    } doubts[] = {
        {CAVEAT_TRUNCATED, STEPS_DAMAGED}, {CAVEAT_WEAKENS, STEPS_INCOMPLETE}, {CAVEAT_RANGES, STEPS_INCOMPLETE}};
    for (size_t i = 0; i < COUNT_OF(doubts); i++)
        if (c->verdict != COMPARE_SLOWER && caveat_has(in->caveats, doubts[i].kind)) {
            set_verdict(c, COMPARE_INCONCLUSIVE, doubts[i].reason);
            return;
        }
    if (c->verdict != COMPARE_SLOWER && c->sides[0].range && in->steps->unlaunched)
        set_verdict(c, COMPARE_INCONCLUSIVE, STEPS_UNLAUNCHED);
}

/* Why steps of these processes cannot be held against each other; NULL: they can. */
static bool are_comparable(const struct step_comparison *c, const struct ranks ranks[2], enum step_reason *why_not)
{
    const char *before = c->sides[0].range, *after = c->sides[1].range;
    const bool has_ranges = before && after, are_of_one = has_ranges && !strcmp(before, after);
    *why_not = !has_ranges ? STEPS_NO_STEPS : !are_of_one ? STEPS_OTHER_RANGE : STEPS_OTHER_PROCESSES;
    return are_of_one &&
           (c->has_replicates || (ranks[0].count == ranks[1].count && is_one_run(&ranks[0]) && is_one_run(&ranks[1])));
}

static int judge(struct step_comparison *c, const struct trace_steps *const sides[2], struct err *e)
{
    struct values values[2] = {{0}};
    struct ranks ranks[2] = {{0}};
    int rc = find_ranks(&ranks[0], sides[0], e);
    if (!rc)
        rc = find_ranks(&ranks[1], sides[1], e);
    c->has_replicates = !rc && has_replicates(&ranks[0]) && has_replicates(&ranks[1]);
    for (size_t i = 0; i < 2 && !rc; i++)
        rc = c->has_replicates ? values_of_processes(&values[i], &ranks[i], e)
                               : slowest_of_ranks(&values[i], &ranks[i], e);
    enum step_reason why_not;
    const bool can_be = are_comparable(c, ranks, &why_not);
    const size_t fewer = values[0].count < values[1].count ? values[0].count : values[1].count;
    for (size_t i = 0; i < 2; i++) {
        if (!c->has_replicates)
            values[i].count = spread_fold(values[i].items, values[i].count);
        c->values[i] = values[i].count;
    }
    set_verdict(c, COMPARE_INCONCLUSIVE, can_be ? STEPS_TOO_FEW_STEPS : why_not);
    if (!rc && can_be && (c->has_replicates || fewer >= STEPS_MIN))
        decide(c, &values[0], &values[1]);
    for (size_t i = 0; i < 2; i++) {
        free(values[i].items);
        free(ranks[i].items);
    }
    return rc;
}

/* ---- where ---- */

static const char *const measure_names[STEP_MEASURES] = {[STEP_TIME] = "time",
                                                         [STEP_MEASURE_PARTS + STEP_COMPUTE] = "kernels",
                                                         [STEP_MEASURE_PARTS + STEP_COMMUNICATION] =
                                                             "exposed communication",
                                                         [STEP_MEASURE_PARTS + STEP_COPY] = "exposed copies",
                                                         [STEP_MEASURE_PARTS + STEP_MEMSET] = "exposed memsets",
                                                         [STEP_MEASURE_PARTS + STEP_MIGRATION] = "exposed migrations",
                                                         [STEP_MEASURE_PARTS + STEP_IDLE] = "idle"};

static int median_of(const struct trace_steps *t, size_t measure, double *out, struct err *e)
{
    double *values = calloc(t->count + 1, sizeof *values);
    if (!values)
        return err_memory(e);
    for (size_t i = 0; i < t->count; i++)
        values[i] =
            measure == STEP_TIME ? time_of(&t->items[i]) : (double)t->items[i].part_ns[measure - STEP_MEASURE_PARTS];
    *out = median(values, t->count);
    free(values);
    return 0;
}

static int measure(struct step_comparison *c, const struct trace_steps *const sides[2], struct err *e)
{
    int rc = 0;
    for (size_t m = 0; m < STEP_MEASURES && !rc; m++) {
        c->measures[m].measure = measure_names[m];
        rc = median_of(sides[0], m, &c->measures[m].before_ns, e);
        if (!rc)
            rc = median_of(sides[1], m, &c->measures[m].after_ns, e);
    }
    return rc;
}

/* No grid and no block has an extent of 0: nobody recorded it. */
static bool has_sizes(const struct step_kernel *k)
{
    for (int i = 0; i < 3; i++)
        if (k->grid[i] <= 0 || k->block[i] <= 0)
            return false;
    return true;
}

static const char *launched_as(struct arena *arena, const struct step_kernel *k)
{
    if (k->is_kernel && !has_sizes(k))
        return "sizes not recorded";
    return k->is_kernel ? arena_printf(arena, "%lldx%lldx%lld of %lldx%lldx%lld", (long long)k->grid[0],
                                       (long long)k->grid[1], (long long)k->grid[2], (long long)k->block[0],
                                       (long long)k->block[1], (long long)k->block[2])
                        : "";
}

static double per_step(int64_t sum, const struct trace_steps *t)
{
    return t->count ? (double)sum / (double)t->count : NAN;
}

/* Of one kernel, as far as each side has it. */
static int add_work(struct step_comparison *c, const struct trace_steps *const sides[2],
                    const struct step_kernel *before, const struct step_kernel *after, struct err *e)
{
    static const struct step_kernel none = {0};
    const struct step_kernel *any = before ? before : after;
    struct step_work *slot = ARRAY_PUSH(&c->work);
    if (!slot)
        return err_memory(e);
    before = before ? before : &none;
    after = after ? after : &none;
    *slot = (struct step_work){.name = arena_copy(&c->arena, any->name),
                               .launched = launched_as(&c->arena, any),
                               .is_kernel = any->is_kernel,
                               .before_launches = per_step(before->launches, sides[0]),
                               .after_launches = per_step(after->launches, sides[1]),
                               .before_ns = per_step(before->total_ns, sides[0]),
                               .after_ns = per_step(after->total_ns, sides[1])};
    slot->differs = before->launches * (int64_t)sides[1]->count != after->launches * (int64_t)sides[0]->count;
    return 0;
}

static int by_change(const void *left, const void *right)
{
    const struct step_work *a = left, *b = right;
    const double x = fabs(a->after_ns - a->before_ns), y = fabs(b->after_ns - b->before_ns);
    if (x != y)
        return x > y ? -1 : 1;
    if (a->after_ns != b->after_ns)
        return a->after_ns > b->after_ns ? -1 : 1;
    const int names = strcmp(a->name, b->name);
    return names ? names : strcmp(a->launched, b->launched);
}

/* The work of a side by what it is known by: kernels whose sizes a side did not record, by name alone. */
struct known_work {
    struct strtab keys;
    struct step_kernels kernels;
};

static int find_unsized(struct strtab *names, const struct trace_steps *t, struct err *e)
{
    for (size_t i = 0; i < t->kernels.count; i++)
        if (t->kernels.items[i].is_kernel && !has_sizes(&t->kernels.items[i]) &&
            !strtab_add(names, t->kernels.items[i].name))
            return err_memory(e);
    return 0;
}

static int gather_work(struct known_work *out, const struct trace_steps *t, const struct strtab *unsized, struct err *e)
{
    for (size_t i = 0; i < t->kernels.count; i++) {
        const struct step_kernel *k = &t->kernels.items[i];
        const bool by_name = k->is_kernel && strtab_find(unsized, k->name);
        const uint32_t id = strtab_add(&out->keys, by_name ? k->name : strtab_text(&t->keys, (uint32_t)i + 1));
        if (!id)
            return err_memory(e);
        if (id > out->kernels.count) {
            struct step_kernel *slot = ARRAY_PUSH(&out->kernels);
            if (!slot)
                return err_memory(e);
            *slot = (struct step_kernel){.name = k->name, .is_kernel = k->is_kernel};
            memcpy(slot->grid, k->grid, by_name ? 0 : sizeof slot->grid);
            memcpy(slot->block, k->block, by_name ? 0 : sizeof slot->block);
        }
        out->kernels.items[id - 1].launches += k->launches;
        count_add(&out->kernels.items[id - 1].total_ns, k->total_ns);
    }
    return 0;
}

static int add_all_work(struct step_comparison *c, const struct trace_steps *const sides[2],
                        const struct known_work known[2], struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < known[0].kernels.count && !rc; i++) {
        const uint32_t id = strtab_find(&known[1].keys, strtab_text(&known[0].keys, (uint32_t)i + 1));
        rc = add_work(c, sides, &known[0].kernels.items[i], id ? &known[1].kernels.items[id - 1] : NULL, e);
    }
    for (size_t i = 0; i < known[1].kernels.count && !rc; i++)
        if (!strtab_find(&known[0].keys, strtab_text(&known[1].keys, (uint32_t)i + 1)))
            rc = add_work(c, sides, NULL, &known[1].kernels.items[i], e);
    if (c->work.count)
        qsort(c->work.items, c->work.count, sizeof *c->work.items, by_change);
    return rc;
}

static int compare_work(struct step_comparison *c, const struct trace_steps *const sides[2], struct err *e)
{
    struct known_work known[2] = {0};
    struct strtab unsized;
    int rc = 0;
    strtab_init(&unsized);
    for (size_t i = 0; i < 2; i++)
        strtab_init(&known[i].keys);
    for (size_t i = 0; i < 2 && !rc; i++)
        rc = find_unsized(&unsized, sides[i], e);
    for (size_t i = 0; i < 2 && !rc; i++)
        rc = gather_work(&known[i], sides[i], &unsized, e);
    if (!rc)
        rc = add_all_work(c, sides, known, e);
    for (size_t i = 0; i < 2; i++) {
        strtab_release(&known[i].keys);
        free(known[i].kernels.items);
    }
    strtab_release(&unsized);
    return rc;
}

/* ---- the machines ---- */

/* Does one of the processes before, or one of its own GPUs before, have this GPU too? */
static bool is_named(const json_t *processes, size_t process, size_t gpu, const char *uuid)
{
    for (size_t p = 0; *uuid && p <= process; p++) {
        const json_t *gpus = json_object_get(json_array_get(processes, p), "gpus");
        const size_t count = p < process ? json_array_size(gpus) : gpu;
        for (size_t g = 0; g < count; g++)
            if (!strcmp(json_get_text(json_array_get(gpus, g), "uuid", ""), uuid))
                return true;
    }
    return false;
}

/* The names of all GPUs of a capture, each once: processes may share one. */
static const char *gpus_of(struct arena *arena, const json_t *manifest)
{
    const char *names = "";
    size_t p, g;
    json_t *process, *gpu;
    json_array_foreach (json_object_get(manifest, "processes"), p, process)
        json_array_foreach (json_object_get(process, "gpus"), g, gpu) {
            const char *name = json_get_text(gpu, "name", "");
            if (is_named(json_object_get(manifest, "processes"), p, g, json_get_text(gpu, "uuid", "")))
                continue;
            names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "", name);
        }
    return names;
}

static const char *driver_of(struct arena *arena, const json_t *manifest)
{
    (void)arena;
    return json_get_text(json_object_get(manifest, "driver"), "version", "");
}

/* A ratio across machines says nothing of the change, unless they differ on purpose. */
static int compare_machines(struct step_comparison *c, const struct step_input *before, const struct step_input *after,
                            const char *across, struct err *e)
{
    static const struct {
        const char *word;
        const char *(*of)(struct arena *arena, const json_t *manifest);
    } facts[] = {{"device", gpus_of}, {"driver", driver_of}};
    for (size_t i = 0; i < COUNT_OF(facts); i++) {
        const char *a = facts[i].of(&c->arena, before->manifest), *b = facts[i].of(&c->arena, after->manifest);
        if (*a && *b && !strcmp(a, b))
            continue;
        const char **slot = ARRAY_PUSH(&c->machines);
        if (!slot)
            return err_memory(e);
        *slot =
            arena_printf(&c->arena, "%s %s before, %s after", facts[i].word, *a ? a : "unknown", *b ? b : "unknown");
        if (!words_list_has(across, facts[i].word) && c->verdict != COMPARE_INCONCLUSIVE)
            set_verdict(c, COMPARE_INCONCLUSIVE, *a && *b ? STEPS_OTHER_MACHINE : STEPS_UNKNOWN_MACHINE);
    }
    return 0;
}

/* ---- all ---- */

static int make(struct step_comparison *c, const struct step_input *before, const struct step_input *after,
                const char *across, struct err *e)
{
    const struct trace_steps *const sides[2] = {before->steps, after->steps};
    for (size_t i = 0; i < 2; i++) {
        c->sides[i] = sides[i]->side;
        c->sides[i].range = sides[i]->side.range ? arena_copy(&c->arena, sides[i]->side.range) : NULL;
    }
    int rc = judge(c, sides, e);
    if (!rc)
        rc = compare_machines(c, before, after, across, e);
    if (!rc)
        rc = measure(c, sides, e);
    weaken(c, before);
    weaken(c, after);
    return rc ? rc : compare_work(c, sides, e);
}

int step_comparison_make(struct step_comparison *out, const struct step_input *before, const struct step_input *after,
                         double margin, const char *across, struct err *e)
{
    *out = (struct step_comparison){.margin = margin, .interval = {NAN, NAN, NAN}};
    arena_init(&out->arena);
    return make(out, before, after, across, e);
}

void step_comparison_release(struct step_comparison *c)
{
    free(c->work.items);
    free(c->machines.items);
    arena_release(&c->arena);
}
