/* batch_method.h - are the hot launches of arms that are compared with each other timed one at a time, or in CUDA
 * graphs of how many? One decision for all of them, made of what a few launches of each took. */
#ifndef CPPROF_BATCH_METHOD_H
#define CPPROF_BATCH_METHOD_H

#include <stdbool.h>
#include <stddef.h>

/* Two events resolve about half a microsecond, and the GPU waits between them for a host that launches slowly. */
enum { BATCH_LEAST = 4, BATCH_MOST = 100 }; /* launches of a graph */

enum batch_method {
    BATCH_AUTO,   /* as the arms' probes say */
    BATCH_SINGLE, /* each launch between two events */
    BATCH_GRAPHS, /* each graph of many between two events */
    BATCH_METHODS
};

const char *batch_method_name(enum batch_method method); /* "auto" */
bool batch_method_parse(const char *name, enum batch_method *out);

/* What is known of an arm. */
struct batch_arm {
    double single_ns;  /* what a launch takes alone, with what the host adds to it; NAN: not known, the arm stays out */
    double batched_ns; /* what it takes among others in a graph; NAN: not tried yet, or a graph cannot hold it */
    bool refused;      /* a graph cannot hold it */
    int batch;         /* launches of its samples in earlier processes of the run; 0: there were none */
};

/* How many launches has the graph in which the nth arm is tried next? 0: nothing that `method` leaves open
 * hangs on it. Of BATCH_AUTO an arm that takes long alone is tried once another one asks for graphs: so ask again
 * when all were asked for. */
int batch_method_try(enum batch_method method, const struct batch_arm *arms, size_t count, size_t nth);

/* What BATCH_AUTO comes to, when nothing is left to try. */
enum batch_method batch_method_choose(const struct batch_arm *arms, size_t count);

/* Launches of each sample in graphs: as many as before, else as fill one. */
int batch_method_launches(const struct batch_arm *arm);

#endif
