/* Which tokens does a JSON file hold? */
#define _GNU_SOURCE
#include "core/io/json_walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

enum { BLOCK_BYTES = 64 * 1024 };

struct walk {
    FILE *file;
    const char *path;
    json_take take;
    void *context;
    struct err *e;
    int code; /* code of the error that ended the walk from inside */
    int depth;
    int64_t block_start;  /* where in the file the current block begins */
    int64_t quiet_blocks; /* blocks since the last token */
    yajl_handle yajl;
};

static int give(struct walk *w, enum json_token_type type, const char *text, size_t length)
{
    const struct json_token token = {type, w->depth, text, length};
    w->quiet_blocks = 0;
    w->code = w->take(w->context, &token, w->e);
    return w->code == 0;
}

static int open_container(struct walk *w, enum json_token_type type)
{
    if (w->depth == JSON_DEPTH_MAX) {
        w->code = err_set(w->e, ERR_INPUT, "%s: byte %" PRId64 " or soon after: nested deeper than %d levels", w->path,
                          w->block_start, JSON_DEPTH_MAX);
        return 0;
    }
    int go_on = give(w, type, NULL, 0);
    w->depth++;
    return go_on;
}

static int close_container(struct walk *w, enum json_token_type type)
{
    w->depth--;
    return give(w, type, NULL, 0);
}

static int on_null(void *w)
{
    return give(w, JSON_TOKEN_WORD, NULL, 0);
}

static int on_boolean(void *w, int value)
{
    (void)value;
    return give(w, JSON_TOKEN_WORD, NULL, 0);
}

static int on_number(void *w, const char *text, size_t length)
{
    return give(w, JSON_TOKEN_NUMBER, text, length);
}

static int on_string(void *w, const unsigned char *text, size_t length)
{
    return give(w, JSON_TOKEN_STRING, (const char *)text, length);
}

static int on_key(void *w, const unsigned char *text, size_t length)
{
    return give(w, JSON_TOKEN_KEY, (const char *)text, length);
}

static int on_object(void *w)
{
    return open_container(w, JSON_TOKEN_OBJECT);
}

static int on_object_end(void *w)
{
    return close_container(w, JSON_TOKEN_OBJECT_END);
}

static int on_array(void *w)
{
    return open_container(w, JSON_TOKEN_ARRAY);
}

static int on_array_end(void *w)
{
    return close_container(w, JSON_TOKEN_ARRAY_END);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_map_key = on_key,
    .yajl_start_map = on_object,
    .yajl_end_map = on_object_end,
    .yajl_start_array = on_array,
    .yajl_end_array = on_array_end,
};

/* Reports yajl's message without its line end. */
static int report(struct walk *w, yajl_status status, const unsigned char *block, size_t bytes)
{
    if (status == yajl_status_client_canceled)
        return w->code;
    unsigned char *text = yajl_get_error(w->yajl, 0, block, bytes);
    if (!text)
        return err_memory(w->e);
    int length = (int)strcspn((const char *)text, "\n");
    int code = err_set(w->e, ERR_INPUT, "%s: byte %" PRId64 ": %.*s", w->path,
                       w->block_start + (int64_t)yajl_get_bytes_consumed(w->yajl), length, (const char *)text);
    yajl_free_error(w->yajl, text);
    return code;
}

/* yajl collects a token that continues past the end of a block, however long it is. */
static int check_token_size(struct walk *w)
{
    if (++w->quiet_blocks <= JSON_TOKEN_BYTES_MAX / BLOCK_BYTES)
        return 0;
    return err_set(w->e, ERR_INPUT, "%s: byte %" PRId64 ": a value is longer than %d bytes; a quote may be missing",
                   w->path, w->block_start, JSON_TOKEN_BYTES_MAX);
}

static int finish(struct walk *w, bool *cut)
{
    yajl_status status = yajl_complete_parse(w->yajl);
    if (status == yajl_status_ok)
        return 0;
    if (status == yajl_status_client_canceled)
        return w->code;
    *cut = true;
    return err_set(w->e, ERR_INPUT, "%s: the file ends in the middle of the JSON", w->path);
}

static int parse(struct walk *w, unsigned char *block, bool *cut)
{
    for (;;) {
        size_t bytes = fread(block, 1, BLOCK_BYTES, w->file);
        if (ferror(w->file))
            return err_set(w->e, ERR_INPUT, "cannot read '%s': %s", w->path, strerror(errno));
        if (!bytes)
            return finish(w, cut);
        yajl_status status = yajl_parse(w->yajl, block, bytes);
        int rc = status == yajl_status_ok ? check_token_size(w) : report(w, status, block, bytes);
        if (rc)
            return rc;
        w->block_start += (int64_t)bytes;
    }
}

static void skip_byte_order_mark(struct walk *w)
{
    char mark[3];
    if (fread(mark, 1, sizeof mark, w->file) == sizeof mark && !memcmp(mark, "\xef\xbb\xbf", sizeof mark))
        w->block_start = sizeof mark;
    else
        rewind(w->file);
}

int json_walk(FILE *file, const char *path, json_take take, void *context, bool *cut, struct err *e)
{
    struct walk w = {.file = file, .path = path, .take = take, .context = context, .e = e};
    unsigned char *block = malloc(BLOCK_BYTES);
    *cut = false;
    w.yajl = block ? yajl_alloc(&callbacks, NULL, &w) : NULL;
    int rc = 0;
    if (!w.yajl)
        rc = err_memory(e);
    else {
        /* Names come from compilers and people. Invalid UTF-8 is made visible where it is printed. */
        yajl_config(w.yajl, yajl_dont_validate_strings, 1);
        skip_byte_order_mark(&w);
        rc = parse(&w, block, cut);
        yajl_free(w.yajl);
    }
    free(block);
    return rc;
}
