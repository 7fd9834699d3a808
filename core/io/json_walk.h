/* json_walk.h - reads a JSON file of any size token by token.
 *
 * Only json_walk.c includes yajl's headers. Numbers are given as their text in the file, so no digits are lost. Memory
 * is bounded by the longest single string. */
#ifndef CPPROF_JSON_WALK_H
#define CPPROF_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/base/err.h"

enum { JSON_DEPTH_MAX = 64, JSON_TOKEN_BYTES_MAX = 4 * 1024 * 1024 };

enum json_token_type {
    JSON_TOKEN_OBJECT,
    JSON_TOKEN_OBJECT_END,
    JSON_TOKEN_ARRAY,
    JSON_TOKEN_ARRAY_END,
    JSON_TOKEN_KEY,
    JSON_TOKEN_STRING,
    JSON_TOKEN_NUMBER,
    JSON_TOKEN_WORD /* true, false, null */
};

struct json_token {
    enum json_token_type type;
    int depth;        /* containers around it; the end of a container has the depth of its beginning */
    const char *text; /* keys, strings (escapes resolved), numbers; not terminated */
    size_t length;
};

/* Takes one token. An error code that it returns ends the walk, which returns it with its message. */
typedef int (*json_take)(void *context, const struct json_token *token, struct err *e);

/* Reads `file` to its end. Returns ERR_INPUT for a file that is not JSON, with the place ("path: byte 123: ..."). *cut
 * is set when the file ended too early. */
int json_walk(FILE *file, const char *path, json_take take, void *context, bool *cut, struct err *e);

#endif
