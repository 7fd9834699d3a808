/* Which tables of a bundle contradict each other? */
#include "core/bundle/bundle_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/hash.h"

/* This many different samples do not repeat in another process by chance. */
enum { DISTINCT_MIN = 8 };

/* ---- arms that variants.csv lacks ---- */

struct arm {
    const char *variant, *config;
    bool is_ready;
};

struct arm_index {
    struct arm *items; /* sorted by variant and config */
    size_t count;
};

static int by_variant(const void *left, const void *right)
{
    return strcmp(((const struct arm *)left)->variant, ((const struct arm *)right)->variant);
}

static int by_variant_and_config(const void *left, const void *right)
{
    const int order = by_variant(left, right);
    return order ? order : strcmp(((const struct arm *)left)->config, ((const struct arm *)right)->config);
}

static int index_arms(struct arm_index *out, const struct table *t, struct err *e)
{
    out->items = calloc(table_rows(t) + 1, sizeof *out->items);
    if (!out->items)
        return err_memory(e);
    for (size_t row = 0; row < table_rows(t); row++) {
        out->items[out->count++] = (struct arm){table_text(t, row, VARIANTS_VARIANT),
                                                table_text(t, row, VARIANTS_SHAPE), bundle_is_runnable(t, row)};
    }
    qsort(out->items, out->count, sizeof *out->items, by_variant_and_config);
    return 0;
}

/* The columns of a table that name an arm, and the conditions for that arm. */
static const struct reference {
    enum bundle_table table;
    size_t variant, config;
    bool any_config; /* ragged shapes are only verified */
    bool has_run;
} references[] = {
    {BUNDLE_TIMING, TIMING_VARIANT, TIMING_SHAPE, false, true},
    {BUNDLE_METRICS, METRICS_VARIANT, METRICS_SHAPE, false, false},
    {BUNDLE_RESOURCES, RESOURCES_VARIANT, RESOURCES_SHAPE, false, false},
    {BUNDLE_VERIFY, VERIFY_VARIANT, VERIFY_SHAPE, true, false},
    {BUNDLE_ITERATIONS, ITERATIONS_VARIANT, ITERATIONS_SHAPE, false, true},
    {BUNDLE_WORK, WORK_VARIANT, WORK_SHAPE, false, true},
    {BUNDLE_HOTSPOTS, HOTSPOTS_VARIANT, HOTSPOTS_SHAPE, false, false},
    {BUNDLE_INSIDE_PHASES, INSIDE_PHASES_VARIANT, INSIDE_PHASES_SHAPE, false, true},
    {BUNDLE_INSIDE_WARPS, INSIDE_WARPS_VARIANT, INSIDE_WARPS_SHAPE, false, true},
    {BUNDLE_INSIDE_TILES, INSIDE_TILES_VARIANT, INSIDE_TILES_SHAPE, false, true},
    {BUNDLE_INSIDE_SERIES, INSIDE_SERIES_VARIANT, INSIDE_SERIES_SHAPE, false, true},
    {BUNDLE_DELAYS, DELAYS_VARIANT, DELAYS_SHAPE, false, true},
    {BUNDLE_INSIDE_PROGRESS, INSIDE_PROGRESS_VARIANT, INSIDE_PROGRESS_SHAPE, false, true},
};

static const char *objection(const struct arm_index *arms, const struct reference *r, const struct arm *named)
{
    const struct arm *arm =
        bsearch(named, arms->items, arms->count, sizeof *named, r->any_config ? by_variant : by_variant_and_config);
    if (!arm)
        return "variants.csv has no such row";
    return r->has_run && !arm->is_ready ? "it was not runnable" : NULL;
}

/* Reports only the first bad row, which is enough to call the table damaged. */
static int check_references(struct bundle *b, const struct arm_index *arms, const struct reference *r, struct err *e)
{
    const struct table *t = &b->tables[r->table];
    for (size_t row = 0; row < table_rows(t); row++) {
        const struct arm named = {table_text(t, row, r->variant), table_text(t, row, r->config), false};
        const char *wrong = objection(arms, r, &named);
        if (wrong)
            return caveat_add(&b->caveats, CAVEAT_TRUNCATED, e, "%s/%s: row %zu: '%s' at '%s': %s", b->path,
                              bundle_table_file(r->table), row + 1, named.variant, named.config, wrong);
    }
    return 0;
}

static int check_all_references(struct bundle *b, struct err *e)
{
    struct arm_index arms = {0};
    int rc = index_arms(&arms, &b->tables[BUNDLE_VARIANTS], e);
    for (size_t i = 0; i < COUNT_OF(references) && !rc; i++)
        rc = check_references(b, &arms, &references[i], e);
    free(arms.items);
    return rc;
}

static bool has_rows(const struct bundle *b)
{
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        if (table_rows(&b->tables[i]))
            return true;
    return false;
}

/* A run begins with writing the table of what will run. */
static bool lacks_variants(const struct bundle *b)
{
    const char *kind = json_get_text(b->manifest, "kind", "");
    return b->complete && !b->has_table[BUNDLE_VARIANTS] && (!strcmp(kind, "run") || !strcmp(kind, "aa")) &&
           has_rows(b);
}

/* ---- samples of one process that are copied from another ---- */

struct sample {
    const struct table *t;
    size_t row;
};

/* Samples of one process: of all arms, or of one. */
struct group {
    const struct sample *first;
    size_t count;
    uint64_t hash;
};

static int compare_arms(const struct sample *a, const struct sample *b)
{
    static const size_t columns[] = {TIMING_VARIANT, TIMING_SHAPE, TIMING_CACHE};
    int order = 0;
    for (size_t i = 0; i < COUNT_OF(columns) && !order; i++)
        order = strcmp(table_text(a->t, a->row, columns[i]), table_text(b->t, b->row, columns[i]));
    return order;
}

static double process_of(const struct sample *s)
{
    return table_number(s->t, s->row, TIMING_PROCESS);
}

static double duration_of(const struct sample *s)
{
    return table_number(s->t, s->row, TIMING_DURATION);
}

static int by_process_and_arm(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    int order = (process_of(a) > process_of(b)) - (process_of(a) < process_of(b));
    if (!order)
        order = compare_arms(a, b);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

static bool same_group(const struct sample *a, const struct sample *b, bool of_arms)
{
    return process_of(a) == process_of(b) && (!of_arms || !compare_arms(a, b));
}

static uint64_t hash_of_group(const struct sample *first, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        const double duration_ns = duration_of(&first[i]);
        const char *variant = table_text(first[i].t, first[i].row, TIMING_VARIANT);
        uint64_t bits;
        memcpy(&bits, &duration_ns, sizeof bits);
        hash = hash_mix(hash * 31 + bits) ^ hash_bytes(variant, strlen(variant));
    }
    return hash;
}

static int by_hash(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    const int order = (a->hash > b->hash) - (a->hash < b->hash);
    return order ? order : (a->first > b->first) - (a->first < b->first);
}

static bool is_telling(const struct group *g)
{
    double seen[DISTINCT_MIN];
    size_t distinct = 0;
    for (size_t i = 0; i < g->count && distinct < DISTINCT_MIN; i++) {
        const double duration_ns = duration_of(&g->first[i]);
        size_t k = 0;
        while (k < distinct && seen[k] != duration_ns)
            k++;
        if (k == distinct)
            seen[distinct++] = duration_ns;
    }
    return distinct == DISTINCT_MIN;
}

static bool same_samples(const struct group *a, const struct group *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (compare_arms(&a->first[i], &b->first[i]) || duration_of(&a->first[i]) != duration_of(&b->first[i]))
            return false;
    return true;
}

static size_t make_groups(const struct sample *samples, size_t count, bool of_arms, struct group *out)
{
    size_t groups = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && same_group(&samples[i], &samples[end], of_arms);)
            end++;
        out[groups++] = (struct group){&samples[i], end - i, hash_of_group(&samples[i], end - i)};
    }
    qsort(out, groups, sizeof *out, by_hash);
    return groups;
}

/* Finds the first two groups with the same samples; returns false when there are none. `groups` has room for all
 * samples. */
static bool find_copy(const struct sample *samples, size_t count, bool of_arms, struct group *groups,
                      const struct group **original, const struct group **copy)
{
    const size_t group_count = make_groups(samples, count, of_arms, groups);
    *copy = NULL;
    for (size_t i = 1; i < group_count; i++) {
        const struct group *a = &groups[i - 1], *b = &groups[i];
        if (a->hash != b->hash || (*copy && b->first >= (*copy)->first) || !same_samples(a, b) || !is_telling(a))
            continue;
        *original = a;
        *copy = b;
    }
    return *copy;
}

static int check_copies(struct bundle *b, struct err *e)
{
    const struct table *t = &b->tables[BUNDLE_TIMING];
    const size_t count = table_rows(t);
    struct sample *samples = calloc(count + 1, sizeof *samples);
    struct group *groups = calloc(count + 1, sizeof *groups);
    const struct group *original, *copy;
    int rc = samples && groups ? 0 : err_memory(e);
    for (size_t row = 0; row < count && !rc; row++)
        samples[row] = (struct sample){t, row};
    if (!rc)
        qsort(samples, count, sizeof *samples, by_process_and_arm);
    if (!rc && (find_copy(samples, count, false, groups, &original, &copy) ||
                find_copy(samples, count, true, groups, &original, &copy)))
        rc =
            caveat_add(&b->caveats, CAVEAT_TRUNCATED, e, "%s/%s: row %zu: process %.0f has the samples of process %.0f",
                       b->path, bundle_table_file(BUNDLE_TIMING), copy->first->row + 1, process_of(copy->first),
                       process_of(original->first));
    free(samples);
    free(groups);
    return rc;
}

/* The clock and the reasons for throttling are read once per block, so they must agree in all its rows. */
static int check_blocks(struct bundle *b, struct err *e)
{
    static const size_t same[] = {TIMING_SM_CLOCK, TIMING_THROTTLED};
    const struct table *t = &b->tables[BUNDLE_TIMING];
    for (size_t row = 1; row < table_rows(t); row++) {
        const struct sample one = {t, row - 1}, other = {t, row};
        const double block = table_number(t, row, TIMING_BLOCK);
        if (process_of(&one) != process_of(&other) || block != table_number(t, row - 1, TIMING_BLOCK) ||
            compare_arms(&one, &other))
            continue;
        for (size_t i = 0; i < COUNT_OF(same); i++)
            if (!table_same_cell(t, row - 1, row, same[i]))
                return caveat_add(&b->caveats, CAVEAT_TRUNCATED, e, "%s/%s: row %zu: '%s' is not that of the block",
                                  b->path, bundle_table_file(BUNDLE_TIMING), row + 1, t->columns[same[i]].name);
    }
    return 0;
}

/* A solution may refuse to be timed; of anything else a sample without its time is damage. */
static int check_durations(struct bundle *b, struct err *e)
{
    const struct table *t = &b->tables[BUNDLE_TIMING];
    for (size_t row = 0; row < table_rows(t) && !bundle_has_task(b); row++)
        if (isnan(table_number(t, row, TIMING_DURATION)))
            return caveat_add(&b->caveats, CAVEAT_TRUNCATED, e,
                              "%s/%s: row %zu: column 'duration_ns' is empty, which only samples of solutions may be",
                              b->path, bundle_table_file(BUNDLE_TIMING), row + 1);
    return 0;
}

int bundle_check_tables(struct bundle *b, struct err *e)
{
    if (caveat_has(&b->caveats, CAVEAT_TRUNCATED)) /* rows are missing: the rest need not agree */
        return 0;
    if (lacks_variants(b))
        return caveat_add(&b->caveats, CAVEAT_TRUNCATED, e, "'%s' has no %s, with which a run begins", b->path,
                          bundle_table_file(BUNDLE_VARIANTS));
    int rc = b->has_table[BUNDLE_VARIANTS] ? check_all_references(b, e) : 0;
    if (!rc)
        rc = check_blocks(b, e);
    if (!rc)
        rc = check_durations(b, e);
    return rc ? rc : check_copies(b, e);
}
