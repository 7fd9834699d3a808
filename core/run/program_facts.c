/* What does a bundle hold about a program that ran as a variant? */
#include "core/run/program_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_sum.h"
#include "core/base/demangle.h"
#include "core/base/str.h"

enum { NAMES_MAX = 4096 }; /* far more than a run writes; a limit for hostile input */

static const json_t *find_program(const struct bundle *b, const char *variant)
{
    const json_t *programs = bundle_programs(b);
    for (size_t i = 0; i < json_array_size(programs); i++)
        if (!strcmp(json_get_text(json_array_get(programs, i), "variant", ""), variant))
            return json_array_get(programs, i);
    return NULL;
}

static void keep_first(const char **slot, const char *text)
{
    if (!**slot)
        *slot = text;
}

static void add_count(int64_t *sum, const json_t *process, const char *key)
{
    count_add(sum, json_get_integer(process, key, 0));
}

static void add_process(struct program_facts *out, const json_t *process)
{
    const char *failure = json_get_text(process, "failure", ""), *untraced = json_get_text(process, "untraced", "");
    out->processes++;
    out->failed += *failure != '\0';
    out->untraced += *untraced != '\0';
    keep_first(&out->failure, failure);
    keep_first(&out->untraced_why, untraced);
    keep_first(&out->problem, json_get_text(process, "problem", ""));
    add_count(&out->samples, process, "samples");
    add_count(&out->empty, process, "empty");
    add_count(&out->of_other_threads, process, "beside");
}

/* ---- work by name ---- */

struct row {
    const char *name, *kind;
    size_t row;
};

static int by_name(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    const int order = strcmp(a->kind, b->kind);
    return order ? order : strcmp(a->name, b->name);
}

static int longest_first(const void *left, const void *right)
{
    const struct named_work *a = left, *b = right;
    if (a->chosen_ns != b->chosen_ns)
        return a->chosen_ns > b->chosen_ns ? -1 : 1;
    if (a->sum_ns != b->sum_ns)
        return a->sum_ns > b->sum_ns ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* A missing value counts as 0: the table is summed, not judged. */
static double cell(const struct table *t, size_t row, size_t column)
{
    const double value = table_number(t, row, column);
    return isfinite(value) && value > 0 ? value : 0;
}

static const char *name_of(struct arena *arena, const struct row *row)
{
    if (!strcmp(row->kind, "others"))
        return "others";
    struct str text;
    str_init(&text);
    if (!strcmp(row->kind, "kernel"))
        demangle_full(&text, row->name);
    else
        str_add(&text, row->name);
    const char *name = arena_copy(arena, str_text(&text));
    str_release(&text);
    return name;
}

static void add_row(struct program_facts *out, struct named_work *work, const struct table *t, size_t row)
{
    work->count += cell(t, row, WORK_COUNT);
    work->sum_ns += cell(t, row, WORK_SUM);
    work->chosen_count += cell(t, row, WORK_CHOSEN_COUNT);
    work->chosen_ns += cell(t, row, WORK_CHOSEN_SUM);
    out->sum_ns += cell(t, row, WORK_SUM);
    out->chosen_ns += cell(t, row, WORK_CHOSEN_SUM);
}

static int add_work(struct program_facts *out, const struct table *t, const struct row *rows, size_t count,
                    struct arena *arena, struct err *e)
{
    out->work = arena_alloc(arena, (count < NAMES_MAX ? count : NAMES_MAX) * sizeof *out->work + 1);
    if (!out->work)
        return err_memory(e);
    for (size_t i = 0, end; i < count && out->work_count < NAMES_MAX; i = end) {
        struct named_work *work = &out->work[out->work_count++];
        work->name = name_of(arena, &rows[i]);
        for (end = i; end < count && !by_name(&rows[i], &rows[end]); end++)
            add_row(out, work, t, rows[end].row);
    }
    if (out->work_count)
        qsort(out->work, out->work_count, sizeof *out->work, longest_first);
    return 0;
}

static int read_work(struct program_facts *out, const struct table *t, struct arena *arena, struct err *e)
{
    size_t count = 0;
    struct row *rows = calloc(table_rows(t) + 1, sizeof *rows);
    if (!rows)
        return err_memory(e);
    for (size_t i = 0; i < table_rows(t); i++)
        if (!strcmp(table_text(t, i, WORK_VARIANT), out->variant))
            rows[count++] = (struct row){table_text(t, i, WORK_NAME), table_text(t, i, WORK_KIND), i};
    if (count)
        qsort(rows, count, sizeof *rows, by_name);
    const int rc = add_work(out, t, rows, count, arena, e);
    free(rows);
    return rc;
}

int program_facts_read(struct program_facts *out, const struct bundle *b, const char *variant, struct arena *arena,
                       struct err *e)
{
    *out = (struct program_facts){
        .variant = variant, .about = find_program(b, variant), .failure = "", .untraced_why = "", .problem = ""};
    const json_t *processes = json_object_get(out->about, "processes");
    for (size_t i = 0; i < json_array_size(processes); i++)
        add_process(out, json_array_get(processes, i));
    return read_work(out, &b->tables[BUNDLE_WORK], arena, e);
}
