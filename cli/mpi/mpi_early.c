/* How are traces read while MPI starts? */
#define _GNU_SOURCE
#include "cli/mpi/mpi_early.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/mpi/mpi_parts.h"
#include "cli/output.h"
#include "cli/parts/mpi_helper.h"
#include "cli/parts/program_parts.h"
#include "cli/program.h"

static struct {
    struct part_source base;
    struct share_reader *reader;
} early;

/* A single trace is read by the first process itself, and what comes through a pipe is there once. */
static int list(struct part_source *s, const char *const *paths, size_t count, struct trace_operand_list *operands,
                struct err *e)
{
    (void)s;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(paths[i], "-"))
            return err_set(e, ERR_INPUT, "standard input is not read early");
    const int rc = trace_operands_add_all(operands, paths, count, e);
    return rc || operands->count > 1 ? rc : err_set(e, ERR_INPUT, "a single trace is not read early");
}

static int begin(struct part_source *s, struct trace_operand_list *operands, trace_work work, void *context,
                 struct err *e)
{
    const struct share_task task = mpi_parts_task(s, operands, (int)mpi_helper_place(), (int)mpi_helper_processes());
    (void)e;
    _exit(share_reader_serve(early.reader, &task, operands->count, work, context));
}

static int take(struct part_source *s, FILE **from, struct err *e)
{
    (void)s;
    *from = NULL;
    return err_set(e, ERR_INTERNAL, "a reader takes nothing");
}

static void end(struct part_source *s)
{
    (void)s;
}

struct command_line {
    int argc;
    char **argv;
};

/* Silent: its parent prints the same. */
static int read_early(struct share_reader *reader, void *context)
{
    const struct command_line *line = context;
    if (!freopen("/dev/null", "r", stdin) || output_silence(NULL))
        return 1;
    early.reader = reader;
    early.base = (struct part_source){.list = list, .begin = begin, .take = take, .end = end};
    program_parts_set(&early.base);
    program_main(line->argc, line->argv);
    return 1;
}

struct share_reader *mpi_early_begin(int argc, char **argv)
{
    struct share_reader *reader = NULL;
    struct command_line line = {argc, argv};
    if (mpi_helper_processes() > 1 && mpi_helper_place() >= 0)
        share_reader_new(&reader, read_early, &line, NULL);
    return reader;
}
