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
#include "bundle/bundle.h"
#include "bundle/capture_map.h"
#include "bundle/seal.h"
#include "trace/readers/reader.h"
#include "trace/readers/shard_reader.h"

static bool recognise(const struct open_input *input)
{
    if (input->file)
        return false;
    struct str manifest;
    str_init(&manifest);
    bool found = files_exists(files_join(&manifest, input->path, BUNDLE_MANIFEST));
    str_release(&manifest);
    return found;
}

static bool is_trace(const char *name)
{
    return fnmatch("trace-*.bin", name, 0) == 0;
}

/* Compares either the traces or all other files with what was sealed. */
static int check_files(const char *bundle, const json_t *sealed, bool traces, struct caveat_list *caveats, struct err *e)
{
    json_t *some = json_object(), *entry;
    const char *name;
    int rc = some ? 0 : err_memory(e);
    json_object_foreach ((json_t *)sealed, name, entry)
        if (!rc && is_trace(name) == traces && json_object_set(some, name, entry))
            rc = err_memory(e);
    const size_t before = caveats->count;
    if (!rc)
        rc = seal_check(bundle, some, caveats, e);
    for (size_t i = before; i < caveats->count; i++)
        caveats->items[i].elsewhere = !traces;
    json_decref(some);
    return rc;
}

static int check_seal(const char *bundle, const json_t *manifest, struct reader_sink *sink, struct err *e)
{
    int rc = 0;
    if (strcmp(json_get_text(manifest, "status", ""), "complete"))
        rc = caveat_add(sink->caveats, CAVEAT_WEAKENS, e,
                        "%s: the bundle is incomplete: the run did not end in good order", bundle);
    const json_t *files = json_object_get(manifest, "files");
    if (!rc && !json_is_object(files))
        return bundle_check_seal(bundle, manifest, sink->caveats, e);
    if (!rc)
        rc = check_files(bundle, files, true, sink->caveats, e);
    return rc ? rc : check_files(bundle, files, false, sink->caveats, e);
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

struct traces {
    const char *bundle;
    const json_t *sealed;    /* names of files; NULL: never sealed */
    struct capture_map *map; /* of a capture; NULL: every shard says what it is */
    struct reader_sink *sink;
};

static int read_shard(const struct traces *t, const char *name, FILE *file, const char *path, struct err *e)
{
    const struct capture_process *p = t->map ? capture_map_find(t->map, name) : NULL;
    if (!p)
        return shard_read(file, path, t->sink, e);
    const struct shard_identity identity = {p->rank, p->devices, CAPTURE_ORDINALS_MAX};
    return shard_read_as(&identity, file, path, t->sink, e);
}

/* One bad shard does not take the others with it. A process that outlives its
 * program may begin one when the bundle is sealed already. */
static int read_one(const struct traces *t, const char *name, const char *path, struct err *e)
{
    if (t->sealed && !json_object_get(t->sealed, name))
        return caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e,
                          "'%s' is no part of what was sealed: it is left out", path);
    FILE *file = open_shard(path);
    struct err bad = {0};
    int rc = file ? read_shard(t, name, file, path, &bad)
                  : err_set(&bad, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    if (file)
        fclose(file);
    if (rc == ERR_INPUT)
        return caveat_add(t->sink->caveats, CAVEAT_TRUNCATED, e, "%s", bad.text);
    return rc ? err_set(e, rc, "%s", bad.text) : 0;
}

static int is_shard_name(const struct dirent *entry)
{
    return is_trace(entry->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int read_traces(const struct traces *t, struct err *e)
{
    struct dirent **names = NULL;
    const int count = scandir(t->bundle, &names, is_shard_name, by_name);
    if (count < 0)
        return err_set(e, ERR_INPUT, "cannot list '%s': %s", t->bundle, strerror(errno));
    int rc = 0;
    if (!count)
        rc = caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e, "%s: the bundle holds no trace", t->bundle);
    struct str path;
    str_init(&path);
    for (int i = 0; i < count; i++) {
        files_join(&path, t->bundle, names[i]->d_name);
        if (!rc)
            rc = path.failed ? err_memory(e) : read_one(t, names[i]->d_name, path.text, e);
        free(names[i]);
    }
    str_release(&path);
    free(names);
    return rc;
}

static bool is_capture(const json_t *manifest)
{
    return !strcmp(json_get_text(manifest, "kind", ""), CAPTURE_KIND);
}

/* What a capture's processes are stands in their reports: without them, or as a bundle of another kind, ranks and
 * devices are guesses. */
static int check_kind(const char *bundle, const json_t *manifest, struct reader_sink *sink, struct err *e)
{
    static const char *const known[] = {CAPTURE_KIND, "run", "aa"};
    const char *kind = json_get_text(manifest, "kind", "");
    bool is_known = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        is_known |= !strcmp(kind, known[i]);
    if (!is_known && (json_object_get(manifest, "kind") || json_object_get(manifest, CAPTURE_KIND)))
        return caveat_add(sink->caveats, CAVEAT_WEAKENS, e, "%s: the manifest is of no kind that is known: '%s'", bundle,
                          kind);
    if (!is_capture(manifest) || json_is_array(json_object_get(manifest, "processes")))
        return 0;
    return caveat_add(sink->caveats, CAVEAT_WEAKENS, e, "%s: the manifest says nothing of the captured processes", bundle);
}

static int map_capture(struct traces *t, struct capture_map *map, const json_t *manifest, struct err *e)
{
    t->map = map;
    int rc = capture_map_make(map, t->bundle, manifest, e);
    t->sink->lacks_migrations |= !rc && capture_lacks_migrations(map);
    return rc ? rc : capture_caveats(map, manifest, t->sink->caveats, e);
}

static bool losses_are_said(const struct caveat_list *caveats)
{
    for (size_t i = 0; i < caveats->count; i++)
        if (strstr(caveats->items[i].text, "records were dropped"))
            return true;
    return false;
}

/* Shards say themselves what they lost, more exactly than the sum of all. */
static int say_losses(const struct traces *t, const json_t *manifest, struct err *e)
{
    if (!is_capture(manifest))
        return bundle_losses(manifest, t->sink->caveats, e);
    const json_t *processes = json_object_get(manifest, "processes");
    int rc = 0;
    if (!losses_are_said(t->sink->caveats))
        rc = bundle_dropped(manifest, t->sink->caveats, e);
    for (size_t i = 0; !rc && !losses_are_said(t->sink->caveats) && i < json_array_size(processes); i++)
        rc = bundle_dropped(json_array_get(processes, i), t->sink->caveats, e);
    return rc;
}

static int read_bundle(const struct open_input *input, struct reader_sink *sink, struct err *e)
{
    json_t *manifest = NULL;
    struct capture_map map = {0};
    struct traces t = {.bundle = input->path, .sink = sink};
    int rc = bundle_manifest(input->path, &manifest, e);
    if (!rc)
        rc = check_seal(input->path, manifest, sink, e);
    if (!rc)
        rc = check_kind(input->path, manifest, sink, e);
    if (!rc && is_capture(manifest))
        rc = map_capture(&t, &map, manifest, e);
    if (!rc) {
        t.sealed = json_object_get(manifest, "files");
        rc = read_traces(&t, e);
    }
    if (!rc)
        rc = say_losses(&t, manifest, e);
    capture_map_release(&map);
    json_decref(manifest);
    return rc;
}

const struct reader bundle_traces_reader = {"cpprof bundle", recognise, read_bundle};
