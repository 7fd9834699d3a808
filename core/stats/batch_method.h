/* batch_method.h - are the hot launches of compared arms timed one at a time, or in CUDA graphs, and of how many
 * launches? All arms get the same method, chosen from the times of a few launches of each. */
#ifndef CPPROF_BATCH_METHOD_H
#define CPPROF_BATCH_METHOD_H

#include <stdbool.h>
#include <stddef.h>

/* The resolution of two events is about half a microsecond, and with a host that launches slowly the GPU waits between
 * them. */
enum { BATCH_LEAST = 4, BATCH_MOST = 100 }; /* launches in a graph */

enum batch_method {
    BATCH_AUTO,   /* chosen from the probes of all arms */
    BATCH_SINGLE, /* each launch between two events */
    BATCH_GRAPHS, /* each graph of many launches between two events */
    BATCH_METHODS
};

const char *batch_method_name(enum batch_method method); /* "auto" */
bool batch_method_parse(const char *name, enum batch_method *out);

/* What is known about an arm. */
struct batch_arm {
    double single_ns;  /* time of a launch alone, with what the host adds to it; NAN: not known, the arm is ignored */
    double batched_ns; /* time of a launch among others in a graph; NAN: not tried yet, or refused */
    bool refused;      /* a graph cannot hold it */
    int batch;         /* launches per sample in earlier processes of the run; 0: there were none */
};

/* Returns the number of launches of the graph in which the nth arm should be tried next; 0 when the choice that
 * `method` leaves open does not depend on it. With BATCH_AUTO an arm that takes long alone is tried only after another
 * arm asks for graphs, so ask again after all arms were asked. */
int batch_method_try(enum batch_method method, const struct batch_arm *arms, size_t count, size_t nth);

/* Returns what BATCH_AUTO chooses when nothing is left to try. */
enum batch_method batch_method_choose(const struct batch_arm *arms, size_t count);

/* Returns the number of launches of each sample in graphs: as many as in earlier processes, else as many as fill one
 * sample. */
int batch_method_launches(const struct batch_arm *arm);

#endif
