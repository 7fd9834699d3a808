/* mpi_parts.h - processes of MPI read traces for the first of them, which alone prints. */
#ifndef CPPROF_MPI_PARTS_H
#define CPPROF_MPI_PARTS_H

#include "trace/parts/part_source.h"

/* The source of this process; MPI has begun. In all processes but the first, `begin` does not return. */
struct part_source *mpi_parts(void);

/* Ends the work of all, who call it when their command is done or has failed. The first gives its exit status, the
 * others still answer for their traces, and wait for it. Returns the status of the first. */
int mpi_parts_end(int status);

#endif
