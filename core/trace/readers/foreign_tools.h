/* foreign_tools.h - is this what a profiler writes that nobody here reads, and what would be read? */
#ifndef CPPROF_FOREIGN_TOOLS_H
#define CPPROF_FOREIGN_TOOLS_H

#include "core/base/str.h"
#include "core/io/known_input.h"

/* Returns the kind of file, whose remedy is a command that unpacks it or writes a trace; NULL for anything else. */
const struct known_input *foreign_tool_find(const struct open_input *input);

/* The same, only for what stands in place of a file: an archive, a pointer, the answer of a server. */
const struct known_input *packing_find(const struct open_input *input);

/* The same, only for Chrome traces. */
const struct known_input *foreign_chrome_find(const struct open_input *input);

/* Appends what a Chrome trace of XLA holds, "10 kernels on 1 GPU"; nothing where it cannot be read. */
void foreign_chrome_count(const struct open_input *input, struct str *out);

/* The same, only for SQLite databases. */
const struct known_input *foreign_database_find(const struct open_input *input);

#endif
