/* Which traces does a bundle hold? All trace-*.bin in the order of their names. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/json.h"
#include "base/str.h"
#include "model/bundle.h"
#include "model/readers/reader.h"
#include "model/readers/shard_reader.h"
#include "model/seal.h"

static bool recognise(const struct reader_input *input)
{
    if (input->file)
        return false;
    struct str manifest;
    str_init(&manifest);
    bool found = files_exists(files_join(&manifest, input->path, BUNDLE_MANIFEST));
    str_release(&manifest);
    return found;
}

static int check_seal(const char *bundle, struct reader_sink *sink, struct err *e)
{
    struct str path;
    str_init(&path);
    json_t *manifest = NULL;
    int rc = json_read_file(files_join(&path, bundle, BUNDLE_MANIFEST), &manifest, e);
    if (!rc && strcmp(json_get_text(manifest, "status", ""), "complete"))
        rc = caveat_add(sink->caveats, CAVEAT_WEAKENS, e,
                        "%s: the bundle is incomplete: the run did not end in good order", bundle);
    if (!rc)
        rc = seal_check(bundle, json_object_get(manifest, "files"), sink->caveats, e);
    json_decref(manifest);
    str_release(&path);
    return rc;
}

/* A bundle may come from a stranger: a pipe in it would block the reader. */
static FILE *open_shard(const char *path)
{
    struct stat info;
    if (stat(path, &info))
        return NULL;
    if (!S_ISREG(info.st_mode)) {
        errno = EINVAL;
        return NULL;
    }
    return fopen(path, "rbe");
}

/* One bad shard does not take the others with it. */
static int read_one(const char *path, struct reader_sink *sink, struct err *e)
{
    FILE *file = open_shard(path);
    struct err bad = {0};
    int rc = file ? shard_read(file, path, sink, &bad)
                  : err_set(&bad, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    if (file)
        fclose(file);
    if (rc == ERR_INPUT)
        return caveat_add(sink->caveats, CAVEAT_TRUNCATED, e, "%s", bad.text);
    return rc ? err_set(e, rc, "%s", bad.text) : 0;
}

static int is_shard_name(const struct dirent *entry)
{
    return fnmatch("trace-*.bin", entry->d_name, 0) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int read_bundle(const struct reader_input *input, struct reader_sink *sink, struct err *e)
{
    int rc = check_seal(input->path, sink, e);
    if (rc)
        return rc;
    struct dirent **names = NULL;
    int count = scandir(input->path, &names, is_shard_name, by_name);
    if (count < 0)
        return err_set(e, ERR_INPUT, "cannot list '%s': %s", input->path, strerror(errno));
    if (!count)
        rc = caveat_add(sink->caveats, CAVEAT_WEAKENS, e, "%s: the bundle holds no trace", input->path);
    struct str path;
    str_init(&path);
    for (int i = 0; i < count; i++) {
        files_join(&path, input->path, names[i]->d_name);
        if (!rc)
            rc = path.failed ? err_memory(e) : read_one(path.text, sink, e);
        free(names[i]);
    }
    str_release(&path);
    free(names);
    return rc;
}

const struct reader bundle_traces_reader = {"cpprof bundle", recognise, read_bundle};
