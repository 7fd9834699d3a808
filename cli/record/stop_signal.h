/* stop_signal.h - does somebody want a run to end early? */
#ifndef CPPROF_STOP_SIGNAL_H
#define CPPROF_STOP_SIGNAL_H

/* From here on the first of the signals that end a program is only noted; a second one of its kind ends us. Signals
 * that are ignored stay so. */
void stop_signal_begin(void);
void stop_signal_end(void); /* as it was before; nothing is noted any more */

/* The first one since stop_signal_begin; 0: none. Processes of the runner end soon after it. */
int stop_signal_first(void);

#endif
