/* Which traces does a bundle hold? All trace-*.bin, sorted by name. */
#define _GNU_SOURCE
#include "core/trace/readers/bundle_traces.h"

#include <errno.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/str.h"
#include "core/bundle/bundle.h"
#include "core/bundle/bundle_seal.h"
#include "core/bundle/capture_map.h"
#include "core/trace/readers/reader.h"
#include "core/trace/readers/shard_reader.h"
#include "core/trace/resumptions.h"

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

static int note_seal(const struct bundle *b, struct caveat_list *caveats, struct err *e)
{
    int rc = 0;
    if (!bundle_is_sealed(b->manifest))
        rc = caveat_add(caveats, CAVEAT_WEAKENS, e, "%s: the bundle is incomplete: the run did not end in good order",
                        b->path);
    if (!rc)
        rc = bundle_note_seal(b, SEAL_OF_TRACES, caveats, e);
    const size_t before = caveats->count;
    if (!rc)
        rc = bundle_note_seal(b, SEAL_OF_OTHERS, caveats, e);
    for (size_t i = before; i < caveats->count; i++)
        caveats->items[i].elsewhere = true;
    return rc;
}

static void take_chip(const json_t *gpu, struct reader_sink *sink)
{
    const char *capability = json_get_text(gpu, "compute_capability", "");
    const int64_t major = *capability ? strtol(capability, NULL, 10) : -1;
    if (json_is_object(gpu))
        sink->dependent_launch =
            dependent_launch_with(sink->dependent_launch, dependent_launch_of_chip("NVIDIA", major));
}

/* A run names the GPU of each process, a capture all that its programs saw. */
static void take_chips(const json_t *manifest, struct reader_sink *sink)
{
    const json_t *process, *gpu;
    size_t i, k;
    take_chip(json_object_get(manifest, "gpu"), sink);
    json_array_foreach (json_object_get(manifest, "processes"), i, process)
        json_array_foreach (json_object_get(process, "gpus"), k, gpu)
            take_chip(gpu, sink);
}

struct traces {
    const struct bundle *bundle;
    const json_t *sealed;    /* names of the sealed files; NULL: never sealed */
    struct capture_map *map; /* for a capture; NULL: the shards' own ranks and devices are used */
    struct reader_sink *sink;
    /* Shards that are closed after they are read. NULL: they stay open, longer than their events are read. */
    struct bundle_shards *spent;
};

static int read_shard(const struct traces *t, const char *name, const struct shard_file *file, struct err *e)
{
    const struct capture_process *p = t->map ? capture_map_find(t->map, name) : NULL;
    if (!p)
        return shard_read(file, NULL, t->sink, e);
    const struct shard_identity identity = {p->rank, p->devices, CAPTURE_ORDINALS_MAX,
                                            capture_process_is_misnumbered(p), capture_process_hides_kernels(p)};
    return shard_read(file, &identity, t->sink, e);
}

static int read_unless_changed(const struct traces *t, size_t i, const char *path, struct err *e)
{
    const struct bundle_shards *shards = &t->bundle->shards;
    const int fd = bundle_shards_borrow(shards, i);
    if (fd < 0)
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(errno));
    const struct shard_file file = {fd, path, !t->spent && fd == shards->items[i].fd};
    int rc = read_shard(t, shards->items[i].name, &file, e);
    if (!rc && bundle_shards_has_changed(shards, i, fd))
        rc = err_set(e, ERR_INPUT, "'%s' has changed while it was read", path);
    bundle_shards_give_back(shards, i, fd);
    return rc;
}

/* One bad shard does not spoil the others. A process that outlives its program may begin a shard after the bundle was
 * sealed. */
static int read_one(const struct traces *t, size_t i, const char *path, struct err *e)
{
    if (t->sealed && !json_object_get(t->sealed, t->bundle->shards.items[i].name))
        return caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e, "'%s' is no part of what was sealed: it is left out",
                          path);
    struct err bad = {0};
    int rc = read_unless_changed(t, i, path, &bad);
    if (rc == ERR_INPUT)
        return caveat_add(t->sink->caveats, CAVEAT_TRUNCATED, e, "%s", bad.text);
    return rc ? err_set(e, rc, "%s", bad.text) : 0;
}

/* A run of programs keeps the trace of each in a bundle of its own. */
static int note_no_trace(const struct traces *t, struct err *e)
{
    const json_t *programs = json_object_get(t->bundle->manifest, "programs");
    struct str path;
    bool found = false;
    str_init(&path);
    for (size_t i = 0; i < json_array_size(programs) && !found; i++) {
        const char *variant = json_get_text(json_array_get(programs, i), "variant", "");
        str_clear(&path);
        str_addf(&path, "%s/%s.cpprof", t->bundle->path, variant);
        found = *variant && !strchr(variant, '/') && !path.failed && bundle_has_trace(path.text);
    }
    const int rc =
        found ? caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e,
                           "%s: the bundle holds no trace itself: the trace of each program is a bundle "
                           "within it, such as '%s'; name that",
                           t->bundle->path, path.text)
              : caveat_add(t->sink->caveats, CAVEAT_WEAKENS, e, "%s: the bundle holds no trace", t->bundle->path);
    str_release(&path);
    return rc;
}

static int read_traces(const struct traces *t, struct err *e)
{
    const struct bundle_shards *shards = &t->bundle->shards;
    if (shards->trouble)
        return err_set(e, ERR_INPUT, "cannot list '%s': %s", t->bundle->path, strerror(shards->trouble));
    int rc = 0;
    if (!shards->count)
        rc = note_no_trace(t, e);
    struct str path;
    str_init(&path);
    for (size_t i = 0; i < shards->count && !rc; i++) {
        files_join(&path, t->bundle->path, shards->items[i].name);
        rc = path.failed ? err_memory(e) : read_one(t, i, path.text, e);
        if (t->spent)
            bundle_shards_close(t->spent, i);
    }
    str_release(&path);
    return rc;
}

static bool is_capture(const json_t *manifest)
{
    return !strcmp(json_get_text(manifest, "kind", ""), CAPTURE_KIND);
}

/* The ranks and devices of a capture's processes are in their reports. Without the reports, or with another kind of
 * bundle, they would be guesses. */
static int check_kind(const char *bundle, const json_t *manifest, struct reader_sink *sink, struct err *e)
{
    static const char *const known[] = {CAPTURE_KIND, "run", "aa"};
    const char *kind = json_get_text(manifest, "kind", "");
    bool is_known = false;
    for (size_t i = 0; i < COUNT_OF(known); i++)
        is_known |= !strcmp(kind, known[i]);
    if (!is_known && (json_object_get(manifest, "kind") || json_object_get(manifest, CAPTURE_KIND)))
        return caveat_add(sink->caveats, CAVEAT_WEAKENS, e, "%s: the manifest is of no kind that is known: '%s'",
                          bundle, kind);
    if (!is_capture(manifest) || json_is_array(json_object_get(manifest, "processes")))
        return 0;
    return caveat_add(sink->caveats, CAVEAT_WEAKENS, e, "%s: the manifest says nothing of the captured processes",
                      bundle);
}

/* Recording is on by so much before its stamp says so, at most: that is taken when all of it is switched. */
static const int64_t stamp_late_ns = 100000000;

/* The pieces that a condition recorded of a process (`when`). */
static int add_pauses(struct resumptions *r, int32_t rank, const json_t *pieces, struct err *e)
{
    const json_t *end = NULL; /* of the piece before */
    for (size_t i = 0; i < json_array_size(pieces); i++) {
        const json_t *start = json_object_get(json_array_get(pieces, i), "start_ns");
        const int64_t time_ns = json_integer_value(start),
                      ended_ns = json_is_integer(end) ? json_integer_value(end) : time_ns;
        const int64_t paused_ns = ended_ns < time_ns - stamp_late_ns ? time_ns - stamp_late_ns : ended_ns;
        if (json_is_integer(start) && resumptions_add(r, rank, paused_ns, time_ns))
            return err_memory(e);
        end = json_object_get(json_array_get(pieces, i), "end_ns");
    }
    return 0;
}

static int add_resumptions(const struct traces *t, struct err *e)
{
    const struct capture_map *m = t->map;
    for (size_t i = 0; i < m->processes.count && t->sink->resumptions; i++) {
        const struct capture_process *p = &m->processes.items[i];
        const json_t *pieces = json_object_get(json_object_get(p->report, "when"), "recorded");
        const int rc = add_pauses(t->sink->resumptions, p->rank, pieces, e);
        if (rc)
            return rc;
    }
    return 0;
}

static int map_capture(struct traces *t, struct capture_map *map, struct err *e)
{
    t->map = map;
    int rc = capture_map_make(map, t->bundle, e);
    t->sink->lacks_migrations |= !rc && capture_lacks_migrations(map);
    t->sink->lacks_collectives |= !rc && capture_lacks_collectives(map);
    t->sink->hides_anywhere |= !rc && capture_hides_anywhere(map);
    if (!rc)
        rc = add_resumptions(t, e);
    return rc ? rc : capture_caveats(map, t->bundle->manifest, t->sink->caveats, e);
}

static bool losses_are_said(const struct caveat_list *caveats)
{
    for (size_t i = 0; i < caveats->count; i++)
        if (strstr(caveats->items[i].text, "records were dropped"))
            return true;
    return false;
}

/* Shards report their own losses, more exactly than the sum in the manifest. */
static int note_losses(const struct traces *t, const json_t *manifest, struct err *e)
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

static int read_all(struct traces *t, struct err *e)
{
    const json_t *manifest = t->bundle->manifest;
    struct capture_map map = {0};
    take_chips(manifest, t->sink);
    int rc = note_seal(t->bundle, t->sink->caveats, e);
    if (!rc)
        rc = check_kind(t->bundle->path, manifest, t->sink, e);
    if (!rc && is_capture(manifest))
        rc = map_capture(t, &map, e);
    if (!rc)
        rc = read_traces(t, e);
    if (!rc && t->sink->gpus)
        rc = gpu_places_note_shared(t->sink->gpus, t->bundle->path, t->sink->caveats, e);
    if (!rc)
        rc = note_losses(t, manifest, e);
    t->map = NULL;
    capture_map_release(&map);
    return rc;
}

int bundle_traces_read(const struct bundle *b, struct reader_sink *sink, struct err *e)
{
    struct traces t = {.bundle = b, .sealed = json_object_get(b->manifest, "files"), .sink = sink};
    return read_all(&t, e);
}

static int read_bundle(const struct open_input *input, struct reader_sink *sink, struct err *e)
{
    struct bundle b;
    bundle_init(&b);
    int rc = bundle_begin(&b, input->path, e);
    if (!rc)
        rc = bundle_check_seal(&b, e);
    struct traces t = {.bundle = &b, .sealed = json_object_get(b.manifest, "files"), .sink = sink, .spent = &b.shards};
    if (!rc)
        rc = read_all(&t, e);
    bundle_release(&b);
    return rc;
}

const struct reader bundle_traces_reader = {"cpprof bundle", recognise, read_bundle};
