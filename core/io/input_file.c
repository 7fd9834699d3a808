/* How does any input become a seekable file? */
#define _GNU_SOURCE
#include "core/io/input_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/io/gzip.h"
#include "core/io/scratch_file.h"
#include "cpprof/shard.h"

enum { FIRST_BYTES = 4096 };

/* A pipe can be read only once, but readers inspect the beginning first. So an input that cannot be seeked is copied to
 * a scratch file. */
static int make_seekable(FILE **file, struct err *e)
{
    if (fseeko(*file, 0, SEEK_SET) == 0)
        return 0;
    FILE *copy;
    int rc = scratch_file_stream(&copy, e);
    if (rc)
        return rc;
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, *file)) > 0)
        if (fwrite(block, 1, got, copy) != got)
            break;
    if (ferror(*file))
        rc = err_set(e, ERR_INPUT, "cannot read standard input: %s", strerror(errno));
    else if (ferror(copy) || fflush(copy) || fseeko(copy, 0, SEEK_SET))
        rc = scratch_file_full(e);
    fclose(*file);
    *file = copy;
    return rc;
}

static int open_stream(const char *path, FILE **out, struct err *e)
{
    const bool is_stdin = !strcmp(path, "-");
    const int fd = is_stdin ? dup(STDIN_FILENO) : -1;
    if (is_stdin)
        *out = fd < 0 ? NULL : fdopen(fd, "rb");
    else
        *out = fopen(path, "rbe");
    if (!*out) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", path, strerror(why));
    }
    return make_seekable(out, e);
}

/* A shard is known by its first bytes, and there may be thousands. */
static bool is_shard(const char *head, size_t bytes)
{
    const size_t magic_bytes = sizeof CPPROF_SHARD_MAGIC - 1;
    return bytes >= magic_bytes && !memcmp(head, CPPROF_SHARD_MAGIC, magic_bytes);
}

static int read_head(struct input_file *in, struct err *e)
{
    struct open_input *input = &in->input;
    input->head_bytes = fread(in->head, 1, FIRST_BYTES, input->file);
    if (input->head_bytes == FIRST_BYTES && !is_shard(in->head, FIRST_BYTES))
        input->head_bytes += fread(in->head + FIRST_BYTES, 1, INPUT_HEAD_BYTES - FIRST_BYTES, input->file);
    in->head[input->head_bytes] = '\0';
    if (ferror(input->file) || fseeko(input->file, 0, SEEK_SET))
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", input->path, strerror(errno));
    return 0;
}

int input_file_replace(struct input_file *in, FILE *file, struct err *e)
{
    fclose(in->input.file);
    in->input.file = file;
    return read_head(in, e);
}

/* Replaces the file of `in` by its unpacked content. */
static int unpack(struct input_file *in, struct caveat_list *caveats, struct err *e)
{
    FILE *plain = NULL;
    int rc = gzip_unpack(in->input.file, in->input.path, &plain, caveats, e);
    return rc ? rc : input_file_replace(in, plain, e);
}

int input_file_open_packed(struct input_file *in, const char *path, struct err *e)
{
    *in = (struct input_file){.input.path = strcmp(path, "-") ? path : "stdin"};
    if (files_is_directory(path))
        return 0;
    in->head = malloc(INPUT_HEAD_BYTES + 1);
    in->input.head = in->head;
    int rc = in->head ? open_stream(path, &in->input.file, e) : err_memory(e);
    if (!rc)
        rc = read_head(in, e);
    if (rc)
        input_file_close(in);
    return rc;
}

int input_file_open(struct input_file *in, const char *path, struct caveat_list *caveats, struct err *e)
{
    int rc = input_file_open_packed(in, path, e);
    if (rc || !in->input.file || !gzip_is(in->input.head, in->input.head_bytes))
        return rc;
    rc = unpack(in, caveats, e);
    if (rc)
        input_file_close(in);
    return rc;
}

void input_file_close(struct input_file *in)
{
    if (in->input.file)
        fclose(in->input.file);
    free(in->head);
    *in = (struct input_file){0};
}
