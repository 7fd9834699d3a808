/* nsys_strings.h - the strings of an nsys export by their id, looked up once each. */
#ifndef CPPROF_NSYS_STRINGS_H
#define CPPROF_NSYS_STRINGS_H

#include <stdint.h>

#include "base/err.h"
#include "base/strtab.h"
#include "io/sqlite_rows.h"

struct nsys_strings;

/* Texts go into `strings`, which the caller keeps, as he keeps `file`. */
int nsys_strings_new(struct nsys_strings **out, struct sqlite_file *file, struct strtab *strings, struct err *e);
void nsys_strings_free(struct nsys_strings *s);

/* *out is an id in `strings`; 0 when the export has no such string. */
int nsys_strings_find(struct nsys_strings *s, int64_t id, uint32_t *out, struct err *e);

#endif
