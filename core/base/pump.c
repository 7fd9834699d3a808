/* How do two threads share the work of a list when only one of them uses the results? */
#define _GNU_SOURCE
#include "core/base/pump.h"

#include <sched.h>

static size_t sharing = 1, neighbours = 1; /* processes */

void pump_share_processors(size_t processes)
{
    sharing = processes;
}

void pump_have_neighbours(size_t processes)
{
    neighbours = processes;
}

/* Without a processor of its own, a second thread would only take turns with the first, or with other processes. */
bool pump_gets_thread(void)
{
    cpu_set_t allowed;
    return !sched_getaffinity(0, sizeof allowed, &allowed) && (size_t)CPU_COUNT(&allowed) > sharing * neighbours;
}

/* Makes one thing if there is one to make and a place for it. The caller holds the lock. */
static bool make_one(struct pump *p)
{
    if (p->claimed == p->count || p->claimed - p->used == PUMP_PLACES)
        return false;
    const size_t number = p->claimed++;
    p->is_made[number % PUMP_PLACES] = false;
    pthread_mutex_unlock(&p->lock);
    p->make(p->context, number);
    pthread_mutex_lock(&p->lock);
    p->is_made[number % PUMP_PLACES] = true;
    return true;
}

/* When no place is free it waits for half of them: waking up costs more than making one thing. */
static void *work_ahead(void *argument)
{
    struct pump *p = argument;
    pthread_mutex_lock(&p->lock);
    while (!p->stopping && p->claimed < p->count) {
        if (make_one(p))
            pthread_cond_signal(&p->has_thing);
        else
            while (!p->stopping && p->claimed - p->used > PUMP_PLACES / 2)
                pthread_cond_wait(&p->has_place, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void pump_start_alone(struct pump *p, size_t count, pump_make *make, void *context)
{
    *p = (struct pump){.count = count, .make = make, .context = context};
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->has_place, NULL);
    pthread_cond_init(&p->has_thing, NULL);
}

void pump_start(struct pump *p, size_t count, pump_make *make, void *context)
{
    pump_start_alone(p, count, make, context);
    if (count > 1 && pump_gets_thread())
        p->has_thread = !pthread_create(&p->thread, NULL, work_ahead, p);
}

bool pump_next(struct pump *p, size_t *number)
{
    if (p->taken == p->count)
        return false;
    pthread_mutex_lock(&p->lock);
    p->used = p->taken;
    if (p->claimed - p->used <= PUMP_PLACES / 2)
        pthread_cond_signal(&p->has_place);
    while (p->claimed == p->taken || !p->is_made[p->taken % PUMP_PLACES])
        if (!make_one(p))
            pthread_cond_wait(&p->has_thing, &p->lock);
    pthread_mutex_unlock(&p->lock);
    *number = p->taken++;
    return true;
}

void pump_stop(struct pump *p)
{
    if (!p->make)
        return;
    pthread_mutex_lock(&p->lock);
    p->stopping = true;
    pthread_cond_signal(&p->has_place);
    pthread_mutex_unlock(&p->lock);
    if (p->has_thread)
        pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->has_thing);
    pthread_cond_destroy(&p->has_place);
    pthread_mutex_destroy(&p->lock);
    *p = (struct pump){0};
}
