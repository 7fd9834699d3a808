/* Whose lateness costs us? One page for any number of ranks. */
#include "reports/ranks_report.h"

#include <math.h>
#include <stdlib.h>

#include "analyzers/columns.h"
#include "analyzers/ranks/ranks_words.h"
#include "core/base/count_of.h"
#include "core/trace/event_stream.h"
#include "reports/pictures/rank_strip.h"
#include "reports/rows/row_formats.h"

enum {
    NAME_COLUMNS = 48,
    ORIGINS_SHOWN = 4,
    GROUPS_SHOWN = 4,
    MISMATCHES_SHOWN = 5,
    CLOCKS_SHOWN = 3,
    LINKS_SHOWN = 3
};

static struct row_table table_of(const struct row_columns *list, const struct ranks_context *c)
{
    const unsigned formats = ROW_TABLE | (c->r->arrivals.step_count > 0 ? RANKS_STEPS : 0);
    return (struct row_table){.lists = {list}, .formats = {formats}, .context = c, .code_columns = NAME_COLUMNS};
}

/* A heading and the first rows of a table; the JSON has all. */
static void add_table(struct document *out, const struct ranks_context *c, const char *title,
                      const struct row_columns *list, const void *rows, size_t count, size_t most)
{
    const struct row_table table = table_of(list, c);
    char all[UNITS_TEXT_BYTES];
    if (!count)
        return;
    if (count > most)
        title =
            arena_printf(&out->arena, "%s: %zu of %s rows", title, most, unit_format(all, UNIT_COUNT, (double)count));
    document_heading(out, 2, title);
    row_table_add(out, &table, rows, count < most ? count : most);
}

static const char *time_text(struct document *out, double ns)
{
    char text[UNITS_TEXT_BYTES];
    return arena_copy(&out->arena, unit_format(text, UNIT_NS, ns));
}

static const char *count_text(struct document *out, int64_t count, const char *one, const char *many)
{
    char text[UNITS_TEXT_BYTES];
    return arena_copy(&out->arena, words_count(text, count, one, many));
}

/* ---- what ranks lose ---- */

static void add_loss(const struct ranks *r, struct document *out, const char *what, double ns)
{
    document_cell(out, "%s", what);
    document_cell_unit(out, UNIT_NS, ns);
    document_cell_unit(out, UNIT_RATIO, ranks_part(r, ns));
    if (r->arrivals.step_count > 0)
        document_cell_unit(out, UNIT_NS, ranks_per_step(r, ns));
}

static void write_losses(const struct ranks *r, struct document *out)
{
    static const struct document_column columns[] = {
        {"a rank loses", false}, {"in all", true}, {"of the time", true}, {"each step", true}};
    document_table(out, columns, COUNT_OF(columns) - (r->arrivals.step_count <= 0));
    add_loss(r, out, "waiting for late ranks", ranks_late_cost(r));
    add_loss(r, out, "in transfers that are slower than usual", ranks_slow(r));
    add_loss(r, out, "in communication without a verdict", ranks_mean(r, r->costs.unjudged_ns));
}

/* Whoever names no kernel wants to know which there are. */
static void write_names(const struct ranks_context *c, struct document *out)
{
    const char *names = rank_kernels_to_name(c);
    if (!*names)
        return;
    document_fact(out, "Next");
    document_span(out, SPAN_CODE, "--comm REGEX");
    document_span(out, SPAN_PLAIN, " says which kernels communicate. There are ");
    document_span(out, SPAN_CODE, "%s", names);
    document_span(out, SPAN_PLAIN, ".");
}

/* What to do about what has no verdict, and about the late rank that costs most. */
static void write_next(const struct ranks_context *c, bool is_cut, struct document *out)
{
    const struct rank_costs *costs = &c->r->costs;
    const char *open = costs->verdict                             ? NULL
                       : is_cut && costs->doubt == DOUBT_MISMATCH ? "copy or record again what was not read to its end"
                                                                  : rank_doubt_advice(c, costs->doubt);
    const bool is_late = costs->verdict != RANK_IN_TIME && costs->verdict != RANK_SLOW && costs->origins.count;
    const struct rank_advice next = costs->verdict == RANK_SLOW ? rank_slow_advice(c)
                                    : is_late                   ? rank_origin_advice(c, &costs->origins.items[0])
                                                                : (struct rank_advice){NULL, NULL};
    if (c->r->arrivals.doubt == ARRIVALS_NONE) {
        write_names(c, out);
    } else if (open) {
        document_fact(out, "Next");
        document_span(out, SPAN_PLAIN, "%s.", open);
    }
    if (next.command) {
        document_fact(out, "Next");
        document_span(out, SPAN_CODE, "%s", next.command);
        document_span(out, SPAN_PLAIN, " %s.", next.does);
    }
}

/* ---- what was judged ---- */

/* Small collectives are many, and their ranks meet closer together: one median of all would be theirs. */
static void write_skew(const struct ranks_context *c, struct document *out)
{
    const struct rank_skew *s = &c->r->skew;
    char bytes[UNITS_TEXT_BYTES];
    if (!isfinite(s->ns))
        return;
    document_span(out, SPAN_PLAIN, " The median from the first arrival to the last is %s", time_text(out, s->all_ns));
    if (s->is_of_alike && s->ns > s->all_ns)
        document_span(out, SPAN_PLAIN, ". It is largest, %s, for the %s of %s on %s", time_text(out, s->ns),
                      count_text(out, (int64_t)s->collectives, "collective", "collectives"),
                      s->bytes < 0 ? "unknown size" : unit_format(bytes, UNIT_BYTES, (double)s->bytes),
                      rank_communicator_name(c, s->communicator));
    document_span(out, SPAN_PLAIN, ".");
}

static int by_key(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* Processes may share a GPU. */
static int64_t count_gpus(const struct ranks_context *c, struct document *out)
{
    const struct rank_arrivals *a = &c->r->arrivals;
    int32_t *keys = arena_alloc(&out->arena, (a->places.count + 1) * sizeof *keys);
    int64_t count = 0;
    for (size_t i = 0; keys && i < a->places.count; i++) {
        int16_t rank = (int16_t)a->places.items[i].rank, device = (int16_t)a->places.items[i].device;
        event_stream_gpu_of(c->r->stream, &rank, &device);
        keys[i] = rank * (UINT16_MAX + 1) + device;
    }
    if (keys && a->places.count)
        qsort(keys, a->places.count, sizeof *keys, by_key);
    for (size_t i = 0; keys && i < a->places.count; i++)
        count += !i || keys[i] != keys[i - 1];
    return keys ? count : (int64_t)a->places.count;
}

static void write_devices(const struct ranks_context *c, struct document *out)
{
    const int64_t devices = (int64_t)c->r->arrivals.places.count, gpus = count_gpus(c, out);
    document_span(out, SPAN_PLAIN, "%s", count_text(out, devices, "device", "devices"));
    if (gpus < devices)
        document_span(out, SPAN_PLAIN, " of processes that share %s", count_text(out, gpus, "GPU", "GPUs"));
    document_span(out, SPAN_PLAIN, ", %s",
                  count_text(out, (int64_t)c->r->meetings.items.count, "collective", "collectives"));
}

static void write_verdicts(const struct ranks_context *c, struct document *out)
{
    const struct ranks *r = c->r;
    static const enum rank_verdict order[] = {RANK_LATE, RANK_SLOW, RANK_MIXED, RANK_IN_TIME, RANK_INCONCLUSIVE};
    document_heading(out, 2, "How it was judged");
    document_paragraph(out);
    write_devices(c, out);
    for (size_t i = 0, shown = 0; i < COUNT_OF(order); i++)
        if (r->costs.counts[order[i]])
            document_span(out, SPAN_PLAIN, "%s %lld %s", shown++ ? "," : ":", (long long)r->costs.counts[order[i]],
                          rank_verdict_key(order[i]));
    document_span(out, SPAN_PLAIN, ".");
    if (r->costs.span_ns > 0)
        document_span(out, SPAN_PLAIN, " A rank takes %s, in the mean.",
                      time_text(out, ranks_mean(r, r->costs.span_ns)));
    if (r->costs.unrecorded_ns > 0)
        document_span(out, SPAN_PLAIN, " That is without %s in collectives that began before all ranks were recorded.",
                      time_text(out, ranks_mean(r, r->costs.unrecorded_ns)));
    write_skew(c, out);
    document_span(
        out, SPAN_PLAIN,
        " A transfer is slow by comparison with the fastest tenth of its own communicator in this run: one that is "
        "always slow is not.");
}

static void write_doubts(const struct ranks_context *c, struct document *out)
{
    const struct ranks *r = c->r;
    for (int doubt = DOUBT_NONE + 1; doubt < DOUBTS; doubt++) {
        if (!r->costs.doubts[doubt])
            continue;
        document_bullet(out);
        document_span(out, SPAN_PLAIN, "%s inconclusive: %s.",
                      count_text(out, r->costs.doubts[doubt], "collective is", "collectives are"),
                      rank_doubt_reason(c, (enum rank_doubt)doubt));
    }
    if (!r->arrivals.paired)
        return;
    document_bullet(out);
    document_span(out, SPAN_PLAIN, "%s and receive: which ranks meet in them is not recorded.",
                  count_text(out, r->arrivals.paired, "kernel may send", "kernels send"));
}

static void write_mismatches(const struct ranks_context *c, struct document *out)
{
    const struct rank_meetings_found *m = &c->r->meetings;
    if (!m->mismatches.count)
        return;
    document_heading(out, 2, "What does not match");
    for (size_t i = 0; i < m->mismatches.count && i < MISMATCHES_SHOWN; i++) {
        document_bullet(out);
        document_span(out, SPAN_PLAIN, "%s.", rank_mismatch_sentence(c, &m->mismatches.items[i]));
    }
    if (m->mismatch_count > MISMATCHES_SHOWN) {
        document_bullet(out);
        document_span(out, SPAN_PLAIN, "%lld more.", (long long)m->mismatch_count - MISMATCHES_SHOWN);
    }
}

/* ---- clocks ---- */

/* The number of clocks that cannot be compared, and the least certain of the others. */
static void write_clocks(const struct ranks_context *c, struct document *out)
{
    const struct rank_clocks *clocks = ranks_shown_clocks(c->r);
    const char *contradiction = rank_clocks_contradiction(c);
    size_t references = 0, refused = 0;
    int64_t most_ns = 0;
    for (size_t i = 0; i < clocks->items.count; i++) {
        const bool is_refused = clocks->items.items[i].is_refused;
        refused += is_refused;
        references += clocks->items.items[i].is_reference && !is_refused;
        most_ns = clocks->items.items[i].uncertain_ns > most_ns ? clocks->items.items[i].uncertain_ns : most_ns;
    }
    if (clocks->items.count < 2)
        return;
    add_table(out, c, "Clocks", &rank_clock_columns, clocks->items.items, clocks->items.count, CLOCKS_SHOWN);
    document_paragraph(out);
    if (references > 1)
        document_span(out, SPAN_PLAIN, "%s too few small collectives with the first: nothing is said across them.",
                      count_text(out, (int64_t)references - 1, "clock has", "clocks have"));
    if (references + refused < clocks->items.count)
        document_span(out, SPAN_PLAIN, "%sThe least certain of those that are compared is off by up to %s.",
                      references > 1 ? " " : "", time_text(out, (double)most_ns));
    if (*contradiction)
        document_span(out, SPAN_PLAIN, " At the collectives that they share, %s: a trace may be of another run.",
                      contradiction);
}

/* ---- the page ---- */

static void add_links(const struct ranks_context *c, struct document *out)
{
    const struct rank_links *links = &c->r->links;
    size_t slower = 0;
    while (slower < links->items.count && slower < LINKS_SHOWN &&
           links->items.items[slower].ratio > 1 + RANK_SLOW_PERCENT / 100.0 &&
           (double)links->items.items[slower].expected_ns - links->items.items[slower].usual_ns > RANK_FLOOR_NS)
        slower++;
    add_table(out, c, "Communicators that are slower than others", &rank_link_columns, links->items.items, slower,
              slower);
}

static void add_evidence(const struct ranks_context *c, struct document *out)
{
    const struct ranks *r = c->r;
    size_t uneven = 0;
    write_verdicts(c, out);
    if (r->costs.verdict)
        write_doubts(c, out);
    add_table(out, c, "Ranks that are alike", &rank_group_columns, r->groups.items, r->groups.count, GROUPS_SHOWN);
    while (uneven < r->kernels.count && uneven < RANK_KERNELS_SHOWN && r->kernels.items[uneven].ratio > 1.1)
        uneven++;
    add_table(out, c, "Kernels that are spread unevenly", &rank_kernel_columns, r->kernels.items, uneven, uneven);
    write_clocks(c, out);
}

/* Places come in the order of their ranks. */
static void write_source(const struct ranks_report *r, struct document *out)
{
    const struct rank_arrivals *a = &r->ranks->arrivals;
    int64_t ranks = 0;
    for (size_t i = 0; i < a->places.count; i++)
        ranks += a->places.items[i].rank >= 0 && (!i || a->places.items[i].rank != a->places.items[i - 1].rank);
    document_paragraph(out);
    if (ranks)
        document_span(out, SPAN_PLAIN, "%s of ", count_text(out, ranks, "rank", "ranks"));
    else
        document_span(out, SPAN_PLAIN, "Read from ");
    document_span(out, SPAN_CODE, "%s", r->side.source);
    document_span(out, SPAN_PLAIN, ".");
}

/* The answer, what is lost, by whom, and what to do; the rest is for who doubts it. */
int report_ranks(const struct ranks_report *r, struct document *out, struct err *e)
{
    const struct ranks_context c = {&out->arena, r->ranks, r->operand};
    const char *cut = caveat_first(r->side.caveats, CAVEAT_TRUNCATED);
    struct str answer;
    str_init(&answer);
    str_add(&answer, ranks_answer(&c));
    if (cut)
        str_addf(&answer, "; not all was read: %s", cut);
    words_answer(out, &answer);
    write_source(r, out);
    if (r->ranks->rows.count) {
        write_losses(r->ranks, out);
        if (!r->ranks->costs.verdict)
            write_doubts(&c, out);
        write_next(&c, cut, out);
        add_table(out, &c, "Late ranks", &rank_origin_columns, r->ranks->costs.origins.items,
                  r->ranks->costs.origins.count, ORIGINS_SHOWN);
        rank_strip_add(&c, out);
        write_mismatches(&c, out);
        add_links(&c, out);
        document_evidence(out);
        add_evidence(&c, out);
    }
    words_caveats(out, &r->side, 1);
    return out->failed ? err_memory(e) : 0;
}
