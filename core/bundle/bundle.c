/* What does the manifest of a run directory say? */
#define _GNU_SOURCE
#include "core/bundle/bundle.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/count_of.h"
#include "core/base/count_sum.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/bundle/process_reports.h"
#include "cpprof/shard.h"

void bundle_init(struct bundle *b)
{
    *b = (struct bundle){0};
    caveat_list_init(&b->caveats);
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        bundle_table_init(&b->tables[i], (enum bundle_table)i);
}

void bundle_release(struct bundle *b)
{
    free(b->path);
    json_decref(b->manifest);
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        table_release(&b->tables[i]);
    bundle_shards_release(&b->shards);
    for (size_t i = 0; i < b->faults.count; i++)
        free(b->faults.items[i].text);
    free(b->faults.items);
    caveat_list_release(&b->caveats);
    *b = (struct bundle){0};
}

void bundle_move(struct bundle *to, struct bundle *from)
{
    *to = *from;
    bundle_init(from);
}

bool bundle_is(const char *path)
{
    struct str file;
    str_init(&file);
    const bool is = files_is_directory(path) && files_exists(files_join(&file, path, BUNDLE_MANIFEST));
    str_release(&file);
    return is;
}

const char *bundle_kind(const struct bundle *b)
{
    return json_get_text(b->manifest, "kind", "");
}

const json_t *bundle_programs(const struct bundle *b)
{
    const json_t *programs = json_object_get(b->manifest, "programs");
    return json_array_size(programs) ? programs : NULL; /* an empty list marks no variant as a program */
}

bool bundle_has_task(const struct bundle *b)
{
    const json_t *libraries = json_object_get(b->manifest, "libraries");
    for (size_t i = 0; i < json_array_size(libraries); i++)
        if (!strcmp(json_get_text(json_array_get(libraries, i), "as", ""), "task"))
            return true;
    return false;
}

bool bundle_has_trace(const char *path)
{
    DIR *directory = opendir(path);
    bool found = false;
    for (const struct dirent *entry; directory && !found && (entry = readdir(directory));)
        found = bundle_shard_is_file(entry->d_name);
    if (directory)
        closedir(directory);
    return found;
}

/* The shard of a process that did nothing is a header and an end chunk; nobody packs one. */
static bool holds_more_than_its_end(const char *folder, const char *name)
{
    struct stat info;
    struct str path;
    str_init(&path);
    const bool is_more = !stat(files_join(&path, folder, name), &info) &&
                         (!bundle_shard_is(name) || (size_t)info.st_size > sizeof(struct cpprof_shard_header) +
                                                                               sizeof(struct cpprof_chunk_header));
    str_release(&path);
    return is_more;
}

bool bundle_has_events(const char *path)
{
    DIR *directory = opendir(path);
    bool found = false;
    for (const struct dirent *entry; directory && !found && (entry = readdir(directory));)
        found = bundle_shard_is_file(entry->d_name) && holds_more_than_its_end(path, entry->d_name);
    if (directory)
        closedir(directory);
    return found;
}

/* ---- opening ---- */

int bundle_check_format(const json_t *manifest, const char *path, struct err *e)
{
    const long long format = json_get_integer(manifest, "format", 0);
    if (format < 1)
        return err_set(e, ERR_INPUT,
                       "'%s/" BUNDLE_MANIFEST "' is not the manifest of a cpprof bundle: it has no format version",
                       path);
    if (format > BUNDLE_FORMAT)
        return err_set(e, ERR_INPUT,
                       "'%s/" BUNDLE_MANIFEST
                       "' was made by a newer cpprof (format %lld, this one reads up to %d): update "
                       "cpprof",
                       path, format, BUNDLE_FORMAT);
    return 0;
}

int bundle_read_manifest(const char *path, json_t **out, struct err *e)
{
    struct str file;
    str_init(&file);
    int rc = 0;
    if (!bundle_is(path))
        rc = err_set(e, ERR_INPUT, "'%s' is not a bundle: it holds no " BUNDLE_MANIFEST, path);
    else
        rc = bundle_read_json(files_join(&file, path, BUNDLE_MANIFEST), out, e);
    str_release(&file);
    return rc;
}

bool bundle_is_sealed(const json_t *manifest)
{
    return !strcmp(json_get_text(manifest, "status", ""), BUNDLE_SEALED);
}

static void add_lines(struct str *out, const char *text)
{
    const char *between = "";
    while (*(text += strspn(text, "\r\n"))) {
        const size_t length = strcspn(text, "\r\n");
        str_add(out, between);
        str_add_bytes(out, text, length);
        text += length;
        between = " | ";
    }
}

/* Solutions alone, or libraries beside which other variants may have run. */
static const json_t *loaded_of(const json_t *failure)
{
    const json_t *solutions = json_object_get(failure, "solutions");
    return solutions ? solutions : json_object_get(failure, "loaded");
}

/* " with fast, slow": the solutions and libraries that were in it. */
static void add_loaded(const json_t *loaded, struct str *out)
{
    enum { SHOWN = 8 };
    const size_t count = json_array_size(loaded);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        const char *name = json_string_value(json_array_get(loaded, i));
        str_add(out, i ? ", " : " with ");
        add_lines(out, name ? name : "?");
    }
    if (count > SHOWN)
        str_addf(out, " and %zu more", count - SHOWN);
}

static bool add_failure(const json_t *manifest, size_t at, struct str *out)
{
    const json_t *failure = json_array_get(json_object_get(manifest, "failures"), at);
    if (!failure)
        return false;
    str_addf(out, "the %s process %lld", json_get_text(failure, "role", "runner"),
             json_get_integer(failure, "index", 0));
    add_loaded(loaded_of(failure), out);
    str_add(out, " failed: ");
    add_lines(out, json_get_text(failure, "detail", "no reason is recorded"));
    return true;
}

bool bundle_failure(const struct bundle *b, size_t at, struct str *out)
{
    return add_failure(b->manifest, at, out);
}

/* Variants are called "TASK/NAME", or NAME. */
static bool had_loaded(const json_t *failure, const char *variant)
{
    const json_t *loaded = json_object_get(failure, "solutions");
    const char *slash = strchr(variant, '/'), *name = slash ? slash + 1 : variant;
    for (size_t i = 0; i < json_array_size(loaded); i++) {
        const char *one = json_string_value(json_array_get(loaded, i));
        if (one && !strcmp(one, name))
            return true;
    }
    return false;
}

/* One that says of nothing that it had it may have had all. */
static bool may_have_had(const json_t *failure, const char *variant)
{
    return !variant || !json_array_size(json_object_get(failure, "solutions")) || had_loaded(failure, variant);
}

bool bundle_failure_of(const struct bundle *b, const char *role, const char *variant, struct str *out)
{
    const json_t *failures = json_object_get(b->manifest, "failures");
    for (size_t i = 0; i < json_array_size(failures); i++) {
        const json_t *failure = json_array_get(failures, i);
        if (!strcmp(json_get_text(failure, "role", ""), role) && may_have_had(failure, variant))
            return !out || add_failure(b->manifest, i, out);
    }
    return false;
}

static bool had_alone(const json_t *failure, const char *variant)
{
    return json_array_size(json_object_get(failure, "solutions")) == 1 && (!variant || had_loaded(failure, variant));
}

static bool broke_off(const json_t *failure, const char *variant)
{
    return strcmp(json_get_text(failure, "role", ""), "sample") != 0 && had_alone(failure, variant);
}

static bool was_dishonest(const json_t *failure, const char *variant)
{
    return json_is_true(json_object_get(failure, "dishonest")) && (!variant || had_alone(failure, variant));
}

static bool find_failure(const struct bundle *b, bool (*fits)(const json_t *failure, const char *variant),
                         const char *variant, struct str *out)
{
    const json_t *failures = json_object_get(b->manifest, "failures");
    for (size_t i = 0; i < json_array_size(failures); i++)
        if (fits(json_array_get(failures, i), variant))
            return !out || add_failure(b->manifest, i, out);
    return false;
}

bool bundle_broke_off(const struct bundle *b, const char *variant, struct str *out)
{
    return find_failure(b, broke_off, variant, out);
}

bool bundle_was_dishonest(const struct bundle *b, const char *variant, struct str *out)
{
    return find_failure(b, was_dishonest, variant, out);
}

bool bundle_failure_with_code(const struct bundle *b, struct str *out)
{
    static const char *const runs[] = {"verify", "time", "trace"}; /* counters are refused for reasons of the machine */
    const json_t *failures = json_object_get(b->manifest, "failures");
    for (size_t i = 0; i < json_array_size(failures); i++) {
        const json_t *failure = json_array_get(failures, i);
        for (size_t k = 0; k < COUNT_OF(runs); k++)
            if (json_array_size(loaded_of(failure)) && !strcmp(json_get_text(failure, "role", ""), runs[k]))
                return add_failure(b->manifest, i, out);
    }
    return false;
}

/* A member with the wrong type gives no information, which weakens the bundle. */
static int check_member(const json_t *manifest, const char *key, bool is_good, struct caveat_list *caveats,
                        struct err *e)
{
    const json_t *member = json_object_get(manifest, key);
    return !member || is_good ? 0
                              : caveat_add(caveats, CAVEAT_WEAKENS, e,
                                           "'%s' in the manifest makes no sense: what is missing is not known", key);
}

/* Each process of a run has one role. The role of a report that broke off is not known. */
static bool may_have_traced(const json_t *failure)
{
    static const char *const others[] = {"plan", "verify", "time", "count", "sample"};
    const char *role = json_get_text(failure, "role", "");
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (!strcmp(role, others[i]))
            return false;
    return true;
}

static int add_failures(const json_t *manifest, struct caveat_list *caveats, struct err *e)
{
    struct str text;
    str_init(&text);
    int rc = check_member(manifest, "failures", json_is_array(json_object_get(manifest, "failures")), caveats, e);
    for (size_t i = 0; !rc && add_failure(manifest, i, &text); i++) {
        const size_t before = caveats->count;
        rc = text.failed ? err_memory(e) : caveat_add(caveats, CAVEAT_WEAKENS, e, "%s", str_text(&text));
        if (!rc && caveats->count > before)
            caveats->items[before].elsewhere =
                !may_have_traced(json_array_get(json_object_get(manifest, "failures"), i));
        str_clear(&text);
    }
    str_release(&text);
    return rc;
}

int bundle_dropped(const json_t *manifest, struct caveat_list *caveats, struct err *e)
{
    const char *kind;
    json_t *count, *dropped = json_object_get(manifest, "dropped");
    bool is_good = json_is_object(dropped);
    json_object_foreach (dropped, kind, count) {
        const long long records = json_integer_value(count);
        is_good &= json_is_integer(count) && records >= 0;
        const bool is_any = !strcmp(kind, "records"); /* the manifest of a run does not list kinds */
        if (records > 0 && caveat_add(caveats, CAVEAT_WEAKENS, e, "%lld %s%srecords were dropped while recording",
                                      records, is_any ? "" : kind, is_any ? "" : " "))
            return ERR_MEMORY;
    }
    return check_member(manifest, "dropped", is_good, caveats, e);
}

static int64_t dropped_by_processes(const json_t *manifest)
{
    const json_t *processes = json_object_get(manifest, "processes");
    int64_t sum = 0;
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *dropped = json_object_get(json_array_get(processes, i), "dropped");
        count_add(&sum, json_get_integer(dropped, "records", 0));
    }
    return sum;
}

/* Nothing sums up the manifest itself, so what it says twice must agree. */
static int check_told(const json_t *manifest, struct caveat_list *caveats, struct err *e)
{
    const int64_t told = json_get_integer(json_object_get(manifest, "dropped"), "records", 0),
                  of_processes = dropped_by_processes(manifest);
    return told >= of_processes
               ? 0
               : caveat_add(caveats, CAVEAT_WEAKENS, e, "processes dropped %lld records, and the manifest counts %lld",
                            (long long)of_processes, (long long)told);
}

int bundle_losses(const json_t *manifest, struct caveat_list *caveats, struct err *e)
{
    int rc = add_failures(manifest, caveats, e);
    if (!rc)
        rc = bundle_dropped(manifest, caveats, e);
    return rc ? rc : check_told(manifest, caveats, e);
}

int bundle_manifest(const char *path, json_t **out, struct err *e)
{
    *out = NULL;
    struct dirent **reports = NULL;
    int rc = bundle_read_manifest(path, out, e);
    if (!rc && !bundle_is_sealed(*out) && json_is_object(*out)) {
        const int count = process_reports_list(path, &reports, e);
        rc = count < 0 ? count : process_reports_merge(path, reports, count, *out, e);
        process_reports_free(reports, count);
    }
    if (rc) {
        json_decref(*out);
        *out = NULL;
    }
    return rc;
}

int bundle_begin(struct bundle *b, const char *path, struct err *e)
{
    b->path = strdup(path);
    return b->path ? bundle_manifest(path, &b->manifest, e) : err_memory(e);
}
