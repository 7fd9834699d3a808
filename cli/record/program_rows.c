/* Which rows does a process of a program give? */
#include "cli/record/program_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/files.h"
#include "core/base/launch_key.h"
#include "core/base/str.h"
#include "core/bundle/bundle_tables.h"
#include "core/bundle/bundle_text.h"

/* Appends what is in the table to its file and releases it. */
static int append(struct table *t, enum bundle_table which, const char *directory, int rc, struct err *e)
{
    struct str path;
    str_init(&path);
    if (!rc && table_rows(t))
        rc = table_append_csv(t, files_join(&path, directory, bundle_table_file(which)), e);
    str_release(&path);
    table_release(t);
    return rc;
}

/* ---- what was asked for ---- */

static struct cell joined_words(struct table *t, const struct word_list *words)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < words->count; i++) {
        str_add(&text, i ? " " : "");
        bundle_add_text(&text, words->items[i]);
    }
    struct cell cell = cell_text(t, str_text(&text));
    str_release(&text);
    return cell;
}

int program_rows_variants(const char *directory, const struct program_request *q, struct err *e)
{
    struct table t;
    bundle_table_init(&t, BUNDLE_VARIANTS);
    int rc = 0;
    for (size_t i = 0; i < q->count && !rc; i++) {
        const struct program_arm *arm = &q->arms[i];
        const bool is_candidate = q->baseline && strcmp(q->baseline, arm->name) != 0;
        struct cell *row = table_add_row(&t);
        if (!row) {
            rc = err_memory(e);
            break;
        }
        row[VARIANTS_VARIANT] = cell_text(&t, arm->name);
        row[VARIANTS_SHAPE] = cell_text(&t, PROGRAM_SHAPE);
        if (is_candidate)
            row[VARIANTS_BASELINE] = cell_text(&t, q->baseline);
        if (arm->choice.kernels)
            row[VARIANTS_KERNEL_PATTERN] = cell_text(&t, arm->choice.kernels);
        row[VARIANTS_SUMMARY] = joined_words(&t, &arm->words);
        row[VARIANTS_STATUS] = cell_text(&t, "ready");
    }
    return append(&t, BUNDLE_VARIANTS, directory, rc, e);
}

/* ---- the samples ---- */

static bool add_timing(struct table *t, const struct program_place *p, long iteration, const struct program_sample *s)
{
    struct cell *row = table_add_row(t);
    if (!row)
        return false;
    row[TIMING_VARIANT] = cell_text(t, p->variant);
    row[TIMING_SHAPE] = cell_text(t, PROGRAM_SHAPE);
    row[TIMING_PROCESS] = cell_integer(p->process);
    row[TIMING_BLOCK] = cell_integer((int64_t)s->group);
    row[TIMING_ORDER] = cell_integer(p->order);
    row[TIMING_ITERATION] = cell_integer(iteration);
    row[TIMING_CACHE] = cell_text(t, "program");
    row[TIMING_BATCH] = cell_integer(1);
    row[TIMING_DURATION] = cell_integer(s->busy_ns);
    return true;
}

static bool add_iteration(struct table *t, const struct program_place *p, long iteration, int64_t first_ns,
                          const struct program_sample *s)
{
    struct cell *row = table_add_row(t);
    if (!row)
        return false;
    row[ITERATIONS_VARIANT] = cell_text(t, p->variant);
    row[ITERATIONS_SHAPE] = cell_text(t, PROGRAM_SHAPE);
    row[ITERATIONS_PROCESS] = cell_integer(p->process);
    row[ITERATIONS_ITERATION] = cell_integer(iteration);
    row[ITERATIONS_START] = cell_integer(s->start_ns - first_ns);
    row[ITERATIONS_BUSY] = cell_integer(s->busy_ns);
    row[ITERATIONS_SPAN] = cell_integer(s->span_ns);
    if (s->interval_ns >= 0) { /* the last one of a process has no next one */
        row[ITERATIONS_INTERVAL] = cell_integer(s->interval_ns);
        row[ITERATIONS_IDLE] = cell_integer(s->idle_ns);
    }
    row[ITERATIONS_KERNELS] = cell_integer(s->kernels);
    row[ITERATIONS_COPIES] = cell_integer(s->copies);
    row[ITERATIONS_BYTES] = cell_integer((int64_t)s->bytes);
    return true;
}

static int add_samples(const struct program_place *p, const struct program_samples *s, struct err *e)
{
    struct table timing, iterations;
    bundle_table_init(&timing, BUNDLE_TIMING);
    bundle_table_init(&iterations, BUNDLE_ITERATIONS);
    bool ok = true;
    for (size_t i = 0; i < s->count && ok; i++)
        ok = add_timing(&timing, p, (long)i, &s->items[i]) &&
             add_iteration(&iterations, p, (long)i, s->items[0].start_ns, &s->items[i]);
    int rc = append(&timing, BUNDLE_TIMING, p->directory, ok ? 0 : err_memory(e), e);
    return append(&iterations, BUNDLE_ITERATIONS, p->directory, rc, e);
}

/* ---- all work ---- */

static bool add_work(struct table *t, const struct program_place *p, const char *kind, const struct program_work *w)
{
    struct cell *row = table_add_row(t);
    if (!row)
        return false;
    row[WORK_VARIANT] = cell_text(t, p->variant);
    row[WORK_SHAPE] = cell_text(t, PROGRAM_SHAPE);
    row[WORK_PROCESS] = cell_integer(p->process);
    row[WORK_KIND] = cell_text(t, kind);
    row[WORK_NAME] = cell_text(t, w->name);
    row[WORK_COUNT] = cell_integer(w->count);
    row[WORK_SUM] = cell_integer(w->sum_ns);
    row[WORK_BYTES] = cell_integer((int64_t)w->bytes);
    row[WORK_CHOSEN_COUNT] = cell_integer(w->chosen_count);
    row[WORK_CHOSEN_SUM] = cell_integer(w->chosen_ns);
    row[WORK_CHOSEN_BYTES] = cell_integer((int64_t)w->chosen_bytes);
    return true;
}

static void add_up(struct program_work *sum, const struct program_work *w)
{
    sum->count += w->count;
    sum->sum_ns += w->sum_ns;
    sum->bytes += w->bytes;
    sum->chosen_count += w->chosen_count;
    sum->chosen_ns += w->chosen_ns;
    sum->chosen_bytes += w->chosen_bytes;
}

static int add_all_work(const struct program_place *p, const struct program_samples *s, struct err *e)
{
    struct table t;
    struct program_work others = {.name = ""};
    bundle_table_init(&t, BUNDLE_WORK);
    bool ok = true;
    for (size_t i = 0; i < s->work.count && ok; i++) {
        const struct program_work *w = &s->work.items[i];
        if (i < PROGRAM_WORK_ROWS)
            ok = add_work(&t, p, w->is_kernel ? "kernel" : "copy", w);
        else
            add_up(&others, w);
    }
    if (ok && others.count)
        ok = add_work(&t, p, "others", &others);
    return append(&t, BUNDLE_WORK, p->directory, ok ? 0 : err_memory(e), e);
}

int program_rows_samples(const struct program_place *p, const struct program_samples *s, struct err *e)
{
    int rc = add_all_work(p, s, e);
    return rc ? rc : add_samples(p, s, e);
}

/* ---- resources ---- */

static struct cell known(struct table *t, int64_t value)
{
    return value >= 0 ? cell_integer(value) : cell_missing(t, "launches differ");
}

/* NULL where several of its launches were asked about: they differ. */
static const json_t *find_kernel(const json_t *kernels, const char *name)
{
    const json_t *found = NULL;
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        struct launch_key key;
        const char *kernel = json_get_text(json_array_get(kernels, i), "kernel", "");
        if (strcmp(launch_key_read(&key, kernel) ? key.kernel : kernel, name) != 0)
            continue;
        if (found)
            return NULL;
        found = json_array_get(kernels, i);
    }
    return found;
}

/* Only the device knows how many blocks of this kernel an SM takes. */
static void add_asked(struct cell *row, const json_t *asked)
{
    static const struct {
        const char *member;
        size_t column;
    } members[] = {
        {"blocks_per_sm", RESOURCES_BLOCKS_PER_SM}, {"occupancy", RESOURCES_OCCUPANCY}, {"waves", RESOURCES_WAVES}};
    for (size_t i = 0; asked && i < sizeof members / sizeof members[0]; i++) {
        const double value = json_get_number(asked, members[i].member, NAN);
        if (isfinite(value))
            row[members[i].column] = cell_number(value);
    }
}

int program_rows_resources(const struct program_place *p, const struct program_samples *s, const json_t *kernels,
                           struct err *e)
{
    struct table t;
    bundle_table_init(&t, BUNDLE_RESOURCES);
    int rc = 0;
    for (size_t i = 0, rows = 0; i < s->work.count && rows < PROGRAM_KERNEL_ROWS && !rc; i++) {
        const struct program_work *w = &s->work.items[i];
        if (!w->is_kernel || !w->chosen_count)
            continue;
        struct cell *row = table_add_row(&t);
        if (!row) {
            rc = err_memory(e);
            break;
        }
        rows++;
        row[RESOURCES_VARIANT] = cell_text(&t, p->variant);
        row[RESOURCES_SHAPE] = cell_text(&t, PROGRAM_SHAPE);
        row[RESOURCES_KERNEL] = cell_text(&t, w->name);
        row[RESOURCES_GRID] = known(&t, w->grid_blocks);
        row[RESOURCES_BLOCK] = known(&t, w->block_threads);
        row[RESOURCES_REGISTERS] = known(&t, w->registers);
        row[RESOURCES_SHARED] = known(&t, w->shared_bytes);
        row[RESOURCES_LOCAL] = known(&t, w->local_bytes);
        add_asked(row, find_kernel(kernels, w->name));
    }
    return append(&t, BUNDLE_RESOURCES, p->directory, rc, e);
}

/* ---- the manifest ---- */

/* The launches of a sample of each group, and its place in a period. */
static json_t *describe_groups(const struct program_samples *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->groups.count; i++) {
        json_t *launches = json_array();
        for (const char *form = s->groups.items[i].forms; *form; form += strcspn(form, "\n") + 1)
            json_array_append_new(launches, json_stringn(form, strcspn(form, "\n")));
        json_array_append_new(list, json_pack("{s:o,s:I,s:I}", "launches", launches, "place",
                                              (json_int_t)s->groups.items[i].place, "samples",
                                              (json_int_t)s->groups.items[i].samples));
    }
    return list;
}

json_t *program_process_facts(const struct program_place *p, const struct program_samples *s)
{
    json_t *facts =
        json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:s}", "process", (json_int_t)p->process, "samples", (json_int_t)s->count,
                  "warmup", (json_int_t)s->warm_up, "empty", (json_int_t)s->empty, "beside",
                  (json_int_t)s->of_other_threads, "cut_off", (json_int_t)s->cut_off, "problem", s->problem);
    if (s->groups.count)
        json_object_set_new(facts, "groups", describe_groups(s));
    return facts;
}
