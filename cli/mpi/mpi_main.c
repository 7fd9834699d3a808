/* cpprof as one of several processes of MPI: all run the same command, and the first one prints. */
#define _GNU_SOURCE
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/mpi/mpi_early.h"
#include "cli/mpi/mpi_parts.h"
#include "cli/output.h"
#include "cli/parts/mpi_helper.h"
#include "cli/parts/program_parts.h"
#include "cli/program.h"
#include "cli/record/messages.h"
#include "core/base/checksum.h"
#include "core/base/pump.h"

/* An MPI finds the other processes only when its own mpirun has started them, or srun with what it asks for. Without
 * PMIx, Slurm leaves the others waiting when a process is killed, unless it is told to end them. */
#ifdef OPEN_MPI
static const char mpi_name[] = "Open MPI", srun_options[] = "--mpi=pmix";
#else
static const char mpi_name[] = "MPICH", srun_options[] = "--mpi=pmi2 --kill-on-bad-exit";
#endif

/* Commands may exit by themselves. */
static void end_together(int status, void *unused)
{
    (void)unused;
    fflush(NULL);
    status = mpi_parts_end(status);
    MPI_Finalize();
    _exit(status);
}

static void end_alone(int status, void *unused)
{
    (void)status, (void)unused;
    MPI_Finalize();
}

/* Were all processes started with the same words in the same folder? If not, each has a command of its own. */
static int is_one_command(int argc, char **argv)
{
    char folder[PATH_MAX];
    uint32_t sums[2] = {0}; /* the sum, and its complement: the least of both tell the least and the most */
    uint32_t least[2];
    for (int i = 1; i < argc; i++)
        sums[0] = checksum_crc32(sums[0], argv[i], strlen(argv[i]) + 1);
    if (getcwd(folder, sizeof folder))
        sums[0] = checksum_crc32(sums[0], folder, strlen(folder));
    sums[1] = ~sums[0];
    MPI_Allreduce(sums, least, 2, MPI_UINT32_T, MPI_MIN, MPI_COMM_WORLD);
    return least[0] == (uint32_t)~least[1];
}

static int work_together(int argc, char **argv, struct share_reader *early)
{
    struct err e = {0};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    program_parts_set(mpi_parts(early));
    on_exit(end_together, NULL);
    if (rank && output_silence(&e))
        return message_error(&e);
    return program_main(argc, argv);
}

static bool is_one_host(void)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE"), *local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    const char *nodes = getenv("SLURM_STEP_NUM_NODES");
    return size && local ? !strcmp(size, local) : nodes && !strcmp(nodes, "1");
}

/* Open MPI looks for the networks of a cluster for 0.2 s. Processes of one host need none of them. What the user has
 * chosen stays. */
static void skip_networks(void)
{
    if (is_one_host())
        setenv("OMPI_MCA_pml", "ob1", 0);
}

/* In a task of Slurm that has no PMIx, Open MPI ends the process with status 1, after 23 lines of its own. Others say
 * that the process is alone. */
static bool may_begin(void)
{
#ifdef OPEN_MPI
    return mpi_helper_processes() == 1 || getenv("PMIX_NAMESPACE") || getenv("OMPI_COMM_WORLD_SIZE");
#else
    return true;
#endif
}

static int refuse(void)
{
    struct err e = {0};
    err_set(&e, ERR_ENVIRONMENT,
            "this is one of %ld processes, and cpprof-mpi, which was built with %s, finds no other; start them with "
            "the mpirun of %s, or srun %s",
            mpi_helper_processes(), mpi_name, mpi_name, srun_options);
    return message_error(&e);
}

int main(int argc, char **argv)
{
    int size;
    if (!may_begin())
        return refuse();
    skip_networks();
    pump_have_neighbours((size_t)mpi_helper_neighbours());
    struct share_reader *early = mpi_early_begin(argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > 1 && is_one_command(argc, argv))
        return work_together(argc, argv, early);
    share_reader_free(early);
    on_exit(end_alone, NULL);
    if (size > 1 || mpi_helper_processes() == 1)
        return program_main(argc, argv);
    return refuse();
}
