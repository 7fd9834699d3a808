/* Where is each rule broken? */
#include "reports/export/perfetto_rules.h"

#include <string.h>

#include "reports/rule_rows.h"

/* Behind what is said about the trace, before its devices. */
enum { RULES_RANK = 1 };

struct rule_tracks {
    const struct check_report *r;
    struct perfetto_packets *packets;
    struct arena arena; /* of the row that is written */
    int64_t first_ns;
    uint64_t parent; /* 0: not yet there */
};

/* The rows of examples come by their length. */
static size_t in_order_of_time(const struct rule_result *row, const struct timeline_example *out[TIMELINE_EXAMPLES])
{
    size_t count = 0;
    for (; count < row->counterexample_count && count < TIMELINE_EXAMPLES; count++) {
        size_t at = count;
        for (; at && out[at - 1]->start_ns > row->counterexamples[count].start_ns; at--)
            out[at] = out[at - 1];
        out[at] = &row->counterexamples[count];
    }
    return count;
}

static int add_parent(struct rule_tracks *t, struct err *e)
{
    const struct perfetto_track track = {.name = "broken rules",
                                         .rank = RULES_RANK,
                                         .description = "Where each rule is broken, at most five times a place."};
    return t->parent ? 0 : perfetto_add_track(t->packets, &track, &t->parent, e);
}

/* "serial(kernel) on device 0", the second of them behind ", line 2". */
static int add_track(struct rule_tracks *t, const struct rule_result *row, size_t line, uint64_t *out, struct err *e)
{
    const char *place = row_place(&t->arena, t->r, row);
    const char *name = line ? arena_printf(&t->arena, "%s on %s, line %zu", row->rule, place, line + 1)
                            : arena_printf(&t->arena, "%s on %s", row->rule, place);
    const char *sentence = row_sentence(&t->arena, t->r, row);
    int rc = name && sentence ? add_parent(t, e) : err_memory(e);
    const struct perfetto_track track = {.parent = t->parent, .name = name, .rank = 0, .description = sentence};
    return rc ? rc : perfetto_add_track(t->packets, &track, out, e);
}

static int write_example(struct rule_tracks *t, const struct rule_result *row, const struct timeline_example *x,
                         uint64_t track, struct err *e)
{
    struct perfetto_packets *p = t->packets;
    const char *name = example_label(&t->arena, t->r->strings, x), *sentence = row_sentence(&t->arena, t->r, row),
               *other = x->other_name ? example_other_label(&t->arena, t->r->strings, x) : NULL;
    if (!name || !sentence || (x->other_name && !other))
        return err_memory(e);
    const char *shown = x->is_gap ? "gap" : name;
    perfetto_begin_slice(p, track, "broken rule", shown, strlen(shown));
    perfetto_add_text(p, "rule", row->rule, strlen(row->rule));
    perfetto_add_text(p, "measured", sentence, strlen(sentence));
    if (other)
        perfetto_add_text(p, x->is_gap ? "before" : "other", other, strlen(other));
    if (x->is_gap)
        perfetto_add_text(p, "after", name, strlen(name));
    int rc = perfetto_end_event(p, x->start_ns - t->first_ns, e);
    return rc ? rc : perfetto_end_slice(p, track, x->end_ns - t->first_ns, e);
}

/* Slices of one track follow one another: what begins earlier than the last one ends is on the next line. */
static int write_row(struct rule_tracks *t, const struct rule_result *row, struct err *e)
{
    const struct timeline_example *examples[TIMELINE_EXAMPLES];
    int64_t end_ns[TIMELINE_EXAMPLES];
    uint64_t tracks[TIMELINE_EXAMPLES];
    const size_t count = in_order_of_time(row, examples);
    size_t lines = 0;
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++) {
        size_t line = 0;
        while (line < lines && end_ns[line] > examples[i]->start_ns)
            line++;
        if (line == lines)
            rc = add_track(t, row, lines++, &tracks[line], e);
        end_ns[line] = examples[i]->end_ns;
        if (!rc)
            rc = write_example(t, row, examples[i], tracks[line], e);
    }
    return rc;
}

int perfetto_rules_write(const struct check_report *r, int64_t first_ns, struct perfetto_packets *p, struct err *e)
{
    struct rule_tracks t = {.r = r, .packets = p, .first_ns = first_ns};
    int rc = 0;
    arena_init(&t.arena);
    for (size_t i = 0; i < r->results->count && !rc; i++) {
        const struct rule_result *row = &r->results->items[i];
        if (row->status == RULE_FAIL)
            rc = write_row(&t, row, e);
    }
    arena_release(&t.arena);
    return rc;
}
