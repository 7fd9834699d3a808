/* Where do the ceilings of a GPU come from? */
#include "cli/record/ceiling_source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/record/runner_process.h"
#include "core/gpu/ceilings.h"

enum { DEVICES_MAX = 64 };

/* For those who read the file; we compute it anew. */
static void add_theory(json_t *gpu)
{
    size_t i;
    json_t *one;
    json_array_foreach (json_object_get(gpu, "ceilings"), i, one) {
        const enum ceiling_id id = ceiling_by_id(json_get_text(one, "id", ""));
        const struct ceiling c =
            id < CEILING_COUNT ? ceiling_of(gpu, id) : (struct ceiling){.peak = NAN, .peak_then = NAN};
        json_object_set_new(one, "peak", json_number_or_null(c.peak));
        json_object_set_new(one, "peak_at_clock", json_number_or_null(c.peak_then));
    }
}

static int measure_gpu(long device, json_t **gpu, struct err *e)
{
    char option[32];
    char *options[] = {option};
    snprintf(option, sizeof option, "--device=%ld", device);
    int rc = runner_ask_with("ceilings", options, 1, "ceilings.json", gpu, e);
    if (!rc)
        add_theory(*gpu);
    return rc;
}

static json_t *missing_one(const char *what, const char *why)
{
    return json_pack("{ss so}", "what", what, "why", json_text(why));
}

/* A GPU that could not be asked still has a place. */
static int add_gpu(json_t *gpus, long device, struct err *e)
{
    struct err why = {0};
    json_t *gpu = NULL;
    if (measure_gpu(device, &gpu, &why))
        gpu = json_pack("{sI s[] s[o]}", "ordinal", (json_int_t)device, "ceilings", "missing",
                        missing_one("all ceilings", why.text));
    return json_array_append_new(gpus, gpu) ? err_memory(e) : 0;
}

static int add_peers(json_t *ceilings, long devices, struct err *e)
{
    struct err why = {0};
    json_t *peers = NULL, *missing = json_array();
    if (devices > 1 && runner_ask("peers", "peers.json", &peers, &why))
        json_array_append_new(missing, missing_one("peers", why.text));
    const int failed = json_object_set_new(ceilings, "peers", peers ? peers : json_array()) |
                       json_object_set_new(ceilings, "missing", missing);
    return failed ? err_memory(e) : 0;
}

static void show_progress(long device, long devices)
{
    if (!isatty(STDERR_FILENO))
        return;
    if (device < devices)
        fprintf(stderr, "\r\033[Kmeasuring GPU %ld of %ld", device + 1, devices);
    else
        fputs("\r\033[K", stderr);
}

int ceilings_measure_all(long devices, json_t **document, struct err *e)
{
    json_t *gpus = json_array();
    json_t *ceilings = json_pack("{ss so}", "schema", CEILINGS_SCHEMA, "gpus", gpus);
    int rc = ceilings ? 0 : err_memory(e);
    if (devices > DEVICES_MAX)
        devices = DEVICES_MAX;
    for (long device = 0; device < devices && !rc; device++) {
        show_progress(device, devices);
        rc = add_gpu(gpus, device, e);
    }
    if (!rc)
        rc = add_peers(ceilings, devices, e);
    show_progress(devices, devices);
    if (rc)
        json_decref(ceilings);
    else
        *document = ceilings;
    return rc;
}

/* ---- of a run ---- */

static int enter(json_t *manifest, const json_t *gpu, const char *source, struct err *e)
{
    json_t *copy = json_deep_copy(gpu);
    if (!copy)
        return err_memory(e);
    const int failed =
        json_object_set_new(copy, "source", json_string(source)) | json_object_set_new(manifest, "ceilings", copy);
    return failed ? err_memory(e) : 0;
}

static int enter_missing(json_t *manifest, const char *why, struct err *e)
{
    json_t *list = json_object_get(manifest, "missing");
    if (!list) {
        list = json_array();
        if (json_object_set_new(manifest, "missing", list))
            return err_memory(e);
    }
    return json_array_append_new(list, missing_one("ceilings", why)) ? err_memory(e) : 0;
}

static int enter_measured(long device, json_t *manifest, struct err *e)
{
    struct err why = {0};
    json_t *gpu = NULL;
    if (measure_gpu(device, &gpu, &why))
        return enter_missing(manifest, why.text, e);
    int rc = enter(manifest, gpu, "measured", e);
    json_decref(gpu);
    return rc;
}

static int enter_file(const char *path, const json_t *plan, json_t *manifest, struct err *e)
{
    const json_t *here = json_object_get(plan, "gpu"), *gpu = NULL;
    json_t *document = NULL;
    int rc = json_read_file(path, &document, e);
    if (!rc)
        rc = ceilings_choose(document, json_get_text(here, "uuid", ""), json_get_text(here, "name", "an unknown GPU"),
                             &gpu, e);
    if (!rc)
        rc = enter(manifest, gpu, "file", e);
    json_decref(document);
    return rc ? err_context(e, "--ceilings '%s'", path) : 0;
}

int ceilings_enter(const char *asked, long device, const json_t *plan, json_t *manifest, struct err *e)
{
    return strcmp(asked, CEILINGS_MEASURE) ? enter_file(asked, plan, manifest, e) : enter_measured(device, manifest, e);
}
