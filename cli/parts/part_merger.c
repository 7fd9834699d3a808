/* Are these all parts of one call, and what did they measure? */
#define _POSIX_C_SOURCE 200809L
#include "cli/parts/part_merger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parts/program_parts.h"
#include "core/base/str.h"
#include "core/io/scratch_file.h"
#include "core/trace/parts/part_source.h"

static struct {
    struct part_source base;
    struct part_archive *parts; /* by their numbers */
    size_t count, opened;
    size_t next;
    FILE *from;
} merger;

/* ---- files ---- */

static bool have_same_omissions(const struct trace_operand_list *a, const struct trace_operand_list *b)
{
    bool same = a->omissions.count == b->omissions.count;
    for (size_t i = 0; same && i < a->omissions.count; i++)
        same = a->omissions.items[i].kind == b->omissions.items[i].kind &&
               !strcmp(a->omissions.items[i].text, b->omissions.items[i].text);
    return same;
}

static bool is_same_call(const struct part_head *a, const struct part_head *b)
{
    bool same = a->parts == b->parts && a->key == b->key && a->wants_all == b->wants_all &&
                a->words.count == b->words.count && a->operands.count == b->operands.count;
    for (size_t i = 0; same && i < a->words.count; i++)
        same = !strcmp(a->words.items[i], b->words.items[i]);
    for (size_t i = 0; same && i < a->operands.count; i++)
        same = !strcmp(a->operands.items[i].path, b->operands.items[i].path);
    return same && have_same_omissions(&a->operands, &b->operands);
}

/* The first part says how many there are. */
static int place_part(struct part_archive *a, struct err *e)
{
    if (!merger.parts) {
        merger.count = a->head.parts;
        merger.parts = calloc(merger.count, sizeof *merger.parts);
        if (!merger.parts)
            return err_memory(e);
    }
    const struct part_archive *first = merger.parts;
    while (first < merger.parts + merger.count && !first->file)
        first++;
    if (first < merger.parts + merger.count && !is_same_call(&first->head, &a->head))
        return err_set(e, ERR_INPUT, "'%s' and '%s' are parts of different calls: words, traces or rules differ",
                       first->path, a->path);
    struct part_archive *place = &merger.parts[a->head.part - 1];
    if (place->file)
        return err_set(e, ERR_INPUT, "'%s' and '%s' are both part %u of %u", place->path, a->path, a->head.part,
                       a->head.parts);
    *place = *a;
    *a = (struct part_archive){0};
    merger.opened++;
    return 0;
}

static int refuse_missing(struct err *e)
{
    struct str missing;
    str_init(&missing);
    for (size_t i = 0, named = 0; i < merger.count && named < 20; i++)
        if (!merger.parts[i].file)
            str_addf(&missing, "%s%zu", named++ ? ", " : "", i + 1);
    err_set(e, ERR_INPUT,
            "%zu of %zu parts are missing: %s; the traces of a part that is missing would count for nothing",
            merger.count - merger.opened, merger.count, str_text(&missing));
    str_release(&missing);
    return ERR_INPUT;
}

/* ---- the source ---- */

static int list(struct part_source *s, const char *const *paths, size_t count, struct trace_operand_list *operands,
                struct err *e)
{
    (void)s, (void)paths, (void)count;
    const struct trace_operand_list *from = &merger.parts[0].head.operands;
    int rc = 0;
    for (size_t i = 0; !rc && i < from->count; i++)
        rc = trace_operands_add_trace(operands, from->items[i].path, from->items[i].listed, e);
    for (size_t i = 0; !rc && i < from->omissions.count; i++)
        rc = trace_operands_omit(operands, from->omissions.items[i].kind, from->omissions.items[i].text, e);
    return rc;
}

static int begin(struct part_source *s, struct trace_operand_list *operands, trace_work work, void *context,
                 struct err *e)
{
    const struct part_head *head = &merger.parts[0].head;
    (void)operands, (void)work, (void)context;
    merger.next = 0;
    if (s->wants_all && !head->wants_all)
        return err_set(e, ERR_INPUT,
                       "the times of some traces are rounded and those of others are not, or some hold "
                       "launches alone: their parts do not add up; read all traces in one call");
    if (s->key != head->key)
        return err_set(e, ERR_INPUT, "the rules have changed since the parts were made; make the parts again");
    return 0;
}

static int take(struct part_source *s, FILE **from, struct err *e)
{
    (void)s;
    struct part_archive *part = &merger.parts[merger.next++ % merger.count];
    if (merger.from)
        fclose(merger.from);
    merger.from = NULL;
    int rc = scratch_file_stream(&merger.from, e);
    if (!rc)
        rc = part_archive_next(part, merger.from, e);
    if (!rc && fseeko(merger.from, 0, SEEK_SET))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot read a temporary file: %s", strerror(errno));
    *from = merger.from;
    return rc;
}

static void end(struct part_source *s)
{
    (void)s;
    if (merger.from)
        fclose(merger.from);
    merger.from = NULL;
}

int part_merger_set(char *const *paths, size_t count, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < count; i++) {
        struct part_archive part;
        rc = part_archive_open(&part, paths[i], e);
        if (!rc)
            rc = place_part(&part, e);
        part_archive_release(&part);
    }
    if (!rc && merger.opened < merger.count)
        rc = refuse_missing(e);
    merger.base = (struct part_source){.list = list, .begin = begin, .take = take, .end = end};
    program_parts_set(&merger.base);
    return rc;
}

const struct part_head *part_merger_head(void)
{
    return &merger.parts[0].head;
}

void part_merger_release(void)
{
    for (size_t i = 0; i < merger.count; i++)
        part_archive_release(&merger.parts[i]);
    free(merger.parts);
    merger.parts = NULL;
    merger.count = merger.opened = 0;
    program_parts_set(NULL);
}
