/* What do people read of a gap: its neighbours, its calls, its evidence? */
#include "analyzers/capture/gap_words.h"

#include "core/base/count_of.h"
#include "core/base/demangle.h"
#include "core/base/str.h"
#include "core/base/units.h"
#include "core/trace/duration_groups.h"
#include "core/trace/kernel_names.h"
#include "cpprof/event.h"

static const char *kernel_name(struct arena *arena, const struct strtab *strings, uint32_t id, enum name_style style)
{
    const char *text = strtab_text(strings, id);
    if (!*text)
        return "(no name)";
    if (style == NAMES_MANGLED)
        return arena_copy(arena, text);
    struct str name;
    str_init(&name);
    if (style == NAMES_SHORT)
        kernel_name_alone(&name, text);
    else
        demangle_full(&name, text);
    const char *copy = arena_copy(arena, name.length ? str_text(&name) : text);
    str_release(&name);
    return copy;
}

const char *gap_neighbour_name(struct arena *arena, const struct strtab *strings, const struct gap_neighbour *n,
                               enum name_style style)
{
    static const char *const directions[] = {"", " h2d", " d2h", " d2d", " p2p", " h2h"};
    const char *direction = n->detail < COUNT_OF(directions) ? directions[n->detail] : "";
    if (!n->is_there)
        return "";
    switch (n->kind) {
    case CPPROF_EVENT_KERNEL: return kernel_name(arena, strings, n->name, style);
    case CPPROF_EVENT_COPY: return arena_printf(arena, "copy%s%s", direction, n->is_pageable ? " (pageable)" : "");
    case CPPROF_EVENT_MIGRATION: return arena_printf(arena, "migration%s", direction);
    default: return "memset";
    }
}

static const char *time_text(struct arena *arena, int64_t from_ns, int64_t to_ns)
{
    char text[UNITS_TEXT_BYTES];
    return arena_copy(arena, unit_format(text, UNIT_NS, (double)duration_ns(from_ns, to_ns)));
}

const char *gap_call_name(struct arena *arena, const struct strtab *strings, uint32_t name)
{
    const char *text = strtab_text(strings, name);
    return *text ? arena_printf(arena, "%.*s", (int)call_name_length(text), text) : "(no name)";
}

static const char *describe_host_late(struct arena *arena, const struct strtab *strings, const struct idle_gap *g)
{
    const char *name = gap_call_name(arena, strings, g->call.name);
    if (g->call.start_ns < g->start_ns)
        return arena_printf(arena, "in %s for %s", name, time_text(arena, g->start_ns, g->call.end_ns));
    return arena_printf(arena, "%s after %s", name, time_text(arena, g->start_ns, g->call.start_ns));
}

static const char *describe_sync(struct arena *arena, const struct strtab *strings, const struct idle_gap *g)
{
    return arena_printf(arena, "%s took %s", gap_call_name(arena, strings, g->wait.name),
                        time_text(arena, g->wait.start_ns, g->wait.end_ns));
}

static const char *describe_dependency(struct arena *arena, const struct strtab *strings, const struct idle_gap *g)
{
    (void)strings;
    const bool is_before = g->call.start_ns < g->start_ns;
    const char *when = is_before ? "before" : "later";
    const char *lead =
        is_before ? time_text(arena, g->call.start_ns, g->start_ns) : time_text(arena, g->start_ns, g->call.start_ns);
    if (g->has_other)
        return arena_printf(arena, "called %s %s, device %d busy", lead, when, (int)g->other_device);
    if (g->before.is_there && g->before.stream != g->after.stream)
        return arena_printf(arena, "called %s %s, behind stream %u", lead, when, (unsigned)g->before.stream);
    return arena_printf(arena, "called %s %s, same stream", lead, when);
}

static const char *describe_work(struct arena *arena, const struct strtab *strings, const struct idle_gap *g)
{
    return arena_printf(arena, "%s on stream %u", gap_neighbour_name(arena, strings, &g->work, NAMES_SHORT),
                        (unsigned)g->work.stream);
}

static const char *describe_unknown(struct arena *arena, const struct strtab *strings, const struct idle_gap *g)
{
    (void)arena, (void)strings;
    return g->after.kind == CPPROF_EVENT_MIGRATION ? "pages move on demand, which no call starts"
                                                   : "its call is not in the trace";
}

const char *gap_evidence(struct arena *arena, const struct strtab *strings, const struct idle_gap *gap)
{
    static const char *(*const say[GAP_CAUSES])(struct arena *, const struct strtab *,
                                                const struct idle_gap *) = {[GAP_HOST_LATE] = describe_host_late,
                                                                            [GAP_SYNC] = describe_sync,
                                                                            [GAP_DEPENDENCY] = describe_dependency,
                                                                            [GAP_UNKNOWN] = describe_unknown};
    return (say[gap->cause] ? say[gap->cause] : describe_work)(arena, strings, gap);
}
