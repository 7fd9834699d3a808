/* Which files does a bundle consist of when it is sealed? */
#define _GNU_SOURCE
#include "core/bundle/seal.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/files.h"

/* Derived files (reports, verdict.json) may be replaced at any time, so they are not listed. */
static int is_evidence(const struct dirent *entry)
{
    return !fnmatch("*.csv", entry->d_name, 0) || !fnmatch("trace-*.bin", entry->d_name, 0);
}

/* Files that were written and not renamed yet: reports and tables of guests ("*.part"), and names from mkostemp. */
bool seal_is_leftover(const char *name)
{
    static const char *const patterns[] = {"process-*.json.part", "counters-*.json.part", "metrics-*.csv.part",
                                           "process-*.json.??????", "trace-*.bin.??????"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (!fnmatch(patterns[i], name, 0))
            return true;
    return false;
}

static int is_unfinished(const struct dirent *entry)
{
    return seal_is_leftover(entry->d_name) || !fnmatch("manifest.json.??????", entry->d_name, 0);
}

int seal_tidy(const char *folder, struct err *e)
{
    struct dirent **entries = NULL;
    struct str path;
    str_init(&path);
    const int count = scandir(folder, &entries, is_unfinished, alphasort);
    int rc =
        count < 0 ? err_set(e, ERR_ENVIRONMENT, "cannot read the run directory '%s': %s", folder, strerror(errno)) : 0;
    for (int i = 0; i < count; i++) {
        const char *file = files_join(&path, folder, entries[i]->d_name);
        if (!rc && unlink(file) && errno != ENOENT) /* a process still runs and has just renamed it */
            rc = err_set(e, ERR_ENVIRONMENT, "cannot remove '%s': %s", file, strerror(errno));
        free(entries[i]);
    }
    free(entries);
    str_release(&path);
    return rc;
}

static int add_file(const char *folder, const char *name, json_t *files, struct err *e)
{
    struct str path;
    str_init(&path);
    uint64_t bytes;
    uint32_t crc32;
    int rc = files_checksum(files_join(&path, folder, name), &bytes, &crc32, e);
    str_release(&path);
    if (rc)
        return rc;
    json_t *entry = json_pack("{s:I,s:I}", "bytes", (json_int_t)bytes, "crc32", (json_int_t)crc32);
    return json_object_set_new(files, name, entry) ? err_memory(e) : 0;
}

int seal_make(const char *folder, json_t **out, struct err *e)
{
    *out = NULL;
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_evidence, alphasort);
    if (count < 0)
        return err_set(e, ERR_ENVIRONMENT, "cannot read the run directory '%s': %s", folder, strerror(errno));
    json_t *files = json_object();
    int rc = files ? 0 : err_memory(e);
    for (int i = 0; i < count; i++) {
        if (!rc)
            rc = add_file(folder, entries[i]->d_name, files, e);
        free(entries[i]);
    }
    free(entries);
    if (rc)
        json_decref(files);
    else
        *out = files;
    return rc;
}
