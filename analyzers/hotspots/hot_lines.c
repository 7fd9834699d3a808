/* At which source lines does a kernel spend its time? */
#include "analyzers/hotspots/hot_lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_line(const struct line_sample *a, const struct line_sample *b)
{
    if (a->kernel != b->kernel)
        return a->kernel < b->kernel ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    const int order = strcmp(a->file, b->file);
    return order ? order : strcmp(a->text, b->text); /* two files may have the same name */
}

static int by_line_and_reason(const void *left, const void *right)
{
    const struct line_sample *a = left, *b = right;
    const int order = by_line(a, b);
    return order ? order : strcmp(a->stall, b->stall);
}

int hot_reasons_order(const void *a, const void *b)
{
    const double one = ((const struct hot_reason *)a)->samples, other = ((const struct hot_reason *)b)->samples;
    return (one < other) - (one > other);
}

static int hotter(const void *left, const void *right)
{
    const struct hot_line *a = left, *b = right;
    if (a->samples != b->samples)
        return a->samples < b->samples ? 1 : -1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    const int order = strcmp(a->file, b->file);
    return order ? order : strcmp(a->text, b->text);
}

/* The samples of one line, sorted by reason. */
static int add_line(struct hotspots *h, const struct line_sample *first, size_t count, struct arena *arena,
                    struct err *e)
{
    struct hot_line *line = ARRAY_PUSH(&h->lines);
    struct hot_reason *reasons = line ? arena_alloc(arena, count * sizeof *reasons) : NULL;
    if (!reasons)
        return err_memory(e);
    *line = (struct hot_line){.file = arena_copy(arena, first->file),
                              .line = first->line,
                              .text = arena_copy(arena, first->text),
                              .reasons = reasons};
    for (size_t i = 0; i < count; i++) {
        if (!i || strcmp(first[i].stall, first[i - 1].stall) != 0)
            reasons[line->reason_count++].name = arena_copy(arena, first[i].stall);
        reasons[line->reason_count - 1].samples += first[i].samples;
        line->samples += first[i].samples;
    }
    qsort(reasons, line->reason_count, sizeof *reasons, hot_reasons_order);
    return 0;
}

int hot_lines_add(struct hotspots *kernels, struct line_samples *samples, struct arena *arena, struct err *e)
{
    int rc = 0;
    if (samples->count)
        qsort(samples->items, samples->count, sizeof *samples->items, by_line_and_reason);
    for (size_t at = 0, end; at < samples->count && !rc; at = end) {
        const struct line_sample *first = &samples->items[at];
        for (end = at + 1; end < samples->count && !by_line(first, &samples->items[end]);)
            end++;
        struct hotspots *h = &kernels[first->kernel];
        rc = add_line(h, first, end - at, arena, e);
        if (!rc && (end == samples->count || samples->items[end].kernel != first->kernel))
            qsort(h->lines.items, h->lines.count, sizeof *h->lines.items, hotter);
    }
    return rc;
}
