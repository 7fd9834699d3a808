/* make_ranks.h - traces of many ranks whose answers are known beforehand. */
#ifndef CPPROF_MAKE_RANKS_H
#define CPPROF_MAKE_RANKS_H

/* make_trace ranks SEED FOLDER [NAME=NUMBER]...: writes Chrome traces to FOLDER, and the plan that they follow to
 * stdout. Returns the exit status. */
int make_ranks(int argc, char **argv);

#endif
