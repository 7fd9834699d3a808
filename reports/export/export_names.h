/* export_names.h - under which name does an exported event go? */
#ifndef CPPROF_EXPORT_NAMES_H
#define CPPROF_EXPORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/strtab.h"
#include "cpprof/event.h"

/* What stands where a trace has no name: readers refuse an empty one. */
#define EXPORT_NO_NAME "(no name)"

struct export_names { /* zeroed but for the first two */
    const struct strtab *strings;
    bool mangled;
    struct strtab demangled;
    uint32_t *items; /* per string id, from 1: its id in demangled; 0 when nobody asked */
    size_t count, capacity;
};

void export_names_release(struct export_names *n);

/* Kernels by their demangled names, each demangled once, unless mangled ones
 * are asked for; the rest as recorded. Without one, a wait has its kind ("Stream
 * Sync") and all else EXPORT_NO_NAME. NULL when memory is out. Valid until the
 * next call. */
const char *export_names_of(struct export_names *n, const struct cpprof_event *event, size_t *length);

#endif
