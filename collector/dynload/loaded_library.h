/* loaded_library.h - from which file was a library loaded that dlopen returned? */
#ifndef CPPROF_LOADED_LIBRARY_H
#define CPPROF_LOADED_LIBRARY_H

enum { LIBRARY_PATH_BYTES = 4096 };

/* Writes the path without links to `path`, "" when it cannot be found out. Returns `path`. */
const char *loaded_library_path(void *library, char path[static LIBRARY_PATH_BYTES]);

#endif
