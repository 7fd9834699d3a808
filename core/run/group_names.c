/* Which groups of two programs are the same work? */
#include "core/run/group_names.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/run/launch_groups.h"

enum { SIZES = sizeof((struct sample_group *)0)->sizes / sizeof(double) };

#define TRAIT(t) (1u << TRAIT_##t)

/* What may tell groups apart in both programs, the strongest evidence first. */
static const unsigned trait_sets[] = {
    TRAIT(KERNEL) | TRAIT(GRID) | TRAIT(BLOCK) | TRAIT(SHARED) | TRAIT(PLACE),
    TRAIT(GRID) | TRAIT(BLOCK) | TRAIT(PLACE),
    TRAIT(KERNEL) | TRAIT(GRID) | TRAIT(PLACE),
    TRAIT(KERNEL) | TRAIT(BLOCK) | TRAIT(PLACE),
    TRAIT(GRID),
    TRAIT(BLOCK),
    TRAIT(KERNEL),
};

static const char *const trait_names[TRAIT_COUNT] = {"kernel", "grid", "block", "shared", "place"};

/* An arm's groups by those of the reference. */
struct match {
    size_t at[LAUNCH_GROUPS_MAX];
    bool holds;
};

static bool equal(const struct sample_group *a, const struct sample_group *b, unsigned traits)
{
    for (enum launch_trait t = 0; t < TRAIT_COUNT; t++)
        if (traits & (1u << t) && strcmp(a->traits[t], b->traits[t]) != 0)
            return false;
    return true;
}

/* Each group has one partner that these traits find, and is the only one that finds it. */
static bool match_by(struct match *out, const struct arm_groups *reference, const struct arm_groups *arm,
                     unsigned traits)
{
    for (size_t i = 0; i < reference->groups.count; i++) {
        size_t found = 0, twins = 0;
        for (size_t k = 0; k < arm->groups.count; k++)
            if (equal(&reference->groups.items[i], &arm->groups.items[k], traits)) {
                out->at[i] = k;
                found++;
            }
        for (size_t k = 0; k < reference->groups.count; k++)
            twins += equal(&reference->groups.items[i], &reference->groups.items[k], traits);
        if (found != 1 || twins != 1)
            return false;
    }
    return true;
}

static bool grow_alike(const struct arm_groups *a, const struct arm_groups *b, size_t size)
{
    for (size_t i = 0; i + 1 < a->groups.count; i++)
        for (size_t k = i + 1; k < a->groups.count; k++) {
            const double in_a = a->groups.items[k].sizes[size] - a->groups.items[i].sizes[size];
            const double in_b = b->groups.items[k].sizes[size] - b->groups.items[i].sizes[size];
            if (!(in_a * in_b > 0))
                return false;
        }
    return true;
}

static bool match_by_order(struct match *out, const struct arm_groups *reference, const struct arm_groups *arm)
{
    bool alike = false;
    for (size_t size = 0; size < SIZES; size++)
        alike |= grow_alike(reference, arm, size);
    for (size_t i = 0; i < reference->groups.count && alike; i++) {
        out->at[i] = i;
        alike = reference->groups.items[i].samples == arm->groups.items[i].samples;
    }
    return alike;
}

static void match_arm(struct match *out, const struct arm_groups *reference, const struct arm_groups *arm)
{
    out->holds = false;
    if (reference->groups.count != arm->groups.count)
        return;
    if (arm->groups.count == 1) { /* nothing else it could be: loops by time differ in their numbers of samples */
        *out = (struct match){{0}, true};
        return;
    }
    for (size_t i = 0; i < COUNT_OF(trait_sets) && !out->holds; i++)
        out->holds = match_by(out, reference, arm, trait_sets[i]);
    out->holds = out->holds || match_by_order(out, reference, arm);
}

/* ---- names ---- */

static bool varies(const struct arm_groups *arm, enum launch_trait trait)
{
    for (size_t i = 1; i < arm->groups.count; i++)
        if (strcmp(arm->groups.items[i].traits[trait], arm->groups.items[0].traits[trait]) != 0)
            return true;
    return false;
}

/* Do all arms that were matched have it alike? */
static bool is_shared(const struct arm_groups *arms, const struct match *matches, size_t count, size_t reference,
                      enum launch_trait trait)
{
    for (size_t a = 0; a < count; a++)
        for (size_t i = 0; matches[a].holds && i < arms[reference].groups.count; i++)
            if (strcmp(arms[a].groups.items[matches[a].at[i]].traits[trait],
                       arms[reference].groups.items[i].traits[trait]) != 0)
                return false;
    return true;
}

static unsigned naming_traits(const struct arm_groups *arms, const struct match *matches, size_t count,
                              size_t reference)
{
    unsigned traits = 0;
    for (enum launch_trait t = 0; t < TRAIT_COUNT; t++)
        if (varies(&arms[reference], t) && is_shared(arms, matches, count, reference, t))
            traits |= 1u << t;
    return traits;
}

static bool is_unique(const struct arm_groups *arm, size_t at, unsigned traits)
{
    size_t twins = 0;
    for (size_t i = 0; i < arm->groups.count; i++)
        twins += equal(&arm->groups.items[i], &arm->groups.items[at], traits);
    return twins == 1;
}

/* "grid=64x64 block=256"; with "group=3" where that does not tell it from others. */
static const char *name_of(const struct arm_groups *arm, size_t at, unsigned traits, const char *whole,
                           struct arena *arena)
{
    struct str name;
    if (arm->groups.count == 1)
        return whole;
    str_init(&name);
    for (enum launch_trait t = 0; t < TRAIT_COUNT; t++)
        if (traits & (1u << t))
            str_addf(&name, "%s%s=%s", name.length ? " " : "", trait_names[t], arm->groups.items[at].traits[t]);
    if (!is_unique(arm, at, traits))
        str_addf(&name, "%sgroup=%zu", name.length ? " " : "", at + 1);
    const char *out = arena_copy(arena, str_text(&name));
    str_release(&name);
    return out;
}

static void name_unmatched(struct arm_groups *arm, const struct arm_groups *reference, const char *whole,
                           struct arena *arena)
{
    static const struct match none = {.holds = false};
    const unsigned traits = naming_traits(arm, &none, 1, 0);
    const char *problem = arena_printf(
        arena, "%s launches %zu form%s of work and %s %zu, and which of them are the same work is not known",
        arm->variant, arm->groups.count, arm->groups.count == 1 ? "" : "s", reference->variant,
        reference->groups.count);
    for (size_t i = 0; i < arm->groups.count; i++) {
        arm->groups.items[i].config = name_of(arm, i, traits, whole, arena);
        arm->groups.items[i].problem = problem;
    }
}

static void note_missing(struct arm_groups *arm, struct arena *arena)
{
    for (size_t i = 0; i < arm->groups.count; i++) {
        struct sample_group *group = &arm->groups.items[i];
        if (group->processes < arm->processes && !*group->problem)
            group->problem = arena_printf(arena, "%zu of %zu processes of %s launched this work", group->processes,
                                          arm->processes, arm->variant);
    }
}

int group_names_set(struct arm_groups *arms, size_t count, size_t reference, const char *whole, struct arena *arena,
                    struct err *e)
{
    struct match *matches = arena_alloc(arena, count * sizeof *matches);
    const struct arm_groups *ours = &arms[reference];
    if (!matches)
        return err_memory(e);
    for (size_t a = 0; a < count; a++)
        if (arms[a].groups.count)
            match_arm(&matches[a], ours, &arms[a]);
        else
            matches[a].holds = false;
    const unsigned traits = naming_traits(arms, matches, count, reference);
    for (size_t a = 0; a < count; a++) {
        for (size_t i = 0; matches[a].holds && i < ours->groups.count; i++)
            arms[a].groups.items[matches[a].at[i]].config = name_of(ours, i, traits, whole, arena);
        if (!matches[a].holds && arms[a].groups.count)
            name_unmatched(&arms[a], ours, whole, arena);
        note_missing(&arms[a], arena);
    }
    return 0;
}
