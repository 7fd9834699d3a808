/* When does a condition hold, and what was recorded because of it? */
#define _GNU_SOURCE
#include "collector/inject/guest_trigger.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const int64_t never_ns = INT64_MAX;

/* One stretch of time that was recorded. */
struct piece {
    uint64_t first, last;       /* occurrences; 0: none */
    uint64_t slow;              /* the occurrence that took too long; 0: none */
    int64_t slow_ns, median_ns; /* its length, and that of the others */
    int64_t start_ns, end_ns;   /* on the events' clock; 0: recording was never on, or still is */
};

static struct {
    struct trigger_rule rule;
    const char *text;
    char *file;
    int64_t for_ns;
    pthread_mutex_t lock; /* guards the fields below; nothing is called while it is held */
    uint64_t begun;       /* the highest number that has begun */
    uint64_t first, last; /* the occurrences that are wanted; 0: none */
    int64_t open;         /* how many of these go on */
    struct piece cause;   /* of the occurrences that are wanted */
    int times;
    int64_t lengths[TRIGGER_COMPARED_MAX]; /* a ring */
    uint64_t length_count;
    struct timespec touched;
    int64_t close_ns; /* on CLOCK_MONOTONIC */
    struct piece *pieces;
    size_t piece_count;
    uint64_t pieces_left_out;
    bool is_recording, has_news;
} trigger = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void)
{
    pthread_mutex_lock(&trigger.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&trigger.lock);
}

/* ---- the beginning ---- */

/* The caller holds the lock. */
static void start_over(void)
{
    const bool is_known = trigger.rule.kind == TRIGGER_OCCURRENCES;
    trigger.first = is_known ? trigger.rule.first : 0;
    trigger.last = is_known ? trigger.rule.last : 0;
    trigger.begun = trigger.length_count = trigger.pieces_left_out = 0;
    trigger.open = 0;
    trigger.piece_count = 0;
    trigger.times = 0;
}

/* A child that is forked before CUDA starts may start it. It counts its own occurrences. */
static void in_child(void)
{
    start_over();
    unlock();
}

static struct timespec touched_at(void)
{
    struct stat s;
    return trigger.file && !stat(trigger.file, &s) ? s.st_mtim : (struct timespec){0};
}

void guest_trigger_init(const struct trigger_rule *rule, const char *text, const char *directory, int64_t for_ns)
{
    trigger.rule = *rule;
    trigger.text = text;
    trigger.for_ns = for_ns;
    start_over();
    if (rule->kind != TRIGGER_NONE)
        pthread_atfork(lock, unlock, in_child);
    if (rule->kind != TRIGGER_FILE_APPEARS)
        return;
    if (asprintf(&trigger.file, "%s/%s", directory, TRIGGER_FILE) < 0)
        trigger.file = NULL;
    trigger.touched = touched_at(); /* what an earlier process recorded is not for this one */
}

/* ---- occurrences ---- */

static int compare_lengths(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The caller holds the lock. */
static int64_t median_length(void)
{
    int64_t sorted[TRIGGER_COMPARED_MAX];
    const size_t count =
        trigger.length_count < TRIGGER_COMPARED_MAX ? (size_t)trigger.length_count : TRIGGER_COMPARED_MAX;
    memcpy(sorted, trigger.lengths, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_lengths);
    return count % 2 ? sorted[count / 2] : sorted[count / 2 - 1] / 2 + sorted[count / 2] / 2;
}

/* Occurrences that are wanted are not compared: recording may have slowed them down. The caller holds the lock. */
static void compare(uint64_t number, int64_t length_ns)
{
    const bool knows_enough = trigger.length_count >= TRIGGER_COMPARED_MIN;
    const int64_t median_ns = knows_enough ? median_length() : 0;
    if (knows_enough && trigger.times < TRIGGER_TIMES_MAX &&
        (double)length_ns > trigger.rule.ratio * (double)median_ns) {
        trigger.times++;
        trigger.first = trigger.begun + 1;
        trigger.last = trigger.begun + TRIGGER_FOLLOWING;
        trigger.cause = (struct piece){.slow = number, .slow_ns = length_ns, .median_ns = median_ns};
    }
    trigger.lengths[trigger.length_count++ % TRIGGER_COMPARED_MAX] = length_ns;
}

/* The caller holds the lock. */
static bool is_wanted(uint64_t number)
{
    return trigger.first && number >= trigger.first && number <= trigger.last;
}

void guest_trigger_began(uint64_t number)
{
    lock();
    if (number > trigger.begun)
        trigger.begun = number;
    trigger.open += is_wanted(number);
    unlock();
}

void guest_trigger_ended(uint64_t number, int64_t length_ns)
{
    lock();
    trigger.open -= is_wanted(number);
    if (trigger.first && trigger.begun >= trigger.last && !trigger.open) /* they may end in another order */
        trigger.first = trigger.last = 0;
    else if (trigger.rule.kind == TRIGGER_SLOWER && !trigger.first && length_ns > 0)
        compare(number, length_ns);
    unlock();
}

/* ---- the file ---- */

void guest_trigger_look(int64_t now_ns)
{
    if (trigger.rule.kind != TRIGGER_FILE_APPEARS)
        return;
    const struct timespec at = touched_at();
    lock();
    if ((at.tv_sec || at.tv_nsec) && (at.tv_sec != trigger.touched.tv_sec || at.tv_nsec != trigger.touched.tv_nsec))
        trigger.close_ns = now_ns + trigger.for_ns;
    trigger.touched = at;
    unlock();
}

/* ---- recording ---- */

bool guest_trigger_is_on(int64_t now_ns)
{
    lock();
    const bool on = trigger.rule.kind == TRIGGER_FILE_APPEARS ? now_ns < trigger.close_ns
                                                              : trigger.first && trigger.begun >= trigger.first;
    unlock();
    return on;
}

int64_t guest_trigger_next_ns(int64_t now_ns)
{
    lock();
    const int64_t close_ns = now_ns < trigger.close_ns ? trigger.close_ns : never_ns;
    unlock();
    return close_ns;
}

/* The caller holds the lock. */
static struct piece *add_piece(void)
{
    struct piece *more = trigger.piece_count < TRIGGER_PIECES_MAX
                             ? realloc(trigger.pieces, (trigger.piece_count + 1) * sizeof *more)
                             : NULL;
    if (!more) {
        trigger.pieces_left_out++;
        return NULL;
    }
    trigger.pieces = more;
    return &trigger.pieces[trigger.piece_count++];
}

/* The caller holds the lock. */
static void begin_piece(int64_t time_ns)
{
    struct piece *piece = add_piece();
    if (!piece)
        return;
    *piece = trigger.cause;
    piece->first = trigger.first;
    piece->last = trigger.last;
    piece->start_ns = time_ns;
}

/* The caller holds the lock. */
static void end_piece(int64_t time_ns)
{
    struct piece *piece = trigger.piece_count ? &trigger.pieces[trigger.piece_count - 1] : NULL;
    if (piece && !piece->end_ns)
        piece->end_ns = time_ns;
}

void guest_trigger_switched(bool on, int64_t time_ns)
{
    if (trigger.rule.kind == TRIGGER_NONE)
        return;
    lock();
    if (on && !trigger.is_recording)
        begin_piece(time_ns);
    else if (!on && trigger.is_recording)
        end_piece(time_ns);
    trigger.has_news |= on != trigger.is_recording;
    trigger.is_recording = on;
    unlock();
}

/* ---- the report ---- */

bool guest_trigger_has_news(void)
{
    lock();
    const bool has_news = trigger.has_news;
    trigger.has_news = false;
    unlock();
    return has_news;
}

/* An occurrence that has not begun is not recorded, although it is wanted. */
static json_t *piece_members(const struct piece *p, uint64_t begun)
{
    const uint64_t last = p->last < begun ? p->last : begun;
    json_t *members = json_pack("{s:I,s:o}", "start_ns", (json_int_t)p->start_ns, "end_ns",
                                p->end_ns ? json_integer((json_int_t)p->end_ns) : json_null());
    if (p->first) {
        json_object_set_new(members, "first", json_integer((json_int_t)p->first));
        json_object_set_new(members, "last", json_integer((json_int_t)last));
    }
    if (p->slow)
        json_object_set_new(members, "after",
                            json_pack("{s:I,s:I,s:I}", "occurrence", (json_int_t)p->slow, "length_ns",
                                      (json_int_t)p->slow_ns, "median_ns", (json_int_t)p->median_ns));
    return members;
}

json_t *guest_trigger_facts(void)
{
    if (trigger.rule.kind == TRIGGER_NONE)
        return NULL;
    json_t *recorded = json_array();
    lock();
    for (size_t i = 0; i < trigger.piece_count; i++)
        json_array_append_new(recorded, piece_members(&trigger.pieces[i], trigger.begun));
    json_t *facts =
        json_pack("{s:o,s:I,s:I,s:o}", "condition", json_text(trigger.text), "seen", (json_int_t)trigger.begun,
                  "left_out", (json_int_t)trigger.pieces_left_out, "recorded", recorded);
    unlock();
    return facts;
}
