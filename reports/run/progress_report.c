/* Which launch does not end, and who waits where? */
#include <math.h>
#include <string.h>

#include "analyzers/columns.h"
#include "core/bundle/bundle_tables.h"
#include "core/run/instrumented_arm.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

enum { GROUPS_SHOWN = 3 };

/* ---- a launch that does not end ---- */

static void write_place(const struct hang_group *g, struct document *d)
{
    if (!strcmp(g->state, PROGRESS_BEGUN)) {
        document_span(d, SPAN_PLAIN, "before the first mark");
    } else {
        if (*g->phase)
            document_span(d, SPAN_PLAIN, "in '%s' of", g->phase);
        else
            document_span(d, SPAN_PLAIN, "behind mark %d of", g->mark);
        document_span(d, SPAN_PLAIN, " tile %lld", (long long)g->first_tile);
        if (g->last_tile > g->first_tile)
            document_span(d, SPAN_PLAIN, " to %lld", (long long)g->last_tile);
    }
    document_span(d, SPAN_PLAIN, " (first block %lld", (long long)g->block);
    if (g->device > 0)
        document_span(d, SPAN_PLAIN, " of GPU %lld", (long long)g->device);
    document_span(d, SPAN_PLAIN, ", SM %lld)", (long long)g->sm);
}

static void write_groups(const struct hang *h, struct document *d)
{
    size_t open = 0;
    for (size_t i = 0; i < h->group_count; i++) {
        const struct hang_group *g = &h->groups[i];
        if (!strcmp(g->state, PROGRESS_ENDED) || open++ >= GROUPS_SHOWN)
            continue;
        document_span(d, SPAN_PLAIN, "%s%zu of role '%s' ", open > 1 ? ", " : "", g->warps, g->role_name);
        write_place(g, d);
    }
    if (open > GROUPS_SHOWN)
        document_span(d, SPAN_PLAIN, ", and %zu more groups", open - GROUPS_SHOWN);
    if (h->ended)
        document_span(d, SPAN_PLAIN, "%s%zu ended", open ? ", " : "", h->ended);
}

static void write_hang(const struct hang *h, struct document *d)
{
    char waited[UNITS_TEXT_BYTES];
    words_arm(d, h->variant, h->config);
    document_span(d, SPAN_PLAIN, " does not end after %s: ", unit_format(waited, UNIT_NS, h->waited_ns));
    if (!h->warps) {
        document_span(d, SPAN_PLAIN, "no warp with marks has begun");
        return;
    }
    if (h->absent)
        document_span(d, SPAN_PLAIN, "on GPU %lld no warp with marks has begun; ", (long long)h->absent_device);
    document_span(d, SPAN_PLAIN, "%zu warp%s: ", h->warps, h->warps == 1 ? "" : "s");
    write_groups(h, d);
    if (h->moving)
        document_span(d, SPAN_PLAIN, "; %zu still move: it may only need more time (--progress=SECONDS)", h->moving);
    else if (h->ended == h->warps)
        document_span(d, SPAN_PLAIN, "; it waits for warps without marks, or without room");
}

bool run_headline_hang(const struct analysis *a, struct document *d)
{
    if (!a->hangs.count)
        return false;
    write_hang(&a->hangs.items[0], d);
    return true;
}

static void add_hangs(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&hang_group_columns}, .formats = {ROW_TABLE}};
    for (size_t i = 0; i < a->hangs.count; i++) {
        const struct hang *h = &a->hangs.items[i];
        document_bullet(d);
        write_hang(h, d);
        document_span(d, SPAN_PLAIN, ".");
        row_table_add(d, &table, h->groups, h->group_count);
    }
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
                  "The block, warp and SM are those of the first warp at the lowest tile; each warp is in %s. "
                  "Nothing else was measured.",
                  bundle_table_file(BUNDLE_INSIDE_PROGRESS));
}

/* ---- launches that end ---- */

static int64_t ended_launches(const struct analysis *a)
{
    const json_t *processes = json_object_get(a->bundle->manifest, "processes");
    int64_t ended = 0;
    for (size_t i = 0; i < json_array_size(processes); i++)
        if (!strcmp(json_get_text(json_array_get(processes, i), "role", ""), "progress"))
            ended += json_get_integer(json_array_get(processes, i), "ended", 0);
    return ended;
}

/* What the marks cost, where both builds were timed. */
static void write_costs(const struct analysis *a, struct document *d)
{
    size_t said = 0;
    for (size_t i = 0; i < a->mark_costs.count && said < GROUPS_SHOWN; i++) {
        const struct comparison *c = &a->mark_costs.items[i];
        if (!c->cand.arm || !progress_arm_of_length(c->cand.arm->variant) || !isfinite(c->ratio))
            continue;
        document_span(d, SPAN_PLAIN, "; ");
        words_arm(d, c->candidate, c->config);
        document_span(d, SPAN_PLAIN, " takes %.3f of the time", c->ratio);
        if (isfinite(c->ci_low) && isfinite(c->ci_high))
            document_span(d, SPAN_PLAIN, " (%.3f to %.3f)", c->ci_low, c->ci_high);
        said++;
    }
}

void run_progress_screen(const struct analysis *a, struct document *d)
{
    const int64_t ended = a->hangs.count ? 0 : ended_launches(a);
    if (ended <= 0)
        return;
    document_fact(d, "Progress");
    document_span(d, SPAN_PLAIN, "%lld of %lld watched launches ended", (long long)ended, (long long)ended);
    write_costs(a, d);
}

void run_progress_add(const struct analysis *a, struct document *d)
{
    if (!a->hangs.count)
        return;
    document_heading(d, 2, "Progress");
    add_hangs(a, d);
}
