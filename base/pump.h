/* pump.h - numbered things that two threads make and one of them uses, in order.
 *
 * The second thread works ahead as far as there are places. The user's own
 * thread makes what it needs when nobody else does, so that neither waits while
 * there is work, and all is well where there is one processor or no thread to
 * be had. Nobody else may touch a pump. */
#ifndef CPPROF_PUMP_H
#define CPPROF_PUMP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { PUMP_PLACES = 8 };

/* Makes thing `number` in its place, which is `number` modulo PUMP_PLACES: only
 * what belongs to the place or to the number may be written. */
typedef void pump_make(void *context, size_t number);

struct pump {
    size_t count;
    pump_make *make;
    void *context;
    size_t taken; /* things given to the user */

    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t has_place, has_thing;
    size_t used;    /* things below are, and their places free */
    size_t claimed; /* things below are made, or being made */
    bool is_made[PUMP_PLACES];
    bool stopping;
};

/* Things 0 to count - 1 will be made. `p` stays where it is until it is stopped. */
void pump_start(struct pump *p, size_t count, pump_make *make, void *context);

/* The next thing, which stays in its place until the next call. False when there are no more. */
bool pump_next(struct pump *p, size_t *number);

/* When it returns, nothing is being made. A pump that is zeroed or stopped may be stopped. */
void pump_stop(struct pump *p);

#endif
