/* launch_owners.h - what was open on the host when this work was launched?
 *
 * Calls and GPU work meet by (rank, correlation id) in a record spool, any number of them in bounded memory. What was
 * open where a call begins is the owner of the call and of all work that it started. docs/stats.md says which of the
 * things that are open counts. */
#ifndef CPPROF_LAUNCH_OWNERS_H
#define CPPROF_LAUNCH_OWNERS_H

#include <stdint.h>

#include "core/base/err.h"
#include "core/base/str.h"
#include "core/trace/event_stream.h"

enum owner_kind { OWNER_OPERATOR, OWNER_MODULE, OWNER_FRAME, OWNER_RANGE, OWNER_STEP };

/* Owners that are nobody: nothing was open; the call was not recorded. */
enum { OWNER_NONE = 0, OWNER_UNKNOWN = -1 };

struct launch_owners;

/* A call or GPU work in the scope of the stream, with its owner: a number of its own for each operator, module, frame
 * or range name, and for each step. */
struct owned_event {
    int64_t start_ns, end_ns;
    uint64_t size_bytes;
    int64_t owner;
    uint32_t correlation;
    int16_t rank, device;
    uint16_t kind;  /* enum cpprof_event_kind */
    uint16_t flags; /* enum cpprof_event_flag */
};

/* Reads the stream, several times. Operators, modules and frames need one that was opened with its scopes. `step` is an
 * extended regex on names of ranges, each occurrence of which is a step; NULL: ProfilerStep#N. Returns ERR_INPUT when
 * the trace has none of what was asked for. */
int launch_owners_new(struct launch_owners **out, struct event_stream *stream, enum owner_kind kind, const char *step,
                      struct err *e);
void launch_owners_free(struct launch_owners *o);

/* Gives the next event, in no order that means anything. Returns 1, 0 at the end, or an error code. */
int launch_owners_next(struct launch_owners *o, struct owned_event *out, struct err *e);

/* Appends the name of an owner; steps that have the same name on a rank are numbered. */
void launch_owners_name(const struct launch_owners *o, int64_t owner, struct str *out);

/* Owners are at most so many, so that they can be indices: above OWNER_NONE and up to this. */
int64_t launch_owners_max(const struct launch_owners *o);

#endif
