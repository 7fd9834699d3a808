/* run_stop.h - does somebody want a run to end early? */
#ifndef CPPROF_RUN_STOP_H
#define CPPROF_RUN_STOP_H

/* From here on the first of the signals that end a program is only noted; a second one of its kind ends us. Signals
 * that are ignored stay so. */
void run_stop_begin(void);
void run_stop_end(void); /* as it was before; nothing is noted any more */

/* The first one since run_stop_begin; 0: none. Processes of the runner end soon after it. */
int run_stop_signal(void);

#endif
