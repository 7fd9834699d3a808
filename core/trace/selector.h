/* selector.h - which events does 'kernel[name=~gemm, stream=7]' mean?
 *
 * The grammar is `sel` of the rule language (docs/rules.md). */
#ifndef CPPROF_SELECTOR_H
#define CPPROF_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/strtab.h"
#include "core/trace/event_work.h"

enum event_class {
    CLASS_KERNEL,
    CLASS_COPY, /* any direction; not memset, not migration */
    CLASS_H2D,
    CLASS_D2H,
    CLASS_D2D,
    CLASS_P2P,
    CLASS_MEMSET,
    CLASS_MIGRATION,
    CLASS_COMM,    /* kernels that communicate by their names, and copies that do (EVENT_COMMUNICATES) */
    CLASS_COMPUTE, /* all other kernels */
    CLASS_API,
    CLASS_SYNC,
    CLASS_NVTX,
    CLASS_ANY, /* all GPU work */
    CLASS_COUNT
};

const char *event_class_name(enum event_class c);
int event_class_from_name(const char *name, size_t length); /* -1 when unknown */

struct event_stream;
struct selector;

/* Parses `*text` up to the end of the selector and moves `*text` past it; after an error `*text` is the place of the
 * problem. `where` begins the message ("--assert:12"; NULL: nothing). */
int selector_parse(struct selector **out, const char **text, const char *where, struct err *e);
/* Makes a selector without filters. */
int selector_new(struct selector **out, enum event_class c, struct err *e);
void selector_free(struct selector *s);
const char *selector_text(const struct selector *s); /* as written, spaces normalised */

/* Matches the name patterns against the names of a stream once, also what communicates there. Call it before
 * selector_match, and again when the stream has more names. */
int selector_bind(struct selector *s, const struct event_stream *stream, struct err *e);
/* Does the same for names of events that were added to the table since then. */
int selector_bind_new(struct selector *s, const struct strtab *strings, struct err *e);
/* Does the event match, apart from an nvtx filter? That one depends on where the work was launched
 * (core/trace/launch_index.h), in a range of the names from selector_ranges. */
bool selector_match(const struct selector *s, const struct cpprof_event *event);

/* Returns false when a filter on rank or device excludes all events of this device. */
bool selector_allows(const struct selector *s, int rank, int device);
bool selector_allows_rank(const struct selector *s, int rank);

/* Does it have a filter on rank? Ranks are those that traces have among all. */
/* Do events of the same kind, detail and name differ for it? */
bool selector_is_by_place(const struct selector *s);
bool selector_is_by_rank(const struct selector *s);

/* Could it take calls that neither launch nor copy nor set nor wait, which a trace may lack? True when in doubt, false
 * for name=~"^cudaMemcpy". Needs no bind. */
bool selector_takes_other_calls(const struct selector *s);

/* Does it select events of the host: calls, waits, ranges? */
bool selector_is_of_host(const struct selector *s);

enum event_class selector_class(const struct selector *s);

/* Does it select all events of a kind: no filter, and a class that does not depend on names? */
bool selector_is_bare(const struct selector *s);

/* Does it have an nvtx filter, and one that "@thread" restricts to the thread of the range? Known before bind. */
bool selector_is_by_range(const struct selector *s);
bool selector_is_by_own_thread(const struct selector *s);

/* After bind: returns for each string id whether ranges of that name are selected, `*count` entries. NULL for a
 * selector without an nvtx filter. */
const bool *selector_ranges(const struct selector *s, size_t *count);

#endif
