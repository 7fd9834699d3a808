/* program_capture.h - one process of a program that is run as a variant: under the
 * collector, into a bundle of its own. */
#ifndef CPPROF_PROGRAM_CAPTURE_H
#define CPPROF_PROGRAM_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/record/capture_session.h"
#include "cli/record/program_request.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"

struct program_process {
    const struct program_arm *arm;
    const char *directory; /* the bundle that it makes */
    const char *aside;     /* a folder for what is not kept; absolute */
    const char *output;    /* where the program may write its array; absolute; NULL: nowhere */
    const struct capture_scope *scope;
    int seconds; /* longest it may take, then it is killed; 0: no limit */
};

struct program_end {
    struct capture_end how;
    struct str failure; /* why the program did not do its work, with its last line; empty when it did */
    struct str said;    /* then: the end of its standard error */
    json_t *reports;    /* of the guests in it; an array */
};

/* Runs it to its end: standard input and output are nothing, the end of standard error is kept for the failure.
 * Fills *end, to be released also after an error. */
int program_capture(const struct capture_session *session, const struct program_process *p, struct program_end *end,
                    struct err *e);
void program_end_release(struct program_end *end);

#endif
