/* Who counts when the user asks for counters? */
#define _GNU_SOURCE
#include "collector/inject/guest_counters.h"

#include <dlfcn.h>
#include <string.h>

#include "base/str.h"

static void (*finish)(void);

/* Beside the library in which this function is. */
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

int guest_counters_start(const char *directory, const char *metrics, struct err *e)
{
    int (*start)(const char *, const char *, char *, size_t);
    char why[512] = "";
    struct str path;
    str_init(&path);
    int rc = find_library(&path, e);
    void *library = rc ? NULL : dlopen(str_text(&path), RTLD_NOW | RTLD_LOCAL);
    str_release(&path);
    if (rc)
        return rc;
    if (!library)
        return err_set(e, ERR_ENVIRONMENT,
                       "libcpprof_counters.so cannot be loaded: counters need it beside libcpprof_inject.so");
    *(void **)&start = dlsym(library, "cpprof_counters_start");
    void *end = dlsym(library, "cpprof_counters_finish");
    if (!start || !end)
        return err_set(e, ERR_ENVIRONMENT, "libcpprof_counters.so is of another version of cpprof");
    if (start(directory, metrics, why, sizeof why))
        return err_set(e, ERR_ENVIRONMENT, "counters cannot be had: %s", why);
    *(void **)&finish = end;
    return 0;
}

void guest_counters_finish(void)
{
    void (*once)(void) = __atomic_exchange_n(&finish, NULL, __ATOMIC_ACQ_REL);
    if (once)
        once();
}
