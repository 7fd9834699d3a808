/* program.h - the program cpprof, whose main is that of one process (main.c) or of one of many (mpi/). */
#ifndef CPPROF_PROGRAM_H
#define CPPROF_PROGRAM_H

/* Runs the command that the words ask for, and returns the exit status. */
int program_main(int argc, char **argv);

#endif
