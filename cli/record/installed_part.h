/* installed_part.h - where are the installed parts of cpprof that are not this program: the
 * runner, the libraries that go into other programs? */
#ifndef CPPROF_INSTALLED_PART_H
#define CPPROF_INSTALLED_PART_H

#include <stddef.h>

#include "core/base/err.h"
#include "core/base/str.h"

/* A part, and how it is found: by the environment variable, else at the first of
 * the places that has it, relative to this program's folder (end with NULL). */
struct installed_part {
    const char *name;     /* "cpprof-runner" */
    const char *variable; /* "CPPROF_RUNNER" */
    int access;           /* what it must allow: X_OK, R_OK */
    const char *places[4];
};

/* 0 and its path, as the variable has it or as it was put together. When the
 * variable names something unusable it is ERR_ENVIRONMENT; when there is none
 * *path is empty and the result 0, for the caller to say what to do. */
int installed_part_find(const struct installed_part *c, struct str *path, struct err *e);

#endif
