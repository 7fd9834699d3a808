/* reader.h - what a reader of one input format provides. A new format takes one file, and its lines in
 * reader_table.c. */
#ifndef CPPROF_READER_H
#define CPPROF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/base/strtab.h"
#include "core/io/input_file.h"
#include "core/io/record_spool.h"
#include "core/trace/dependent_launch.h"
#include "core/trace/event_spool.h"
#include "core/trace/gpu_samples.h"
#include "core/trace/identity.h"
#include "core/trace/object_names.h"

/* The destination of all that a reader reads. */
struct reader_sink {
    struct event_spool *events;
    struct strtab *strings;
    struct caveat_list *caveats;
    struct object_names *names;      /* NULL: not asked for */
    struct gpu_samples *samples;     /* NULL: not asked for */
    struct resumptions *resumptions; /* NULL: not asked for */
    struct gpu_places *gpus;         /* which devices are one GPU (core/trace/identity.h); NULL: not asked for */
    struct record_spool *notes;      /* on collectives (core/trace/collective_notes.h); NULL: not asked for */
    struct record_spool
        *scopes; /* operators, modules and Python frames (core/trace/host_scopes.h); NULL: not asked for */
    /* The rank of all events that have none. -1 until a reader finds the input's rank. */
    int rank;
    int world_size; /* how many ranks the job has, as the input says; 0: it does not */
    /* The only process of the input, by its id and host: 0 and "" where the input does not say. */
    int64_t process;
    char host[PROCESS_HOST_MAX];
    /* When recording began, on the events' clock, as the input says; INT64_MIN: it does not. */
    int64_t recorded_from_ns;
    /* By how much a start or an end may be off: 0, or as much as the rounding of the input explains. */
    int64_t time_error_ns;
    enum dependent_launch dependent_launch; /* of the chips that the input names */
    int64_t origin_ns;                      /* what a time of 0 in the input is among the events */
    bool has_unplaced;                      /* rows do not say on which device or stream they ran */
    bool launches_only;     /* kernels are only there for their launches: no copies, no streams, no GPU timeline */
    bool may_lack_waits;    /* the format does not state whether calls that wait were traced */
    bool lacks_migrations;  /* migrations at the beginning were not recorded */
    bool lacks_times;       /* the writer of the trace left rows out whose times could not be */
    bool lacks_collectives; /* some of what NCCL said of collectives is lost */
    bool hides_anywhere;    /* kernels ran that no record shows, and nothing says in which process */
    bool has_unread;        /* a table was left out that could be read from a file of its own */
    bool is_mixed;          /* whose work is whose, or on which GPU, is not known (event_stream_is_mixed) */
    bool may_be_on_demand;  /* set by the owner: a source may read events while they are asked for */
    bool is_on_demand;      /* one does (event_stream_is_on_demand) */
};

struct reader {
    const char *name; /* "nsys cuda_gpu_trace CSV" */
    bool (*recognise)(const struct open_input *input);
    int (*read)(const struct open_input *input, struct reader_sink *sink, struct err *e);
};

/* Notes that a trace has API calls, so many of which launch, and no work on the GPU. A rule about work is vacuous then.
 */
int reader_note_calls_alone(struct reader_sink *sink, const char *path, int64_t calls, int64_t launches, struct err *e);

/* Was this input, which no other reader takes, meant to be a trace? True when it is empty, has a name as traces have,
 * or is a known kind of file that is not a trace. */
bool not_a_trace_was_meant_as_one(const struct open_input *input);

/* What this is instead, whose remedy is a command that writes a trace; NULL for what is not known by name. */
const struct known_input *not_a_trace_find(const struct open_input *input);

/* Takes any input, and refuses it with what it is and what to do. */
extern const struct reader not_a_trace_reader;

/* Returns the reader that recognises the input, the first of reader_table.c; NULL when it is no trace. */
const struct reader *reader_of_trace(const struct open_input *input);

#endif
