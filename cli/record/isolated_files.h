/* isolated_files.h - the files between a bundle and the folder that an isolated process writes in. */
#ifndef CPPROF_ISOLATED_FILES_H
#define CPPROF_ISOLATED_FILES_H

#include <sys/types.h>

#include "cli/record/judged_outcomes.h"
#include "core/base/err.h"

/* Copies the tables that the bundle has, which processes append to and read. The folder and all in it become `user`'s.
 */
int isolated_files_lend(const char *bundle, const char *folder, uid_t user, struct err *e);

/* Takes what the process left: rows that it appended to tables, its report, its traces, an answer; nothing else. What
 * the judge did not report is made wrong. ERR_INPUT where it changed what it had been lent, left no regular file, or
 * does not report what the judge found. */
int isolated_files_take(const char *bundle, const char *folder, const char *role, const char *index,
                        struct judged_outcomes *outcomes, struct err *e);

#endif
