/* companion.h - where are the parts of cpprof that are not this program: the
 * runner, the libraries that go into other programs? */
#ifndef CPPROF_COMPANION_H
#define CPPROF_COMPANION_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* A part, and how it is found: by the environment variable, else at the first of
 * the places that has it, relative to this program's folder (end with NULL). */
struct companion {
    const char *name;     /* "cpprof-runner" */
    const char *variable; /* "CPPROF_RUNNER" */
    int access;           /* what it must allow: X_OK, R_OK */
    const char *places[4];
};

/* 0 and its path, as the variable has it or as it was put together. When the
 * variable names something unusable it is ERR_ENVIRONMENT; when there is none
 * *path is empty and the result 0, for the caller to say what to do. */
int companion_find(const struct companion *c, struct str *path, struct err *e);

#endif
