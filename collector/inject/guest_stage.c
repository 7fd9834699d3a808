/* Whose turn is it, and how long does the other one wait? */
#define _GNU_SOURCE
#include "collector/inject/guest_stage.h"

#include <pthread.h>
#include <time.h>

#include "collector/activity/activity_buffers.h"

enum { LOOKS_PER_PATIENCE = 8 };

static struct {
    pthread_mutex_t lock; /* guards the fields below; only `progress` is called while it is held */
    pthread_cond_t changed;
    enum guest_stage stage;
    struct { /* shared by all threads that wait for the end */
        bool has_begun;
        int64_t limit_ns, moved_ns; /* on CLOCK_MONOTONIC: the deadline, and the time of the last progress */
        uint64_t progress;
    } end;
} turns = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* The caller holds the lock. */
static bool enter(enum guest_stage stage)
{
    if (turns.stage >= stage)
        return false;
    turns.stage = stage;
    pthread_cond_broadcast(&turns.changed);
    return true;
}

/* Waits until a stage is entered, the time is over, or spuriously. The caller holds the lock. */
static void wait_until(int64_t until_ns)
{
    const struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
    pthread_cond_clockwait(&turns.changed, &turns.lock, CLOCK_MONOTONIC, &until);
}

/* The caller holds the lock. */
static bool await(enum guest_stage stage, int64_t wait_ns)
{
    const int64_t now_ns = buffer_now_ns(), until_ns = wait_ns < INT64_MAX - now_ns ? now_ns + wait_ns : INT64_MAX;
    while (turns.stage < stage && buffer_now_ns() < until_ns)
        wait_until(until_ns);
    return turns.stage >= stage;
}

bool guest_stage_enter(enum guest_stage stage)
{
    pthread_mutex_lock(&turns.lock);
    const bool entered = enter(stage);
    pthread_mutex_unlock(&turns.lock);
    return entered;
}

bool guest_stage_has(enum guest_stage stage)
{
    return guest_stage_await(stage, 0);
}

bool guest_stage_await(enum guest_stage stage, int64_t wait_ns)
{
    pthread_mutex_lock(&turns.lock);
    const bool reached = await(stage, wait_ns);
    pthread_mutex_unlock(&turns.lock);
    return reached;
}

bool guest_stage_await_or_abandon(enum guest_stage stage, int64_t wait_ns)
{
    pthread_mutex_lock(&turns.lock);
    const bool reached = await(stage, wait_ns);
    if (!reached)
        enter(STAGE_ABANDONED);
    pthread_mutex_unlock(&turns.lock);
    return reached;
}

/* Was there no progress for too long? The caller holds the lock. */
static bool is_out_of_patience(int64_t patience_ns, uint64_t progress)
{
    const int64_t now_ns = buffer_now_ns();
    if (!turns.end.has_begun)
        turns.end.limit_ns = now_ns + STAGE_PATIENCES_MAX * patience_ns;
    if (!turns.end.has_begun || progress != turns.end.progress)
        turns.end.moved_ns = now_ns;
    turns.end.has_begun = true;
    turns.end.progress = progress;
    return now_ns >= turns.end.limit_ns || now_ns - turns.end.moved_ns >= patience_ns;
}

void guest_stage_await_end(int64_t patience_ns, uint64_t (*progress)(void))
{
    pthread_mutex_lock(&turns.lock);
    while (turns.stage < STAGE_ENDED) {
        if (is_out_of_patience(patience_ns, progress()))
            enter(STAGE_ABANDONED);
        else
            wait_until(buffer_now_ns() + patience_ns / LOOKS_PER_PATIENCE);
    }
    pthread_mutex_unlock(&turns.lock);
}
