/* init_files.h - the files that a new task begins with. */
#ifndef CPPROF_INIT_FILES_H
#define CPPROF_INIT_FILES_H

#include <stddef.h>

struct init_file {
    const char *name;
    const char *text; /* "@NAME@" in it is the name of the task */
};

extern const struct init_file init_files[];
extern const size_t init_file_count;

#endif
