/* Which CUPTI do we use, which others may a program bring, and is somebody else
 * in its place? */
#define _GNU_SOURCE
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "doctor/doctor.h"

enum { COPIES_MAX = 32, PYTHON_PREFIXES_MAX = 64 };

struct copy_list {
    char **items; /* real paths, each once */
    size_t count, capacity;
};

static void release_copies(struct copy_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->items[i]);
    free(l->items);
}

/* Links end at one file: each file counts once. */
static void add_copy(struct copy_list *l, const char *path)
{
    char *real = realpath(path, NULL);
    bool is_known = !real || l->count >= COPIES_MAX;
    for (size_t i = 0; i < l->count && !is_known; i++)
        is_known = !strcmp(l->items[i], real);
    char **slot = is_known ? NULL : ARRAY_PUSH(l);
    if (slot)
        *slot = real;
    else
        free(real);
}

/* root + folder + pattern; nothing for a folder that is not absolute. */
static void add_matches(const struct machine *m, struct copy_list *l, const char *folder, size_t folder_length,
                        const char *pattern)
{
    if (!folder_length || *folder != '/')
        return;
    struct str full;
    glob_t found;
    str_init(&full);
    str_addf(&full, "%s%.*s%s", m->root, (int)folder_length, folder, pattern);
    if (!glob(str_text(&full), GLOB_NOSORT, NULL, &found)) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_copy(l, found.gl_pathv[i]);
        globfree(&found);
    }
    str_release(&full);
}

/* Where wheels put it: nvidia/cuda_cupti/lib, nvidia/cu13/lib, torch/lib. */
static void add_of_python(const struct machine *m, struct copy_list *l, const char *prefix, size_t length)
{
    static const char *const patterns[] = {
        "/lib/python3*/site-packages/nvidia/*/lib/libcupti.so.*",
        "/lib/python3*/dist-packages/nvidia/*/lib/libcupti.so.*",
        "/lib/python3*/site-packages/torch/lib/libcupti*.so*",
        "/lib/python3*/dist-packages/torch/lib/libcupti*.so*",
        "/lib/libcupti.so.*", /* conda */
    };
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        add_matches(m, l, prefix, length, patterns[i]);
}

/* The folders that a list like PATH names, each without `tail` at its end. */
static void for_each_folder(const struct machine *m, struct copy_list *l, const char *list, const char *tail,
                            void (*add)(const struct machine *, struct copy_list *, const char *, size_t))
{
    const size_t tail_length = strlen(tail);
    for (int n = 0; *list && n < PYTHON_PREFIXES_MAX; n++) {
        size_t length = strcspn(list, ":");
        if (length >= tail_length && !strncmp(list + length - tail_length, tail, tail_length))
            add(m, l, list, length - tail_length);
        list += length + (list[length] == ':');
    }
}

static void add_in_folder(const struct machine *m, struct copy_list *l, const char *folder, size_t length)
{
    add_matches(m, l, folder, length, "/libcupti.so.*");
}

static void find_copies(const struct machine *m, struct copy_list *l)
{
    static const char *const toolkit[] = {
        "/usr/local/cuda*/lib64/libcupti.so.*",
        "/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.*",
        "/usr/lib/x86_64-linux-gnu/libcupti.so.*",
        "/usr/lib/aarch64-linux-gnu/libcupti.so.*",
    };
    for (size_t i = 0; i < sizeof toolkit / sizeof toolkit[0]; i++)
        add_matches(m, l, toolkit[i], strlen(toolkit[i]), "");
    for_each_folder(m, l, machine_variable(m, "LD_LIBRARY_PATH"), "", add_in_folder);
    for_each_folder(m, l, machine_variable(m, "PATH"), "/bin", add_of_python);
    static const char *const prefixes[] = {"VIRTUAL_ENV", "CONDA_PREFIX"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        for_each_folder(m, l, machine_variable(m, prefixes[i]), "", add_of_python);
    const char *home = machine_variable(m, "HOME");
    struct str local;
    str_init(&local);
    str_addf(&local, "%s/.local", home);
    if (*home)
        add_of_python(m, l, str_text(&local), local.length);
    str_release(&local);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A copy is named as it is found, without the root that we look under. */
static void check_copies(const struct doctor_input *in, struct checkup *c)
{
    struct copy_list copies = {0};
    struct str names;
    char *root = *in->machine->root ? realpath(in->machine->root, NULL) : NULL, *ours = NULL;
    const size_t root_length = root ? strlen(root) : 0;
    const char *used = json_get_text(json_object_get(in->probe, "cupti"), "library", "");
    str_init(&names);
    find_copies(in->machine, &copies);
    ours = *used ? realpath(used, NULL) : NULL;
    if (copies.count)
        qsort(copies.items, copies.count, sizeof *copies.items, by_text);
    size_t others = 0;
    for (size_t i = 0; i < copies.count; i++) {
        const char *path = copies.items[i];
        if (ours && !strcmp(path, ours))
            continue;
        str_addf(&names, "%s'%s'", others++ ? ", " : "",
                 root && !strncmp(path, root, root_length) ? path + root_length : path);
    }
    if (!others) {
        checkup_ok(c, "other copies of CUPTI", "none found in toolkits, the loader's path and Python's packages");
    } else {
        checkup_ok(c, "other copies of CUPTI", "%zu: %s", others, str_text(&names));
        checkup_advise(
            c, "a program that has loaded one of them is captured through it, as only one CUPTI may subscribe; the "
               "capture's process file says which it was");
    }
    str_release(&names);
    release_copies(&copies);
    free(root);
    free(ours);
}

static void check_library(const json_t *cupti, struct checkup *c)
{
    const char *error = json_get_text(cupti, "error", "");
    if (*error) {
        checkup_missing(c, "CUPTI", STOPS_BOTH, "%s", error);
        checkup_advise(
            c, "traces and counters need it: install the toolkit's CUPTI, add its folder to LD_LIBRARY_PATH, or set "
               "CPPROF_CUPTI to the file");
        return;
    }
    checkup_ok(c, "CUPTI", "'%s', API version %lld, found through: %s",
               json_get_text(cupti, "library", "libcupti.so.13"), json_get_integer(cupti, "version", 0),
               json_get_text(cupti, "found", "unknown"));
}

/* What the runner's own subscription met. */
static void check_subscriber(const json_t *cupti, struct checkup *c)
{
    const char *other = json_get_text(cupti, "subscriber", ""), *error = json_get_text(cupti, "subscribe_error", "");
    if (*json_get_text(cupti, "error", "") || !json_object_get(cupti, "subscribe_error"))
        return;
    if (!*error) {
        checkup_ok(c, "CUPTI's subscriber", "the place is free");
        return;
    }
    checkup_missing(c, "CUPTI's subscriber", STOPS_BOTH, "%s%s%s%s", error, *other ? ": '" : "", other,
                    *other ? "'" : "");
    checkup_advise(
        c, *other ? "another profiler is in every CUDA process that starts from here: run cpprof outside of it, and "
                    "see the environment below"
                  : "CUPTI cannot be used here: see the driver and the counters");
}

void check_cupti(const struct doctor_input *in, struct checkup *c)
{
    const json_t *cupti = json_object_get(in->probe, "cupti");
    if (cupti) {
        check_library(cupti, c);
        check_subscriber(cupti, c);
    }
    check_copies(in, c);
}
