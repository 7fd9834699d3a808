/* runner.h - what every role of cpprof-runner shares: the request, the cases,
 * the device, the tables that it appends to, the report that it leaves. */
#ifndef CPPROF_RUNNER_H
#define CPPROF_RUNNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "bundle/bundle_tables.h"
#include "collector/runner/cases.h"
#include "collector/runner/catalogue.h"
#include "collector/runner/device.h"
#include "stats/batch_method.h"
#include "stats/schedule.h"

struct text_list {
    const char **items;
    size_t count, capacity;
};

struct runner {
    /* the request, as the command line says it */
    const char *role;
    const char *directory; /* the run directory that it writes into */
    int64_t index;         /* which process of its role */
    struct text_list loads, variants, shapes, sets, seeds, metrics, plants;
    const char *baseline;
    const char *chip;   /* whose counters are listed; NULL: the device's */
    int64_t iterations; /* timed, per arm and process */
    int64_t warmup;     /* launches before timing */
    int64_t repeats;    /* how often the counters of each case are read */
    int device_ordinal;
    bool flip; /* reverse the order of the arms */
    enum schedule schedule;
    int64_t arm;              /* of each group, that a process of SCHEDULE_PROCESS times */
    int64_t round;            /* how often the schedule was gone through before: chooses the seed; -1: as `index` */
    bool hot, cold;           /* the states of the L2 cache that are timed */
    enum batch_method method; /* of hot samples */
    int64_t share, shares;    /* the groups are shared out: this process has each one whose number leaves `share` */
    bool pool;                /* compare the machine with itself: pool_cases.h, pool_rows.h */

    struct catalogue catalogue; /* built in, and of the libraries of `loads` */
    struct case_list cases;
    struct device device;
    struct table tables[BUNDLE_TABLE_COUNT];
    json_t *report; /* becomes process-ROLE-INDEX.json */
    bool is_stuck;  /* a GPU does not end what it was given: nor would whatever waits for it */
    int64_t start_ns;
};

/* A role does its work and appends rows to r->tables; main writes them. */
struct runner_role {
    const char *name;
    const char *question;
    bool needs_gpu;
    bool before_cuda;    /* opens the device itself: something else comes first */
    bool leaves_at_once; /* past what libraries do at the end of a process. Not where a profiler may be around it,
                            which writes its results then: a role that is itself CUPTI's only user */
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

int runner_open_device(struct runner *r, struct err *e);
uint64_t runner_seed(const struct runner *r, size_t index); /* seeds repeat when there are fewer */
const char *runner_seed_text(const struct runner *r, size_t index);

/* Appends to witness.csv. `c` is NULL for what is seen of no arm. */
int runner_witness(struct runner *r, const struct run_case *c, const char *place, const char *what, double value,
                   struct err *e);

/* Something that the report must say is not there. */
void runner_missing(struct runner *r, const char *what, const char *why);

/* Adds to what the report says of where the time of this process went. */
void runner_spent(struct runner *r, const char *what, int64_t ns);

/* NULL when the case can run here, else why not ("needs 72 KiB of shared memory, the device allows 64 KiB"). */
const char *runner_refusal(const struct runner *r, const struct run_case *c, char *text, size_t bytes);

/* What the variant declares of this case, checked: ERR_USAGE with what is wrong. */
int runner_declaration(const struct run_case *c, struct cpprof_declaration *out, struct err *e);

/* One case set up on the device. */
struct arm {
    const struct run_case *run_case;
    void *state;
};

int arm_setup(struct runner *r, struct arm *arm, const struct run_case *c, uint64_t seed, struct err *e);
int arm_launch(struct runner *r, struct arm *arm, struct err *e);
/* Nothing compared is nothing passed, and so is an error that is no number. */
bool verification_passes(const struct cpprof_verification *v);
/* Around a series of launches; nothing where the variant has no hooks for it. */
int arm_fork(struct runner *r, struct arm *arm, struct err *e);
int arm_join(struct runner *r, struct arm *arm, struct err *e);
int arm_synchronize(struct runner *r, const struct arm *arm, struct err *e);
void arm_teardown(struct arm *arm);

/* So that nothing of an earlier launch can be taken for the output of a later one. */
int arm_poison(struct runner *r, struct arm *arm, struct err *e);

/* Compares the output as the launches so far left it; appends to verify.csv and mismatches.csv. `baseline_hash`
 * is the baseline's output hash or NULL; the arm's own goes to *hash. */
int arm_judge(struct runner *r, struct arm *arm, const char *seed, const char *phase, const uint64_t *baseline_hash,
              uint64_t *hash, struct err *e);

/* Poison, launch, judge. */
int arm_verify(struct runner *r, struct arm *arm, const char *seed, const char *phase, const uint64_t *baseline_hash,
               uint64_t *hash, struct err *e);

/* The cases of one group: [first, first + count). */
size_t runner_group(const struct runner *r, size_t group, size_t *first);
bool runner_is_baseline(const struct runner *r, const struct run_case *c);

#endif
