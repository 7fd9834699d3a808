/* bisect_looks.h - a look at a commit: it is checked out, built and measured by the user's command. What was measured
 * stays in a folder, by commit, so that no look is made twice. */
#ifndef CPPROF_BISECT_LOOKS_H
#define CPPROF_BISECT_LOOKS_H

#include <stdbool.h>

#include "cli/record/capture_session.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"
#include "core/base/words.h"

struct bisect_looks {
    struct capture_session session; /* without a library */
    struct str folder;              /* absolute */
    const char *const *command;     /* ends with NULL; not owned. NULL: nothing is built */
    struct word_list run;           /* what measures after it; empty: the command does */
    int seconds_max;                /* of each of the two; 0: no limit. Set by the caller */
    int checkout_fd;                /* a file that says where the checkout is, locked for as long as we live; -1 */
    size_t made;                    /* looks of this process, and the seconds that they took */
    double seconds;
};

/* Opens or makes the folder. `run` may be NULL; its word OUT stands for the bundle. ERR_USAGE for a folder of looks by
 * another command, and for one that another process works in. Removes the checkout of one that was killed. Release it
 * also after an error. From here to the release signals that end a process are held. */
int bisect_looks_open(struct bisect_looks *l, const char *folder, const char *const *command, const char *run,
                      struct err *e);
void bisect_looks_release(struct bisect_looks *l);

/* What came of a look. */
struct bisect_look {
    struct str bundle; /* path; "" when the commands left none that is whole */
    int exit_status;   /* of the last command that ran, 128 + signal */
    double seconds;
    bool timed_out;  /* a command was killed after seconds_max */
    bool is_earlier; /* made by an earlier call */
};
void bisect_look_init(struct bisect_look *look);
void bisect_look_release(struct bisect_look *look);

/* Makes the look with that number at a commit, or finds it. ERR_ENVIRONMENT when git or the folder fail, when a command
 * ended with 4 and left no bundle, and when a signal asked us to end: such a look is not kept. */
int bisect_looks_at(struct bisect_looks *l, const char *commit, int number, struct bisect_look *look, struct err *e);

#endif
