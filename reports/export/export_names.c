/* How are the mangled names of a trace made readable, each once? */
#include "reports/export/export_names.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/demangle.h"
#include "core/trace/readers/work_names.h"

void export_names_release(struct export_names *n)
{
    strtab_release(&n->demangled);
    free(n->items);
    n->items = NULL;
    n->count = n->capacity = 0;
}

static uint32_t demangle(struct export_names *n, uint32_t id)
{
    struct str full;
    str_init(&full);
    demangle_full(&full, strtab_text(n->strings, id));
    const uint32_t found = full.failed ? 0 : strtab_add_bytes(&n->demangled, str_text(&full), full.length);
    str_release(&full);
    return found;
}

/* 0 when memory is out. */
static uint32_t demangled_id(struct export_names *n, uint32_t id)
{
    if (array_reserve((void **)&n->items, &n->capacity, id, sizeof *n->items))
        return 0;
    for (; n->count < id; n->count++)
        n->items[n->count] = 0;
    if (!n->items[id - 1])
        n->items[id - 1] = demangle(n, id);
    return n->items[id - 1];
}

const char *export_names_of(struct export_names *n, const struct cpprof_event *event, size_t *length)
{
    const char *name = strtab_text(n->strings, event->name);
    *length = strtab_length(n->strings, event->name);
    if (!*length) {
        name = event->kind == CPPROF_EVENT_SYNC ? work_sync_name(event->detail) : EXPORT_NO_NAME;
        *length = strlen(name);
        return name;
    }
    if (n->mangled || event->kind != CPPROF_EVENT_KERNEL || strncmp(name, "_Z", 2) != 0)
        return name;
    const uint32_t id = demangled_id(n, event->name);
    *length = strtab_length(&n->demangled, id);
    return id ? strtab_text(&n->demangled, id) : NULL;
}
