/* graph_steps.h - which work of a recorded graph belongs to which step of the program?
 *
 * Steps are the occurrences of one NVTX range: ProfilerStep#N of PyTorch or, without it, the name that is open for most
 * of the time, of those that occur GRAPH_STEPS_MIN times. Names that differ in a trailing number are one. A step has
 * the work that is launched while its range is open; it ends with the last of it, and begins where the one before it
 * ends. */
#ifndef CPPROF_GRAPH_STEPS_H
#define CPPROF_GRAPH_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzers/dependencies/recorded_graph.h"
#include "core/base/err.h"
#include "core/base/str.h"

enum { GRAPH_STEPS_MIN = 5 };

struct graph_step {
    int64_t start_ns, end_ns; /* of its range */
    int64_t done_ns;          /* when its last work ended; INT64_MIN: it has none */
    int16_t rank;
};

struct graph_steps {                   /* starts zeroed */
    struct str range;                  /* its name, without a trailing number; "" without steps */
    ARRAY_OF(struct graph_step) items; /* by rank and start */
    uint32_t *step_of;                 /* by work; GRAPH_NONE: in no step */
    size_t lengths; /* how many steps have a length: those of a rank but its first, which has nothing before it */
};

/* Reads the stream, which it rewinds before. Fewer than GRAPH_STEPS_MIN steps are none. Release even after an error. */
int graph_steps_find(struct graph_steps *s, const struct recorded_graph *g, struct event_stream *stream, struct err *e);

/* Writes the length of each step when work ends at these times: `lengths` of them, in their order. */
void graph_steps_measure(struct graph_steps *s, const struct recorded_graph *g, const int64_t *work_end_ns,
                         double *lengths_ns);
void graph_steps_release(struct graph_steps *s);

#endif
