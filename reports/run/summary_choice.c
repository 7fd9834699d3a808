/* Which rows of many belong on the first screen? */
#include "reports/run/summary_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct candidate {
    size_t index, place; /* place: among those of its config and gravity */
    int gravity;         /* the graver the smaller */
    double weight;
    const char *config, *cache;
};

static int by_index(const struct candidate *a, const struct candidate *b)
{
    return a->index < b->index ? -1 : a->index > b->index;
}

static int by_weight(const struct candidate *a, const struct candidate *b)
{
    if (a->gravity != b->gravity)
        return a->gravity < b->gravity ? -1 : 1;
    const double left = isfinite(a->weight) ? a->weight : -INFINITY,
                 right = isfinite(b->weight) ? b->weight : -INFINITY;
    return left > right ? -1 : left < right ? 1 : by_index(a, b);
}

static int within_config(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    const int config = strcmp(a->config, b->config), cache = strcmp(a->cache, b->cache);
    return config ? config : cache ? cache : by_weight(a, b);
}

static int across_configs(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->gravity != b->gravity)
        return a->gravity < b->gravity ? -1 : 1;
    return a->place != b->place ? (a->place < b->place ? -1 : 1) : by_index(a, b);
}

static bool is_of_same_case(const struct candidate *a, const struct candidate *b)
{
    return a->gravity == b->gravity && !strcmp(a->config, b->config) && !strcmp(a->cache, b->cache);
}

/* A count from 0 of each config's rows of one gravity, which lie beside each other: slower rows
 * must not put the gains of their config behind those of others. */
static void number_places(struct candidate *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (is_of_same_case(&items[i], &items[i - 1]))
            items[i].place = items[i - 1].place + 1;
}

/* `count` of the `rows` that there are. */
static struct summary_choice choose(struct arena *arena, struct candidate *items, size_t count, size_t rows,
                                    size_t most)
{
    struct summary_choice choice = {.by_importance = arena_alloc(arena, (count + 1) * sizeof *choice.by_importance),
                                    .chosen = arena_alloc(arena, rows + 1)};
    if (!items || !choice.by_importance || !choice.chosen || !count)
        return (struct summary_choice){0};
    qsort(items, count, sizeof *items, within_config);
    number_places(items, count);
    qsort(items, count, sizeof *items, across_configs);
    choice.count = count;
    choice.shown = count < most ? count : most;
    for (size_t i = 0; i < count; i++) {
        choice.by_importance[i] = items[i].index;
        choice.chosen[items[i].index] = i < choice.shown;
    }
    return choice;
}

static bool has_faster(const struct summary_choice *choice, const struct comparison *rows, size_t end)
{
    for (size_t i = 0; i < end; i++)
        if (rows[choice->by_importance[i]].verdict == COMPARE_FASTER)
            return true;
    return false;
}

/* Many slower rows must not hide the one that was looked for: the best one takes the last place. */
static void let_faster_in(struct summary_choice *choice, const struct comparison *rows)
{
    if (choice->shown < 2 || has_faster(choice, rows, choice->shown))
        return;
    for (size_t i = choice->shown; i < choice->count; i++) {
        size_t *best = &choice->by_importance[i], *last = &choice->by_importance[choice->shown - 1];
        if (rows[*best].verdict != COMPARE_FASTER)
            continue;
        const size_t evicted = *last;
        choice->chosen[*best] = true;
        choice->chosen[evicted] = false;
        *last = *best;
        *best = evicted;
        return;
    }
}

struct summary_choice summary_of_comparisons(struct arena *arena, const struct analysis *a, size_t most)
{
    static const int gravity[] = {[COMPARE_CONTRADICTED] = 0, [COMPARE_UNUSABLE] = 0, [COMPARE_SLOWER] = 1,
                                  [COMPARE_INCONCLUSIVE] = 2, [COMPARE_FASTER] = 3,   [COMPARE_EQUIVALENT] = 3};
    const size_t count = a->comparisons.count;
    struct candidate *items = arena_alloc(arena, (count + 1) * sizeof *items);
    for (size_t i = 0; items && i < count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        const int grave = gravity[c->verdict];
        /* of what is slower the worst, of what is faster the best */
        items[i] = (struct candidate){i, 0, grave, grave == 3 ? c->gain : -c->gain, c->config, c->cache};
    }
    struct summary_choice choice = choose(arena, items, count, count, most);
    if (choice.chosen)
        let_faster_in(&choice, a->comparisons.items);
    return choice;
}

struct summary_choice summary_by_weight(struct arena *arena, const double *weights, const bool *taking_part,
                                        size_t count, size_t most)
{
    struct candidate *items = arena_alloc(arena, (count + 1) * sizeof *items);
    size_t taken = 0;
    for (size_t i = 0; items && i < count; i++)
        if (!taking_part || taking_part[i])
            items[taken++] = (struct candidate){i, 0, 0, weights[i], "", ""};
    return choose(arena, items, taken, count, most);
}
