/* input_file.h - one input, opened so that readers can look at its start and seek in it. */
#ifndef CPPROF_INPUT_FILE_H
#define CPPROF_INPUT_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "base/caveat.h"
#include "base/err.h"

enum { INPUT_HEAD_BYTES = 1024 * 1024 };

/* What a reader sees. */
struct open_input {
    const char *path; /* as the user gave it; "stdin" for standard input */
    FILE *file;       /* at its start, seekable, no longer compressed; NULL for a directory */
    const char *head; /* the first INPUT_HEAD_BYTES of the file at most, terminated */
    size_t head_bytes;
};

struct input_file {
    struct open_input input; /* valid until close; input.path is the caller's */
    char *head;
};

/* `path` is a file, a directory, or "-" for standard input. What cannot be
 * seeked or is compressed with gzip is unpacked into a scratch file; a gzip
 * file that is cut adds a caveat of the kind CAVEAT_TRUNCATED. */
int input_file_open(struct input_file *out, const char *path, struct caveat_list *caveats, struct err *e);
/* The same, but what is compressed stays so. */
int input_file_open_packed(struct input_file *out, const char *path, struct err *e);
void input_file_close(struct input_file *file);

#endif
