/* Which block goes on, and which comes next? */
#include "collector/inject/delay_schedule.h"

enum { BLOCK_NS = 40000000, BLOCK_LAUNCHES = 16, PATIENCE_NS = 250000000 };

/* Marsaglia 2003, xorshift64. */
static uint64_t draw(struct delay_schedule *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

static void swap(struct delay_schedule *s, size_t a, size_t b)
{
    const unsigned char kept = s->order[a];
    s->order[a] = s->order[b];
    s->order[b] = kept;
}

/* Two blocks of one pair in a row would be one. */
static void shuffle(struct delay_schedule *s)
{
    const size_t count = s->targets * s->doses;
    const unsigned char last = s->order[count - 1];
    for (size_t i = count - 1; i > 0; i--)
        swap(s, i, (size_t)(draw(s) % (i + 1)));
    if (s->has_begun && s->order[0] == last)
        swap(s, 0, count - 1);
    s->position = 0;
}

void delay_schedule_init(struct delay_schedule *s, size_t targets, size_t doses, uint64_t seed)
{
    *s = (struct delay_schedule){.targets = targets, .doses = doses, .random = seed ? seed : 1};
    for (size_t i = 0; i < targets * doses; i++)
        s->order[i] = (unsigned char)i;
    shuffle(s);
}

static size_t target_of(const struct delay_schedule *s)
{
    return s->order[s->position] / s->doses;
}

static void step(struct delay_schedule *s)
{
    if (++s->position == s->targets * s->doses)
        shuffle(s);
}

static void begin_block(struct delay_schedule *s, int64_t now_ns)
{
    while (!s->is_seen[target_of(s)])
        step(s);
    s->has_begun = true;
    s->launches = 0;
    s->last_ns = now_ns;
    s->blocks++;
}

static bool is_over(const struct delay_schedule *s, size_t target, int64_t now_ns)
{
    if (target != target_of(s))
        return now_ns - s->last_ns > PATIENCE_NS;
    return s->launches >= BLOCK_LAUNCHES && now_ns - s->began_ns >= BLOCK_NS;
}

size_t delay_schedule_take(struct delay_schedule *s, size_t target, int64_t now_ns)
{
    s->is_seen[target] = true;
    if (!s->has_begun) {
        begin_block(s, now_ns);
    } else if (is_over(s, target, now_ns)) {
        step(s);
        begin_block(s, now_ns);
    }
    if (target != target_of(s))
        return CAUSAL_OUT_OF_TURN;
    if (!s->launches++)
        s->began_ns = now_ns;
    s->last_ns = now_ns;
    return s->order[s->position] % s->doses;
}
