/* Which shares of the file are none, and which does a launch lack that others have? */
#include "run/ncu/ncu_doubts.h"

#include <math.h>
#include <string.h>

/* Chips and tables of one file; launches of more are not compared. */
enum { GROUPS_MAX = 16 };

/* Launches for which ncu counted the same: of one table, on one chip. */
struct group {
    size_t table;
    const char *capability;
    ncu_name_id
        names[COUNTERS_METRICS_MAX]; /* by which one of them has a counter, its own name first; 0: none has it */
};

struct groups {
    struct group items[GROUPS_MAX];
    size_t count;
};

void ncu_doubts_init(struct ncu_doubts *d, const char *path)
{
    *d = (struct ncu_doubts){.path = path};
    strtab_init(&d->names);
}

void ncu_doubts_release(struct ncu_doubts *d)
{
    strtab_release(&d->names);
}

ncu_name_id ncu_doubts_name(struct ncu_doubts *d, const struct ncu_slot *slot, const char *name)
{
    const uint32_t id =
        strtab_count(&d->names) < NCU_NAMES_MAX ? strtab_add(&d->names, name) : strtab_find(&d->names, name);
    if (id)
        d->is_own[id] = slot->by_own_name;
    return (ncu_name_id)id;
}

int ncu_doubts_note_impossible(struct ncu_doubts *d, const struct ncu_cell *cell, struct caveat_list *caveats,
                               struct err *e)
{
    if (d->is_said[cell->slot.at])
        return 0;
    d->is_said[cell->slot.at] = true;
    return caveat_add(caveats, CAVEAT_WEAKENS, e,
                      "%s:%lld: '%.*s' is '%.*s', expected %s; taken as missing, like all such values of it", d->path,
                      (long long)cell->line, NCU_SHOWN_NAME_BYTES, cell->name, NCU_SHOWN_BYTES, cell->text,
                      ncu_slot_range(&cell->slot));
}

int ncu_doubts_note_two(struct ncu_doubts *d, const struct ncu_cell *cell, struct caveat_list *caveats, struct err *e)
{
    if (d->is_said[cell->slot.at])
        return 0;
    d->is_said[cell->slot.at] = true;
    return caveat_add(caveats, CAVEAT_WEAKENS, e,
                      "%s:%lld: '%.*s' is '%.*s', and the launch has another value of it; neither is taken", d->path,
                      (long long)cell->line, NCU_SHOWN_NAME_BYTES, cell->name, NCU_SHOWN_BYTES, cell->text);
}

void ncu_doubts_keep_share(struct ncu_doubts *d, const struct ncu_cell *cell, double value,
                           const struct imported_launches *launches, const struct ncu_notes *notes)
{
    const size_t at = cell->slot.at, kept = d->shares[at].place;
    if (ncu_slot_allows_share(&cell->slot, value))
        return;
    if (d->shares[at].line && !ncu_launch_is_nothing(&launches->items[kept], &notes[kept]))
        return;
    d->shares[at].line = cell->line;
    d->shares[at].place = cell->place;
    strncpy(d->shares[at].name, cell->name, NCU_SHOWN_NAME_BYTES);
    strncpy(d->shares[at].text, cell->text, NCU_SHOWN_BYTES);
}

static int note_shares(struct ncu_doubts *d, struct imported_launches *launches, struct err *e)
{
    int rc = 0;
    for (size_t at = 0; at < NCU_SLOTS && !rc; at++) {
        if (!d->shares[at].line || d->is_said[at] || launches->items[d->shares[at].place].recorded_nothing)
            continue;
        d->is_said[at] = true;
        rc = caveat_add(&launches->caveats, CAVEAT_WEAKENS, e,
                        "%s:%lld: '%s' is '%s', expected 0%% to 100%%; not taken, like all such values of it", d->path,
                        (long long)d->shares[at].line, d->shares[at].name, d->shares[at].text);
    }
    return rc;
}

/* Texts of launches are kept once, so equal ones are the same. Returns NULL for a launch that is in none: it failed, or
 * there are too many groups. */
static struct group *find_group(struct groups *groups, const struct imported_launch *launch,
                                const struct ncu_notes *notes)
{
    if (launch->recorded_nothing)
        return NULL;
    for (size_t i = 0; i < groups->count; i++)
        if (groups->items[i].table == notes->table && groups->items[i].capability == launch->compute_capability)
            return &groups->items[i];
    if (groups->count == GROUPS_MAX)
        return NULL;
    struct group *group = &groups->items[groups->count++];
    *group = (struct group){.table = notes->table, .capability = launch->compute_capability};
    return group;
}

static void add_to_group(const struct ncu_doubts *d, struct group *group, const struct ncu_notes *notes)
{
    for (size_t at = 0; at < COUNTERS_METRICS_MAX; at++)
        if (notes->held[at] && (!group->names[at] || d->is_own[notes->held[at]]))
            group->names[at] = notes->held[at];
}

/* Returns the group's name of a counter that the launch lacks; NULL when it has it. A number without a known name is
 * there, too. */
static const char *lacking_name(const struct ncu_doubts *d, const struct group *group,
                                const struct imported_launch *launch, const struct ncu_notes *notes, size_t at)
{
    const ncu_name_id theirs = group->names[at], its = notes->held[at];
    const bool has_value = !isnan(launch->counters.values[at]);
    const bool is_stand_in = its && d->is_own[theirs] && !d->is_own[its];
    return !theirs || (has_value && !is_stand_in) || notes->has_two[at] ? NULL : strtab_text(&d->names, theirs);
}

static int note_lacking(struct ncu_doubts *d, const struct group *group, struct imported_launch *launch,
                        const struct ncu_notes *notes, struct caveat_list *caveats, struct err *e)
{
    int rc = 0;
    for (size_t at = 0; at < COUNTERS_METRICS_MAX && !rc; at++) {
        const char *name = lacking_name(d, group, launch, notes, at);
        if (!name || !ncu_counter_decides(at))
            continue;
        launch->lacks[at] = true;
        if (d->is_said[at])
            continue;
        d->is_said[at] = true;
        rc =
            caveat_add(caveats, CAVEAT_WEAKENS, e, "%s:%lld: launch %s has no value of '%s', which other launches have",
                       d->path, (long long)notes->line, launch->id, name);
    }
    return rc;
}

int ncu_doubts_note(struct ncu_doubts *d, struct imported_launches *launches, const struct ncu_notes *notes,
                    bool is_cut, struct err *e)
{
    struct groups groups = {.count = 0};
    const size_t whole = launches->count - (is_cut && launches->count);
    int rc = note_shares(d, launches, e);
    for (size_t i = 0; i < whole; i++) {
        struct group *group = find_group(&groups, &launches->items[i], &notes[i]);
        if (group)
            add_to_group(d, group, &notes[i]);
    }
    for (size_t i = 0; i < whole && !rc; i++) {
        const struct group *group = find_group(&groups, &launches->items[i], &notes[i]);
        if (group)
            rc = note_lacking(d, group, &launches->items[i], &notes[i], &launches->caveats, e);
    }
    return rc;
}
