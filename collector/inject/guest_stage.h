/* guest_stage.h - the steps that the program's threads and ours take in turn, and how long one waits for the other. No
 * wait is unlimited at the program's end, because the program must go on. */
#ifndef CPPROF_GUEST_STAGE_H
#define CPPROF_GUEST_STAGE_H

#include <stdbool.h>
#include <stdint.h>

enum guest_stage {
    STAGE_BORN,
    STAGE_OPENED,    /* by our thread: the files exist */
    STAGE_ATTACHED,  /* by the program: CUPTI knows what to record */
    STAGE_REPORTED,  /* by our thread: the report is written */
    STAGE_ENDING,    /* by the program: it exits */
    STAGE_ENDED,     /* by our thread: everything is on disk */
    STAGE_ABANDONED, /* by either: it stopped waiting for the other, and nothing is recorded any more */
};

/* A wait at the program's end takes at most this many times the patience, whatever happens. */
enum { STAGE_PATIENCES_MAX = 12 };

/* Enters a stage. Returns false when it, or a later one, was entered already. */
bool guest_stage_enter(enum guest_stage stage);

bool guest_stage_has(enum guest_stage stage);

/* Waits for the stage. Returns false when it has not come after `wait_ns` (INT64_MAX: no limit). */
bool guest_stage_await(enum guest_stage stage, int64_t wait_ns);

/* Does the same, and abandons everything if the stage has not come by then. */
bool guest_stage_await_or_abandon(enum guest_stage stage, int64_t wait_ns);

/* Waits for the end, on any number of threads and any number of times. All share one deadline, which starts with the
 * first call. Everything is abandoned when nothing progressed for `patience_ns`, or after STAGE_PATIENCES_MAX times
 * that. `progress` returns a number that changes as long as there is progress; it takes no lock. */
void guest_stage_await_end(int64_t patience_ns, uint64_t (*progress)(void));

#endif
