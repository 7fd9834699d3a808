/* git_commits.h - the commits of the repository that the user stands in, read and checked out by the program git. The
 * user's own checkout is never touched. */
#ifndef CPPROF_GIT_COMMITS_H
#define CPPROF_GIT_COMMITS_H

#include "cli/record/capture_session.h"
#include "core/base/array.h"
#include "core/base/err.h"
#include "core/base/str.h"

struct git_commits {
    ARRAY_OF(char *) list; /* full names, the oldest first */
};
void git_commits_release(struct git_commits *c);

/* Lists `good` and all commits after it up to `bad` on the line of first parents. ERR_INPUT when one of them is no
 * commit, or `good` is not on that line before `bad`. ERR_ENVIRONMENT without git. The session needs no library. */
int git_commits_between(struct git_commits *out, const struct capture_session *s, const char *good, const char *bad,
                        struct err *e);

/* Gives the first line of the commit's message; "" when git does not say. */
void git_subject(struct str *out, const struct capture_session *s, const char *commit);

/* Checks a commit out into `folder`, an empty one, and forgets the checkout with all that is in it. */
int git_checkout(const struct capture_session *s, const char *folder, const char *commit, struct err *e);
int git_checkout_remove(const struct capture_session *s, const char *folder, struct err *e);

/* ERR_USAGE while a variable sends git to another checkout or index than that of the working folder. */
int git_refuse_elsewhere(struct err *e);

#endif
