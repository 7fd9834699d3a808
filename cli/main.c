/* Is this process alone, or one of several of MPI? */
#include "cli/parts/mpi_helper.h"
#include "cli/program.h"

int main(int argc, char **argv)
{
    const int status = mpi_helper_exec(argc, argv);
    return status ? status : program_main(argc, argv);
}
