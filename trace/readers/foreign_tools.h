/* foreign_tools.h - is this what a profiler writes that nobody here reads, and what would be read? */
#ifndef CPPROF_FOREIGN_TOOLS_H
#define CPPROF_FOREIGN_TOOLS_H

#include "io/known_input.h"

/* Returns the kind of file, whose remedy is a command that writes a trace; NULL for anything else. SQLite databases of
 * other tools have no line here, because their reader tells them apart by their tables. */
const struct known_input *foreign_tool_find(const struct open_input *input);

/* The same, for an SQLite database with this table. */
struct foreign_database {
    const char *table;
    const char *what, *remedy;
};
enum { FOREIGN_DATABASES = 2 };
extern const struct foreign_database foreign_databases[FOREIGN_DATABASES];

#endif
