/* Which times has a file that nvbench wrote with --json or --jsonbin?
 *
 * Layouts of 2021 are read, too: states, values and summaries were objects by name from May to December, and lists
 * with other members before. Only the means were in them.
 *
 * A state is a benchmark with its axis values. Its summaries have means; with --jsonbin one of them names a file of
 * little-endian float32, which has the GPU time of each cold sample in seconds. That file is looked for beside the JSON
 * alone, whatever its name says, and is used only where its mean is the one that the JSON states: two runs may have
 * left files of one name. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/files.h"
#include "core/run/benchmarks/benchmark_results.h"

enum { SAMPLES_MAX = 64 * 1024 * 1024 }; /* of a side; each try counts */

#define MEAN         "nv/cold/time/gpu/mean"
#define MEAN_OF_2021 "Average GPU Time (Cold)"
#define SAMPLES      "nv/json/bin:nv/cold/sample_times"
#define SAME_MEANS   1e-4 /* the samples are rounded to float32, their mean was not */

/* ---- lists of named things, in each layout ---- */

/* A list of objects with a name each, or an object by these names. */
struct named_list {
    const json_t *list;
    size_t next;
    void *iterator;
};

/* Returns the next one, with what its member `key` calls it; NULL behind the last. */
static const json_t *next_named(struct named_list *in, const char *key, const char **name)
{
    if (json_is_array(in->list)) {
        const json_t *item = json_array_get(in->list, in->next++);
        *name = json_get_text(item, key, "");
        return item;
    }
    json_t *object = (json_t *)(uintptr_t)in->list; /* iterators of jansson take no const */
    in->iterator = in->next++ ? json_object_iter_next(object, in->iterator) : json_object_iter(object);
    *name = in->iterator ? json_object_iter_key(in->iterator) : "";
    return in->iterator ? json_object_iter_value(in->iterator) : NULL;
}

static const json_t *named(const json_t *list, const char *key, const char *wanted)
{
    struct named_list in = {.list = list};
    const char *name;
    const json_t *item;
    while ((item = next_named(&in, key, &name)))
        if (!strcmp(name, wanted))
            return item;
    return NULL;
}

/* ---- summaries ---- */

static const json_t *summary_of(const json_t *state, const char *tag)
{
    return named(json_object_get(state, "summaries"), "tag", tag);
}

/* A value by its name in {name, type, value}; NULL when it is not there. */
static const json_t *value_of(const json_t *list, const char *name)
{
    return json_object_get(named(list, "name", name), "value");
}

/* Numbers stand there as texts, because JSON has no 64 bits. */
static double number_of(const json_t *value)
{
    if (json_is_number(value))
        return json_number_value(value);
    const char *text = json_string_value(value);
    char *end = NULL;
    const double number = text ? strtod(text, &end) : NAN;
    return text && end != text && !*end ? number : NAN;
}

static double mean_ns_of(const json_t *state)
{
    const json_t *summary = summary_of(state, MEAN), *values = json_object_get(summary, "data");
    if (!summary) {
        summary = named(json_object_get(state, "summaries"), "name", MEAN_OF_2021);
        values = json_object_get(summary, "values");
    }
    const double mean = number_of(value_of(values ? values : summary, "value")) * 1e9;
    return mean > 0 && isfinite(mean) ? mean : NAN;
}

/* ---- samples ---- */

static int read_samples(FILE *file, size_t count, struct benchmark_times *row, struct err *e)
{
    uint8_t bytes[4];
    while (row->times.count < count && fread(bytes, 1, sizeof bytes, file) == sizeof bytes) {
        const uint32_t word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        float seconds;
        memcpy(&seconds, &word, sizeof seconds);
        double *slot = ARRAY_PUSH(&row->times);
        if (!slot)
            return err_memory(e);
        *slot = (double)seconds * 1e9;
    }
    if (row->times.count != count || fgetc(file) != EOF)
        row->times.count = 0; /* another file than the one that was described */
    return 0;
}

static bool are_of_this_mean(const struct benchmark_times *row)
{
    double sum = 0;
    for (size_t i = 0; i < row->times.count; i++) {
        if (!(row->times.items[i] > 0) || !isfinite(row->times.items[i]))
            return false;
        sum += row->times.items[i];
    }
    return fabs(sum / (double)row->times.count / row->mean_ns - 1) < SAME_MEANS;
}

static int try_samples(struct benchmark_times *row, const char *path, size_t count, struct err *e)
{
    FILE *file = files_is_regular(path) ? fopen(path, "rbe") : NULL;
    if (!file)
        return 0;
    const int rc = read_samples(file, count, row, e);
    fclose(file);
    if (!are_of_this_mean(row))
        row->times.count = 0;
    return rc;
}

/* Appends the last two parts of what nvbench called the file, "before.json-bin/0.bin"; nothing where that leads up. */
static void add_named(struct str *out, const char *named)
{
    const char *part = files_name(named);
    part -= part > named;
    while (part > named && part[-1] != '/')
        part--;
    if (strncmp(part, "../", 3) != 0)
        str_add(out, part);
}

/* Beside the file at `path`: in the folder that nvbench made, and in the one that it would make for the file's name. */
static int find_samples(struct benchmark_times *row, const char *named, const char *path, size_t count, struct err *e)
{
    struct str at;
    str_init(&at);
    str_addf(&at, "%s-bin/%s", path, files_name(named));
    int rc = at.failed ? err_memory(e) : try_samples(row, str_text(&at), count, e);
    str_clear(&at);
    str_add_bytes(&at, path, (size_t)(files_name(path) - path));
    add_named(&at, named);
    if (!rc && !row->times.count)
        rc = at.failed ? err_memory(e) : try_samples(row, str_text(&at), count, e);
    str_release(&at);
    return rc;
}

static int add_samples(struct benchmark_results *out, struct benchmark_times *row, const json_t *state,
                       const char *path, struct err *e)
{
    const json_t *data = json_object_get(summary_of(state, SAMPLES), "data");
    const char *named = json_string_value(value_of(data, "filename"));
    const double count = number_of(value_of(data, "size"));
    if (!named || !*files_name(named) || isnan(row->mean_ns))
        return 0;
    const bool has_room = count >= 1 && count <= (double)(SAMPLES_MAX - out->samples_tried);
    int rc = has_room ? find_samples(row, named, path, (size_t)count, e) : 0;
    out->samples_tried += has_room ? (size_t)count : 0;
    if (!rc && !row->times.count)
        rc = caveat_add(
            &out->caveats, CAVEAT_NOTE, e,
            "%s: the samples of '%s' are not beside it (%s-bin), or are of another run: means alone are read", path,
            row->name, files_name(path));
    return rc;
}

/* ---- states ---- */

/* "copy Elements=65536 T=F32"; with the device where a benchmark ran on several. */
static const char *name_of(struct benchmark_results *out, const json_t *benchmark, const json_t *state)
{
    struct str name;
    struct named_list axes = {.list = json_object_get(state, "axis_values")};
    const char *axis_name;
    const json_t *axis;
    str_init(&name);
    str_add(&name, json_get_text(benchmark, "name", ""));
    while ((axis = next_named(&axes, "name", &axis_name))) {
        const json_t *value = json_object_get(axis, "value");
        str_addf(&name, " %s=", axis_name);
        if (json_is_string(value))
            str_add(&name, json_string_value(value));
        else
            str_addf(&name, "%.17g", json_number_value(value));
    }
    if (json_array_size(json_object_get(benchmark, "devices")) > 1)
        str_addf(&name, " device=%lld", json_get_integer(state, "device", -1));
    const char *kept = name.failed ? "" : arena_copy(&out->arena, str_text(&name));
    str_release(&name);
    return kept;
}

static int add_state(struct benchmark_results *out, const json_t *benchmark, const json_t *state, const char *path,
                     struct err *e)
{
    bool is_new;
    struct benchmark_times *row = benchmark_results_row(out, name_of(out, benchmark, state), &is_new);
    if (!row)
        return err_memory(e);
    if (!is_new) {
        row->is_twice = true;
        return 0;
    }
    row->mean_ns = mean_ns_of(state);
    if (json_is_true(json_object_get(state, "is_skipped")))
        row->failure = arena_copy(&out->arena, json_get_text(state, "skip_reason", "it was skipped"));
    else if (isnan(row->mean_ns))
        row->failure = "it has no " MEAN;
    return row->failure ? 0 : add_samples(out, row, state, path, e);
}

static int add_states(struct benchmark_results *out, const json_t *benchmark, const char *path, struct err *e)
{
    struct named_list states = {.list = json_object_get(benchmark, "states")};
    const char *name;
    const json_t *state;
    int rc = 0;
    while (!rc && (state = next_named(&states, "name", &name)))
        rc = add_state(out, benchmark, state, path, e);
    return rc;
}

static const char *machine_of(struct benchmark_results *out, const json_t *root)
{
    const char *names = "";
    size_t i;
    const json_t *device;
    json_array_foreach (json_object_get(root, "devices"), i, device)
        names = arena_printf(&out->arena, "%s%s%s", names, *names ? ", " : "", json_get_text(device, "name", ""));
    return names;
}

static int read_nvbench(const json_t *root, const char *path, struct benchmark_results *out, const char **machine,
                        struct err *e)
{
    size_t i;
    const json_t *benchmark;
    int rc = 0;
    *machine = machine_of(out, root);
    json_array_foreach (json_object_get(root, "benchmarks"), i, benchmark) {
        if (!rc)
            rc = add_states(out, benchmark, path, e);
    }
    return rc;
}

const struct benchmark_format nvbench_format = {
    "nvbench", "samples", "--jsonbin FILE", {"\"benchmarks\"", "\"states\"", "\"axis_values\""}, read_nvbench,
};
