/* nsys_strings.h - the strings of an nsys export by id. Each is looked up once. */
#ifndef CPPROF_NSYS_STRINGS_H
#define CPPROF_NSYS_STRINGS_H

#include <stdint.h>

#include "core/base/err.h"
#include "core/base/strtab.h"
#include "core/io/sqlite_rows.h"

struct nsys_strings;

/* Texts are added to `strings`. The caller keeps `strings` and `file`. */
int nsys_strings_new(struct nsys_strings **out, struct sqlite_file *file, struct strtab *strings, struct err *e);
void nsys_strings_free(struct nsys_strings *s);

/* Sets *out to an id in `strings`; 0 when the export has no string with that id. */
int nsys_strings_find(struct nsys_strings *s, int64_t id, uint32_t *out, struct err *e);

#endif
