/* signal_witness.h - was a signal sent to us alone, or to everybody in our process
 * group?
 *
 * The kernel tells who sent a signal, not to whom. So a second process of ours
 * stands in the group and says what reaches it: a signal that both of us got was
 * sent to the group, and the program has it already. It does nothing else, holds
 * no file of ours open, and ends with us, however we end. */
#ifndef CPPROF_SIGNAL_WITNESS_H
#define CPPROF_SIGNAL_WITNESS_H

#include <stdbool.h>
#include <sys/types.h>

enum { WITNESS_SIGNALS = 65 };

struct signal_witness {
    pid_t pid;                  /* 0: there is none */
    int heard;                  /* a pipe: a byte for each signal */
    bool told[WITNESS_SIGNALS]; /* what it has heard, and nobody has asked for yet */
};

/* Without one, when it cannot be started, nobody knows. */
void signal_witness_begin(struct signal_witness *w);
void signal_witness_end(struct signal_witness *w);

enum witness_answer { WITNESS_UNKNOWN, WITNESS_US_ALONE, WITNESS_GROUP };

/* Where did the signal go that has just reached us? Looks for a moment: whoever
 * tells us first and then the group (timeout) has told the group. */
enum witness_answer signal_witness_ask(struct signal_witness *w, int signal);

#endif
