/* loaded_library.h - which file a library that dlopen gave came from. */
#ifndef CPPROF_LOADED_LIBRARY_H
#define CPPROF_LOADED_LIBRARY_H

enum { LIBRARY_PATH_BYTES = 4096 };

/* The file without links, "" when it cannot be told. Returns `path`. */
const char *loaded_library_path(void *library, char path[static LIBRARY_PATH_BYTES]);

#endif
