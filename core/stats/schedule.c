/* In which order are arms timed? */
#include "core/stats/schedule.h"

#include <string.h>

static const char *const names[SCHEDULES] = {
    [SCHEDULE_ABBA] = "abba", [SCHEDULE_PROCESS] = "process", [SCHEDULE_SEQUENTIAL] = "sequential"};

const char *schedule_name(enum schedule schedule)
{
    return names[schedule];
}

bool schedule_parse(const char *name, enum schedule *out)
{
    for (int i = 0; i < SCHEDULES; i++)
        if (!strcmp(names[i], name)) {
            *out = (enum schedule)i;
            return true;
        }
    return false;
}

size_t schedule_waves(enum schedule schedule, size_t arms, size_t arm)
{
    switch (schedule) {
    case SCHEDULE_PROCESS: return arm < arms ? 1 : 0;
    case SCHEDULE_SEQUENTIAL: return arms;
    default: return arms ? 1 : 0;
    }
}

struct wave schedule_wave(enum schedule schedule, size_t arms, size_t arm, bool flip, size_t nth)
{
    switch (schedule) {
    case SCHEDULE_PROCESS: return (struct wave){arm, 1};
    case SCHEDULE_SEQUENTIAL: return (struct wave){flip ? arms - 1 - nth : nth, 1};
    default: return (struct wave){0, arms};
    }
}

size_t schedule_turn(struct wave wave, size_t block, bool flip, size_t nth)
{
    const bool backwards = (block % 2 == 1) != flip;
    return wave.first + (backwards ? wave.count - 1 - nth : nth);
}

static uint64_t next_random(uint64_t *state) /* splitmix64 (Steele, Lea, Flood 2014) */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void schedule_set_up_order(struct wave wave, uint64_t draw, size_t *order)
{
    uint64_t state = draw;
    for (size_t i = 0; i < wave.count; i++)
        order[i] = wave.first + i;
    for (size_t left = wave.count; left > 1; left--) { /* Fisher and Yates; the bias of the remainder is below 2^-50 */
        const size_t pick = (size_t)(next_random(&state) % left), last = order[left - 1];
        order[left - 1] = order[pick];
        order[pick] = last;
    }
}
