/* Where in its code does each kernel spend its time, and waiting for what? */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/entries.h"
#include "analyzers/hotspots/hot_lines.h"
#include "core/base/array.h"

struct row {
    const struct arm *arm;
    const char *kernel, *stall;
    double offset; /* NAN: one of the many cooler instructions */
    double samples;
};

static struct row row_at(const struct arm_table *rows, size_t i)
{
    const struct table *t = rows->table;
    return (struct row){rows->arms[i], table_text(t, i, HOTSPOTS_KERNEL), table_text(t, i, HOTSPOTS_REASON),
                        table_number(t, i, HOTSPOTS_OFFSET), table_number(t, i, HOTSPOTS_SAMPLES)};
}

/* Rows of a kernel need not stand together. */
static struct hotspots *kernel_of(struct analysis *a, const struct row *r)
{
    for (size_t i = a->hotspots.count; i-- > 0;) {
        struct hotspots *h = &a->hotspots.items[i];
        if (h->arm == r->arm && !strcmp(h->kernel, r->kernel))
            return h;
    }
    struct hotspots *h = ARRAY_PUSH(&a->hotspots);
    if (h)
        *h = (struct hotspots){.arm = r->arm,
                               .variant = arena_copy(&a->arena, r->arm->variant),
                               .config = arena_copy(&a->arena, r->arm->config),
                               .kernel = arena_copy(&a->arena, r->kernel)};
    return h;
}

static int add_to_kernel(struct analysis *a, struct hotspots *h, const struct row *r, struct err *e)
{
    h->samples += r->samples;
    for (size_t i = 0; i < h->reasons.count; i++)
        if (!strcmp(h->reasons.items[i].name, r->stall)) {
            h->reasons.items[i].samples += r->samples;
            return 0;
        }
    struct hot_reason *reason = ARRAY_PUSH(&h->reasons);
    if (!reason)
        return err_memory(e);
    *reason = (struct hot_reason){arena_copy(&a->arena, r->stall), r->samples};
    return 0;
}

/* The rows of one instruction follow each other: the collector writes them so. Rows that
 * nobody was seen in, or that are damaged, say nothing. */
static int add_instruction(struct analysis *a, struct hotspots *h, const struct arm_table *rows, size_t at,
                           size_t count, struct err *e)
{
    const struct table *t = rows->table;
    struct hot_instruction *hot = ARRAY_PUSH(&h->instructions);
    struct hot_reason *reasons = hot ? arena_alloc(&a->arena, count * sizeof *reasons) : NULL;
    if (!reasons)
        return err_memory(e);
    *hot = (struct hot_instruction){.offset = table_number(t, at, HOTSPOTS_OFFSET),
                                    .instruction = arena_copy(&a->arena, table_text(t, at, HOTSPOTS_INSTRUCTION)),
                                    .file = arena_copy(&a->arena, table_text(t, at, HOTSPOTS_FILE)),
                                    .line = table_number(t, at, HOTSPOTS_LINE),
                                    .reasons = reasons};
    for (size_t i = 0; i < count; i++) {
        const struct row r = row_at(rows, at + i);
        if (!(r.samples > 0))
            continue;
        reasons[hot->reason_count++] = (struct hot_reason){arena_copy(&a->arena, r.stall), r.samples};
        hot->samples += r.samples;
    }
    h->instructions.count -= !hot->reason_count;
    return 0;
}

static bool same_instruction(const struct row *a, const struct row *b)
{
    return a->offset == b->offset && a->arm == b->arm && !strcmp(a->kernel, b->kernel);
}

/* Rows without an offset have a line where the cooler instructions of that line are summed. */
static int add_to_line(struct line_samples *lines, size_t kernel, const struct arm_table *rows, size_t at,
                       struct err *e)
{
    const struct table *t = rows->table;
    const double line = table_number(t, at, HOTSPOTS_LINE);
    const char *file = table_text(t, at, HOTSPOTS_FILE);
    if (!*file || !(line >= 1 && line <= UINT32_MAX))
        return 0;
    struct line_sample *sample = ARRAY_PUSH(lines);
    if (!sample)
        return err_memory(e);
    *sample = (struct line_sample){kernel,
                                   file,
                                   table_text(t, at, HOTSPOTS_TEXT),
                                   table_text(t, at, HOTSPOTS_REASON),
                                   line,
                                   table_number(t, at, HOTSPOTS_SAMPLES)};
    return 0;
}

static int add_rows(struct analysis *a, const struct arm_table *t, size_t at, size_t *count, struct line_samples *lines,
                    struct err *e)
{
    const struct row first = row_at(t, at);
    struct hotspots *h = kernel_of(a, &first);
    if (!h)
        return err_memory(e);
    int rc = 0;
    for (*count = 0; !rc && at + *count < table_rows(t->table); ++*count) {
        const struct row r = row_at(t, at + *count);
        if (*count && !same_instruction(&first, &r)) /* never the same where there is no offset */
            break;
        if (!(r.samples > 0))
            continue;
        rc = add_to_kernel(a, h, &r, e);
        if (!rc)
            rc = add_to_line(lines, (size_t)(h - a->hotspots.items), t, at + *count, e);
    }
    return rc || isnan(first.offset) ? rc : add_instruction(a, h, t, at, *count, e);
}

static int hotter(const void *a, const void *b)
{
    const struct hot_instruction *one = a, *other = b;
    if (one->samples != other->samples)
        return one->samples < other->samples ? 1 : -1;
    return (one->offset > other->offset) - (one->offset < other->offset);
}

static void sort(struct hotspots *h)
{
    if (h->reasons.count)
        qsort(h->reasons.items, h->reasons.count, sizeof *h->reasons.items, hot_reasons_order);
    if (h->instructions.count)
        qsort(h->instructions.items, h->instructions.count, sizeof *h->instructions.items, hotter);
    for (size_t i = 0; i < h->instructions.count; i++)
        qsort(h->instructions.items[i].reasons, h->instructions.items[i].reason_count, sizeof(struct hot_reason),
              hot_reasons_order);
}

int hotspots_analyze(struct analysis *a, struct err *e)
{
    const struct arm_table *t = &a->run->tables[BUNDLE_HOTSPOTS];
    struct line_samples lines = {0};
    int rc = 0;
    for (size_t at = 0, count = 0; at < table_rows(t->table) && !rc; at += count)
        rc = add_rows(a, t, at, &count, &lines, e);
    if (!rc)
        rc = hot_lines_add(a->hotspots.items, &lines, &a->arena, e);
    free(lines.items);
    for (size_t i = 0; i < a->hotspots.count; i++)
        sort(&a->hotspots.items[i]);
    return rc;
}
