/* Where do events come from, whatever the input is? */
#define _GNU_SOURCE
#include "model/event_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "model/event_spool.h"
#include "model/readers/reader.h"
#include "model/scratch_file.h"
#include "model/stream_scope.h"

struct event_stream {
    char *path;
    struct event_spool *events;
    struct strtab strings;
    struct caveat_list caveats;
    struct scope_filter *scope; /* NULL: everything */
};

static int new_stream(struct event_stream **out, const char *path, struct err *e)
{
    *out = NULL;
    struct event_stream *s = calloc(1, sizeof *s);
    if (!s)
        return err_memory(e);
    strtab_init(&s->strings);
    caveat_list_init(&s->caveats);
    s->path = strdup(path);
    int rc = s->path ? event_spool_new(&s->events, e) : err_memory(e);
    if (rc)
        event_stream_free(s);
    else
        *out = s;
    return rc;
}

void event_stream_free(struct event_stream *s)
{
    if (!s)
        return;
    scope_filter_free(s->scope);
    event_spool_free(s->events);
    strtab_release(&s->strings);
    caveat_list_release(&s->caveats);
    free(s->path);
    free(s);
}

/* A pipe can be read once; readers look at the start first. So what cannot be
 * seeked is copied to a scratch file. */
static int make_seekable(FILE **file, struct err *e)
{
    if (fseeko(*file, 0, SEEK_SET) == 0)
        return 0;
    int fd = scratch_file_open(e);
    FILE *copy = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    if (!copy) {
        if (fd < 0)
            return fd;
        close(fd);
        return err_memory(e);
    }
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, *file)) > 0)
        if (fwrite(block, 1, got, copy) != got)
            break;
    int rc = 0;
    if (ferror(*file))
        rc = err_set(e, ERR_INPUT, "cannot read standard input: %s", strerror(errno));
    else if (ferror(copy) || fflush(copy) || fseeko(copy, 0, SEEK_SET))
        rc =
            err_set(e, ERR_ENVIRONMENT,
                    "cannot copy the input to a temporary file: %s; set TMPDIR to a folder with room", strerror(errno));
    fclose(*file);
    *file = copy;
    return rc;
}

static int open_file(const char *path, FILE **out, struct err *e)
{
    int fd = strcmp(path, "-") ? -1 : dup(STDIN_FILENO);
    *out = fd >= 0 ? fdopen(fd, "rb") : fopen(path, "rbe");
    if (!*out) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(why));
    }
    return make_seekable(out, e);
}

static int read_with_first_match(const struct reader_input *input, struct reader_sink *sink, struct err *e)
{
    for (const struct reader *const *reader = reader_table; *reader; reader++)
        if ((*reader)->recognise(input))
            return (*reader)->read(input, sink, e);
    return err_set(e, ERR_INPUT, "'%s' is no trace that cpprof can read", input->path);
}

static int read_input(struct event_stream *s, struct err *e)
{
    struct reader_input input = {.path = strcmp(s->path, "-") ? s->path : "stdin"};
    struct reader_sink sink = {s->events, &s->strings, &s->caveats};
    if (files_is_directory(s->path))
        return read_with_first_match(&input, &sink, e);

    char *head = malloc(READER_HEAD_BYTES + 1);
    FILE *file = NULL;
    int rc = head ? open_file(s->path, &file, e) : err_memory(e);
    if (!rc) {
        input.head_bytes = fread(head, 1, READER_HEAD_BYTES, file);
        head[input.head_bytes] = '\0';
        input.head = head;
        input.file = file;
        if (ferror(file) || fseeko(file, 0, SEEK_SET))
            rc = err_set(e, ERR_INPUT, "cannot read '%s': %s", input.path, strerror(errno));
    }
    if (!rc)
        rc = read_with_first_match(&input, &sink, e);
    if (file)
        fclose(file);
    free(head);
    return rc;
}

int event_stream_open(struct event_stream **out, const char *path, struct err *e)
{
    struct event_stream *s;
    int rc = new_stream(&s, path, e);
    if (!rc)
        rc = read_input(s, e);
    if (!rc)
        rc = event_spool_rewind(s->events, e);
    if (rc) {
        event_stream_free(s);
        s = NULL;
    }
    *out = s;
    return rc;
}

static int copy_strings(struct strtab *to, const struct strtab *from, struct err *e)
{
    size_t count = from ? strtab_count(from) : 0;
    for (uint32_t id = 1; id <= count; id++)
        if (strtab_add_bytes(to, strtab_text(from, id), strtab_length(from, id)) != id)
            return err_memory(e);
    return 0;
}

int event_stream_from_events(struct event_stream **out, const struct cpprof_event *events, size_t count,
                             const struct strtab *strings, struct err *e)
{
    struct event_stream *s;
    int rc = new_stream(&s, "memory", e);
    if (!rc)
        rc = copy_strings(&s->strings, strings, e);
    for (size_t i = 0; !rc && i < count; i++)
        rc = event_spool_add(s->events, &events[i], e);
    if (!rc)
        rc = event_spool_rewind(s->events, e);
    if (rc) {
        event_stream_free(s);
        s = NULL;
    }
    *out = s;
    return rc;
}

int event_stream_next_unscoped(struct event_stream *s, struct cpprof_event *out, struct err *e)
{
    return event_spool_next(s->events, out, e);
}

int event_stream_next(struct event_stream *s, struct cpprof_event *out, struct err *e)
{
    int code;
    while ((code = event_spool_next(s->events, out, e)) == 1 && s->scope)
        if ((code = scope_filter_takes(s->scope, out, e)))
            break;
    return code;
}

int event_stream_scope(struct event_stream *s, const struct stream_scope *scope, struct err *e)
{
    if (stream_scope_is_everything(scope))
        return 0;
    int rc = scope_filter_new(&s->scope, s, scope, e);
    if (!rc && !scope_filter_finds_range(s->scope))
        rc = caveat_add(&s->caveats, CAVEAT_NOTE, e, "no NVTX range matches '%s'", scope->range);
    return rc;
}

int event_stream_rewind(struct event_stream *s, struct err *e)
{
    if (s->scope)
        scope_filter_rewind(s->scope);
    return event_spool_rewind(s->events, e);
}

const struct strtab *event_stream_strings(const struct event_stream *s)
{
    return &s->strings;
}

const struct caveat_list *event_stream_caveats(const struct event_stream *s)
{
    return &s->caveats;
}

const char *event_stream_source(const struct event_stream *s)
{
    return s->path;
}

int64_t event_stream_count(const struct event_stream *s)
{
    return event_spool_count(s->events);
}
