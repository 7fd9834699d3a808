/* Which ranks are alike, and which kernels are spread unevenly? */
#include "analyzers/ranks/rank_alike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIKE_PART = 20 };

#define EXPLAINED_MIN 0.01 /* a kernel that takes 1.00x as long explains nothing */

/* ---- groups ---- */

/* A place's parts of time, in twentieths of the median span from the median. */
struct likeness {
    int32_t parts[SPENT_KINDS];
    uint32_t place;
};

static int by_likeness(const void *left, const void *right)
{
    const struct likeness *a = left, *b = right;
    for (int kind = 0; kind < SPENT_KINDS; kind++)
        if (a->parts[kind] != b->parts[kind])
            return a->parts[kind] < b->parts[kind] ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static bool are_alike(const struct likeness *a, const struct likeness *b)
{
    return !memcmp(a->parts, b->parts, sizeof a->parts);
}

static int by_number(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The median over the places of a part; of the span for SPENT_KINDS. */
static int64_t median_of(const struct ranks *r, int kind, int64_t *scratch)
{
    const size_t count = r->arrivals.places.count;
    for (size_t i = 0; i < count; i++) {
        const struct rank_place *p = &r->arrivals.places.items[i];
        scratch[i] = kind == SPENT_KINDS ? rank_place_span_ns(p) : p->spent_ns[kind];
    }
    qsort(scratch, count, sizeof *scratch, by_number);
    return scratch[(count - 1) / 2];
}

static void fill_likenesses(const struct ranks *r, struct likeness *all, int64_t *scratch)
{
    const int64_t each_ns = median_of(r, SPENT_KINDS, scratch) / ALIKE_PART + 1;
    for (int kind = 0; kind < SPENT_KINDS; kind++) {
        const int64_t median_ns = median_of(r, kind, scratch);
        for (size_t i = 0; i < r->arrivals.places.count; i++) {
            const int64_t away_ns = r->arrivals.places.items[i].spent_ns[kind] - median_ns;
            const double steps = round((double)away_ns / (double)each_ns);
            all[i].parts[kind] = (int32_t)fmax(fmin(steps, 1e9), -1e9);
            all[i].place = (uint32_t)i;
        }
    }
}

static int by_size(const void *left, const void *right)
{
    const struct rank_group *a = left, *b = right;
    return a->count != b->count ? (a->count < b->count ? 1 : -1) : (a->first > b->first) - (a->first < b->first);
}

static int add_group(struct ranks *r, size_t first, size_t end, struct err *e)
{
    struct rank_group *g = ARRAY_PUSH(&r->groups);
    if (!g)
        return err_memory(e);
    *g = (struct rank_group){.first = first, .count = end - first};
    for (int kind = 0; kind < SPENT_KINDS; kind++) {
        double sum_ns = 0;
        for (size_t i = first; i < end; i++)
            sum_ns += (double)r->arrivals.places.items[r->grouped[i]].spent_ns[kind];
        g->mean_ns[kind] = llround(sum_ns / (double)g->count);
    }
    return 0;
}

static int add_groups(struct ranks *r, const struct likeness *all, struct err *e)
{
    const size_t count = r->arrivals.places.count;
    int rc = 0;
    for (size_t i = 0; i < count; i++)
        r->grouped[i] = all[i].place;
    for (size_t i = 0, end; i < count && !rc; i = end) {
        for (end = i + 1; end < count && are_alike(&all[i], &all[end]);)
            end++;
        rc = add_group(r, i, end, e);
    }
    if (!rc)
        qsort(r->groups.items, r->groups.count, sizeof *r->groups.items, by_size);
    for (size_t g = 0; g < r->groups.count && !rc; g++)
        for (size_t i = 0; i < r->groups.items[g].count; i++)
            r->rows.items[r->grouped[r->groups.items[g].first + i]].group = (uint32_t)g;
    return rc;
}

int rank_alike_group(struct ranks *r, struct err *e)
{
    const size_t count = r->arrivals.places.count;
    struct likeness *all = calloc(count + 1, sizeof *all);
    int64_t *scratch = calloc(count + 1, sizeof *scratch);
    r->grouped = calloc(count + 1, sizeof *r->grouped);
    int rc = all && scratch && r->grouped ? 0 : err_memory(e);
    if (!rc && count) {
        fill_likenesses(r, all, scratch);
        qsort(all, count, sizeof *all, by_likeness);
        rc = add_groups(r, all, e);
    }
    free(all);
    free(scratch);
    return rc;
}

/* ---- kernels ---- */

/* The kernels [first, end) of one name. A place that does not run it is not counted. */
static struct rank_imbalance weigh(const struct rank_kernel *k, size_t count)
{
    struct rank_imbalance x = {.name = k->name, .places = count};
    double sum_ns = 0;
    for (size_t i = 0; i < count; i++) {
        sum_ns += (double)k[i].sum_ns;
        if (i && k[i].sum_ns <= x.worst_ns)
            continue;
        x.worst = k[i].place;
        x.worst_ns = k[i].sum_ns;
    }
    x.mean_ns = sum_ns / (double)count;
    x.ratio = sum_ns > 0 ? (double)x.worst_ns / x.mean_ns : NAN;
    return x;
}

static int by_excess(const void *left, const void *right)
{
    const struct rank_imbalance *a = left, *b = right;
    const double x = (double)a->worst_ns - a->mean_ns, y = (double)b->worst_ns - b->mean_ns;
    return x != y ? (x < y ? 1 : -1) : (a->name > b->name) - (a->name < b->name);
}

static size_t same_name(const struct ranks *r, size_t first)
{
    size_t end = first + 1;
    while (end < r->arrivals.kernels.count &&
           r->arrivals.kernels.items[end].name == r->arrivals.kernels.items[first].name)
        end++;
    return end;
}

int rank_alike_kernels(struct ranks *r, struct err *e)
{
    for (size_t i = 0, end; i < r->arrivals.kernels.count; i = end) {
        end = same_name(r, i);
        struct rank_imbalance *slot = end - i > 1 ? ARRAY_PUSH(&r->kernels) : NULL;
        if (slot)
            *slot = weigh(&r->arrivals.kernels.items[i], end - i);
        else if (end - i > 1)
            return err_memory(e);
    }
    if (r->kernels.count)
        qsort(r->kernels.items, r->kernels.count, sizeof *r->kernels.items, by_excess);
    return 0;
}

/* ---- what an origin does ---- */

/* The kernels [first, end) of one name: what the origin has of them, and the mean of the others. */
static struct rank_origin compare_kernel(const struct ranks *r, const struct rank_origin *o, size_t first, size_t end)
{
    const double others = (double)(r->arrivals.joined - 1);
    struct rank_origin found = *o;
    found.kernel = r->arrivals.kernels.items[first].name;
    found.kernel_ns = found.kernel_count = found.kernel_usual_ns = found.kernel_usual_count = 0;
    for (size_t i = first; i < end; i++) {
        const struct rank_kernel *k = &r->arrivals.kernels.items[i];
        if (k->place == o->place) {
            found.kernel_ns = (double)k->sum_ns;
            found.kernel_count = (double)k->count;
        } else if (r->arrivals.places.items[k->place].collectives) {
            found.kernel_usual_ns += (double)k->sum_ns / others;
            found.kernel_usual_count += (double)k->count / others;
        }
    }
    return found;
}

void rank_alike_explain(const struct ranks *r, struct rank_origin *o)
{
    double most_ns = (o->own_ns - o->usual_ns) / 2; /* less does not explain it */
    for (size_t i = 0, end; i < r->arrivals.kernels.count && o->cause == CAUSE_KERNEL && o->present; i = end) {
        end = same_name(r, i);
        const struct rank_origin found = compare_kernel(r, o, i, end);
        const double more_ns = found.kernel_ns - found.kernel_usual_ns;
        if (more_ns < most_ns || more_ns < EXPLAINED_MIN * found.kernel_usual_ns || more_ns <= 0)
            continue;
        most_ns = more_ns;
        *o = found;
    }
}
