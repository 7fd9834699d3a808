/* Which rows of hotspots.csv do the samples of one arm become? */
#include "collector/runner/hot_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/bundle/bundle_tables.h"

/* All samples of one instruction: items[first .. first + count) of the sorted list. */
struct hot {
    size_t first, count;
    uint64_t samples;
    struct hot_place place;
};

/* All samples of one line of a kernel, or of one reason there. */
struct sum {
    const char *symbol, *reason;
    struct hot_place place;
    uint64_t samples;
};

struct sums {
    struct sum *items;
    size_t count, capacity;
};

struct hot_rows {
    struct table *out;
    const char *variant, *config;
    const struct pc_sample *samples;
    struct hot *hot; /* the hottest first */
    size_t count;
    struct sums lines; /* the hottest first */
};

static int by_instruction(const void *a, const void *b)
{
    const struct pc_sample *one = a, *other = b;
    const int order = strcmp(one->symbol, other->symbol);
    if (order)
        return order;
    if (one->cubin_crc != other->cubin_crc)
        return one->cubin_crc < other->cubin_crc ? -1 : 1;
    if (one->offset != other->offset)
        return one->offset < other->offset ? -1 : 1;
    return strcmp(one->reason, other->reason);
}

static int by_samples(const void *a, const void *b)
{
    const struct hot *one = a, *other = b;
    if (one->samples != other->samples)
        return one->samples < other->samples ? 1 : -1;
    return one->first < other->first ? -1 : one->first > other->first;
}

static bool same_instruction(const struct pc_sample *a, const struct pc_sample *b)
{
    return a->offset == b->offset && a->cubin_crc == b->cubin_crc && !strcmp(a->symbol, b->symbol);
}

static int rank(struct hot_rows *r, struct pc_samples *samples, struct err *e)
{
    if (!(r->hot = calloc(samples->count + 1, sizeof *r->hot)))
        return err_memory(e);
    if (samples->count)
        qsort(samples->items, samples->count, sizeof *samples->items, by_instruction);
    for (size_t i = 0; i < samples->count; i++) {
        if (!i || !same_instruction(&samples->items[i], &samples->items[i - 1]))
            r->hot[r->count++] = (struct hot){.first = i, .place = {"", "", "", 0}};
        r->hot[r->count - 1].count++;
        r->hot[r->count - 1].samples += samples->items[i].samples;
    }
    qsort(r->hot, r->count, sizeof *r->hot, by_samples);
    r->samples = samples->items;
    return 0;
}

/* ---- lines ---- */

static bool same_line(const struct sum *s, const char *symbol, const struct hot_place *place)
{
    return s->place.line == place->line && !strcmp(s->place.file, place->file) && !strcmp(s->place.text, place->text) &&
           !strcmp(s->symbol, symbol);
}

/* Finds the sum of a line, and of a reason there unless that is NULL, or begins one. NULL: memory is out. */
static struct sum *sum_of(struct sums *sums, const char *symbol, const char *reason, const struct hot_place *place)
{
    for (size_t i = 0; i < sums->count; i++)
        if (same_line(&sums->items[i], symbol, place) && (!reason || !strcmp(sums->items[i].reason, reason)))
            return &sums->items[i];
    struct sum *sum = ARRAY_PUSH(sums);
    if (sum)
        *sum = (struct sum){symbol, reason, {"", place->file, place->text, place->line}, 0};
    return sum;
}

static int by_sum(const void *a, const void *b)
{
    const struct sum *one = a, *other = b;
    if (one->samples != other->samples)
        return one->samples < other->samples ? 1 : -1;
    return (one->place.line > other->place.line) - (one->place.line < other->place.line);
}

static int rank_lines(struct hot_rows *r, hot_place_find find, void *context, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < r->count && i < HOT_PLACES_MAX && !rc; i++) {
        struct hot *hot = &r->hot[i];
        const struct pc_sample *first = &r->samples[hot->first];
        rc = find(context, first, i < HOT_INSTRUCTIONS_MAX, &hot->place, e);
        struct sum *sum = rc || !hot->place.line ? NULL : sum_of(&r->lines, first->symbol, NULL, &hot->place);
        if (sum)
            sum->samples += hot->samples;
        else if (!rc && hot->place.line)
            rc = err_memory(e);
    }
    if (r->lines.count)
        qsort(r->lines.items, r->lines.count, sizeof *r->lines.items, by_sum);
    return rc;
}

static bool is_hot_line(const struct hot_rows *r, const char *symbol, const struct hot_place *place)
{
    for (size_t i = 0; i < r->lines.count && i < HOT_LINES_MAX; i++)
        if (same_line(&r->lines.items[i], symbol, place))
            return true;
    return false;
}

/* ---- rows ---- */

static struct cell *add_row(struct hot_rows *r, const struct sum *sum)
{
    struct table *t = r->out;
    struct cell *row = table_add_row(t);
    if (!row)
        return NULL;
    row[HOTSPOTS_VARIANT] = cell_text(t, r->variant);
    row[HOTSPOTS_SHAPE] = cell_text(t, r->config);
    row[HOTSPOTS_KERNEL] = cell_text(t, sum->symbol);
    row[HOTSPOTS_REASON] = cell_text(t, sum->reason);
    row[HOTSPOTS_SAMPLES] = cell_integer((int64_t)sum->samples);
    if (*sum->place.instruction)
        row[HOTSPOTS_INSTRUCTION] = cell_text(t, sum->place.instruction);
    if (sum->place.line) {
        row[HOTSPOTS_FILE] = cell_text(t, sum->place.file);
        row[HOTSPOTS_LINE] = cell_integer(sum->place.line);
    }
    if (*sum->place.text)
        row[HOTSPOTS_TEXT] = cell_text(t, sum->place.text);
    return row;
}

static int add_instruction(struct hot_rows *r, const struct hot *hot, struct err *e)
{
    for (size_t i = hot->first; i < hot->first + hot->count; i++) {
        const struct pc_sample *sample = &r->samples[i];
        struct cell *row = add_row(r, &(struct sum){sample->symbol, sample->reason, hot->place, sample->samples});
        if (!row)
            return err_memory(e);
        row[HOTSPOTS_OFFSET] = cell_integer((int64_t)sample->offset);
    }
    return 0;
}

static int sum_rest(struct hot_rows *r, struct sums *rest, struct err *e)
{
    static const struct hot_place nowhere = {"", "", "", 0};
    for (size_t h = HOT_INSTRUCTIONS_MAX; h < r->count; h++)
        for (size_t i = r->hot[h].first; i < r->hot[h].first + r->hot[h].count; i++) {
            const struct pc_sample *sample = &r->samples[i];
            const bool is_hot = is_hot_line(r, sample->symbol, &r->hot[h].place);
            struct sum *sum = sum_of(rest, sample->symbol, sample->reason, is_hot ? &r->hot[h].place : &nowhere);
            if (!sum)
                return err_memory(e);
            sum->samples += sample->samples;
        }
    return 0;
}

static int add_rest(struct hot_rows *r, struct err *e)
{
    struct sums rest = {0};
    int rc = sum_rest(r, &rest, e);
    for (size_t i = 0; i < rest.count && !rc; i++)
        if (!add_row(r, &rest.items[i]))
            rc = err_memory(e);
    free(rest.items);
    return rc;
}

int hot_rows_add(struct table *out, const char *variant, const char *config, struct pc_samples *samples,
                 hot_place_find find, void *context, struct err *e)
{
    struct hot_rows r = {.out = out, .variant = variant, .config = config};
    int rc = rank(&r, samples, e);
    if (!rc)
        rc = rank_lines(&r, find, context, e);
    for (size_t i = 0; i < r.count && i < HOT_INSTRUCTIONS_MAX && !rc; i++)
        rc = add_instruction(&r, &r.hot[i], e);
    if (!rc)
        rc = add_rest(&r, e);
    free(r.hot);
    free(r.lines.items);
    return rc;
}
