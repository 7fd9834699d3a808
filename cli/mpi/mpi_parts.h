/* mpi_parts.h - processes of MPI read traces for the first of them, which alone prints. */
#ifndef CPPROF_MPI_PARTS_H
#define CPPROF_MPI_PARTS_H

#include "core/trace/parts/part_source.h"
#include "core/trace/parts/share_reader.h"

/* The source of this process; MPI has begun. In all processes but the first, `begin` does not return. `early` is a
 * reader that was started before MPI, or NULL. It belongs to the source from now on. */
struct part_source *mpi_parts(struct share_reader *early);

/* What process `rank` of `size` reads of these traces. */
struct share_task mpi_parts_task(const struct part_source *s, const struct trace_operand_list *operands, int rank,
                                 int size);

/* Ends the work of all, who call it when their command is done or has failed. The first gives its exit status, the
 * others still answer for their traces, and wait for it. Returns the status of the first. */
int mpi_parts_end(int status);

#endif
