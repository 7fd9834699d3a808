/* Who counts when the user asks for counters? */
#define _GNU_SOURCE
#include "collector/inject/guest_counters.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/str.h"

static struct {
    int (*watch)(char *why, size_t why_bytes);
    int (*start)(const char *directory, const char *metrics, char *why, size_t why_bytes);
    void (*finish)(void);
    void *library;
    bool is_asked_for;   /* to count: the library may be loaded for samples alone */
    struct err unloaded; /* why the library could not be loaded */
    atomic_flag finished;
} counters = {.finished = ATOMIC_FLAG_INIT};

/* It is in the folder of the library that has this function. */
static int find_library(struct str *path, struct err *e)
{
    static const char name[] = "libcpprof_counters.so";
    Dl_info own;
    if (!dladdr(__extension__(void *) guest_counters_start, &own) || !own.dli_fname)
        return err_set(e, ERR_ENVIRONMENT, "the folder of cpprof's libraries is not known");
    const char *slash = strrchr(own.dli_fname, '/');
    str_add_bytes(path, own.dli_fname, slash ? (size_t)(slash + 1 - own.dli_fname) : 0);
    str_add(path, name);
    return path->failed ? err_memory(e) : 0;
}

static int resolve(void *library, struct err *e)
{
    *(void **)&counters.watch = dlsym(library, "cpprof_counters_watch");
    *(void **)&counters.start = dlsym(library, "cpprof_counters_start");
    *(void **)&counters.finish = dlsym(library, "cpprof_counters_finish");
    return counters.watch && counters.start && counters.finish
               ? 0
               : err_set(e, ERR_ENVIRONMENT, "libcpprof_counters.so is of another version of cpprof");
}

static void load(void)
{
    struct err *e = &counters.unloaded;
    struct str path;
    str_init(&path);
    if (!find_library(&path, e)) {
        counters.library = dlopen(str_text(&path), RTLD_NOW | RTLD_LOCAL);
        if (counters.library)
            resolve(counters.library, e);
        else
            err_set(e, ERR_ENVIRONMENT,
                    "libcpprof_counters.so cannot be loaded: counters need it beside libcpprof_inject.so");
    }
    str_release(&path);
}

static int load_once(struct err *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return counters.unloaded.code ? err_set(e, counters.unloaded.code, "%s", counters.unloaded.text) : 0;
}

void *guest_counters_library(struct err *e)
{
    return load_once(e) ? NULL : counters.library;
}

int guest_counters_watch(struct err *e)
{
    char why[512] = "";
    int rc = load_once(e);
    if (rc)
        return rc;
    counters.is_asked_for = true;
    return counters.watch(why, sizeof why) ? err_set(e, ERR_ENVIRONMENT, "ranges cannot be watched: %s", why) : 0;
}

int guest_counters_start(const char *directory, const char *metrics, struct err *e)
{
    char why[512] = "";
    int rc = load_once(e);
    if (rc)
        return rc;
    counters.is_asked_for = true;
    return counters.start(directory, metrics, why, sizeof why)
               ? err_set(e, ERR_ENVIRONMENT, "counters cannot be had: %s", why)
               : 0;
}

void guest_counters_finish(void)
{
    if (counters.is_asked_for && !atomic_flag_test_and_set(&counters.finished))
        counters.finish();
}
