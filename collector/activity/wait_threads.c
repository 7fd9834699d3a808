/* Which host thread waited? */
#include "collector/activity/wait_threads.h"

static struct wait_slot *slot_of(struct wait_threads *w, uint32_t correlation)
{
    return &w->slots[correlation % WAIT_SLOTS];
}

bool wait_threads_hold(struct wait_threads *w, struct cpprof_event *wait)
{
    struct wait_slot *slot = slot_of(w, wait->correlation);
    if (!wait->correlation)
        return true;
    if (slot->call_correlation == wait->correlation) {
        wait->thread = slot->call_thread;
        return true;
    }
    const struct cpprof_event older = slot->wait;
    const bool had_one = slot->waits;
    slot->wait = *wait;
    slot->round = w->round;
    slot->waits = true;
    *wait = older;
    return had_one;
}

bool wait_threads_call(struct wait_threads *w, const struct cpprof_event *call, struct cpprof_event *wait)
{
    struct wait_slot *slot = slot_of(w, call->correlation);
    if (!call->correlation)
        return false;
    slot->call_correlation = call->correlation;
    slot->call_thread = call->thread;
    if (!slot->waits || slot->wait.correlation != call->correlation)
        return false;
    *wait = slot->wait;
    wait->thread = call->thread;
    slot->waits = false;
    return true;
}

bool wait_threads_next_old(struct wait_threads *w, bool all, struct cpprof_event *wait)
{
    for (struct wait_slot *slot = w->slots; slot < w->slots + WAIT_SLOTS; slot++)
        if (slot->waits && (all || slot->round != w->round)) {
            slot->waits = false;
            *wait = slot->wait;
            return true;
        }
    w->round++;
    return false;
}
