/* How is a run directory begun and sealed? */
#define _GNU_SOURCE
#include "core/bundle/bundle_write.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/bundle/bundle.h"
#include "core/bundle/bundle_text.h"
#include "core/bundle/process_reports.h"
#include "core/bundle/seal.h"
#include "core/io/packed_file.h"

#define STATUS_INCOMPLETE "incomplete"

static int write_manifest(const char *path, const json_t *manifest, struct err *e)
{
    struct str file;
    str_init(&file);
    int rc = json_write_file(files_join(&file, path, BUNDLE_MANIFEST), manifest, e);
    str_release(&file);
    return rc;
}

static int check_replaceable(const char *path, int depth, struct err *e);

/* Files that our programs write and the seal does not list: derived ones, and those that processes leave after the
 * seal. */
static bool is_kept_without_seal(const char *name)
{
    static const char *const ours[] = {BUNDLE_MANIFEST,
                                       "report.md",
                                       "report.html",
                                       "verdict.json",
                                       BUNDLE_ASIDE,
                                       "trace-[0-9]*-[0-9]*.bin",
                                       "process-[a-z]*-[0-9]*.json"};
    for (size_t i = 0; i < COUNT_OF(ours); i++)
        if (!fnmatch(ours[i], name, 0))
            return true;
    return seal_is_leftover(name);
}

/* A bundle that was never sealed has no list of files. */
static bool is_unlisted_table(const char *name)
{
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        if (!strcmp(bundle_table_file((enum bundle_table)i), name))
            return true;
    return !fnmatch("metrics-[0-9]*.csv", name, 0) || !fnmatch("counters-[0-9]*.json", name, 0);
}

static int is_no_chart(const struct dirent *entry)
{
    static const char *const ours[] = {".",           "..",           "comparisons.svg", "extremes.svg",
                                       "inside.svg",  "inside-2.svg", "inside-3.svg",    "lost-time.svg",
                                       "roofline.svg"}; /* the pictures of a run's report */
    for (size_t i = 0; i < COUNT_OF(ours); i++)
        if (!strcmp(ours[i], entry->d_name))
            return 0;
    return 1;
}

static bool holds_charts_alone(const char *folder)
{
    struct dirent **others = NULL;
    const int count = scandir(folder, &others, is_no_chart, NULL);
    for (int i = 0; i < count; i++)
        free(others[i]);
    free(others);
    return count == 0;
}

/* A packed file is ours where its content would be. */
static bool is_packed_of_ours(const json_t *manifest, const char *name)
{
    const size_t length = strlen(name), ending = strlen(PACKED_FILE_ENDING);
    struct str inner;
    str_init(&inner);
    str_addf(&inner, "%.*s", (int)(length > ending ? length - ending : 0), name);
    const bool ours = length > ending && !strcmp(name + length - ending, PACKED_FILE_ENDING) &&
                      json_object_get(json_object_get(manifest, "files"), str_text(&inner));
    str_release(&inner);
    return ours;
}

static bool is_ours(const char *path, const json_t *manifest, const char *name, int depth)
{
    struct str inner;
    if (is_packed_of_ours(manifest, name))
        return true;
    if (!strcmp(name, ".") || !strcmp(name, "..") || json_object_get(json_object_get(manifest, "files"), name))
        return true;
    if (is_kept_without_seal(name) || (!bundle_is_sealed(manifest) && is_unlisted_table(name)))
        return true;
    str_init(&inner);
    files_join(&inner, path, name);
    const bool ours =
        (!strcmp(name, "charts") && holds_charts_alone(str_text(&inner))) ||
        (!fnmatch("*.cpprof", name, 0) && !depth && !check_replaceable(str_text(&inner), depth + 1, NULL));
    str_release(&inner);
    return ours;
}

/* Any other file in the folder is somebody's work. */
static int check_entries(const char *path, const json_t *manifest, int depth, struct err *e)
{
    DIR *folder = opendir(path);
    int rc = folder ? 0 : err_set(e, ERR_USAGE, "cannot list '%s': %s", path, strerror(errno));
    for (const struct dirent *entry; !rc && (entry = readdir(folder));)
        if (!is_ours(path, manifest, entry->d_name, depth))
            rc = err_set(e, ERR_USAGE, "'%s' holds '%s', which is no part of a bundle: --force replaces only bundles",
                         path, entry->d_name);
    if (folder)
        closedir(folder);
    return rc;
}

/* May this folder be replaced? Many programs write a manifest.json; ours has a format version and a status, and no
 * foreign files are next to it. */
static int check_replaceable(const char *path, int depth, struct err *e)
{
    json_t *manifest = NULL;
    int rc = bundle_read_manifest(path, &manifest, NULL);
    if (rc || bundle_check_format(manifest, path, NULL) || !json_is_string(json_object_get(manifest, "status")))
        rc = err_set(e, ERR_USAGE, "'%s' exists and is not a bundle: --force replaces only bundles", path);
    else
        rc = check_entries(path, manifest, depth, e);
    json_decref(manifest);
    return rc;
}

int bundle_set_aside(const char *path, struct str *aside, struct err *e)
{
    str_clear(aside);
    if (!files_exists(path))
        return 0;
    int rc = check_replaceable(path, 0, e);
    if (rc)
        return rc;
    size_t length = strlen(path); /* "old.cpprof/", as a shell completes it, means the folder itself */
    while (length > 1 && path[length - 1] == '/')
        length--;
    str_addf(aside, "%.*s.replaced-%ld", (int)length, path, (long)getpid());
    if (aside->failed)
        return err_memory(e);
    if (!rename(path, aside->text))
        return 0;
    str_clear(aside);
    return err_set(e, ERR_ENVIRONMENT, "cannot set '%s' aside: %s", path, strerror(errno));
}

/* When two processes choose the same name at once, only one gets it. */
static int make_new_directory(const char *path, struct err *e)
{
    if (!mkdir(path, 0777))
        return 0;
    return errno == EEXIST
               ? err_set(e, ERR_USAGE, "'%s' exists already: choose another name, or --force to replace it", path)
               : err_set(e, ERR_ENVIRONMENT, "cannot make folder '%s': %s", path, strerror(errno));
}

static int fill_new_directory(const char *path, json_t *manifest, struct err *e)
{
    if (json_object_set_new(manifest, "format", json_integer(BUNDLE_FORMAT)) ||
        json_object_set_new(manifest, "status", json_string(STATUS_INCOMPLETE)))
        return err_memory(e);
    int rc = bundle_clean_manifest(manifest, e);
    return rc ? rc : write_manifest(path, manifest, e);
}

int bundle_create(const char *path, json_t *manifest, struct err *e)
{
    int rc = make_new_directory(path, e);
    if (rc)
        return rc;
    rc = fill_new_directory(path, manifest, e);
    if (rc)
        rmdir(path);
    return rc;
}

void bundle_put_back(const char *path, const struct str *aside)
{
    if (aside->length)
        rename(aside->text, path);
}

void bundle_undo(const char *path, const struct str *aside)
{
    files_remove_tree(path, NULL);
    bundle_put_back(path, aside);
}

int bundle_seal(const char *path, json_t *manifest, struct err *e)
{
    struct dirent **reports = NULL;
    const int count = process_reports_list(path, &reports, e);
    if (count < 0)
        return count;
    int rc = process_reports_merge(path, reports, count, manifest, e);
    json_t *files = NULL;
    if (!rc)
        rc = bundle_clean_manifest(manifest, e);
    if (!rc)
        rc = seal_tidy(path, e);
    if (!rc)
        rc = seal_make(path, &files, e);
    if (!rc && (json_object_set_new(manifest, "files", files) ||
                json_object_set_new(manifest, "format", json_integer(BUNDLE_FORMAT)) ||
                json_object_set_new(manifest, "status", json_string(BUNDLE_SEALED))))
        rc = err_memory(e);
    if (!rc)
        rc = write_manifest(path, manifest, e);
    if (!rc)
        rc = process_reports_remove(path, reports, count, e);
    process_reports_free(reports, count);
    return rc;
}
