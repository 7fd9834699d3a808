/* machine.h - the machine as files, variables and free space: what a check reads.
 * All three can be put in by a test; `root` also by a person who looks at a host
 * that is mounted in a container. */
#ifndef CPPROF_MACHINE_H
#define CPPROF_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/str.h"

struct machine_space {
    uint64_t total_bytes, free_bytes; /* free for us, not for root */
    uint64_t free_files;              /* inodes; UINT64_MAX where the file system has no such limit */
    const char *kind;                 /* "tmpfs", "nfs", "" for one that we do not name */
};

struct machine {
    const char *root;                    /* "" or the folder that holds proc/, sys/, dev/, usr/ */
    char *(*variable)(const char *name); /* getenv */
    bool (*space)(const char *path, struct machine_space *out); /* false: not known; the path has no root before it */
};

/* This machine; `root` NULL is "/". */
struct machine machine_here(const char *root);

enum { MACHINE_FILE_BYTES_MAX = 1024 * 1024, MACHINE_LINE_BYTES = 256 };

/* root + path. Returns the text of `out`. */
const char *machine_path(const struct machine *m, struct str *out, const char *path);

/* The whole of a small file, which may be one of /proc; false when it cannot be read. */
bool machine_read(const struct machine *m, const char *path, struct str *out);

/* The first line, without the space around it; false when there is none. */
bool machine_line(const struct machine *m, const char *path, char line[static MACHINE_LINE_BYTES]);

bool machine_has(const struct machine *m, const char *path);
const char *machine_variable(const struct machine *m, const char *name); /* "" when it is not set */

/* The value of `key` in lines "KEY: value" or "KEY  value", cut to the buffer; false without one. */
bool machine_field(const char *text, const char *key, char value[static MACHINE_LINE_BYTES]);

#endif
