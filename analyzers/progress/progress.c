/* Does each launch end, and where are its warps if not? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/entries.h"
#include "core/base/array.h"
#include "core/run/instrumented_arm.h"

/* A role has a group for each of its 8 marks, one for warps before their first mark, and one for those that ended. */
enum { GROUPS_MAX = CPPROF_ROLES_MAX * (CPPROF_MARKS_MAX + 2) };

static int64_t whole(const struct table *t, size_t row, size_t column)
{
    const double value = table_number(t, row, column);
    return value >= 0 && value < 9007199254740992.0 ? (int64_t)value : -1;
}

static bool is_state(const struct table *t, size_t row, const char *state)
{
    return !strcmp(table_text(t, row, INSIDE_PROGRESS_STATE), state);
}

/* The group of a row, which is added where it is new; NULL: there is no room, of roles and marks that no kernel has. */
static struct hang_group *group_of(struct analysis *a, struct hang *h, const struct table *t, size_t row)
{
    const char *state = table_text(t, row, INSIDE_PROGRESS_STATE);
    const int64_t role = whole(t, row, INSIDE_PROGRESS_ROLE);
    const int mark = is_state(t, row, PROGRESS_MARKED) ? (int)whole(t, row, INSIDE_PROGRESS_MARK) : -1;
    for (size_t i = 0; i < h->group_count; i++)
        if (h->groups[i].role == role && h->groups[i].mark == mark && !strcmp(h->groups[i].state, state))
            return &h->groups[i];
    if (h->group_count == GROUPS_MAX)
        return NULL;
    struct hang_group *group = &h->groups[h->group_count++];
    *group = (struct hang_group){
        .state = arena_copy(&a->arena, state),
        .role_name = arena_copy(&a->arena, table_text(t, row, INSIDE_PROGRESS_ROLE_NAME)),
        .phase = arena_copy(&a->arena, mark < 0 ? "" : table_text(t, row, INSIDE_PROGRESS_PHASE)),
        .role = role,
        .mark = mark,
        .first_tile = -1,
        .last_tile = -1,
        .device = -1,
    };
    return group;
}

static void add_warp(struct hang_group *group, const struct table *t, size_t row)
{
    const int64_t tile = whole(t, row, INSIDE_PROGRESS_TILE);
    if (!group->warps++ || tile < group->first_tile) {
        group->first_tile = tile;
        group->device = whole(t, row, INSIDE_PROGRESS_DEVICE);
        group->block = whole(t, row, INSIDE_PROGRESS_BLOCK);
        group->sm = whole(t, row, INSIDE_PROGRESS_SM);
        group->warp = whole(t, row, INSIDE_PROGRESS_WARP);
    }
    group->last_tile = tile > group->last_tile ? tile : group->last_tile;
    group->moving += !strcmp(table_text(t, row, INSIDE_PROGRESS_MOVES), "yes");
}

static int in_order(const void *pa, const void *pb)
{
    const struct hang_group *a = pa, *b = pb;
    const bool a_ended = !strcmp(a->state, PROGRESS_ENDED), b_ended = !strcmp(b->state, PROGRESS_ENDED);
    if (a_ended != b_ended)
        return a_ended ? 1 : -1;
    if (a->warps != b->warps)
        return a->warps > b->warps ? -1 : 1;
    return a->role != b->role ? (a->role > b->role ? 1 : -1) : a->mark - b->mark;
}

static int add_hang(struct analysis *a, const struct arm *arm, struct arm_places rows, struct err *e)
{
    const struct table *t = a->run->tables[BUNDLE_INSIDE_PROGRESS].table;
    const size_t ending = progress_arm_of_length(arm->variant);
    if (!ending)
        return err_set(e, ERR_INPUT, "%s has rows of '%s', which is no progress build",
                       bundle_table_file(BUNDLE_INSIDE_PROGRESS), arm->variant);
    struct hang *h = ARRAY_PUSH(&a->hangs);
    struct hang_group *groups = arena_alloc(&a->arena, GROUPS_MAX * sizeof *groups);
    if (!h || !groups)
        return err_memory(e);
    *h = (struct hang){
        .arm = arm,
        .variant = arena_printf(&a->arena, "%.*s", (int)ending, arm->variant),
        .config = arena_copy(&a->arena, arm->config),
        .absent_device = -1,
        .waited_ns = table_number(t, rows.items[0], INSIDE_PROGRESS_WAITED_NS),
        .groups = groups,
    };
    for (size_t i = 0; i < rows.count; i++) {
        const size_t row = rows.items[i];
        const bool is_absent = is_state(t, row, PROGRESS_ABSENT);
        struct hang_group *group = is_absent ? NULL : group_of(a, h, t, row);
        if (is_absent && !h->absent++)
            h->absent_device = whole(t, row, INSIDE_PROGRESS_DEVICE);
        if (!group)
            continue;
        add_warp(group, t, row);
        h->warps++;
        h->ended += is_state(t, row, PROGRESS_ENDED);
        h->moving += !strcmp(table_text(t, row, INSIDE_PROGRESS_MOVES), "yes");
    }
    if (h->group_count)
        qsort(h->groups, h->group_count, sizeof *h->groups, in_order);
    return 0;
}

int progress_analyze(struct analysis *a, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < a->run->arms.list.count && !rc; i++) {
        const struct arm *arm = a->run->arms.list.items[i];
        const struct arm_places rows = arm_table_rows(&a->run->tables[BUNDLE_INSIDE_PROGRESS], arm);
        if (rows.count)
            rc = add_hang(a, arm, rows, e);
    }
    return rc;
}
