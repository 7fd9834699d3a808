/* run_session.h - one run: the processes that cpprof-runner is started as, in
 * order, and what is entered into the bundle about each. */
#ifndef CPPROF_RUN_SESSION_H
#define CPPROF_RUN_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/record/run_plan.h"
#include "cli/record/sampling.h"
#include "cli/record/solution_alone.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"

struct run_texts {
    const char **items;
    size_t count, capacity;
};

/* What the command line of `run` says; texts are argv's. */
struct run_request {
    /* Libraries of variants, of a task, and NAME=PATH of solutions, as the user names them: nothing here opens one. */
    struct run_texts loads;
    const char *task; /* the one of `loads` that is a task; NULL: variants verify themselves */
    bool isolate;     /* --isolate: its solutions run as another user, and the judge writes down what it finds */
    struct run_texts variants, shapes, sets, metrics;
    struct run_texts seeds; /* decimal numbers */
    const char *baseline;   /* NULL: none */
    long processes, iterations, warmup, device;
    long count_repeats; /* how often the counters of each case are read; 0 as 1 */
    struct sampling sampling;
    bool counters;           /* false: --metrics none */
    bool hotspots;           /* --hotspots */
    bool inside;             /* --inside: builds that record run beside their variants */
    long progress_seconds;   /* --progress: how long a launch may take that is watched; 0: none is */
    struct run_texts doses;  /* --slack: and builds in which a mark waits so many cycles */
    struct run_texts phases; /* whose marks wait; none given: all */
    const char *ceilings;    /* a file, CEILINGS_MEASURE, or NULL: none (cli/record/ceiling_source.h) */
    bool pool;               /* the machine against itself: timing processes only, each case twice */
    struct run_texts plants; /* of a pool: "SHAPE=PPM,..." */
};

struct run_session {
    const struct run_request *request;
    struct str runner;     /* path of cpprof-runner */
    const char *directory; /* the run directory */
    json_t *manifest;      /* failures are entered here */
    struct run_plan plan;  /* read from the run directory before anything is measured */
    bool progress;         /* a bar on standard error */
    size_t step, steps;
    size_t ended;                   /* processes that left all that they were to leave */
    struct solution_loads left_out; /* solutions that ended a process (run_session_process); texts of the request */
};

/* One process. What a role does not know of is 0. */
struct run_part {
    const char *role;
    long index;             /* running number within its role */
    long round, share, arm; /* of `time`, `share` of `verify` too */
};

int run_session_init(struct run_session *s, const struct run_request *request, json_t *manifest, struct err *e);
void run_session_release(struct run_session *s);

/* Asks the runner what it would do, into `directory`: the first thing that can
 * say "no GPU" or "no such variant". A refusal is an error with its words. */
int run_session_plan(struct run_session *s, const char *directory, struct err *e);

/* Runs one process in s->directory; one that fails is entered as a failure, which is no error. Its solutions run alone
 * then, to find the one that ends it: that one is named and left out from then on, and the process runs again with the
 * others. `what` is for the progress bar. */
int run_session_process(struct run_session *s, const struct run_part *part, const char *what, struct err *e);

/* Enters what went wrong into the manifest: no verdict passes any more. `loaded`: members that say what the process had
 * loaded; NULL: none. */
int run_session_failure(struct run_session *s, const char *role, long index, const char *detail, json_t *loaded,
                        struct err *e);

#endif
