/* runner.h - what all roles of cpprof-runner share: the request, the cases, the device, the tables that they append to,
 * the report that they leave. */
#ifndef CPPROF_RUNNER_H
#define CPPROF_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/runner/cases.h"
#include "collector/runner/catalogue.h"
#include "collector/runner/device.h"
#include "collector/runner/inside/inside_builds.h"
#include "collector/runner/inside/inside_room.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/bundle/bundle_tables.h"
#include "core/stats/batch_method.h"
#include "core/stats/schedule.h"

struct text_list {
    const char **items;
    size_t count, capacity;
};

struct runner {
    /* the request, from the command line */
    const char *role;
    const char *directory; /* the run directory to write to */
    int64_t index;         /* number of this process among those of its role */
    struct text_list loads, variants, shapes, sets, seeds, metrics, plants, phases;
    const char *baseline;
    const char *chip;   /* the chip whose counters are listed; NULL: the device's */
    int64_t iterations; /* timed, per arm and process */
    int64_t warmup;     /* launches before timing */
    int64_t repeats;    /* how often each case is counted */
    int device_ordinal;
    bool flip; /* reverse the order of the arms */
    enum schedule schedule;
    int64_t arm;                  /* the arm of each group that a process of SCHEDULE_PROCESS times */
    int64_t round;                /* how many rounds came before; it chooses the seed; -1: as `index` */
    bool hot, cold;               /* which states of the L2 cache are timed */
    enum batch_method method;     /* for hot samples */
    int64_t share, shares;        /* this process has the groups whose number modulo `shares` is `share` */
    int64_t progress_s;           /* how long a launch may take whose progress is watched */
    struct inside_request inside; /* which instrumented builds run beside their variants */
    bool pool;                    /* compare the machine with itself: pool_cases.h, pool_rows.h */

    struct catalogue catalogue; /* built-in variants, and those of the libraries in `loads` */
    struct case_list cases;
    struct device device;
    struct table tables[BUNDLE_TABLE_COUNT];
    json_t *report; /* becomes process-ROLE-INDEX.json */
    bool is_stuck;  /* a GPU does not finish its work, and anything that waits for it would not return */
    int64_t start_ns;
};

/* A role does its work and appends rows to r->tables. main writes the tables. */
struct runner_role {
    const char *name;
    const char *question;
    bool needs_gpu;
    bool before_cuda; /* it opens the device itself, because something else comes first */
    /* It skips what libraries do at the end of a process. Only for roles that are CUPTI's only user: a profiler around
     * the process would write its results then. */
    bool leaves_at_once;
    int (*run)(struct runner *r, struct err *e);
};

int role_list(struct runner *r, struct err *e);
int role_metrics(struct runner *r, struct err *e);
int role_probe(struct runner *r, struct err *e);
int role_plan(struct runner *r, struct err *e);
int role_verify(struct runner *r, struct err *e);
int role_time(struct runner *r, struct err *e);
int role_trace(struct runner *r, struct err *e);
int role_count(struct runner *r, struct err *e);
int role_sample(struct runner *r, struct err *e);
int role_ceilings(struct runner *r, struct err *e);
int role_peers(struct runner *r, struct err *e);
int role_inside(struct runner *r, struct err *e);
int role_series(struct runner *r, struct err *e);
int role_progress(struct runner *r, struct err *e);
int role_stress(struct runner *r, struct err *e);

int runner_open_device(struct runner *r, struct err *e);
uint64_t runner_seed(const struct runner *r, size_t index); /* seeds repeat when there are fewer */
const char *runner_seed_text(const struct runner *r, size_t index);

/* Appends a row to witness.csv. `c` is NULL for a fact that belongs to no arm. */
int runner_witness(struct runner *r, const struct run_case *c, const char *place, const char *what, double value,
                   struct err *e);

/* Notes in the report that something is missing. */
void runner_missing(struct runner *r, const char *what, const char *why);

/* Adds to the report's account of this process's time. */
void runner_spent(struct runner *r, const char *what, int64_t ns);

/* Returns NULL when the case can run here, else the reason ("needs 72 KiB of shared memory, the device allows 64
 * KiB"). */
const char *runner_refusal(const struct runner *r, const struct run_case *c, char *text, size_t bytes);

/* Gives what the variant declares for this case. ERR_USAGE when the declaration is invalid. */
int runner_declaration(const struct run_case *c, struct cpprof_declaration *out, struct err *e);

/* A case that is set up on the device. */
struct arm {
    const struct run_case *run_case;
    void *state;
    struct inside_rooms rooms; /* of a build with marks: its devices, and what it records there */
};

int arm_setup(struct runner *r, struct arm *arm, const struct run_case *c, uint64_t seed, struct err *e);
int arm_launch(struct runner *r, struct arm *arm, struct err *e);
/* Returns false when no value was compared, and when an error is not a number. */
bool verification_passes(const struct cpprof_verification *v);
/* Called before and after a series of launches; they do nothing when the variant has no hooks for it. */
int arm_fork(struct runner *r, struct arm *arm, struct err *e);
int arm_join(struct runner *r, struct arm *arm, struct err *e);
int arm_synchronize(struct runner *r, const struct arm *arm, struct err *e);
void arm_teardown(struct arm *arm);

/* Poisons the output, so that results of an earlier launch cannot be taken for those of a later one. */
int arm_poison(struct runner *r, struct arm *arm, struct err *e);

/* Verifies the output as the launches so far left it. */
int arm_look(struct runner *r, struct arm *arm, struct cpprof_verification *result, struct err *e);

/* The same, and appends to verify.csv and mismatches.csv. `baseline_hash` is
 * the baseline's output hash or NULL. *hash becomes the arm's own. */
int arm_judge(struct runner *r, struct arm *arm, const char *seed, const char *phase, const uint64_t *baseline_hash,
              uint64_t *hash, struct err *e);

/* Poisons, launches and judges. */
int arm_verify(struct runner *r, struct arm *arm, const char *seed, const char *phase, const uint64_t *baseline_hash,
               uint64_t *hash, struct err *e);

/* Gives the cases of one group: [*first, *first + returned count). */
size_t runner_group(const struct runner *r, size_t group, size_t *first);
bool runner_is_baseline(const struct runner *r, const struct run_case *c);

#endif
