/* What was each arm's time in each reference? */
#include "analyzers/history/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/analyzer.h"
#include "analyzers/arm_differences.h"
#include "core/base/json.h"
#include "core/bundle/bundle_tables.h"
#include "core/run/arm_ratio.h"
#include "core/run/instrumented_arm.h"

void history_init(struct history *h, double margin)
{
    *h = (struct history){.margin = margin};
    arena_init(&h->arena);
    arms_init(&h->known);
    caveat_list_init(&h->caveats);
}

void history_release(struct history *h)
{
    free(h->rows.items);
    free(h->changes.items);
    free(h->arms.items);
    free(h->recordings.items);
    caveat_list_release(&h->caveats);
    arms_release(&h->known);
    arena_release(&h->arena);
}

/* The repository in which programs or libraries were measured; built-in kernels are of cpprof's own. */
static const char *commit_of(struct history *h, const json_t *manifest)
{
    const char *commit = json_get_text(json_object_get(manifest, "repository"), "commit", "");
    if (!*commit)
        commit = json_get_text(json_object_get(manifest, "cpprof"), "commit", "");
    return arena_copy(&h->arena, commit);
}

/* What the reference is to those before, and its machine to the last one's. */
struct relation {
    bool repeats, other_machine;
};

static int relate(struct history *h, const struct history_reference *r, struct relation *out, struct err *e)
{
    struct arm_differences machines = {0};
    const int rc = arm_differences_of_machines(&machines, &h->arena, r->previous, r->analysis, NULL, e);
    for (size_t i = 0; i < machines.count; i++)
        if (machines.items[i].reason != COMPARISON_SAME_RECORDING && machines.items[i].weight >= DIFFERENCE_CONFOUNDS)
            out->other_machine = true;
    arm_differences_release(&machines);
    return rc;
}

/* A recording that was saved before, whenever that was, is no second point. */
static int note_recording(struct history *h, const json_t *manifest, struct relation *out, struct err *e)
{
    const json_t *timing = json_object_get(json_object_get(manifest, "files"), bundle_table_file(BUNDLE_TIMING));
    char *text = timing ? json_dumps(timing, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY) : NULL;
    if (!text)
        return 0;
    for (size_t i = 0; i < h->recordings.count; i++)
        out->repeats |= !strcmp(h->recordings.items[i], text);
    const char **slot = ARRAY_PUSH(&h->recordings);
    if (slot)
        *slot = arena_copy(&h->arena, text);
    free(text);
    return slot ? 0 : err_memory(e);
}

static int64_t last_machine(const struct history *h)
{
    return h->rows.count ? h->rows.items[h->rows.count - 1].machine : 0;
}

static int measure(struct history_row *row, const struct timing_arm *arm, int looks, struct err *e)
{
    struct ratio_interval time = {NAN, NAN, NAN};
    const int rc = arm->processes.count ? arm_time_interval(arm, looks, &time, e) : 0;
    row->processes = (int64_t)arm->processes.count;
    row->time_ns = time.ratio;
    row->low_ns = time.low;
    row->high_ns = time.high;
    return rc;
}

static const struct history_comparison nothing_compared = {NAN, NAN, NAN, "", ""};

static int add_rows(struct history *h, const struct history_reference *r, struct relation relation, struct err *e)
{
    const int64_t machine = last_machine(h) + relation.other_machine;
    const struct analysis *a = r->analysis;
    const json_t *manifest = a->bundle->manifest;
    const int64_t created = json_get_integer(manifest, "created_unix_s", -1);
    const char *commit = commit_of(h, manifest);
    int rc = 0;
    for (size_t i = 0; i < a->run->timing.count && !rc; i++) {
        const struct timing_arm *arm = &a->run->timing.items[i];
        if (arm_is_instrumented(arm->arm))
            continue;
        const struct arm *known = arms_add(&h->known, arm->variant, arm->config);
        struct history_row *row = known ? ARRAY_PUSH(&h->rows) : NULL;
        if (!row)
            return err_memory(e);
        *row = (struct history_row){.number = r->number,
                                    .created_unix_s = created,
                                    .commit = commit,
                                    .arm = known,
                                    .variant = known->variant,
                                    .config = known->config,
                                    .cache = arena_copy(&h->arena, arm->cache),
                                    .doubt = analysis_doubt_of_arm(a, arm->arm),
                                    .first = nothing_compared,
                                    .previous = nothing_compared,
                                    .repeats = relation.repeats,
                                    .machine = machine};
        rc = measure(row, arm, a->looks, e);
    }
    return rc;
}

static void take(struct history_comparison *out, const struct comparison *c)
{
    *out = (struct history_comparison){c->speedup, 1 / c->ci_high, 1 / c->ci_low, comparison_verdict_name(c->verdict),
                                       comparison_reasons[c->reason].key};
}

/* The rows of this reference whose arm is the candidate of a comparison. */
static void take_all(struct history *h, size_t from, const struct analysis *between, bool is_first)
{
    for (size_t i = 0; i < between->comparisons.count; i++) {
        const struct comparison *c = &between->comparisons.items[i];
        const struct arm *arm = arms_find(&h->known, c->candidate, c->config);
        for (size_t at = from; at < h->rows.count; at++) {
            struct history_row *row = &h->rows.items[at];
            if (row->arm == arm && !strcmp(row->cache, c->cache))
                take(is_first ? &row->first : &row->previous, c);
        }
    }
}

/* References that have no arm in common are no error here: their rows stand alone. */
static int compare_with(struct history *h, size_t from, const struct history_reference *r, bool is_first, struct err *e)
{
    struct analysis between;
    struct err why = {0};
    analysis_init(&between, r->analysis->bundle);
    between.margin = h->margin;
    between.thresholds = r->analysis->thresholds;
    int rc = compare_bundles(&between, is_first ? r->first : r->previous, r->analysis, NULL, &why);
    if (!rc)
        take_all(h, from, &between, is_first);
    else if (rc != ERR_INPUT)
        rc = err_set(e, rc, "%s", why.text);
    analysis_release(&between);
    return rc == ERR_INPUT ? 0 : rc;
}

static int add_caveats(struct history *h, const struct history_reference *r, struct err *e)
{
    const struct caveat_list *list = &r->analysis->bundle->caveats;
    int rc = 0;
    for (size_t i = 0; i < list->count && !rc; i++)
        rc = caveat_add(&h->caveats, list->items[i].kind, e, "@%ld: %s", r->number, list->items[i].text);
    return rc;
}

int history_add(struct history *h, const struct history_reference *r, struct err *e)
{
    const size_t from = h->rows.count;
    struct relation relation = {0};
    int rc = r->previous ? relate(h, r, &relation, e) : 0;
    if (!rc)
        rc = note_recording(h, r->analysis->bundle->manifest, &relation, e);
    if (!rc)
        rc = add_rows(h, r, relation, e);
    if (!rc && r->first)
        rc = compare_with(h, from, r, true, e);
    if (!rc && r->previous)
        rc = compare_with(h, from, r, false, e);
    h->references++;
    return rc ? rc : add_caveats(h, r, e);
}
