/* rank_arrivals.h - which collectives does each rank start, on which communicator, and when?
 *
 * A place is a device of a rank: what takes part in a collective. A track is a communicator at one place. Where a trace
 * notes the communicator of a kernel (core/trace/collective_notes.h), it is that; else it is the first, second ...
 * stream with collectives at the place. All times are those of the place's own clock. */
#ifndef CPPROF_RANK_ARRIVALS_H
#define CPPROF_RANK_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/base/key_table.h"
#include "core/trace/event_stream.h"
#include "core/trace/selector.h"

/* Arrivals take 36 bytes each; sums of kernels 24. */
enum { RANK_ARRIVALS_MAX = 1 << 22, RANK_PLACES_MAX = 1 << 15, RANK_KERNELS_MAX = 1 << 21, RANK_STEPS_KEPT = 1 << 16 };

/* Who needs data of whom? */
enum rank_operation {
    RANK_OF_ALL, /* all of all: it ends everywhere at nearly the same time, after the last arrival */
    RANK_ROOTED, /* of one rank, or to one: broadcast, reduce */
    RANK_PAIRED, /* send and receive; which ranks meet is not recorded */
    RANK_UNNAMED /* its name does not say */
};
enum rank_operation rank_operation_of(const char *name);

/* What a device does at any moment. The first that is true counts, so that parts add up to the time. */
enum rank_spent {
    SPENT_KERNEL,   /* a kernel that does not communicate runs */
    SPENT_WAIT,     /* a collective waits for its last rank */
    SPENT_TRANSFER, /* other communication runs */
    SPENT_COPY,     /* from here on in the order of enum transfer_class */
    SPENT_MEMSET,
    SPENT_MIGRATION,
    SPENT_IDLE,
    SPENT_KINDS
};

/* What a collective exchanges, and the kernel that does it. Many arrivals share one. */
struct rank_exchange {
    int64_t bytes; /* -1: unknown */
    uint32_t name; /* string id of the kernel */
    uint32_t grid_blocks;
    uint8_t operation; /* enum rank_operation */
};

/* There may be millions, so that members which are never needed at the same time share their place. */
struct rank_arrival {
    union {
        int64_t start_ns;        /* until rank_segments.h */
        int64_t exposed_wait_ns; /* from it on: of the wait, without a kernel at its side */
    };
    union {
        int64_t end_ns;     /* until rank_segments.h */
        int64_t exposed_ns; /* from it on: of what follows the wait, the same */
    };
    union {
        int64_t sequence; /* until rank_lateness.h; -1: unknown */
        int64_t wait_ns;  /* from it on: until the last rank has arrived */
    };
    uint32_t track;
    union {
        uint32_t in_track; /* until rank_matching.h: items[i] has the arrival at place i in the order of tracks */
        uint32_t meeting;  /* from it on: and 1 more; 0: of none */
    };
};

/* The rest of an arrival. In one struct with the others, it would take 8 bytes. */
struct rank_exchanged {
    uint32_t exchange : 31;
    bool is_beside_copy : 1; /* a copy between GPUs ran on its device meanwhile */
};

struct rank_place {
    int32_t rank, device;
    uint32_t clock;                /* places of one trace have one clock; counted from 0 */
    int64_t recorded_from_ns;      /* INT64_MIN: its trace does not say when recording began */
    int64_t spent_ns[SPENT_KINDS]; /* in the whole trace, without collectives of DOUBT_UNRECORDED */
    int64_t collectives;
    int64_t unmatched; /* of them, without a meeting */
};

struct rank_track {
    uint32_t place, communicator;
    size_t count, first; /* arrivals of it, without send and receive: items[first].in_track is the first of them */
    bool is_numbered;    /* their numbers are known, and grow */
};

struct rank_communicator {
    uint32_t group;      /* string id of the note; 0: by the order of streams */
    uint32_t order;      /* which stream, from 0 */
    uint32_t group_size; /* ranks that it has, by its notes; 0: unknown */
    uint32_t other_size; /* another number that a note has; 0: all agree */
    size_t count, first; /* its tracks, by place: members[first] */
};

/* How long a kernel ran at a place. */
struct rank_kernel {
    uint32_t place, name;
    int64_t sum_ns, count;
};

/* The start of a step of the rank whose steps begin first, on its clock. */
struct rank_step {
    int64_t start_ns;
    int32_t rank;
};

enum arrivals_doubt { ARRIVALS_OK, ARRIVALS_FEW_PLACES, ARRIVALS_NONE, ARRIVALS_TOO_MANY };

struct rank_arrivals {
    enum arrivals_doubt doubt;
    ARRAY_OF(struct rank_place) places;        /* by (rank, device) */
    ARRAY_OF(struct rank_arrival) items;       /* in the order of the stream */
    ARRAY_OF(struct rank_exchanged) exchanged; /* by arrival */
    ARRAY_OF(struct rank_exchange) exchanges;
    ARRAY_OF(struct rank_track) tracks;
    ARRAY_OF(struct rank_communicator) communicators;
    ARRAY_OF(struct rank_kernel) kernels; /* that do not communicate, by (name, place) */
    ARRAY_OF(struct rank_step) steps;     /* ProfilerStep#N of one rank */
    int64_t step_count;                   /* per rank; 0: unknown, or not the same of all */
    uint32_t *members;                    /* tracks of each communicator */
    size_t clock_count;
    size_t joined;              /* places with collectives: the others have no part in costs and means */
    int64_t paired, unfinished; /* kernels of send and receive; collectives that never ended */
    struct key_table place_ids; /* (rank, device); ids are those of places, in the order of `place_of` */
    uint32_t *place_of;
};

/* Reads the stream from its start, with its scope, and its notes. Release `out` even after an error; it need not be
 * initialised. */
int rank_arrivals_read(struct event_stream *stream, struct rank_arrivals *out, struct err *e);
void rank_arrivals_release(struct rank_arrivals *a);

const struct rank_exchange *rank_exchange_of(const struct rank_arrivals *a, const struct rank_arrival *arrival);
bool rank_is_beside_copy(const struct rank_arrivals *a, const struct rank_arrival *arrival);
uint32_t rank_place_of(const struct rank_arrivals *a, const struct rank_arrival *arrival);

/* The time of a place from its first work to its last. */
int64_t rank_place_span_ns(const struct rank_place *p);

/* The place of an event, RANK_PLACES_MAX if it has none. */
uint32_t rank_arrivals_place(const struct rank_arrivals *a, const struct cpprof_event *event);

/* Which kernels communicate? For both passes over the stream. */
struct rank_kinds {
    struct selector *communication;
    uint8_t *operations; /* enum rank_operation by string id */
};
int rank_kinds_make(struct rank_kinds *k, const struct event_stream *stream, struct err *e);
void rank_kinds_release(struct rank_kinds *k);
/* A collective that ended, of all or rooted: it has an arrival. */
bool rank_kinds_arrives(const struct rank_kinds *k, const struct cpprof_event *event);
bool rank_kinds_communicates(const struct rank_kinds *k, const struct cpprof_event *event);

#endif
