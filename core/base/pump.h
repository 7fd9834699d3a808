/* pump.h - numbered things that two threads make and one of them uses, in order.
 *
 * The second thread works ahead as long as places are free. The user's thread makes the thing that it needs when the
 * second thread has not begun it, so neither waits while there is work. It also works on one processor, or when no
 * thread can be started. Only the user's thread may call these functions. */
#ifndef CPPROF_PUMP_H
#define CPPROF_PUMP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { PUMP_PLACES = 8 };

/* Makes thing `number` in its place, which is `number` modulo PUMP_PLACES. It may write only to data of that place or
 * of that number. */
typedef void pump_make(void *context, size_t number);

struct pump {
    size_t count;
    pump_make *make;
    void *context;
    size_t taken; /* things given to the user */

    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t has_place, has_thing;
    size_t used;    /* things below this number are used, and their places are free */
    size_t claimed; /* things below this number are made, or being made */
    bool is_made[PUMP_PLACES];
    bool stopping;
};

/* Says that so many processes run side by side. If there are no more processors than processes, pumps of this one get
 * no thread of their own. Call it before the first pump starts. */
void pump_share_processors(size_t processes);

/* Says that so many processes, this one among them, each run as many side by side. */
void pump_have_neighbours(size_t processes);

/* Starts a pump that will make things 0 to count - 1. `p` must not move until it is stopped. */
void pump_start(struct pump *p, size_t count, pump_make *make, void *context);

/* Would a pump get a thread? One that is started alone never does: it makes each thing when it is asked for, after the
 * one before is used, so that all may have one place. */
bool pump_gets_thread(void);
void pump_start_alone(struct pump *p, size_t count, pump_make *make, void *context);

/* Gives the next thing, which stays in its place until the next call. Returns false when there are no more. */
bool pump_next(struct pump *p, size_t *number);

/* Stops the pump: nothing is being made when it returns. A zeroed or stopped pump may be stopped again. */
void pump_stop(struct pump *p);

#endif
