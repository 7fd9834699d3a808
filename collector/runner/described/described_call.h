/* described_call.h - a call as a JSON file describes it: where its arguments come from, and how they are passed. */
#ifndef CPPROF_DESCRIBED_CALL_H
#define CPPROF_DESCRIBED_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/json.h"
#include "cpprof/task.h"

enum { DESCRIBED_ARGUMENTS_MAX = 32 };

enum described_source { FROM_INPUT, FROM_OUTPUT, FROM_AXIS, FROM_STREAM, FROM_VALUE };
enum described_type { AS_WORD, AS_I32, AS_F32, AS_F64 };

union described_word {
    uint64_t word;
    int32_t i32;
    float f32;
    double f64;
};

struct described_argument {
    enum described_source source;
    enum described_type type;
    size_t number;              /* of the input, output or axis */
    union described_word value; /* FROM_VALUE */
};

/* A number, or an axis divided by `per` and rounded up. */
struct described_extent {
    long axis; /* -1: none */
    int64_t value, per;
};

struct described_arguments {
    struct described_argument items[DESCRIBED_ARGUMENTS_MAX];
    size_t count;
};

/* ERR_USAGE: an argument or an extent that is not understood, or names nothing of the task. */
int described_arguments_read(struct described_arguments *out, const json_t *list, const struct cpprof_task *task,
                             struct err *e);
int described_arguments_add_null(struct described_arguments *out, struct err *e);
int described_extents_read(struct described_extent out[3], const json_t *list, const char *what,
                           const struct cpprof_task *task, struct err *e);

/* What one launch passes, and in how many bytes. At some shapes an axis may not fit in them. */
union described_word described_argument_value(const struct described_argument *a, const struct cpprof_call *call);
size_t described_argument_bytes(const struct described_argument *a);
bool described_argument_is_of(const struct described_argument *a, size_t bytes); /* may a parameter have so many? */
bool described_argument_fits(const struct described_argument *a, const struct cpprof_config *config);
uint64_t described_extent_value(const struct described_extent *x, const struct cpprof_config *config);

#endif
