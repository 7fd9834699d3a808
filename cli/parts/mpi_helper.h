/* mpi_helper.h - a command on traces that several processes of MPI are to do together is done by cpprof-mpi, which
 * alone links MPI. */
#ifndef CPPROF_MPI_HELPER_H
#define CPPROF_MPI_HELPER_H

/* How many processes of MPI, or tasks of a step of Slurm, were started with this one, as the environment says; 1: this
 * one is alone, or nothing is said. */
long mpi_helper_processes(void);

/* Which of them is this one, from 0, and how many run on this machine? -1 and all of them where nothing is said. */
long mpi_helper_place(void);
long mpi_helper_neighbours(void);

/* Becomes the helper when this process is one of several and the command can be shared, and names no part. Otherwise
 * returns 0, and an exit status after an error. */
int mpi_helper_exec(int argc, char **argv);

#endif
