/* input_file.h - opens an input so that readers can inspect its beginning and seek in it. */
#ifndef CPPROF_INPUT_FILE_H
#define CPPROF_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/caveat.h"
#include "core/base/err.h"

enum { INPUT_HEAD_BYTES = 1024 * 1024 };

/* What a reader gets. */
struct open_input {
    const char *path; /* as the user gave it; "stdin" for standard input */
    FILE *file;       /* at its start, seekable and unpacked; NULL for a directory */
    const char *head; /* up to INPUT_HEAD_BYTES from its beginning, of a shard less, terminated */
    size_t head_bytes;
    bool is_export; /* `file` is what a tool made of `path` (core/io/input_export.h) */
};

struct input_file {
    struct open_input input; /* valid until close; the caller owns input.path */
    char *head;
};

/* Opens a file, a directory, or standard input for "-". An input that cannot be seeked, or is compressed with gzip, is
 * unpacked into a scratch file. A truncated gzip file adds a CAVEAT_TRUNCATED. */
int input_file_open(struct input_file *out, const char *path, struct caveat_list *caveats, struct err *e);
/* Does the same, but does not unpack compressed files. */
int input_file_open_packed(struct input_file *out, const char *path, struct err *e);
/* Closes the file of `in` and goes on with `file`, which is at its start. */
int input_file_replace(struct input_file *in, FILE *file, struct err *e);
void input_file_close(struct input_file *file);

#endif
