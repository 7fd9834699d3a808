/* What was open on a thread of the host? */
#include "core/trace/host_scopes.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/key_table.h"

enum { SCOPES_IN_MEMORY = 128 * 1024 };

/* The scopes of a thread that are open, the innermost last. */
struct scope_lane {
    struct host_scope *items;
    size_t count, capacity;
};

struct open_scopes {
    struct key_table keys; /* (rank, thread) -> its lane, from 1 */
    ARRAY_OF(struct scope_lane) lanes;
    size_t open_count;
};

static int scope_order(const void *left, const void *right)
{
    const struct host_scope *a = left, *b = right;
#define COMPARE(x, y)                                                                                                  \
    if ((x) != (y))                                                                                                    \
        return (x) < (y) ? -1 : 1;
    COMPARE(a->start_ns, b->start_ns)
    COMPARE(b->end_ns, a->end_ns)
    COMPARE(a->place, b->place)
    COMPARE(a->rank, b->rank)
    COMPARE(a->thread, b->thread)
    COMPARE(a->name, b->name)
#undef COMPARE
    return 0;
}

int host_scope_spool_new(struct record_spool **out, struct err *e)
{
    return record_spool_new(out, sizeof(struct host_scope), SCOPES_IN_MEMORY, scope_order, e);
}

/* ---- names of Python functions ---- */

static bool starts_with(const char *name, size_t length, const char *start)
{
    return length >= strlen(start) && !memcmp(name, start, strlen(start));
}

static bool has_within(const char *name, size_t length, const char *part)
{
    for (size_t i = 0; i + strlen(part) <= length; i++)
        if (starts_with(name + i, length - i, part))
            return true;
    return false;
}

/* Returns the length of FILE in "FILE(LINE): FUNCTION"; 0 for other names. */
static size_t file_length(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        size_t end = i + 1;
        while (name[i] == '(' && end < length && isdigit((unsigned char)name[end]))
            end++;
        if (name[i] == '(' && end > i + 1 && starts_with(name + end, length - end, "): "))
            return i;
    }
    return 0;
}

uint16_t host_scope_kind_of_function(const char *name, size_t length)
{
    if (starts_with(name, length, "nn.Module: "))
        return HOST_SCOPE_MODULE;
    const size_t file = file_length(name, length);
    const bool is_own = starts_with(name, file, "torch/") || has_within(name, file, "-packages/torch/");
    return file && !is_own ? HOST_SCOPE_FRAME : 0;
}

/* ---- what is open ---- */

int open_scopes_new(struct open_scopes **out, struct err *e)
{
    *out = calloc(1, sizeof **out);
    return *out ? 0 : err_memory(e);
}

void open_scopes_free(struct open_scopes *o)
{
    if (!o)
        return;
    for (size_t i = 0; i < o->lanes.count; i++)
        free(o->lanes.items[i].items);
    free(o->lanes.items);
    key_table_release(&o->keys);
    free(o);
}

/* Takes scopes that have ended off the top. One below an open one stays, and is taken off after it. */
static void drop_ended(struct open_scopes *o, struct scope_lane *lane, int64_t time_ns)
{
    while (lane->count && lane->items[lane->count - 1].end_ns <= time_ns) {
        lane->count--;
        o->open_count--;
    }
}

static int lane_to_add(struct scope_lane **out, struct open_scopes *o, int16_t rank, uint32_t thread, struct err *e)
{
    const uint32_t id = key_table_add(&o->keys, rank, thread);
    if (id > OPEN_SCOPES_THREADS_MAX)
        return err_set(e, ERR_INPUT, "operators, frames or ranges on more than %d threads", OPEN_SCOPES_THREADS_MAX);
    if (!id || (id > o->lanes.count && !ARRAY_PUSH(&o->lanes)))
        return err_memory(e);
    *out = &o->lanes.items[id - 1];
    return 0;
}

int open_scopes_add(struct open_scopes *o, int16_t rank, uint32_t thread, const struct host_scope *scope, struct err *e)
{
    struct scope_lane *lane;
    if (scope->end_ns <= scope->start_ns)
        return 0;
    int rc = lane_to_add(&lane, o, rank, thread, e);
    if (rc)
        return rc;
    drop_ended(o, lane, scope->start_ns);
    if (o->open_count == OPEN_SCOPES_MAX)
        return err_set(e, ERR_INPUT, "more than %d operators, frames or ranges are open at once", OPEN_SCOPES_MAX);
    struct host_scope *slot = ARRAY_PUSH(lane);
    if (!slot)
        return err_memory(e);
    *slot = *scope;
    o->open_count++;
    return 0;
}

const struct host_scope *open_scopes_innermost(struct open_scopes *o, int16_t rank, uint32_t thread, int64_t time_ns)
{
    const uint32_t id = key_table_find(&o->keys, rank, thread);
    if (!id)
        return NULL;
    struct scope_lane *lane = &o->lanes.items[id - 1];
    drop_ended(o, lane, time_ns);
    return lane->count ? &lane->items[lane->count - 1] : NULL;
}
