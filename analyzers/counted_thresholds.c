/* Which rows of a thresholds file hold for the launches of a file that says their compute capability alone?
 *
 * Launches whose capability is not listed share one entry: nothing is known of their chips, so all have the same
 * thresholds. */
#include "analyzers/counted_thresholds.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/gpu/chips.h"

static struct capability_thresholds *find(const struct analysis *a, const char *capability)
{
    const struct chip *chip = chip_by_capability(capability);
    for (size_t i = 0; i < a->by_capability.count; i++)
        if (chip_by_capability(a->by_capability.items[i].capability) == chip)
            return &a->by_capability.items[i];
    return NULL;
}

static int add(struct analysis *a, const char *capability, const struct threshold_overrides *overrides, struct err *e)
{
    struct capability_thresholds *added = ARRAY_PUSH(&a->by_capability);
    if (!added)
        return err_memory(e);
    added->capability = capability;
    thresholds_resolve_capability(&added->thresholds, overrides, capability);
    return 0;
}

static int note_unused(struct imported_launches *launches, const struct threshold_overrides *overrides,
                       const struct threshold_override *row, const char *capability, struct err *e)
{
    struct str why;
    str_init(&why);
    if (!*capability)
        str_add(&why, "the launches have no compute capability");
    else
        str_addf(&why, "compute capability %.20s %s", capability,
                 chip_by_capability(capability) ? "is that of other chips, too" : "is that of no chip that is listed");
    const int rc =
        why.failed ? err_memory(e)
                   : caveat_add(&launches->caveats, CAVEAT_WEAKENS, e, "%s: the row of '%s' for '%s' is not used: %s",
                                overrides->path, threshold_get(row->id)->name, row->chips, str_text(&why));
    str_release(&why);
    return rc;
}

/* Returns the first capability of which it is not known whether a row is for its chip; NULL when there is none. */
static const char *uncertain_of(const struct analysis *a, const struct threshold_override *row)
{
    for (size_t i = 0; i < a->by_capability.count; i++)
        if (threshold_row_fit(row, a->by_capability.items[i].capability) == THRESHOLD_UNCERTAIN)
            return a->by_capability.items[i].capability;
    return NULL;
}

/* Once for each row; once for the whole file when its rows are all for other chips. */
static int note_all_unused(const struct analysis *a, struct imported_launches *launches,
                           const struct threshold_overrides *overrides, struct err *e)
{
    bool any_uncertain = false;
    int rc = 0;
    for (size_t i = 0; i < overrides->count && !rc; i++) {
        const char *capability = uncertain_of(a, &overrides->items[i]);
        any_uncertain |= capability != NULL;
        rc = capability ? note_unused(launches, overrides, &overrides->items[i], capability, e) : 0;
    }
    if (rc || any_uncertain || !overrides->path || counted_thresholds_path(a))
        return rc;
    return caveat_add(&launches->caveats, CAVEAT_NOTE, e, "%s: not used: its rows are for other chips",
                      overrides->path);
}

/* A chip that is not listed may have units that nobody counted. */
static int note_unknown_chips(const struct analysis *a, struct imported_launches *launches, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < a->by_capability.count && !rc; i++) {
        const char *capability = a->by_capability.items[i].capability;
        if (chip_by_capability(capability))
            continue;
        rc = *capability
                 ? caveat_add(&launches->caveats, CAVEAT_NOTE, e,
                              "compute capability %.20s is that of no chip that is listed: it may have units that no "
                              "counter of this file shows",
                              capability)
                 : caveat_add(&launches->caveats, CAVEAT_NOTE, e,
                              "the launches have no compute capability: their chip may have units that no counter of "
                              "this file shows");
    }
    return rc;
}

int counted_thresholds_resolve(struct analysis *a, struct imported_launches *launches,
                               const struct threshold_overrides *overrides, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < launches->count && !rc; i++)
        if (!find(a, launches->items[i].compute_capability))
            rc = add(a, launches->items[i].compute_capability, overrides, e);
    if (!rc && a->by_capability.count)
        a->thresholds = a->by_capability.items[0].thresholds;
    if (!rc)
        rc = note_unknown_chips(a, launches, e);
    return rc || !overrides ? rc : note_all_unused(a, launches, overrides, e);
}

const struct thresholds *counted_thresholds_of(const struct analysis *a, const struct imported_launch *launch)
{
    const struct capability_thresholds *found = find(a, launch->compute_capability);
    return found ? &found->thresholds : &a->thresholds;
}

bool counted_thresholds_differ(const struct analysis *a, enum threshold_id id)
{
    for (size_t i = 1; i < a->by_capability.count; i++)
        if (a->by_capability.items[i].thresholds.values[id] != a->by_capability.items[0].thresholds.values[id])
            return true;
    return false;
}

const char *counted_thresholds_path(const struct analysis *a)
{
    const char *path = a->thresholds.path;
    for (size_t i = 0; i < a->by_capability.count && !path; i++)
        path = a->by_capability.items[i].thresholds.path;
    return path;
}
