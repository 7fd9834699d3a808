/* json_walk.h - the tokens of a JSON file of any size, one after the other.
 *
 * json_walk.c is the only file that includes yajl's headers. Numbers come as
 * the text that stands in the file, so that none loses digits. Memory is bounded
 * by the longest single string. */
#ifndef CPPROF_JSON_WALK_H
#define CPPROF_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

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
    int depth;        /* containers around it; an end has the depth of its beginning */
    const char *text; /* keys, strings (escapes resolved), numbers; not terminated */
    size_t length;
};

/* An error code of `take` ends the walk and is returned, with its message. */
typedef int (*json_take)(void *context, const struct json_token *token, struct err *e);

/* Reads `file` to its end. ERR_INPUT for what is no JSON, with the place
 * ("path: byte 123: ..."); *cut tells that the file ended too early. */
int json_walk(FILE *file, const char *path, json_take take, void *context, bool *cut, struct err *e);

#endif
