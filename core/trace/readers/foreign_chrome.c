/* How many kernels are in a Chrome trace of XLA?
 *
 * XLA gives each GPU a process and each of its streams a thread, which rows of ph 'M' name. Other threads of such a
 * process repeat the work as modules and operators. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/io/decimal.h"
#include "core/io/json_walk.h"
#include "core/trace/readers/foreign_tools.h"

enum { LANES_MAX = 1024, WORD_BYTES_MAX = 64 };

/* A thread of a process; the process itself has thread -1. */
struct lane {
    int64_t process, thread;
    bool is_gpu, is_stream;
    size_t kernels, copies;
};

struct row {
    int64_t process, thread;
    char phase, name[WORD_BYTES_MAX], named[WORD_BYTES_MAX]; /* `named`: the name in its arguments */
};

struct counting {
    ARRAY_OF(struct lane) lanes;
    int rows_depth; /* 0 outside the list of rows */
    char key[WORD_BYTES_MAX];
    struct row row;
};

static void take_text(char to[WORD_BYTES_MAX], const struct json_token *token)
{
    const size_t length = token->length < WORD_BYTES_MAX ? token->length : WORD_BYTES_MAX - 1;
    memcpy(to, token->text, length);
    to[length] = '\0';
}

static struct lane *lane_of(struct counting *c, int64_t process, int64_t thread)
{
    for (size_t i = c->lanes.count; i-- > 0;)
        if (c->lanes.items[i].process == process && c->lanes.items[i].thread == thread)
            return &c->lanes.items[i];
    struct lane *added = c->lanes.count < LANES_MAX ? ARRAY_PUSH(&c->lanes) : NULL;
    if (added)
        *added = (struct lane){.process = process, .thread = thread};
    return added;
}

static bool begins(const char *text, const char *word)
{
    return !strncmp(text, word, strlen(word));
}

static void finish_row(struct counting *c)
{
    const struct row *row = &c->row;
    const bool is_of_process = row->phase == 'M' && !strcmp(row->name, "process_name");
    struct lane *lane = lane_of(c, row->process, is_of_process ? -1 : row->thread);
    if (!lane)
        return;
    if (is_of_process)
        lane->is_gpu |= begins(row->named, "/device:GPU:");
    else if (row->phase == 'M')
        lane->is_stream |= !strcmp(row->name, "thread_name") && begins(row->named, "Stream #");
    else if (row->phase == 'X')
        *(begins(row->name, "Memcpy") || begins(row->name, "Memset") ? &lane->copies : &lane->kernels) += 1;
}

static void take_member(struct counting *c, const struct json_token *token)
{
    struct decimal number;
    const bool is_number = token->type == JSON_TOKEN_NUMBER && decimal_read(token->text, token->length, 1, &number);
    if (is_number && !strcmp(c->key, "pid"))
        c->row.process = number.value;
    else if (is_number && !strcmp(c->key, "tid"))
        c->row.thread = number.value;
    else if (token->type == JSON_TOKEN_STRING && !strcmp(c->key, "ph") && token->length)
        c->row.phase = token->text[0];
    else if (token->type == JSON_TOKEN_STRING && !strcmp(c->key, "name"))
        take_text(c->row.name, token);
}

static int take(void *context, const struct json_token *token, struct err *e)
{
    struct counting *c = context;
    const int depth = c->rows_depth ? token->depth - c->rows_depth : -1;
    (void)e;
    if (depth < 0) {
        if (token->type == JSON_TOKEN_KEY)
            take_text(c->key, token);
        if (token->type == JSON_TOKEN_ARRAY && token->depth == 1 && !strcmp(c->key, "traceEvents"))
            c->rows_depth = 2;
        if (token->type == JSON_TOKEN_ARRAY_END)
            c->rows_depth = 0;
        return 0;
    }
    if (depth == 0 && token->type == JSON_TOKEN_OBJECT)
        c->row = (struct row){.process = -1, .thread = -1};
    else if (depth == 0 && token->type == JSON_TOKEN_OBJECT_END)
        finish_row(c);
    else if ((depth == 1 || depth == 2) && token->type == JSON_TOKEN_KEY)
        take_text(c->key, token);
    else if (depth == 1)
        take_member(c, token);
    else if (depth == 2 && token->type == JSON_TOKEN_STRING && !strcmp(c->key, "name"))
        take_text(c->row.named, token);
    return 0;
}

static bool is_of_gpu(struct counting *c, const struct lane *lane)
{
    for (size_t i = 0; i < c->lanes.count; i++)
        if (c->lanes.items[i].is_gpu && c->lanes.items[i].process == lane->process)
            return true;
    return false;
}

static void describe(struct counting *c, struct str *out)
{
    size_t gpus = 0, kernels = 0, copies = 0;
    for (size_t i = 0; i < c->lanes.count; i++) {
        const struct lane *lane = &c->lanes.items[i];
        const bool counts = lane->is_stream && is_of_gpu(c, lane);
        gpus += lane->is_gpu;
        kernels += counts ? lane->kernels : 0;
        copies += counts ? lane->copies : 0;
    }
    if (gpus)
        str_addf(out, "it holds %zu %s and %zu %s of %zu %s", kernels, kernels == 1 ? "kernel" : "kernels", copies,
                 copies == 1 ? "copy or memset" : "copies and memsets", gpus, gpus == 1 ? "GPU" : "GPUs");
}

void foreign_chrome_count(const struct open_input *input, struct str *out)
{
    struct counting c = {.rows_depth = 0};
    struct err ignored = {0};
    bool cut;
    if (fseek(input->file, 0, SEEK_SET) || json_walk(input->file, input->path, take, &c, &cut, &ignored))
        str_clear(out);
    else
        describe(&c, out);
    free(c.lanes.items);
}
