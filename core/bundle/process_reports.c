/* What did each process of a run report? */
#define _GNU_SOURCE
#include "core/bundle/process_reports.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/count_of.h"
#include "core/base/count_sum.h"
#include "core/base/files.h"
#include "core/base/str.h"

#define PROCESS_REPORT "process-*.json"

int bundle_read_json(const char *file, json_t **out, struct err *e)
{
    return files_is_regular(file) ? json_read_file(file, out, e)
                                  : err_set(e, ERR_INPUT, "cannot read '%s': it is no regular file", file);
}

static int is_process_report(const struct dirent *entry)
{
    return !fnmatch(PROCESS_REPORT, entry->d_name, 0);
}

/* Compares numbers in names by value: time-2 comes before time-10. */
static int report_order(const struct dirent **a, const struct dirent **b)
{
    return strverscmp((*a)->d_name, (*b)->d_name);
}

/* Returns the member with that name. Makes a new one when it is missing or has another type. */
static json_t *member_of(json_t *object, const char *key, json_type type)
{
    json_t *member = json_object_get(object, key);
    if (member && json_typeof(member) == type)
        return member;
    return json_object_set_new(object, key, type == JSON_ARRAY ? json_array() : json_object())
               ? NULL
               : json_object_get(object, key);
}

/* Facts that are the same for all processes are moved to the top of the manifest. */
static int lift_facts(json_t *manifest, const json_t *process, struct err *e)
{
    static const char *const facts[] = {"gpu", "other_gpus", "cuda", "cupti", "driver"};
    for (size_t i = 0; i < COUNT_OF(facts); i++) {
        json_t *fact = json_object_get(process, facts[i]);
        const json_t *have = json_object_get(manifest, facts[i]);
        if (!fact || json_is_null(fact) || (have && !json_is_null(have)))
            continue;
        if (json_object_set_new(manifest, facts[i], json_deep_copy(fact)))
            return err_memory(e);
    }
    return 0;
}

static bool is_count(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

/* When a count makes no sense the sum is -1, which bundle_dropped reports. */
static json_t *dropped_sum(const json_t *have, const json_t *count)
{
    if ((have && !is_count(have)) || !is_count(count))
        return json_integer(-1);
    int64_t sum = json_integer_value(have);
    count_add(&sum, json_integer_value(count));
    return json_integer(sum);
}

static int sum_dropped(json_t *manifest, const json_t *process, struct err *e)
{
    json_t *sums = member_of(manifest, "dropped", JSON_OBJECT);
    json_t *dropped = json_object_get(process, "dropped"), *count;
    const char *kind;
    if (!sums)
        return err_memory(e);
    json_object_foreach (dropped, kind, count)
        if (json_object_set_new(sums, kind, dropped_sum(json_object_get(sums, kind), count)))
            return err_memory(e);
    const bool is_telling = !dropped || json_is_null(dropped) || json_is_object(dropped);
    return is_telling || !json_object_set_new(sums, "records", json_integer(-1)) ? 0 : err_memory(e);
}

/* A process that died while writing leaves half a report. That is a failure of the process, and the run is kept. */
static int note_unreadable(json_t *manifest, const char *name, const char *why, struct err *e)
{
    char role[64] = "runner";
    long long index = 0;
    if (sscanf(name, "process-%63[^-.]-%lld", role, &index) < 1)
        snprintf(role, sizeof role, "runner");
    json_t *failure = json_object();
    json_object_set_new(failure, "role", json_text(role));
    json_object_set_new(failure, "index", json_integer(index));
    json_object_set_new(failure, "detail", json_text(why));
    json_t *failures = member_of(manifest, "failures", JSON_ARRAY);
    return json_array_append_new(failures, failure) ? err_memory(e) : 0;
}

static int merge_report(const char *path, const char *name, json_t *manifest, struct err *e)
{
    struct str file;
    str_init(&file);
    json_t *process = NULL;
    struct err unreadable = {0};
    int rc = bundle_read_json(files_join(&file, path, name), &process, &unreadable);
    str_release(&file);
    if (rc == ERR_INPUT)
        return note_unreadable(manifest, name, unreadable.text, e);
    if (rc)
        return err_set(e, rc, "%s", unreadable.text);
    json_t *processes = member_of(manifest, "processes", JSON_ARRAY);
    if (processes && json_is_object(process) && !json_object_get(process, "index"))
        json_object_set_new(process, "index", json_integer((json_int_t)json_array_size(processes)));
    if (!processes || json_array_append(processes, process))
        rc = err_memory(e);
    if (!rc)
        rc = lift_facts(manifest, process, e);
    if (!rc)
        rc = sum_dropped(manifest, process, e);
    json_decref(process);
    return rc;
}

int process_reports_remove(const char *path, struct dirent **reports, int count, struct err *e)
{
    struct str file;
    str_init(&file);
    int rc = 0;
    for (int i = 0; i < count && !rc; i++)
        if (unlink(files_join(&file, path, reports[i]->d_name)))
            rc = err_set(e, ERR_ENVIRONMENT, "cannot remove '%s': %s", str_text(&file), strerror(errno));
    str_release(&file);
    return rc;
}

int process_reports_list(const char *path, struct dirent ***reports, struct err *e)
{
    const int count = scandir(path, reports, is_process_report, report_order);
    return count < 0 ? err_set(e, ERR_ENVIRONMENT, "cannot read the run directory '%s': %s", path, strerror(errno))
                     : count;
}

int process_reports_merge(const char *path, struct dirent **reports, int count, json_t *manifest, struct err *e)
{
    int rc = 0;
    for (int i = 0; i < count && !rc; i++)
        rc = merge_report(path, reports[i]->d_name, manifest, e);
    return rc;
}

void process_reports_free(struct dirent **reports, int count)
{
    for (int i = 0; i < count; i++)
        free(reports[i]);
    free(reports);
}
