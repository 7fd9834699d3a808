/* schedule.h - in which order do the processes of a run time its arms? One
 * source for cpprof, which starts the processes, and for the runner in them. */
#ifndef CPPROF_SCHEDULE_H
#define CPPROF_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum schedule {
    SCHEDULE_ABBA,       /* all arms in each process, block by block: A B, B A, ... */
    SCHEDULE_PROCESS,    /* each process times one arm */
    SCHEDULE_SEQUENTIAL, /* each process times one arm after the other */
    SCHEDULES
};

const char *schedule_name(enum schedule schedule); /* "abba" */
bool schedule_parse(const char *name, enum schedule *out);

/* Arms [first, first + count) of a group, which are on the device at the same time. */
struct wave {
    size_t first, count;
};

/* How many waves a group of `arms` makes in one process; 0 when it has no part in the process of arm `arm`. */
size_t schedule_waves(enum schedule schedule, size_t arms, size_t arm);

/* The nth of them. `arm` counts for SCHEDULE_PROCESS only; `flip`, for every other
 * round, reverses the order so that a drift favours no arm. */
struct wave schedule_wave(enum schedule schedule, size_t arms, size_t arm, bool flip, size_t nth);

/* Which arm of the wave has the nth turn in a block: A B C, C B A, A B C, ...; the whole reversed when flipped. */
size_t schedule_turn(struct wave wave, size_t block, bool flip, size_t nth);

/* In which order the arms of a wave are set up: `order` becomes a permutation of
 * its indices that `draw` (the number of the process) chooses. Where an arm's memory
 * and graph come to lie moves times by a tenth of a percent; by turns it favours no arm. */
void schedule_set_up_order(struct wave wave, uint64_t draw, size_t *order);

#endif
