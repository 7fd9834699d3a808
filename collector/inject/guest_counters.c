/* Where is the library that counts, and does it start? */
#define _GNU_SOURCE
#include "collector/inject/guest_counters.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define LIBRARY "libcpprof_counters.so"
#define ENTRY "cpprof_counters_start"

static void add_own_folder(struct str *out)
{
    static const char in_this_library = 0;
    Dl_info own;
    const char *slash = dladdr(&in_this_library, &own) && own.dli_fname ? strrchr(own.dli_fname, '/') : NULL;
    if (slash)
        str_add_bytes(out, own.dli_fname, (size_t)(slash - own.dli_fname) + 1);
}

/* In good order it writes its own report. */
static void tell(const char *directory, const char *why)
{
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/counters-%ld.json", directory, (long)getpid());
    json_t *report = json_pack("{s:[{s:s,s:o}]}", "missing", "what", "counters", "why", json_text(why));
    if (report && !path.failed)
        json_write_file(str_text(&path), report, NULL);
    json_decref(report);
    str_release(&path);
}

void guest_counters_start(const char *directory)
{
    struct str path;
    str_init(&path);
    add_own_folder(&path);
    str_add(&path, LIBRARY);
    void *library = path.failed ? NULL : dlopen(str_text(&path), RTLD_NOW | RTLD_LOCAL);
    int (*start)(void) = NULL;
    if (library)
        *(void **)&start = dlsym(library, ENTRY);
    if (start)
        start();
    else
        tell(directory, "the library that counts is not beside the one that traces: install cpprof anew");
    str_release(&path);
}
