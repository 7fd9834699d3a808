/* How is a part written? The program ends when it is: there is nothing to print. */
#define _POSIX_C_SOURCE 200809L
#include "cli/parts/part_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/parts/program_parts.h"
#include "cli/record/messages.h"
#include "core/base/files.h"
#include "core/trace/parts/part_source.h"
#include "core/trace/parts/trace_workers.h"

static struct {
    struct part_source base;
    struct part_head head;
    const char *path;
    trace_work work;
    void *context;
} writer;

static int list(struct part_source *s, const char *const *paths, size_t count, struct trace_operand_list *operands,
                struct err *e)
{
    (void)s;
    const int rc = trace_operands_add_all(operands, paths, count, e);
    if (rc || operands->count > 1)
        return rc;
    return err_set(e, ERR_USAGE, "'%s' is one trace, and --part is for several", paths[0]);
}

static int work_on_part(void *context, size_t index, FILE *to, struct err *e)
{
    (void)context;
    return writer.work(writer.context, part_head_trace(&writer.head, index), to, e);
}

static int write_traces(struct trace_workers *workers, FILE *to, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < part_head_traces(&writer.head); i++) {
        struct err why = {0};
        FILE *from = NULL;
        if (trace_workers_take(workers, &from, &why))
            message_note("while reading '%s': %s", writer.head.operands.items[part_head_trace(&writer.head, i)].path,
                         why.text);
        rc = part_archive_write_trace(from, &why, to, e);
    }
    return rc;
}

static int write_part(FILE *to, struct err *e)
{
    struct trace_workers *workers = NULL;
    int rc = part_archive_write_head(&writer.head, to, e);
    if (!rc)
        rc = trace_workers_new(&workers, writer.base.jobs, writer.base.jobs > 1 ? writer.base.jobs : 0,
                               part_head_traces(&writer.head), work_on_part, NULL, e);
    if (!rc)
        rc = write_traces(workers, to, e);
    trace_workers_free(workers);
    return rc ? rc : part_archive_write_end(to, e);
}

/* Nobody sees half of a part. */
static int write_file(struct err *e)
{
    struct str path;
    str_init(&path);
    str_add(&path, writer.path);
    const int fd = path.failed ? -1 : files_new_temporary(&path, false);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "wb");
    int rc =
        to ? write_part(to, e) : err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", writer.path, strerror(errno));
    if (to && fclose(to) && !rc)
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", writer.path, strerror(errno));
    if (!rc && rename(str_text(&path), writer.path))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", writer.path, strerror(errno));
    if (rc && to)
        unlink(str_text(&path));
    str_release(&path);
    return rc;
}

static int begin(struct part_source *s, struct trace_operand_list *operands, trace_work work, void *context,
                 struct err *e)
{
    writer.work = work;
    writer.context = context;
    writer.head.key = s->key;
    writer.head.wants_all = s->wants_all;
    writer.head.operands = *operands; /* the program ends before anyone frees them */
    const int rc = write_file(e);
    if (!rc)
        exit(EXIT_PASS);
    writer.head.operands = (struct trace_operand_list){0};
    return rc;
}

static int take(struct part_source *s, FILE **from, struct err *e)
{
    (void)s;
    *from = NULL;
    return err_set(e, ERR_INTERNAL, "a part is written, and nothing is read back");
}

static void end(struct part_source *s)
{
    (void)s;
}

void part_writer_set(struct part_head *head, const char *path)
{
    writer.base = (struct part_source){.list = list, .begin = begin, .take = take, .end = end};
    writer.head = *head;
    writer.path = path;
    *head = (struct part_head){0};
    program_parts_set(&writer.base);
}
