/* event_stream_state.h - what is in an event stream? Only for what fills one: event_stream.c, trace_gathering.c and
 * traces_open.c. */
#ifndef CPPROF_EVENT_STREAM_STATE_H
#define CPPROF_EVENT_STREAM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/caveat.h"
#include "core/base/strtab.h"
#include "core/io/record_spool.h"
#include "core/trace/event_filter.h"
#include "core/trace/event_spool.h"
#include "core/trace/identity.h"
#include "core/trace/object_names.h"
#include "core/trace/plausible/plausible_times.h"
#include "core/trace/rank_starts.h"
#include "core/trace/readers/reader.h"
#include "core/trace/resumptions.h"
#include "core/trace/trace_operands.h"

struct event_stream {
    char *path;
    int rank; /* for events that have none; -1 */
    bool launches_only, may_lack_waits, lacks_migrations, lacks_times, lacks_collectives, hides_anywhere, has_unread,
        is_mixed;
    struct call_doubt call_doubt;
    int64_t time_error_ns;
    enum dependent_launch dependent_launch;
    struct event_spool *events;
    struct record_spool *scopes; /* NULL: not asked for */
    struct record_spool *notes;  /* the same */
    int world_size;
    bool has_twins;                     /* two traces state the same rank */
    char *twins;                        /* which, in a sentence; NULL: memory is out, or none do */
    char missing[128];                  /* which rank has no trace, in a sentence */
    ARRAY_OF(char *) trace_paths;       /* by trace; empty: a single one */
    ARRAY_OF(int64_t) recorded_from_ns; /* by trace; INT64_MIN: unknown */
    uint16_t *origins; /* for each rank the place of its trace, and 1 more; 0: none; NULL: a single trace */
    struct strtab strings;
    struct object_names names;
    struct resumptions resumptions;
    struct gpu_places gpus;
    struct caveat_list caveats;
    struct rank_starts starts;
    char *comm;                          /* regex of what else communicates (stream_comm.h); NULL: nothing */
    struct copy_judge comm_copies;       /* without functions there are none */
    struct event_filter filter;          /* without functions it takes everything */
    bool may_be_on_demand, is_on_demand; /* event_stream_wish, event_stream_is_on_demand */
    struct plausible_times *watch;       /* of a stream on demand; NULL: its rows were judged when it was read */
    bool is_measured;                    /* there are no events here: each trace was measured where it was read */
    int64_t measured_events;
    size_t recordings; /* all traces are so many of one process, and `rank` is that of all events; 0: they are not */
};

/* What of one trace goes where. */
struct destination {
    struct event_spool *events;
    struct record_spool *scopes, *notes; /* NULL: not asked for */
    struct gpu_places *gpus;             /* NULL: those of the stream */
};

int event_stream_new(struct event_stream **out, const char *path, struct err *e);

/* Makes the sink through which readers fill a destination, and takes the facts that they found. */
struct reader_sink event_stream_sink(struct event_stream *s, const struct destination *to);
void event_stream_take_sink(struct event_stream *s, const struct reader_sink *sink);
/* Notes when recording of the next trace began. */
int event_stream_add_recorded_from(struct event_stream *s, int64_t from_ns, struct err *e);

/* Notes the path of the next trace, which is copied. */
int event_stream_add_trace_path(struct event_stream *s, const char *path, struct err *e);

/* Reads one trace into the sink. *skipped is set for a file listed in a folder that is not a trace and was not meant as
 * one. */
int event_stream_fill(struct event_stream *s, const struct trace_operand *operand, struct reader_sink *sink,
                      bool *skipped, struct err *e);

/* Marks rows whose times cannot be, where a sink was filled, and says so. */
int event_stream_judge_times(struct event_stream *s, const char *path, const struct reader_sink *sink, struct err *e);

/* Readers report a full string table as memory that is out; this replaces the message. */
int event_stream_set_error_if_full(const struct event_stream *s, const char *path, int rc, struct err *e);

#endif
