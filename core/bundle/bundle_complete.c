/* Which rows does a run lack that it must have? */
#define _GNU_SOURCE
#include "core/bundle/bundle_complete.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"

/* The rows of a table, sorted by some columns. */
struct sorted_rows {
    const struct table *t;
    size_t columns[4];
    size_t column_count;
    size_t *items;
    size_t count;
};

/* A missing number sorts before all others. */
static double number_of(const struct table *t, size_t row, size_t column)
{
    const double number = table_number(t, row, column);
    return isnan(number) ? -INFINITY : number;
}

static int compare_cells(const struct table *t, size_t a, size_t b, size_t column)
{
    if (t->columns[column].unit == UNIT_TEXT)
        return strcmp(table_text(t, a, column), table_text(t, b, column));
    const double left = number_of(t, a, column), right = number_of(t, b, column);
    return (left > right) - (left < right);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct sorted_rows *s = context;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = 0;
    for (size_t i = 0; i < s->column_count && !order; i++)
        order = compare_cells(s->t, a, b, s->columns[i]);
    return order;
}

/* Equal rows keep the order of the table, or the order of their blocks. */
static int place_rows(const void *left, const void *right, void *context)
{
    const struct sorted_rows *s = context;
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    int order = compare_rows(left, right, context);
    if (!order && s->column_count == 3)
        order = compare_cells(s->t, a, b, TIMING_BLOCK);
    return order ? order : (a > b) - (a < b);
}

static int sort_rows(struct sorted_rows *s, struct err *e)
{
    s->count = table_rows(s->t);
    s->items = malloc((s->count + 1) * sizeof *s->items);
    if (!s->items)
        return err_memory(e);
    for (size_t row = 0; row < s->count; row++)
        s->items[row] = row;
    qsort_r(s->items, s->count, sizeof *s->items, place_rows, s);
    return 0;
}

/* ---- timing processes ---- */

struct timed {
    const char *variant, *config;
    long long processes;
};

static bool same_arm(const struct table *t, size_t a, size_t b)
{
    return !compare_cells(t, a, b, TIMING_VARIANT) && !compare_cells(t, a, b, TIMING_SHAPE);
}

/* Returns the arms by name; the caller frees them. */
static struct timed *count_processes(const struct sorted_rows *rows, size_t *count)
{
    struct timed *arms = calloc(rows->count + 1, sizeof *arms);
    *count = 0;
    for (size_t i = 0; arms && i < rows->count; i++) {
        const size_t row = rows->items[i];
        const bool is_new = !i || !same_arm(rows->t, rows->items[i - 1], row);
        if (is_new)
            arms[(*count)++] =
                (struct timed){table_text(rows->t, row, TIMING_VARIANT), table_text(rows->t, row, TIMING_SHAPE), 0};
        arms[*count - 1].processes += is_new || compare_cells(rows->t, rows->items[i - 1], row, TIMING_PROCESS) != 0;
    }
    return arms;
}

static int by_name(const void *left, const void *right)
{
    const struct timed *a = left, *b = right;
    const int order = strcmp(a->variant, b->variant);
    return order ? order : strcmp(a->config, b->config);
}

/* The checks of a process that is missing are missing, too. */
static int note_processes(struct bundle *b, const struct timed *arm, long long expected, struct err *e)
{
    b->lacks_checks = true;
    return caveat_add(&b->caveats, arm->processes > expected ? CAVEAT_TRUNCATED : CAVEAT_WEAKENS, e,
                      "%s/%s: '%s' at '%s' has samples of %lld processes, of %lld that timed it", b->path,
                      bundle_table_file(BUNDLE_TIMING), arm->variant, arm->config, arm->processes, expected);
}

/* Reports only the first arm. */
static int check_processes(struct bundle *b, const struct sorted_rows *timing, struct err *e)
{
    const long long expected = json_get_integer(json_object_get(b->manifest, "stop"), "processes", -1);
    const struct table *variants = &b->tables[BUNDLE_VARIANTS];
    size_t count;
    struct timed *arms = expected < 0 ? NULL : count_processes(timing, &count);
    if (!arms)
        return expected < 0 ? 0 : err_memory(e);
    int rc = 0;
    for (size_t row = 0; row < table_rows(variants) && !rc; row++) {
        const struct timed wanted = {table_text(variants, row, VARIANTS_VARIANT),
                                     table_text(variants, row, VARIANTS_SHAPE), 0};
        const struct timed *arm = bsearch(&wanted, arms, count, sizeof *arms, by_name);
        if (!bundle_is_runnable(variants, row) || (arm ? arm->processes : 0) == expected)
            continue;
        rc = note_processes(b, arm ? arm : &wanted, expected, e);
        break;
    }
    free(arms);
    return rc;
}

/* ---- samples ---- */

/* The samples of one process: all its blocks, hot and cold. */
struct tally {
    size_t samples;
    double last_block; /* -1: no block was seen */
    size_t blocks;     /* number of different blocks */
};

static struct tally tally_of(const struct table *t, const size_t *rows, size_t count)
{
    struct tally tally = {count, -1, 0};
    for (size_t i = 0; i < count; i++) {
        const double block = number_of(t, rows[i], TIMING_BLOCK);
        tally.blocks += block > tally.last_block; /* rows are in the order of their blocks */
        tally.last_block = block > tally.last_block ? block : tally.last_block;
    }
    return tally;
}

/* Each process takes the same number of samples of an arm, in blocks that count from 0. */
static int check_samples(struct bundle *b, const struct sorted_rows *timing, struct err *e)
{
    size_t before = 0; /* samples of the previous process; 0: it belongs to another arm */
    for (size_t i = 0, end; i < timing->count; i = end) {
        for (end = i + 1; end < timing->count && !compare_rows(&timing->items[i], &timing->items[end], (void *)timing);)
            end++;
        const struct tally tally = tally_of(timing->t, timing->items + i, end - i);
        if ((before && before != tally.samples) || tally.last_block + 1 > (double)tally.blocks)
            return caveat_add(&b->caveats, CAVEAT_WEAKENS, e,
                              "%s/%s: samples of '%s' at '%s' are gone: process %.0f has not all of them", b->path,
                              bundle_table_file(BUNDLE_TIMING), table_text(timing->t, timing->items[i], TIMING_VARIANT),
                              table_text(timing->t, timing->items[i], TIMING_SHAPE),
                              table_number(timing->t, timing->items[i], TIMING_PROCESS));
        before = end < timing->count && same_arm(timing->t, timing->items[i], timing->items[end]) ? tally.samples : 0;
    }
    return 0;
}

/* ---- checks ---- */

/* Is there a check of this phase, with this seed or by this process? The last column of the sort order decides
 * which. */
static bool has_check(const struct sorted_rows *checks, const char *variant, const char *config, const char *phase,
                      const char *seed, double process)
{
    size_t low = 0, high = checks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2, row = checks->items[middle];
        int order = strcmp(table_text(checks->t, row, VERIFY_VARIANT), variant);
        if (!order)
            order = strcmp(table_text(checks->t, row, VERIFY_SHAPE), config);
        if (!order)
            order = strcmp(table_text(checks->t, row, VERIFY_PHASE), phase);
        const double number = number_of(checks->t, row, VERIFY_PROCESS);
        if (!order)
            order =
                seed ? strcmp(table_text(checks->t, row, VERIFY_SEED), seed) : (number > process) - (number < process);
        if (!order)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static int note_check(struct bundle *b, const char *variant, const char *config, const char *what, struct err *e)
{
    b->lacks_checks = true;
    return caveat_add(&b->caveats, CAVEAT_WEAKENS, e, "%s/%s: '%s' at '%s' lacks the check %s", b->path,
                      bundle_table_file(BUNDLE_VERIFY), variant, config, what);
}

/* A check of a kernel must have an outcome. */
static int check_answers(struct bundle *b, struct err *e)
{
    const struct table *verify = &b->tables[BUNDLE_VERIFY];
    for (size_t row = 0; row < table_rows(verify); row++)
        if (!*table_text(verify, row, VERIFY_PASS))
            return note_check(b, table_text(verify, row, VERIFY_VARIANT), table_text(verify, row, VERIFY_SHAPE),
                              "whose row does not say whether it passes", e);
    return 0;
}

bool inside_is_partial(const char *arm)
{
    static const char *const endings[] = {INSIDE_PARTIAL "copy", INSIDE_PARTIAL "math", INSIDE_PARTIAL "both"};
    const size_t length = strlen(arm);
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        const size_t own = strlen(endings[i]);
        if (length > own && !strcmp(arm + length - own, endings[i]))
            return true;
    }
    return false;
}

static bool is_verified(const struct table *variants, size_t row)
{
    return bundle_is_runnable(variants, row) && !inside_is_partial(table_text(variants, row, VARIANTS_VARIANT));
}

/* Each seed is checked before anything is timed. */
static int check_seeds(struct bundle *b, const struct sorted_rows *checks, struct err *e)
{
    const struct table *variants = &b->tables[BUNDLE_VARIANTS];
    const json_t *seeds = json_object_get(b->manifest, "seeds");
    for (size_t row = 0; row < table_rows(variants); row++) {
        const char *variant = table_text(variants, row, VARIANTS_VARIANT),
                   *config = table_text(variants, row, VARIANTS_SHAPE);
        for (size_t i = 0; is_verified(variants, row) && i < json_array_size(seeds); i++) {
            const char *seed = json_string_value(json_array_get(seeds, i));
            char what[64];
            if (!seed || has_check(checks, variant, config, "all", seed, 0))
                continue;
            snprintf(what, sizeof what, "'all' with seed %.24s", seed);
            return note_check(b, variant, config, what, e);
        }
    }
    return 0;
}

/* After the timing loop the output of its hot launches is checked, else of its cold ones; earlier versions checked one
 * more launch. */
static bool has_check_behind(const struct sorted_rows *checks, const char *variant, const char *config, double process)
{
    static const char *const phases[] = {VERIFY_TIMED, VERIFY_TIMED_COLD, "after"};
    for (size_t i = 0; i < COUNT_OF(phases); i++)
        if (has_check(checks, variant, config, phases[i], NULL, process))
            return true;
    return false;
}

/* Each process checks before and after the timing loop; a pool keeps only the checks of process 0. */
static int check_loops(struct bundle *b, const struct sorted_rows *timing, const struct sorted_rows *checks,
                       struct err *e)
{
    const bool is_pool = !strcmp(json_get_text(b->manifest, "kind", ""), "aa");
    for (size_t i = 0; i < timing->count; i++) {
        const size_t row = timing->items[i];
        const double process = table_number(timing->t, row, TIMING_PROCESS);
        const char *variant = table_text(timing->t, row, TIMING_VARIANT),
                   *config = table_text(timing->t, row, TIMING_SHAPE);
        if ((i && !compare_rows(&timing->items[i - 1], &row, (void *)timing)) || (is_pool && process > 0) ||
            inside_is_partial(variant))
            continue;
        const bool has_before = has_check(checks, variant, config, "before", NULL, process);
        if (has_before && has_check_behind(checks, variant, config, process))
            continue;
        char what[64];
        snprintf(what, sizeof what, "'%s' of process %.0f", has_before ? VERIFY_TIMED : "before", process);
        return note_check(b, variant, config, what, e);
    }
    return 0;
}

/* ---- programs ---- */

/* Returns the manifest's record of one process of a program; NULL when it has none. */
static const json_t *process_of(const json_t *program, double process)
{
    const json_t *processes = json_object_get(program, "processes");
    for (size_t i = 0; i < json_array_size(processes); i++)
        if ((double)json_get_integer(json_array_get(processes, i), "process", -1) == process)
            return json_array_get(processes, i);
    return NULL;
}

/* The rows of one variant, among rows that are sorted by variant first. */
struct row_range {
    size_t first, count;
};

/* Returns the first row of `variant`, or with `behind` the first row after all of its rows. */
static size_t first_row(const struct sorted_rows *rows, const char *variant, bool behind)
{
    size_t low = 0, high = rows->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(table_text(rows->t, rows->items[middle], rows->columns[0]), variant);
        if (order < 0 || (behind && !order))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct row_range rows_of(const struct sorted_rows *rows, const char *variant)
{
    const size_t first = first_row(rows, variant, false);
    return (struct row_range){first, first_row(rows, variant, true) - first};
}

static long long with_samples(const json_t *program)
{
    const json_t *processes = json_object_get(program, "processes");
    long long count = 0;
    for (size_t i = 0; i < json_array_size(processes); i++)
        count += json_get_integer(json_array_get(processes, i), "samples", 0) > 0;
    return count;
}

/* Samples of a process that was never started are made up. When some samples are missing, others may be, too. */
static int check_process_samples(struct bundle *b, const json_t *program, const struct sorted_rows *timing,
                                 size_t first, size_t count, struct err *e)
{
    const double process = table_number(timing->t, timing->items[first], TIMING_PROCESS);
    const json_t *known = process_of(program, process);
    const long long samples = json_get_integer(known, "samples", 0);
    if (known && samples == (long long)count)
        return 0;
    return caveat_add(&b->caveats, (long long)count > samples ? CAVEAT_TRUNCATED : CAVEAT_WEAKENS, e,
                      "%s/%s: '%s' has %zu samples of process %.0f, of %lld that it took", b->path,
                      bundle_table_file(BUNDLE_TIMING), json_get_text(program, "variant", ""), count, process, samples);
}

/* The manifest counts the samples of each process of a program. Reports the first disagreement of each program. */
static int check_program(struct bundle *b, const json_t *program, const struct sorted_rows *timing, struct err *e)
{
    const char *variant = json_get_text(program, "variant", "");
    const size_t said = b->caveats.count;
    long long processes = 0;
    int rc = 0;
    const struct row_range own = rows_of(timing, variant);
    const size_t behind = own.first + own.count;
    for (size_t i = own.first, end; i < behind && !rc && b->caveats.count == said; i = end) {
        for (end = i + 1; end < behind && !compare_rows(&timing->items[i], &timing->items[end], (void *)timing);)
            end++;
        processes++;
        rc = check_process_samples(b, program, timing, i, end - i, e);
    }
    if (rc || b->caveats.count != said || processes == with_samples(program))
        return rc;
    return caveat_add(&b->caveats, CAVEAT_WEAKENS, e,
                      "%s/%s: '%s' has samples of %lld processes, of %lld that took some", b->path,
                      bundle_table_file(BUNDLE_TIMING), variant, processes, with_samples(program));
}

/* Does the manifest say why this program has no check at all? If one of its processes wrote an array, there must be
 * checks. */
static bool may_lack_checks(const struct bundle *b, const char *variant)
{
    static const char what[] = "correctness of ";
    const json_t *missing = json_object_get(b->manifest, "missing");
    for (size_t i = 0; i < json_array_size(missing); i++) {
        const json_t *one = json_array_get(missing, i);
        const char *of = json_get_text(one, "what", "");
        if (!strncmp(of, what, sizeof what - 1) && !strcmp(of + sizeof what - 1, variant) &&
            strcmp(json_get_text(one, "why", ""), "not every process of the program wrote its array") != 0)
            return true;
    }
    return false;
}

/* Each process that ran has a row of its own, or one without its number which states that it wrote no array. */
static int check_arrays(struct bundle *b, const json_t *program, const struct sorted_rows *checks, struct err *e)
{
    const char *variant = json_get_text(program, "variant", ""), *file = bundle_table_file(BUNDLE_VERIFY);
    const struct row_range own = rows_of(checks, variant);
    const long long ran = with_samples(program);
    long long shown = 0;
    double before = -1;
    for (size_t i = own.first; i < own.first + own.count; i++) {
        const double process = table_number(checks->t, checks->items[i], VERIFY_PROCESS);
        const json_t *known = isnan(process) ? NULL : process_of(program, process);
        if (!isnan(process) && !known) {
            b->lacks_checks = true;
            return caveat_add(&b->caveats, CAVEAT_TRUNCATED, e,
                              "%s/%s: '%s' has a check of process %.0f, which never ran", b->path, file, variant,
                              process);
        }
        shown += isnan(process) || (process != before && json_get_integer(known, "samples", 0) > 0);
        before = process;
    }
    if (shown >= ran || (!own.count && may_lack_checks(b, variant)))
        return 0;
    b->lacks_checks = true;
    return caveat_add(&b->caveats, CAVEAT_WEAKENS, e, "%s/%s: '%s' has checks of %lld processes, of %lld that ran",
                      b->path, file, variant, shown, ran);
}

static int check_programs(struct bundle *b, struct err *e)
{
    const json_t *programs = bundle_programs(b);
    struct sorted_rows timing = {&b->tables[BUNDLE_TIMING], {TIMING_VARIANT, TIMING_SHAPE, TIMING_PROCESS}, 3, NULL, 0};
    struct sorted_rows checks = {&b->tables[BUNDLE_VERIFY], {VERIFY_VARIANT, VERIFY_PROCESS}, 2, NULL, 0};
    int rc = sort_rows(&timing, e);
    if (!rc)
        rc = sort_rows(&checks, e);
    for (size_t i = 0; i < json_array_size(programs) && !rc; i++)
        rc = check_program(b, json_array_get(programs, i), &timing, e);
    for (size_t i = 0; i < json_array_size(programs) && !rc && !b->lacks_checks; i++)
        rc = check_arrays(b, json_array_get(programs, i), &checks, e);
    free(timing.items);
    free(checks.items);
    return rc;
}

/* ---- the trace ---- */

static bool has_sealed_trace(const struct bundle *b)
{
    const json_t *files = json_object_get(b->manifest, "files");
    for (size_t i = 0; i < b->shards.count; i++)
        if (json_object_get(files, b->shards.items[i].name))
            return true;
    return false;
}

/* Does its report state that it could not write a trace, or that there was nothing to write? Not when it counts the
 * records that it wrote. */
static bool may_lack_trace(const json_t *process)
{
    const json_t *records = json_object_get(json_object_get(process, "collector"), "records");
    const json_t *missing = json_object_get(process, "missing");
    if (records)
        return json_is_integer(records) && !json_integer_value(records);
    for (size_t i = 0; i < json_array_size(missing); i++)
        if (!strcmp(json_get_text(json_array_get(missing, i), "what", ""), "trace"))
            return true;
    return false;
}

/* The tracing process leaves a trace: without it nobody knows whether the right kernels ran. */
static int check_trace(struct bundle *b, struct err *e)
{
    const json_t *processes = json_object_get(b->manifest, "processes");
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *process = json_array_get(processes, i);
        if (!strcmp(json_get_text(process, "role", ""), "trace") && !may_lack_trace(process) && !has_sealed_trace(b))
            return caveat_add(&b->caveats, CAVEAT_WEAKENS, e, "'%s' lacks the trace of its traced process", b->path);
    }
    return 0;
}

/* ---- everything together ---- */

/* Does the manifest state what must be there? Only those of some kinds of bundle do. */
static bool is_telling(const struct bundle *b)
{
    const char *kind = json_get_text(b->manifest, "kind", "");
    return b->complete && (!strcmp(kind, "run") || !strcmp(kind, "aa")) && !bundle_programs(b) &&
           !json_array_size(json_object_get(b->manifest, "failures")) &&
           json_array_size(json_object_get(b->manifest, "seeds")) && !caveat_has(&b->caveats, CAVEAT_TRUNCATED);
}

int bundle_check_complete(struct bundle *b, struct err *e)
{
    if (b->complete && bundle_programs(b) && !caveat_has(&b->caveats, CAVEAT_TRUNCATED))
        return check_programs(b, e);
    int rc = b->complete ? check_trace(b, e) : 0;
    if (rc || !is_telling(b))
        return rc;
    const struct table *verify = &b->tables[BUNDLE_VERIFY];
    struct sorted_rows timing = {&b->tables[BUNDLE_TIMING], {TIMING_VARIANT, TIMING_SHAPE, TIMING_PROCESS}, 3, NULL, 0};
    struct sorted_rows seeds = {verify, {VERIFY_VARIANT, VERIFY_SHAPE, VERIFY_PHASE, VERIFY_SEED}, 4, NULL, 0};
    struct sorted_rows loops = {verify, {VERIFY_VARIANT, VERIFY_SHAPE, VERIFY_PHASE, VERIFY_PROCESS}, 4, NULL, 0};
    rc = sort_rows(&timing, e);
    if (!rc)
        rc = sort_rows(&seeds, e);
    if (!rc)
        rc = sort_rows(&loops, e);
    if (!rc)
        rc = check_processes(b, &timing, e);
    if (!rc)
        rc = check_answers(b, e);
    if (!rc)
        rc = check_samples(b, &timing, e);
    if (!rc)
        rc = check_seeds(b, &seeds, e);
    if (!rc)
        rc = check_loops(b, &timing, &loops, e);
    free(timing.items);
    free(seeds.items);
    free(loops.items);
    return rc;
}
