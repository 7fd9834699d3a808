/* How much of a saving in a kernel would reach the program? */
#include "analyzers/causal/causal_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/causal/causal_blocks.h"
#include "core/base/count_of.h"
#include "core/base/demangle.h"
#include "core/base/str.h"
#include "core/stats/line_fit.h"
#include "core/stats/statistics.h"
#include "core/trace/event_stream.h"
#include "core/trace/short_names.h"

/* An interval says where a criticality lies: in the lowest fifth of 0 to 1, in the highest, or between. A wider one
 * says nothing. Slopes that differ by less are the same for whoever reads them. */
#define HIDDEN_BELOW   0.2
#define CRITICAL_ABOVE 0.8
#define WIDTH_MAX      0.4
#define DIFFERENCE_MIN 0.1
#define CONFIDENT_TAIL 0.975
#define DELAY_ERROR    0.2  /* so much may a delay be off, */
#define DELAY_ERROR_NS 5000 /* or so much */
#define MANY           0.1  /* of launches that are not as the others */

static const struct bounded unknown = {NAN, NAN, NAN};

static bool read_request(struct causal_request *r, const json_t *asked)
{
    const json_t *targets = json_object_get(asked, "targets"), *doses = json_object_get(asked, "doses_ns");
    *r = (struct causal_request){.target_count = json_array_size(targets), .dose_count = json_array_size(doses)};
    if (!r->target_count || r->target_count > CAUSAL_TARGETS_MAX || r->dose_count < 2 ||
        r->dose_count > CAUSAL_DOSES_MAX)
        return false;
    for (size_t i = 0; i < r->target_count; i++) {
        const char *text = json_string_value(json_array_get(targets, i));
        if (!text || causal_target_read(&r->targets[i], text, NULL))
            return false;
    }
    for (size_t i = 0; i < r->dose_count; i++)
        r->doses_ns[i] = json_integer_value(json_array_get(doses, i));
    return true;
}

/* ---- the slope ---- */

/* The blocks of a row, a number each. */
struct points {
    double *delays, *times, *weights;
    size_t *doses;
    size_t count;
};

static void release(struct points *p)
{
    free(p->delays);
    free(p->times);
    free(p->weights);
    free(p->doses);
}

static int gather_points(struct points *p, const struct causal_blocks *b, const struct causal_row *row, size_t target,
                         struct err *e)
{
    *p = (struct points){.delays = calloc(b->blocks.count + 1, sizeof *p->delays),
                         .times = calloc(b->blocks.count + 1, sizeof *p->times),
                         .weights = calloc(b->blocks.count + 1, sizeof *p->weights),
                         .doses = calloc(b->blocks.count + 1, sizeof *p->doses)};
    if (!p->delays || !p->times || !p->weights || !p->doses)
        return err_memory(e);
    for (size_t i = 0; i < b->blocks.count; i++) {
        const struct causal_block *block = &b->blocks.items[i];
        if (block->rank != row->rank || block->target != target)
            continue;
        p->delays[p->count] = block->delay_ns / (double)(block->launches - 1);
        p->times[p->count] = block->span_ns / (double)(block->launches - 1);
        p->weights[p->count] = 1;
        p->doses[p->count++] = block->dose;
    }
    return 0;
}

/* The slope over the blocks whose dose lies between these two. */
static struct bounded slope_of(const struct points *p, size_t low, size_t high)
{
    double delays[2048], times[2048]; /* more blocks say no more */
    struct line_fit fit;
    size_t count = 0;
    for (size_t i = 0; i < p->count && count < COUNT_OF(delays); i++)
        if (p->doses[i] >= low && p->doses[i] <= high) {
            delays[count] = p->delays[i];
            times[count++] = p->times[i];
        }
    if (!line_fit(&fit, delays, times, p->weights, count))
        return unknown;
    const double half = student_t_quantile(CONFIDENT_TAIL, fit.df) * fit.slope_error;
    return (struct bounded){fit.slope, fit.slope - half, fit.slope + half};
}

/* ---- the row ---- */

static void sum_doses(struct causal_row *row, const struct causal_blocks *b, size_t target,
                      const struct causal_request *r)
{
    double spans_ns[CAUSAL_DOSES_MAX] = {0}, delays_ns[CAUSAL_DOSES_MAX] = {0}, kernel_ns = 0;
    row->dose_count = r->dose_count;
    for (size_t i = 0; i < b->blocks.count; i++) {
        const struct causal_block *block = &b->blocks.items[i];
        if (block->rank != row->rank || block->target != target)
            continue;
        row->counted += block->launches - 1;
        row->elsewhere += block->elsewhere;
        row->doses[block->dose].blocks++;
        row->doses[block->dose].launches += block->launches - 1;
        spans_ns[block->dose] += block->span_ns;
        delays_ns[block->dose] += block->delay_ns;
        kernel_ns += block->dose ? 0 : block->kernel_ns;
    }
    for (size_t i = 0; i < r->dose_count; i++) {
        struct causal_dose *dose = &row->doses[i];
        const double launches = dose->launches ? (double)dose->launches : (double)NAN;
        dose->asked_ns = r->doses_ns[i];
        dose->time_ns = spans_ns[i] / launches;
        dose->delay_ns = delays_ns[i] / launches;
    }
    for (size_t i = r->dose_count; i-- > 0;)
        row->doses[i].delay_ns -= row->doses[0].delay_ns;
    /* How much time the host takes before a call is not in the trace. */
    row->share = row->doses[0].launches && !row->asked.on_host ? kernel_ns / (spans_ns[0] - delays_ns[0]) : (double)NAN;
}

/* The kernel with most launches stands for the target. */
static int name_row(struct causal_row *row, const struct causal_blocks *b, size_t target, const struct strtab *strings,
                    struct short_names *names, struct err *e)
{
    const struct causal_kernel *most = NULL;
    struct str full;
    for (size_t i = 0; i < b->kernels.count; i++) {
        const struct causal_kernel *kernel = &b->kernels.items[i];
        if (kernel->rank != row->rank || kernel->target != target)
            continue;
        row->kernels++;
        row->launches += kernel->launches;
        row->undelayed += kernel->undelayed;
        most = !most || kernel->launches > most->launches ? kernel : most;
    }
    if (!most)
        return 0;
    str_init(&full);
    demangle_full(&full, strtab_text(strings, most->name));
    row->name = full.failed ? 0 : short_names_add(names, str_text(&full));
    str_release(&full);
    return row->name ? 0 : err_memory(e);
}

static bool has_few_blocks(const struct causal_row *row)
{
    for (size_t i = 0; i < row->dose_count; i++)
        if (row->doses[i].blocks < CAUSAL_BLOCKS_MIN)
            return true;
    return false;
}

static bool has_wrong_delays(const struct causal_row *row)
{
    for (size_t i = 1; i < row->dose_count; i++) {
        const double asked_ns = (double)row->doses[i].asked_ns;
        if (!(fabs(row->doses[i].delay_ns - asked_ns) <= fmax(DELAY_ERROR * asked_ns, DELAY_ERROR_NS)))
            return true;
    }
    return false;
}

static bool is_bent(const struct causal_row *row)
{
    const struct bounded *a = &row->first, *b = &row->further;
    return row->dose_count == CAUSAL_DOSES_MAX && fabs(a->value - b->value) > DIFFERENCE_MIN &&
           (a->high < b->low || b->high < a->low);
}

/* So many are more than some. */
static bool are_many(int64_t part, int64_t whole)
{
    return (double)part > MANY * (double)whole;
}

/* No program becomes faster by a delay, and none is delayed by more than it waits for in turn. */
static bool is_credible(const struct bounded *slope)
{
    return !(slope->high < -DIFFERENCE_MIN || slope->low > 1 + DIFFERENCE_MIN);
}

static enum causal_reason doubt_of(const struct causal_row *row, bool is_whole)
{
    if (!row->launches)
        return CAUSAL_NO_LAUNCHES;
    if (!is_whole)
        return CAUSAL_RECORDS_MISSING;
    if (are_many(row->undelayed, row->launches + row->undelayed))
        return CAUSAL_NOT_ALL_DELAYED;
    if (are_many(row->elsewhere, row->counted))
        return CAUSAL_SEVERAL_STREAMS;
    if (has_few_blocks(row))
        return CAUSAL_TOO_FEW_BLOCKS;
    if (has_wrong_delays(row))
        return CAUSAL_DELAYS_NOT_AS_ASKED;
    if (is_bent(row))
        return CAUSAL_NOT_LINEAR;
    if (!is_credible(&row->criticality))
        return CAUSAL_NOT_CREDIBLE;
    return row->criticality.high - row->criticality.low <= WIDTH_MAX ? CAUSAL_NO_REASON : CAUSAL_TOO_COARSE;
}

static void judge(struct causal_row *row, bool is_whole)
{
    row->reason = doubt_of(row, is_whole);
    if (row->reason)
        row->status = CAUSAL_INCONCLUSIVE;
    else if (row->criticality.high < HIDDEN_BELOW)
        row->status = CAUSAL_HIDDEN;
    else
        row->status = row->criticality.low > CRITICAL_ABOVE ? CAUSAL_CRITICAL : CAUSAL_PARTLY;
}

/* ---- all rows ---- */

struct measuring {
    struct causal *out;
    struct causal_blocks blocks;
    struct causal_request request;
    const struct strtab *strings;
    struct short_names *names;
    bool is_whole;
};

static int add_row(struct measuring *m, int rank, size_t target, struct err *e)
{
    struct causal_row *row = &m->out->items[m->out->count++];
    struct points points;
    *row = (struct causal_row){
        .target = m->request.targets[target].text, .asked = m->request.targets[target], .rank = rank};
    sum_doses(row, &m->blocks, target, &m->request);
    int rc = name_row(row, &m->blocks, target, m->strings, m->names, e);
    if (!rc && !(rc = gather_points(&points, &m->blocks, row, target, e))) {
        row->criticality = slope_of(&points, 0, CAUSAL_DOSES_MAX);
        row->first = slope_of(&points, 0, 1);
        row->further = slope_of(&points, 1, 2);
        release(&points);
        judge(row, m->is_whole);
    }
    return rc;
}

static int by_rank(const void *a, const void *b)
{
    const struct causal_kernel *p = a, *q = b;
    if (p->rank != q->rank)
        return p->rank < q->rank ? -1 : 1;
    return (p->name > q->name) - (p->name < q->name);
}

/* A target that was never launched has a row, too. */
static int add_rows(struct measuring *m, struct err *e)
{
    const size_t count = m->blocks.kernels.count;
    struct causal_kernel *kernels = m->blocks.kernels.items;
    size_t ranks = !count;
    if (count)
        qsort(kernels, count, sizeof *kernels, by_rank);
    for (size_t i = 0; i < count; i++)
        ranks += !i || kernels[i].rank != kernels[i - 1].rank;
    m->out->items = calloc(ranks * m->request.target_count, sizeof *m->out->items);
    if (!m->out->items)
        return err_memory(e);
    int rc = 0;
    for (size_t i = 0; i < (count ? count : 1) && !rc; i++)
        for (size_t target = 0; target < m->request.target_count && !rc; target++)
            if (!i || kernels[i].rank != kernels[i - 1].rank)
                rc = add_row(m, count ? kernels[i].rank : -1, target, e);
    return rc;
}

int causal_measure(struct causal *out, struct event_stream *stream, const json_t *asked, bool is_whole,
                   struct short_names *names, struct err *e)
{
    struct measuring m = {.out = out, .strings = event_stream_strings(stream), .names = names, .is_whole = is_whole};
    *out = (struct causal){0};
    if (!asked || !read_request(&m.request, asked))
        return 0;
    int rc = causal_blocks_cut(&m.blocks, stream, &m.request, e);
    if (!rc)
        rc = add_rows(&m, e);
    out->left_out = m.blocks.left_out;
    causal_blocks_release(&m.blocks);
    return rc;
}

void causal_release(struct causal *c)
{
    free(c->items);
    *c = (struct causal){0};
}
