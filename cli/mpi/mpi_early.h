/* mpi_early.h - this process's share of the traces is read while MPI starts. */
#ifndef CPPROF_MPI_EARLY_H
#define CPPROF_MPI_EARLY_H

#include "core/trace/parts/share_reader.h"

/* Before MPI_Init: starts a reader that does what the words ask for, up to the traces, and reads those that belong to
 * this process. Whoever takes it over must compare what it reads. NULL: this process is alone, or its place is not
 * known. */
struct share_reader *mpi_early_begin(int argc, char **argv);

#endif
