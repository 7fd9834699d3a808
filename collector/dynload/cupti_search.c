/* Which files are a CUPTI, and which of them is taken? */
#define _GNU_SOURCE
#include "collector/dynload/cupti_search.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/dynload/cupti_versions.h"
#include "core/base/str.h"

enum { OLDER_MAJOR = 12, NEWER_MAJOR = 13, FOLDERS_MAX = 64 };

/* The loader finds a library by these names. The newest comes first. */
static const char *const names[] = {"libcupti.so.13", "libcupti.so.12"};

struct place_kind {
    const char *name;
    void (*find)(struct cupti_search *s, const struct place_kind *kind);
    bool decides;           /* a copy here is taken, whatever others there are */
    const char *folders[3]; /* patterns below each folder that `find` begins with */
};

/* ---- the list ---- */

static bool is_listed(const struct cupti_search *s, const char *path)
{
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->places[i].path, path))
            return true;
    return false;
}

/* Links end at one file, which is listed once. Returns NULL when it is listed already, or there is no room. */
static struct cupti_place *add(struct cupti_search *s, const struct place_kind *kind, const char *path)
{
    char *real = realpath(path, NULL);
    if (!real)
        real = strdup(path);
    if (!real || s->count == CUPTI_PLACES_MAX || is_listed(s, real)) {
        free(real);
        return NULL;
    }
    const char *end = strrchr(path, '.');
    struct cupti_place *p = &s->places[s->count++];
    *p = (struct cupti_place){.kind = kind->name, .path = real, .major = end ? (int)strtol(end + 1, NULL, 10) : 0};
    return p;
}

/* The loader begins with the file's name, which says nothing new. */
static void say_unloadable(struct cupti_place *p, const char *name)
{
    const char *words = dlerror();
    const size_t length = strlen(name);
    if (words && !strncmp(words, name, length) && !strncmp(words + length, ": ", 2))
        words += length + 2;
    snprintf(p->why, sizeof p->why, "it does not load: %s", words ? words : "unknown error");
}

static void add_opened(struct cupti_search *s, const struct place_kind *kind, const char *name, int flags, bool is_told)
{
    struct link_map *map = NULL;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | flags);
    const bool has_map = library && !dlinfo(library, RTLD_DI_LINKMAP, &map) && map->l_name;
    struct cupti_place *p = library || is_told ? add(s, kind, has_map ? map->l_name : name) : NULL;
    if (p && library) {
        p->library = library;
        p->major = 0;
    } else if (p) {
        say_unloadable(p, name);
    } else if (library) {
        dlclose(library);
    }
}

/* A folder's name is no pattern. */
static void add_escaped(struct str *pattern, const char *folder, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr("*?[]\\", folder[i]))
            str_add_char(pattern, '\\');
        str_add_char(pattern, folder[i]);
    }
}

/* Nothing for a folder that is not absolute. */
static void add_below(struct cupti_search *s, const struct place_kind *kind, const char *folder, size_t length)
{
    struct str pattern;
    glob_t found;
    if (!length || *folder != '/')
        return;
    str_init(&pattern);
    for (size_t i = 0; i < sizeof kind->folders / sizeof kind->folders[0] && kind->folders[i]; i++) {
        str_clear(&pattern);
        add_escaped(&pattern, folder, length);
        str_addf(&pattern, "%s/libcupti.so.[1-9][0-9]", kind->folders[i]);
        if (pattern.failed || glob(str_text(&pattern), 0, NULL, &found))
            continue;
        for (size_t at = 0; at < found.gl_pathc; at++)
            add(s, kind, found.gl_pathv[at]);
        globfree(&found);
    }
    str_release(&pattern);
}

/* Each folder of a list such as PATH, without `tail` at its end. */
static void add_listed(struct cupti_search *s, const struct place_kind *kind, const char *variable, const char *tail)
{
    const char *list = secure_getenv(variable);
    const size_t tail_length = strlen(tail);
    for (int n = 0; list && *list && n < FOLDERS_MAX; n++) {
        const size_t length = strcspn(list, ":");
        if (length >= tail_length && !strncmp(list + length - tail_length, tail, tail_length))
            add_below(s, kind, list, length - tail_length);
        list += length + (list[length] == ':');
    }
}

/* ---- the kinds of places ---- */

static void find_loaded(struct cupti_search *s, const struct place_kind *kind)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        add_opened(s, kind, names[i], RTLD_NOLOAD, false);
}

static void find_setting(struct cupti_search *s, const struct place_kind *kind)
{
    const char *name = secure_getenv("CPPROF_CUPTI");
    if (name && *name)
        add_opened(s, kind, name, 0, true);
}

struct beside {
    struct cupti_search *s;
    const struct place_kind *kind;
    const char *mark; /* in the path of a loaded library; its folder ends where this begins */
};

static int look_at_object(struct dl_phdr_info *info, size_t bytes, void *context)
{
    const struct beside *b = context;
    const char *end = strstr(info->dlpi_name, b->mark);
    (void)bytes;
    if (end)
        add_below(b->s, b->kind, info->dlpi_name, (size_t)(end - info->dlpi_name));
    return 0;
}

static void find_beside_runtime(struct cupti_search *s, const struct place_kind *kind)
{
    dl_iterate_phdr(look_at_object, &(struct beside){s, kind, "/libcudart.so"});
}

/* The program's Python: its packages are loaded, or its name leads to it; else that of the shell. */
static void find_in_python(struct cupti_search *s, const struct place_kind *kind)
{
    const char *name = program_invocation_name, *bin = strstr(name, "/bin/");
    dl_iterate_phdr(look_at_object, &(struct beside){s, kind, "/lib/python3"});
    if (bin && !strchr(bin + strlen("/bin/"), '/'))
        add_below(s, kind, name, (size_t)(bin - name));
    add_listed(s, kind, "VIRTUAL_ENV", "");
    add_listed(s, kind, "CONDA_PREFIX", "");
    add_listed(s, kind, "HOME", "");
    add_listed(s, kind, "PATH", "/bin");
}

static void find_in_conda(struct cupti_search *s, const struct place_kind *kind)
{
    add_listed(s, kind, "CONDA_PREFIX", "");
}

static void find_by_loader(struct cupti_search *s, const struct place_kind *kind)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        add_opened(s, kind, names[i], 0, false);
}

static void find_in_toolkits(struct cupti_search *s, const struct place_kind *kind)
{
    glob_t found;
    add_listed(s, kind, "CUDA_HOME", "");
    add_listed(s, kind, "CUDA_PATH", "");
    if (glob("/usr/local/cuda*", 0, NULL, &found))
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        add_below(s, kind, found.gl_pathv[i], strlen(found.gl_pathv[i]));
    globfree(&found);
}

/* Where versions are equal, the copy that was found first is taken. */
static const struct place_kind kinds[] = {
    {"loaded already", find_loaded, true, {NULL}},
    {"CPPROF_CUPTI", find_setting, true, {NULL}},
    {"beside the CUDA runtime", find_beside_runtime, false, {"", "/../../cuda_cupti/lib", "/../extras/CUPTI/lib64"}},
    {"Python package",
     find_in_python,
     false,
     {"/lib/python3*/site-packages/nvidia/*/lib", "/lib/python3*/dist-packages/nvidia/*/lib",
      "/.local/lib/python3*/site-packages/nvidia/*/lib"}},
    {"conda environment", find_in_conda, false, {"/lib"}},
    {"loader path", find_by_loader, false, {NULL}},
    {"toolkit folder", find_in_toolkits, false, {"/lib64", "/extras/CUPTI/lib64"}},
};

void cupti_load_counters_beside(void *library)
{
    struct link_map *map = NULL;
    struct str path;
    const char *slash = !dlinfo(library, RTLD_DI_LINKMAP, &map) ? strrchr(map->l_name, '/') : NULL;
    if (!slash || strchr(map->l_name, '$'))
        return;
    str_init(&path);
    str_addf(&path, "%.*s/libnvperf_host.so", (int)(slash - map->l_name), map->l_name);
    if (!path.failed)
        dlopen(str_text(&path), RTLD_NOW | RTLD_LOCAL);
    str_release(&path);
}

/* ---- the choice ---- */

int cupti_cuda_of(uint32_t version)
{
    static const int of_12[] = {1200, 1202, 1203, 1204, 1205, 1206, 1206, 1208, 1209, 1209}; /* from 19 on */
    enum { FIRST = 19, COUNT = sizeof of_12 / sizeof of_12[0] };
    if (version >= FIRST && version < FIRST + COUNT)
        return of_12[version - FIRST];
    return (int)(version / 100);
}

static int driver_cuda(void)
{
    int version = 0, (*get)(int *) = NULL;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library)
        *(void **)&get = dlsym(library, "cuDriverGetVersion");
    if (!get || get(&version))
        version = 0;
    if (library)
        dlclose(library);
    return version / 10;
}

/* By its version, or by the name of the file alone. */
static bool is_ours(const struct cupti_place *p)
{
    const int major = p->version ? cupti_cuda_of(p->version) / 100 : p->major;
    return p->version ? p->version >= CUPTI_VERSION_LEAST && major <= NEWER_MAJOR
                      : !major || (major >= OLDER_MAJOR && major <= NEWER_MAJOR);
}

/* Loads a copy, if need be, and asks for its version. False: it cannot be taken. The loader replaces what stands behind
 * a '$', so that it would open another file. */
static bool ask(struct cupti_place *p, bool every)
{
    CUptiResult (*get)(uint32_t *) = NULL;
    if (!*p->why && !p->library && strchr(p->path, '$'))
        snprintf(p->why, sizeof p->why, "there is a '$' in its name");
    if (!*p->why && !p->library && (is_ours(p) || every) && !(p->library = dlopen(p->path, RTLD_NOW | RTLD_LOCAL)))
        say_unloadable(p, p->path);
    if (p->library)
        *(void **)&get = dlsym(p->library, "cuptiGetVersion");
    if (get && get(&p->version))
        p->version = 0;
    if (!*p->why && !is_ours(p))
        snprintf(p->why, sizeof p->why, "cpprof takes CUPTI 12.4 to %d", NEWER_MAJOR);
    else if (!*p->why && !p->version)
        snprintf(p->why, sizeof p->why, "it does not say its version");
    return !*p->why;
}

static bool fits_driver(struct cupti_search *s, const struct cupti_place *p)
{
    if (!s->driver)
        s->driver = driver_cuda();
    return !s->driver || cupti_cuda_of(p->version) <= s->driver;
}

/* The newest that the driver knows; else that which is the least newer. */
static bool is_better(struct cupti_search *s, const struct cupti_place *a, const struct cupti_place *b)
{
    const bool a_fits = fits_driver(s, a), b_fits = fits_driver(s, b);
    if (a_fits != b_fits)
        return a_fits;
    return a_fits ? a->version > b->version : a->version < b->version;
}

static void say_why(const struct cupti_search *s, struct cupti_place *p, bool is_decided)
{
    if (*p->why)
        return;
    if (is_decided)
        snprintf(p->why, sizeof p->why, "'%s' comes first", s->taken->kind);
    else if (s->driver && cupti_cuda_of(p->version) > s->driver)
        snprintf(p->why, sizeof p->why, "the driver knows CUDA %d.%d", s->driver / 100, s->driver % 100);
    else
        snprintf(p->why, sizeof p->why, "%s the one that is taken",
                 p->version == s->taken->version ? "it is as new as" : "it is older than");
}

/* By the name of a file that was not loaded yet. */
static bool is_older(const struct cupti_place *p)
{
    return !p->library && p->major == OLDER_MAJOR;
}

static bool has_older(const struct cupti_search *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (is_older(&s->places[i]))
            return true;
    return false;
}

/* Asks the copies that are older, or the others. The best of them is taken, if it is better than one that is taken. */
static void take_best(struct cupti_search *s, bool older, bool every, bool is_decided)
{
    for (size_t i = 0; i < s->count; i++) {
        struct cupti_place *p = &s->places[i];
        if (p == s->taken || is_older(p) != older || !ask(p, every) || is_decided)
            continue;
        if (!s->taken || is_better(s, p, s->taken))
            s->taken = p;
    }
}

/* Older copies are loaded only where no newer one is as good. */
static void choose(struct cupti_search *s, bool every)
{
    const bool is_decided = s->taken;
    if (every)
        s->driver = driver_cuda();
    take_best(s, false, every, is_decided);
    if (every || !s->taken || (!is_decided && has_older(s) && !fits_driver(s, s->taken)))
        take_best(s, true, every, is_decided);
    for (size_t i = 0; i < s->count; i++) {
        struct cupti_place *p = &s->places[i];
        if (p == s->taken)
            continue;
        say_why(s, p, is_decided);
        if (p->library)
            dlclose(p->library);
        p->library = NULL;
    }
}

void cupti_search(struct cupti_search *s, bool every)
{
    *s = (struct cupti_search){.count = 0};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t before = s->count;
        kinds[i].find(s, &kinds[i]);
        struct cupti_place *first = &s->places[before];
        if (!s->taken && kinds[i].decides && s->count > before && first->library &&
            (ask(first, every) || kinds[i].find != find_loaded)) /* a setting is taken at its word */
            s->taken = first;
        if (s->taken && !every)
            break;
    }
    if (s->taken) {
        ask(s->taken, every);
        *s->taken->why = '\0';
    }
    choose(s, every);
}

void cupti_search_release(struct cupti_search *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->places[i].path);
    *s = (struct cupti_search){.count = 0};
}
