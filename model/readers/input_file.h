/* input_file.h - one input, opened so that readers can look at its start and seek in it. */
#ifndef CPPROF_INPUT_FILE_H
#define CPPROF_INPUT_FILE_H

#include "model/readers/reader.h"

struct input_file {
    struct reader_input input; /* valid until close; input.path is the caller's */
    char *head;
};

/* `path` is a file, a directory, or "-" for standard input. What cannot be
 * seeked or is compressed with gzip is unpacked into a scratch file; a gzip
 * file that is cut adds a caveat of the kind CAVEAT_TRUNCATED. */
int input_file_open(struct input_file *out, const char *path, struct caveat_list *caveats, struct err *e);
void input_file_close(struct input_file *file);

#endif
