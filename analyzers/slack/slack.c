/* How much later may each phase begin before it costs time? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/arm_differences.h"
#include "analyzers/entries.h"
#include "analyzers/slack/slack_parts.h"
#include "analyzers/slack/slack_words.h"
#include "core/base/array.h"
#include "core/run/instrumented_arm.h"

#define ASKED_MAX 1e15

/* One arm whose mark may wait. */
struct entry {
    const struct arm *arm, *off; /* off NULL: the run does not have it */
    const char *of;
    size_t place; /* of the off arm among all arms; behind them all where there is none */
    int64_t role, mark;
    bool waits;
    double asked, taken; /* cycles; NAN: not known, and of one that does not wait */
    bool is_damaged;     /* it is in delays.csv not once, or as another one than its name says */
};

struct entries {
    struct entry *items;
    size_t count, capacity;
};

/* ---- the arms ---- */

static int64_t index_at(const struct table *t, size_t row, size_t column)
{
    const double number = table_number(t, row, column);
    return number >= 0 && number < 256 ? (int64_t)number : -1;
}

/* What the table says of it. */
static void read_row(struct entry *entry, const struct table *t, size_t row)
{
    entry->of = table_text(t, row, DELAYS_OF);
    entry->role = index_at(t, row, DELAYS_ROLE);
    entry->mark = index_at(t, row, DELAYS_MARK);
    entry->asked = table_number(t, row, DELAYS_ASKED);
    entry->taken = table_number(t, row, DELAYS_TAKEN);
    entry->waits = isfinite(entry->asked);
    entry->is_damaged = entry->role < 0 || entry->mark < 0 || !(entry->taken >= 0) || !isfinite(entry->taken);
}

/* What its name says counts, and must not contradict the table. */
static void read_name(struct entry *entry, const struct delay_arm *name, struct arena *arena)
{
    const char *of = arena_printf(arena, "%.*s", (int)name->of_length, entry->arm->variant);
    const bool waits = name->asked_cycles >= 0;
    const bool agrees = entry->of && !strcmp(entry->of, of) && entry->role == name->role && entry->mark == name->mark &&
                        entry->waits == waits && (!waits || entry->asked == (double)name->asked_cycles);
    entry->is_damaged |= !agrees;
    entry->of = of;
    entry->role = name->role;
    entry->mark = name->mark;
    entry->waits = waits;
    entry->asked = waits ? (double)name->asked_cycles : NAN;
}

static int add_arm(struct entries *out, struct analysis *a, const struct arm *arm, struct err *e)
{
    const struct arm_table *delays = &a->run->tables[BUNDLE_DELAYS];
    const struct arm_places rows = arm_table_rows(delays, arm);
    struct delay_arm name;
    const bool is_named = delay_arm_read(&name, arm->variant);
    const bool is_only_verified = arm_row(a, arm) < 0; /* at another shape */
    if (!rows.count && (!is_named || is_only_verified))
        return 0;
    struct entry *entry = ARRAY_PUSH(out);
    if (!entry)
        return err_memory(e);
    *entry = (struct entry){.arm = arm, .asked = NAN, .taken = NAN};
    if (rows.count)
        read_row(entry, delays->table, rows.items[0]);
    if (is_named)
        read_name(entry, &name, &a->arena);
    entry->is_damaged |= rows.count != 1;
    entry->off = analysis_arm(a, entry->of, arm->config);
    entry->place = entry->off ? entry->off->index : a->run->arms.list.count + arm->index;
    return 0;
}

static int by_number(double a, double b)
{
    return (a > b) - (a < b);
}

/* Groups of one mark, the control before the doses, which ascend. Unknown delays are behind known ones. */
static int in_order(const void *pa, const void *pb)
{
    const struct entry *a = pa, *b = pb;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->role != b->role)
        return a->role < b->role ? -1 : 1;
    if (a->mark != b->mark)
        return a->mark < b->mark ? -1 : 1;
    if (a->waits != b->waits)
        return a->waits ? 1 : -1;
    if (isnan(a->taken) != isnan(b->taken))
        return isnan(a->taken) ? 1 : -1;
    const int order = by_number(a->taken, b->taken);
    return order ? order : by_number((double)a->arm->index, (double)b->arm->index);
}

static bool same_mark(const struct entry *a, const struct entry *b)
{
    return a->place == b->place && a->role == b->role && a->mark == b->mark;
}

/* ---- one mark ---- */

/* Doses count from the control. One that waits no longer, or as long as another one, shows that the table is wrong. */
static bool take_doses(struct slack *row, const struct entry *entries, size_t count)
{
    const size_t first = row->control ? 1 : 0;
    double before = 0;
    bool is_damaged = !first;
    for (size_t i = 0; i < count; i++)
        is_damaged |= entries[i].is_damaged || (i && !entries[i].waits);
    for (size_t i = first; i < count; i++) {
        const double delay = first ? entries[i].taken - entries[0].taken : NAN;
        row->doses[row->dose_count++] =
            (struct slack_dose){.arm = entries[i].arm,
                                .asked_cycles = entries[i].asked < ASKED_MAX ? (int64_t)entries[i].asked : -1,
                                .delay_cycles = delay,
                                .cost_ns = {NAN, NAN, NAN},
                                .cost_cycles = {NAN, NAN, NAN}};
        is_damaged |= !(delay > before);
        before = delay;
    }
    return is_damaged;
}

static int add_row(struct analysis *a, const struct entry *entries, size_t count, struct err *e)
{
    static const struct bounded unknown = {NAN, NAN, NAN};
    struct slack *row = ARRAY_PUSH(&a->slacks);
    struct slack_dose *doses = arena_alloc(&a->arena, count * sizeof *doses);
    if (!row || !doses)
        return err_memory(e);
    *row = (struct slack){.off = entries[0].off,
                          .control = entries[0].waits ? NULL : entries[0].arm,
                          .variant = arena_copy(&a->arena, entries[0].of),
                          .config = arena_copy(&a->arena, entries[0].arm->config),
                          .role = entries[0].role,
                          .mark = entries[0].mark,
                          .doses = doses,
                          .control_change = unknown,
                          .control_ns = NAN,
                          .slope = unknown,
                          .criticality = unknown,
                          .slack_cycles = unknown,
                          .slack_ns = unknown,
                          .free_up_to_cycles = NAN,
                          .free_up_to_ns = NAN};
    const bool is_damaged = take_doses(row, entries, count);
    analysis_note(a, ARM_SLACKS, row->off, a->slacks.count - 1);
    const int rc = slack_read_kernel(row, a, e);
    const int judged = rc ? rc : slack_judge(row, a, is_damaged, e);
    row->why = slack_doubt(row);
    return judged;
}

/* An arm that the table lost has an entry by its name. */
int slack_analyze(struct analysis *a, struct err *e)
{
    struct entries entries = {0};
    int rc = 0;
    for (size_t i = 0; i < a->run->arms.list.count && !rc; i++)
        rc = add_arm(&entries, a, a->run->arms.list.items[i], e);
    if (entries.count)
        qsort(entries.items, entries.count, sizeof *entries.items, in_order);
    for (size_t i = 0, next; i < entries.count && !rc; i = next) {
        for (next = i + 1; next < entries.count && same_mark(&entries.items[i], &entries.items[next]);)
            next++;
        rc = add_row(a, &entries.items[i], next - i, e);
    }
    free(entries.items);
    return rc;
}
