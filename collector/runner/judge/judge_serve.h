/* judge_serve.h - the process of the judge: cpprof-judge SOCKET TASK DEVICE, started by the runner before it loads any
 * solution. It cannot be traced or read by processes of the same user, and ends with the runner. */
#ifndef CPPROF_JUDGE_SERVE_H
#define CPPROF_JUDGE_SERVE_H

/* Returns the exit status. SOCKET is an open descriptor; DEVICE is the ordinal that will be asked for, -1: unknown. */
int judge_serve(int argc, char **argv);

#endif
