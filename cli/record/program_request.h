/* program_request.h - what the command line of `run` says about programs that
 * are run as variants. */
#ifndef CPPROF_PROGRAM_REQUEST_H
#define CPPROF_PROGRAM_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/capture/program_samples.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/words.h"
#include "core/io/array_compare.h"

enum { PROGRAM_ARMS_MAX = 64, PROGRAM_NAME_BYTES_MAX = 64 };

/* The place in the tables where kernels of ours have a shape. */
#define PROGRAM_SHAPE "program"

/* One variant: a name and the words of a command line. */
struct program_arm {
    char *name;
    struct word_list words;
    struct work_choice choice; /* set by program_request_check; texts are argv's */
    bool has_own_kernels;      /* --kernels NAME=REGEX */
};

struct program_request {
    struct program_arm arms[PROGRAM_ARMS_MAX];
    size_t count;
    const char *kernels[PROGRAM_ARMS_MAX + 1]; /* as they were given: "REGEX" or "NAME=REGEX" */
    size_t kernel_count;
    size_t kernels_of_all; /* how many of them name no arm */
    const char *range;     /* NULL: none */
    const char *baseline;  /* NULL: none */
    struct array_tolerance tolerance;
    long processes, warmup;
    bool counters;              /* false: --metrics none */
    const char *const *metrics; /* names of counters; none: the default set */
    size_t metric_count;
    bool keep_traces; /* of all processes, not of the first one alone */
    bool unverified;  /* their results may stay uncompared */
};

/* Adds the arm of "name=command line"; ERR_USAGE for what is no name, no command
 * line or there already. */
int program_request_add(struct program_request *q, const char *text, struct err *e);

/* "abs" or "abs,rel": both numbers that are not negative. */
int program_request_tolerance(struct program_request *q, const char *text, struct err *e);

/* One --kernels: of all arms, or "NAME=REGEX" of one. */
int program_request_kernels(struct program_request *q, const char *text, struct err *e);

/* Refuses what cannot be asked for, and sets what is measured of each arm; no process has been started yet. */
int program_request_check(struct program_request *q, struct err *e);

void program_request_release(struct program_request *q);

/* The member "programs" of a manifest: the name and words of each, and which
 * files of the machine they name. */
json_t *program_request_describe(const struct program_request *q);

#endif
