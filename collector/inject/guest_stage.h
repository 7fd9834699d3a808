/* guest_stage.h - the steps that the program's threads and ours take in turn, and
 * how long one waits for the other: never for ever, the program must go on. */
#ifndef CPPROF_GUEST_STAGE_H
#define CPPROF_GUEST_STAGE_H

#include <stdbool.h>
#include <stdint.h>

enum guest_stage {
    STAGE_BORN,
    STAGE_OPENED,    /* ours: the files are there */
    STAGE_ATTACHED,  /* the program's: CUPTI knows what to record */
    STAGE_REPORTED,  /* ours: the report stands */
    STAGE_ENDING,    /* the program's: it exits */
    STAGE_ENDED,     /* ours: everything is on disk */
    STAGE_ABANDONED, /* either: one did not wait for the other any longer; nothing is recorded any more */
};

/* A wait at the program's end takes no longer than this many times the patience, whatever happens in it. */
enum { STAGE_PATIENCES_MAX = 12 };

/* False when the stage, or one behind it, has been entered already. */
bool guest_stage_enter(enum guest_stage stage);

bool guest_stage_has(enum guest_stage stage);

/* Waits for the stage; false when it has not come after so long (INT64_MAX: for ever). */
bool guest_stage_await(enum guest_stage stage, int64_t wait_ns);

/* The same, and what has not come then never comes: it is abandoned. */
bool guest_stage_await_or_abandon(enum guest_stage stage, int64_t wait_ns);

/* Waits for the end, on any number of threads and any number of times: all share
 * one deadline, which begins with the first. It abandons what has stood still for
 * `patience_ns`, or is not done after STAGE_PATIENCES_MAX of them. `progress` is
 * another number as long as something happens; it takes no lock. */
void guest_stage_await_end(int64_t patience_ns, uint64_t (*progress)(void));

#endif
