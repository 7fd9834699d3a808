/* schedule.h - in which order do the processes of a run time its arms? Used by cpprof, which starts the processes, and
 * by the runner in them. */
#ifndef CPPROF_SCHEDULE_H
#define CPPROF_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum schedule {
    SCHEDULE_ABBA,       /* all arms in each process, block by block: A B, B A, ... */
    SCHEDULE_PROCESS,    /* each process times one arm */
    SCHEDULE_SEQUENTIAL, /* each process times the arms one after the other */
    SCHEDULES
};

const char *schedule_name(enum schedule schedule); /* "abba" */
bool schedule_parse(const char *name, enum schedule *out);

/* Arms [first, first + count) of a group, which are on the device together. */
struct wave {
    size_t first, count;
};

/* Returns how many waves a group of `arms` takes in one process; 0 when the group has no part in the process of arm
 * `arm`. */
size_t schedule_waves(enum schedule schedule, size_t arms, size_t arm);

/* Returns the nth wave. Only SCHEDULE_PROCESS uses `arm`. `flip`, set in every other round, reverses the order so that
 * drift favours no arm. */
struct wave schedule_wave(enum schedule schedule, size_t arms, size_t arm, bool flip, size_t nth);

/* Returns the arm of the wave that has the nth turn in a block: A B C, C B A, A B C, ... With `flip` the whole order is
 * reversed. */
size_t schedule_turn(struct wave wave, size_t block, bool flip, size_t nth);

/* Fills `order` with the order in which the arms of a wave are set up: a permutation that `draw` (the number of the
 * process) chooses. Where an arm's memory and graph are placed changes times by a tenth of a percent; changing the
 * order favours no arm. */
void schedule_set_up_order(struct wave wave, uint64_t draw, size_t *order);

#endif
