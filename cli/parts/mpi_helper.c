/* Was this process started as one of several that work on the same traces? */
#define _POSIX_C_SOURCE 200809L
#include "cli/parts/mpi_helper.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/record/installed_part.h"
#include "cli/record/messages.h"
#include "core/base/count_of.h"

/* How many there are, and what else is set then. SLURM_NTASKS would count the tasks of a job: its batch script and the
 * shell of salloc have it, too, and are alone. */
static const struct {
    const char *count, *also, *place, *neighbours;
} launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                 {"PMI_SIZE", "PMI_RANK", "PMI_RANK", "MPI_LOCALNRANKS"},
                 {"SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_STEP_TASKS_PER_NODE"}};

static const char *const shared[] = {"overlap", "check", "gaps", "stats", "launch", "ranks"};

enum { LAUNCHERS = COUNT_OF(launchers) };

static long number_of(const char *name, long otherwise)
{
    const char *text = getenv(name);
    char *end = NULL;
    const long number = text ? strtol(text, &end, 10) : 0;
    return end && end != text && !*end ? number : otherwise;
}

/* LAUNCHERS when this process is alone. */
static size_t find_launcher(void)
{
    size_t i = 0;
    while (i < LAUNCHERS && !(getenv(launchers[i].also) && number_of(launchers[i].count, 0) > 1))
        i++;
    return i;
}

long mpi_helper_processes(void)
{
    const size_t i = find_launcher();
    return i < LAUNCHERS ? number_of(launchers[i].count, 1) : 1;
}

long mpi_helper_place(void)
{
    const size_t i = find_launcher();
    return i < LAUNCHERS ? number_of(launchers[i].place, -1) : -1;
}

long mpi_helper_neighbours(void)
{
    const size_t i = find_launcher();
    return i < LAUNCHERS ? number_of(launchers[i].neighbours, mpi_helper_processes()) : 1;
}

static bool is_shared(const char *command)
{
    bool found = false;
    for (size_t i = 0; i < COUNT_OF(shared); i++)
        found |= !strcmp(command, shared[i]);
    return found;
}

/* Who names a part reads it without the others. */
static bool names_part(int argc, char **argv)
{
    bool found = false;
    for (int i = 2; i < argc; i++)
        found |= !strcmp(argv[i], "--part") || !strncmp(argv[i], "--part=", strlen("--part="));
    return found;
}

int mpi_helper_exec(int argc, char **argv)
{
    static const struct installed_part helper = {
        "cpprof-mpi", "CPPROF_MPI", X_OK, {"../libexec/cpprof/cpprof-mpi", "cpprof-mpi", NULL}};
    struct err e = {0};
    struct str path;
    if (argc < 2 || !is_shared(argv[1]) || names_part(argc, argv) || mpi_helper_processes() == 1)
        return 0;
    str_init(&path);
    int rc = installed_part_find(&helper, &path, &e);
    if (!rc && !path.length)
        rc = err_set(
            &e, ERR_ENVIRONMENT,
            "this is one of %ld processes of MPI, and cpprof-mpi was not found (../libexec/cpprof beside cpprof, "
            "or CPPROF_MPI): it is built where MPI is; start one process with --jobs instead, or use --part",
            mpi_helper_processes());
    if (!rc) {
        execv(str_text(&path), argv);
        rc = err_set(&e, ERR_ENVIRONMENT, "cannot start '%s': %s", str_text(&path), strerror(errno));
    }
    str_release(&path);
    return message_error(&e);
}
