/* input_kind.h - what is this path, and which commands take it?
 *
 * A command looks at its operand once and asks the table in input_kind.c. What it does not take is refused in one
 * line: what it is, why that is not enough, and which command takes it. Commands on traces (stats, overlap, ...) take
 * whatever a reader of core/trace/readers/reader_table.c recognises; not_a_trace.c refuses the rest. */
#ifndef CPPROF_INPUT_KIND_H
#define CPPROF_INPUT_KIND_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/bundle/bundle.h"

enum input_kind {
    INPUT_MISSING,
    INPUT_STREAM, /* "-", a pipe, a device: only its reader may look into it */
    INPUT_RUN,
    INPUT_CAPTURE,
    INPUT_POOL,
    INPUT_OTHER_BUNDLE, /* of a kind that is not known */
    INPUT_FOLDER,
    INPUT_TRACE,      /* of another tool, or a shard; a report of nsys */
    INPUT_COUNTERS,   /* a table of Nsight Compute, or its report */
    INPUT_BENCHMARKS, /* times of another tool's benchmarks */
    INPUT_FILE,       /* any other file, or a compressed one */
    INPUT_KINDS
};

/* Who takes inputs, by what is asked of them. */
enum input_taker {
    TAKER_REPORT,
    TAKER_STAGES, /* report --evolution */
    TAKER_CLASSIFY,
    TAKER_COMPARE,
    TAKER_INSIDE,
    TAKER_SLACK,
    TAKER_AA, /* aa, and check --aa */
    TAKER_LIST,
    INPUT_TAKERS
};

struct input {
    enum input_kind kind;
    const char *path;    /* the caller's */
    const char *reader;  /* of a trace: who would read it */
    struct bundle begun; /* of a bundle: bundle_begin was done; may be moved away */
};

/* Looks at a path. ERR_INPUT for a bundle whose manifest, or a file that, cannot be read; its kind is set all the same
 * (INPUT_OTHER_BUNDLE, INPUT_FILE). Release even after an error. */
int input_look(struct input *out, const char *path, struct err *e);
void input_release(struct input *in);

/* Unpacks a compressed file to look at what it holds: an INPUT_FILE becomes INPUT_TRACE if it is one. */
int input_look_inside(struct input *in, struct err *e);

bool input_is_bundle(const struct input *in);

/* "a capture", "a trace (CSV of nsys stats)": after "'PATH' is". Lives as long as `in` and `room`. */
const char *input_what(const struct input *in, struct str *room);

/* 0 when the table says that `taker` takes it; else an error. */
int input_check(const struct input *in, enum input_taker taker, struct err *e);

/* input_look and input_check. */
int input_open(struct input *out, const char *path, enum input_taker taker, struct err *e);

#endif
