/* Which numbers of the file are none, and which does a launch lack that others have? */
#include "core/run/ncu/ncu_doubts.h"

#include <math.h>
#include <stdarg.h>
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
    for (size_t i = 0; i < NCU_DOUBTS; i++)
        str_init(&d->told[i].first);
}

void ncu_doubts_release(struct ncu_doubts *d)
{
    strtab_release(&d->names);
    for (size_t i = 0; i < NCU_DOUBTS; i++)
        str_release(&d->told[i].first);
}

ncu_name_id ncu_doubts_name(struct ncu_doubts *d, const struct ncu_slot *slot, const char *name)
{
    const uint32_t id =
        strtab_count(&d->names) < NCU_NAMES_MAX ? strtab_add(&d->names, name) : strtab_find(&d->names, name);
    if (id)
        d->is_own[id] = slot->by_own_name;
    return (ncu_name_id)id;
}

/* Keeps the sentence about the first number of this kind. */
static int tell(struct ncu_doubts *d, enum ncu_doubt kind, struct err *e, const char *format, va_list args)
{
    if (!d->told[kind].count++)
        str_addv(&d->told[kind].first, format, args);
    return d->told[kind].first.failed ? err_memory(e) : 0;
}

int ncu_doubts_add(struct ncu_doubts *d, enum ncu_doubt kind, const struct ncu_slot *slot, struct err *e,
                   const char *format, ...)
{
    bool *is_said = kind == NCU_DOUBT_NO_UNIT ? d->is_remarked : d->is_said;
    if (is_said[slot->at])
        return 0;
    is_said[slot->at] = true;
    va_list args;
    va_start(args, format);
    const int rc = tell(d, kind, e, format, args);
    va_end(args);
    return rc;
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

static int add_shares(struct ncu_doubts *d, const struct imported_launches *launches, struct err *e)
{
    int rc = 0;
    for (size_t at = 0; at < NCU_SLOTS && !rc; at++)
        if (d->shares[at].line && !launches->items[d->shares[at].place].recorded_nothing)
            rc = ncu_doubts_add(d, NCU_DOUBT_SHARE, &(struct ncu_slot){.at = at}, e,
                                "%s:%lld: '%s' is '%s', expected 0%% to 100%%; not taken, like all such values of it",
                                d->path, (long long)d->shares[at].line, d->shares[at].name, d->shares[at].text);
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

static int add_lacking(struct ncu_doubts *d, const struct group *group, struct imported_launch *launch,
                       const struct ncu_notes *notes, struct err *e)
{
    int rc = 0;
    for (size_t at = 0; at < COUNTERS_METRICS_MAX && !rc; at++) {
        const char *name = lacking_name(d, group, launch, notes, at);
        if (!name || !ncu_counter_decides(at))
            continue;
        launch->lacks[at] = true;
        rc = ncu_doubts_add(d, NCU_DOUBT_LACKING, &(struct ncu_slot){.at = at}, e,
                            "%s:%lld: launch %s has no value of '%s', which other launches have", d->path,
                            (long long)notes->line, launch->id, name);
    }
    return rc;
}

static int add_all_lacking(struct ncu_doubts *d, struct imported_launches *launches, const struct ncu_notes *notes,
                           size_t count, struct err *e)
{
    struct groups groups = {.count = 0};
    int rc = 0;
    for (size_t i = 0; i < count; i++) {
        struct group *group = find_group(&groups, &launches->items[i], &notes[i]);
        if (group)
            add_to_group(d, group, &notes[i]);
    }
    for (size_t i = 0; i < count && !rc; i++) {
        const struct group *group = find_group(&groups, &launches->items[i], &notes[i]);
        if (group)
            rc = add_lacking(d, group, &launches->items[i], &notes[i], e);
    }
    return rc;
}

/* One line for each kind. */
static int note_told(const struct ncu_doubts *d, struct caveat_list *caveats, struct err *e)
{
    int rc = 0;
    for (enum ncu_doubt kind = 0; kind < NCU_DOUBTS && !rc; kind++) {
        const size_t more = d->told[kind].count - 1; /* unused where there is none */
        const char *first = str_text(&d->told[kind].first);
        const enum caveat_kind weight = kind == NCU_DOUBT_NO_UNIT ? CAVEAT_NOTE : CAVEAT_WEAKENS;
        if (d->told[kind].count == 1)
            rc = caveat_add(caveats, weight, e, "%s", first);
        else if (d->told[kind].count)
            rc = caveat_add(caveats, weight, e, "%s; so it is with %zu more %s", first, more,
                            more == 1 ? "number" : "numbers");
    }
    return rc;
}

int ncu_doubts_note(struct ncu_doubts *d, struct imported_launches *launches, const struct ncu_notes *notes,
                    bool is_cut, struct err *e)
{
    int rc = add_shares(d, launches, e);
    if (!rc)
        rc = add_all_lacking(d, launches, notes, launches->count - (is_cut && launches->count), e);
    return rc ? rc : note_told(d, &launches->caveats, e);
}
