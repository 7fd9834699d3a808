/* known_input.h - is this a file of some kind that is known, but that nobody here reads? */
#ifndef CPPROF_KNOWN_INPUT_H
#define CPPROF_KNOWN_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/base/str.h"
#include "core/io/input_file.h"

/* A kind of file. `looks` knows it, or it starts with `magic`, or has a name that ends in `suffix`, or has in its first
 * line a word that begins with `first_line`, or has all of `words` in its head; with `is_binary`, bytes of 0 in it,
 * too. With `quotes`, the message has the rest of the line from this word on; with `holds`, what that appends. */
struct known_input {
    bool (*looks)(const struct open_input *input);
    const char *magic;
    size_t magic_bytes;
    const char *suffix;
    const char *first_line;
    const char *words[3];
    const char *quotes;
    void (*holds)(const struct open_input *input, struct str *out);
    bool is_binary;
    const char *what, *remedy; /* "'PATH' is WHAT; REMEDY", "'PATH' is WHAT: MORE; REMEDY" */
};

#define KNOWN_MAGIC(bytes) .magic = bytes, .magic_bytes = sizeof(bytes) - 1

/* Returns the first of `count` kinds that the input is of; NULL when it is of none. */
const struct known_input *known_input_find(const struct known_input *kinds, size_t count,
                                           const struct open_input *input);

/* Appends "WHAT: MORE; REMEDY". */
void known_input_describe(const struct known_input *kind, const struct open_input *input, struct str *out);

/* Fills `e` with what the input is and what to do about it, and returns ERR_INPUT. */
int known_input_refuse(const struct known_input *kind, const struct open_input *input, struct err *e);

/* ---- what else one asks of the head of an input ---- */

/* Returns the place of the word; NULL when the head lacks it. */
const char *input_find(const struct open_input *input, const char *word);
/* False for what a tool exported: the ending is that of its report. */
bool input_path_ends_in(const struct open_input *input, const char *suffix);
bool input_is_blank(const struct open_input *input);  /* empty, or white space alone */
bool input_is_binary(const struct open_input *input); /* a byte of 0 stands near its beginning */

#endif
