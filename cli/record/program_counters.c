/* What did the counters of a program say? */
#define _GNU_SOURCE
#include "cli/record/program_counters.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/files.h"
#include "core/base/launch_key.h"
#include "core/bundle/bundle_tables.h"
#include "core/gpu/metric_choice.h"
#include "core/gpu/metric_sets.h"
#include "core/io/table.h"
#include "core/run/kernel_choice.h"
#include "core/run/sample_groups.h"

/* CUPTI's own values, one row each: what the guest writes. */
enum { RAW_KERNEL, RAW_LAUNCH, RAW_METRIC, RAW_VALUE, RAW_COLUMNS };

static const struct column raw_columns[RAW_COLUMNS] = {
    [RAW_KERNEL] = COLUMN_ANY("kernel", UNIT_TEXT),
    [RAW_LAUNCH] = COLUMN_ANY("launch", UNIT_COUNT),
    [RAW_METRIC] = COLUMN_ANY("metric", UNIT_TEXT),
    [RAW_VALUE] = COLUMN_ANY("value", UNIT_NONE),
};

int program_counters_names(struct str *out, const struct program_request *q, struct err *e)
{
    struct metric_choice choice = {0};
    int rc = q->metric_count ? 0 : metric_choice_add(&choice, metric_set(METRIC_SET_BOUND)->name, e);
    for (size_t i = 0; i < q->metric_count && !rc; i++)
        rc = metric_choice_add(&choice, q->metrics[i], e);
    for (size_t i = 0; i < choice.count && !rc; i++)
        str_addf(out, "%s%s", i ? "," : "", choice.items[i].name);
    metric_choice_release(&choice);
    return rc;
}

int program_missing(json_t *manifest, const char *what, const char *variant, const char *why, struct err *e)
{
    json_t *missing = json_object_get(manifest, "missing");
    struct str subject;
    if (!missing) {
        missing = json_array();
        if (json_object_set_new(manifest, "missing", missing))
            return err_memory(e);
    }
    str_init(&subject);
    str_addf(&subject, "%s of %s", what, variant);
    json_t *entry = json_pack("{s:o,s:o}", "what", json_text(str_text(&subject)), "why", json_text(why));
    str_release(&subject);
    return json_array_append_new(missing, entry) ? err_memory(e) : 0;
}

/* ---- launches that are counted one by one ---- */

enum { GROUPS_COUNTED = 32, NUMBERS_OF_FORM = 4, FORMS_COUNTED = GROUP_LAUNCHES / NUMBERS_OF_FORM };

/* Where launches of one kernel, grid and block belong; false when that is not one group, or no place is left. */
static bool find_group(const struct program_samples *s, const char *key, size_t *group, size_t *form)
{
    size_t found = 0;
    for (size_t i = 0; i < s->groups.count; i++) {
        size_t at = 0;
        bool is_here = false;
        for (const char *text = s->groups.items[i].forms; *text && !is_here; text += strcspn(text, "\n") + 1, at++) {
            const char *own = text + strcspn(text, " ") + 1; /* behind the shared memory */
            const size_t length = strcspn(own, "\n");
            is_here = strlen(key) == length && !strncmp(own, key, length);
            if (is_here)
                *form = at;
        }
        if (is_here)
            *group = i;
        found += is_here;
    }
    return found == 1 && *form < FORMS_COUNTED;
}

/* The first launch of a form warms caches. */
static void add_listed(struct str *out, const struct program_samples *s, const struct sample_kind *kind)
{
    for (const char *text = kind->forms; *text; text += strcspn(text, "\n") + 1) {
        struct str key;
        size_t group, form;
        const char *own = text + strcspn(text, " ") + 1;
        str_init(&key);
        str_add_bytes(&key, own, strcspn(own, "\n"));
        if (find_group(s, str_text(&key), &group, &form))
            str_addf(out, "%s %s\n", kind->samples < NUMBERS_OF_FORM ? "0" : "1,2,3", str_text(&key));
        out->failed |= key.failed;
        str_release(&key);
    }
}

int program_counters_list(const char *path, const struct work_choice *choice, const struct program_samples *first,
                          bool *is_listed, struct err *e)
{
    struct str list;
    *is_listed =
        choice->kernels && (first->groups.count > 1 || choice->kernels[kernel_choice_pattern_length(choice->kernels)]);
    if (!*is_listed)
        return 0;
    str_init(&list);
    for (size_t i = 0; i < first->groups.count && i < GROUPS_COUNTED; i++)
        add_listed(&list, first, &first->groups.items[i]);
    const int rc = list.failed ? err_memory(e) : files_write_atomic(path, list.text, list.length, e);
    str_release(&list);
    return rc;
}

static void set_shape(struct table *out, struct cell *row, const struct launch_key *key, const char *kernel)
{
    struct str shape;
    str_init(&shape);
    str_add_bytes(&shape, kernel, (size_t)(key->kernel - kernel) - 1);
    row[METRICS_SHAPE] = cell_text(out, str_text(&shape));
    str_release(&shape);
}

/* Launches that were chosen one by one are of one grid and block, which is their shape, or tells their group. */
static bool set_launch(struct table *out, struct cell *row, const struct program_samples *order, const char *kernel,
                       double number)
{
    struct launch_key key;
    size_t group, form;
    const bool is_key = launch_key_read(&key, kernel);
    row[METRICS_SHAPE] = cell_text(out, PROGRAM_SHAPE);
    row[METRICS_KERNEL] = cell_text(out, is_key ? key.kernel : kernel);
    row[METRICS_LAUNCH] = cell_number(number);
    if (is_key && !order->groups.count)
        set_shape(out, row, &key, kernel);
    if (!is_key || !order->groups.count)
        return true;
    if (!find_group(order, kernel, &group, &form) || !(number >= 0 && number < NUMBERS_OF_FORM))
        return false;
    row[METRICS_LAUNCH] = cell_number((double)(GROUP_LAUNCHES * group + NUMBERS_OF_FORM * form) + number);
    return true;
}

static bool add_row(struct table *out, const struct table *raw, size_t i, const struct program_samples *order,
                    const char *variant)
{
    const char *metric = table_text(raw, i, RAW_METRIC);
    const double value = table_number(raw, i, RAW_VALUE);
    if (!isfinite(value) && metric_has_others(metric))
        return true; /* the chip has it under another name */
    struct cell *row = table_add_row(out);
    if (!row)
        return false;
    row[METRICS_VARIANT] = cell_text(out, variant);
    if (!set_launch(out, row, order, table_text(raw, i, RAW_KERNEL), table_number(raw, i, RAW_LAUNCH))) {
        table_truncate(out, table_rows(out) - 1);
        return true;
    }
    row[METRICS_METRIC] = cell_text(out, metric);
    row[METRICS_UNIT] = cell_text(out, unit_name(metric_unit(metric)));
    if (isfinite(value))
        row[METRICS_VALUE] = cell_number(metric_to_base(metric, value));
    return true;
}

static const char *kernel_of(const struct table *raw, size_t i)
{
    struct launch_key key;
    const char *text = table_text(raw, i, RAW_KERNEL);
    return launch_key_read(&key, text) ? key.kernel : text;
}

static bool is_listed(const struct program_samples *order, const char *kernel)
{
    for (size_t i = 0; i < order->work.count; i++)
        if (!strcmp(order->work.items[i].name, kernel))
            return true;
    return false;
}

/* The kernels in which most time goes come first: the first one stands for the variant where one line has to do. */
static bool add_rows(struct table *out, const struct table *raw, const struct program_samples *order,
                     const char *variant)
{
    bool ok = true;
    for (size_t w = 0; w < order->work.count; w++)
        for (size_t i = 0; i < table_rows(raw) && ok; i++)
            if (!strcmp(order->work.items[w].name, kernel_of(raw, i)))
                ok = add_row(out, raw, i, order, variant);
    for (size_t i = 0; i < table_rows(raw) && ok; i++)
        if (!is_listed(order, kernel_of(raw, i)))
            ok = add_row(out, raw, i, order, variant);
    return ok;
}

static int merge_metrics(const char *file, const char *directory, const char *variant,
                         const struct program_samples *order, struct err *e)
{
    struct table raw, out;
    struct str path;
    table_init(&raw, raw_columns, RAW_COLUMNS);
    bundle_table_init(&out, BUNDLE_METRICS);
    str_init(&path);
    int rc = table_read_csv(&raw, file, e);
    if (!rc)
        rc = add_rows(&out, &raw, order, variant) ? 0 : err_memory(e);
    if (!rc && table_rows(&out))
        rc = table_append_csv(&out, files_join(&path, directory, bundle_table_file(BUNDLE_METRICS)), e);
    str_release(&path);
    table_release(&raw);
    table_release(&out);
    return rc;
}

static int merge_facts(const char *file, const char *variant, json_t *manifest, json_t *kernels, struct err *e)
{
    json_t *facts = NULL;
    int rc = json_read_file(file, &facts, e);
    if (rc)
        return rc;
    json_t *gpu = json_object_get(facts, "gpu"), *counters = json_object_get(facts, "counters");
    const json_t *missing = json_object_get(facts, "missing");
    if ((json_is_object(gpu) && !json_object_get(manifest, "gpu") && json_object_set(manifest, "gpu", gpu)) ||
        (json_is_object(counters) && json_object_set(manifest, "counters", counters)))
        rc = err_memory(e);
    if (!rc && json_is_array(json_object_get(facts, "kernels")))
        rc = json_array_extend(kernels, json_object_get(facts, "kernels")) ? err_memory(e) : 0;
    for (size_t i = 0; i < json_array_size(missing) && !rc; i++) {
        const json_t *one = json_array_get(missing, i);
        if (metric_by_name(json_get_text(one, "what", "")))
            continue; /* that a chip lacks a counter of ours is known: core/gpu/metric_sets.h */
        rc = program_missing(manifest, json_get_text(one, "what", "counters"), variant,
                             json_get_text(one, "why", "no reason was recorded"), e);
    }
    json_decref(facts);
    return rc;
}

static int is_ours(const struct dirent *entry)
{
    return !fnmatch("metrics-*.csv", entry->d_name, 0) || !fnmatch("counters-*.json", entry->d_name, 0);
}

int program_counters_merge(const char *from, const char *directory, const char *variant,
                           const struct program_samples *order, const char *why_none, json_t *manifest,
                           json_t **kernels, struct err *e)
{
    struct dirent **names = NULL;
    struct str file;
    str_init(&file);
    *kernels = json_array();
    const int count = scandir(from, &names, is_ours, versionsort);
    int rc = count < 0 ? err_set(e, ERR_ENVIRONMENT, "cannot list '%s': %s", from, strerror(errno)) : 0;
    if (!count)
        rc = program_missing(manifest, "counters", variant, why_none, e);
    for (int i = 0; i < count; i++) {
        const bool is_table = names[i]->d_name[0] == 'm';
        files_join(&file, from, names[i]->d_name);
        struct err unreadable = {0};
        if (!rc)
            rc = is_table ? merge_metrics(str_text(&file), directory, variant, order, &unreadable)
                          : merge_facts(str_text(&file), variant, manifest, *kernels, &unreadable);
        if (rc == ERR_INPUT)
            rc = program_missing(manifest, "counters", variant, unreadable.text, e);
        else if (rc && unreadable.code)
            err_set(e, rc, "%s", unreadable.text);
        free(names[i]);
    }
    free(names);
    str_release(&file);
    return rc;
}
