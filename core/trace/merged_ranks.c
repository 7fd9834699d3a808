/* Which rows of a merged file belong to which rank? */
#define _GNU_SOURCE
#include "core/trace/merged_ranks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/hash.h"

void merged_ranks_release(struct merged_ranks *m)
{
    free(m->items);
    *m = (struct merged_ranks){0};
}

static bool is_named(const struct merged_pid *p, const char *text, size_t length)
{
    return strlen(p->text) == length && !memcmp(p->text, text, length);
}

static void copy_text(char to[MERGED_TEXT_MAX], const char *text, size_t length)
{
    const size_t bytes = length < MERGED_TEXT_MAX ? length : MERGED_TEXT_MAX - 1;
    memcpy(to, text, bytes);
    to[bytes] = '\0';
}

/* Returns the slot of the pid, or the one that is free for it. */
static uint16_t *slot_of(struct merged_ranks *m, const char *text, size_t length)
{
    size_t i = hash_bytes(text, length) % MERGED_SLOTS;
    while (m->slots[i] && !is_named(&m->items[m->slots[i] - 1], text, length))
        i = (i + 1) % MERGED_SLOTS;
    return &m->slots[i];
}

int merged_ranks_find(struct merged_ranks *m, const char *text, size_t length, bool is_number, size_t *place,
                      struct err *e)
{
    length = length < MERGED_TEXT_MAX ? length : MERGED_TEXT_MAX - 1;
    *place = m->last;
    if (m->last < m->count && is_named(&m->items[m->last], text, length))
        return 0;
    uint16_t *slot = slot_of(m, text, length);
    if (*slot) {
        *place = m->last = *slot - 1u;
        return 0;
    }
    *place = SIZE_MAX;
    m->is_full |= m->count == MERGED_PIDS_MAX;
    struct merged_pid *pid = m->is_full ? NULL : ARRAY_PUSH(m);
    if (!pid)
        return m->is_full ? 0 : err_memory(e);
    *pid = (struct merged_pid){.is_number = is_number, .rank = -1};
    copy_text(pid->text, text, length);
    pid->number = is_number ? strtoll(pid->text, NULL, 10) : 0;
    *place = m->last = m->count - 1;
    *slot = (uint16_t)m->count;
    return 0;
}

void merged_ranks_label(struct merged_ranks *m, size_t place, const char *text)
{
    if (place >= m->count)
        return;
    char *labels = m->items[place].labels;
    const size_t used = strlen(labels);
    snprintf(labels + used, MERGED_TEXT_MAX - used, "%s%s", used ? " " : "", text);
}

void merged_ranks_note(struct merged_ranks *m, size_t place, enum merged_row row, int16_t device)
{
    struct merged_pid *p = place < m->count ? &m->items[place] : NULL;
    if (!p)
        return;
    p->has_calls |= row == MERGED_CALL;
    p->has_ranges |= row == MERGED_RANGE;
    p->has_work |= row == MERGED_WORK;
    p->has_copies |= row == MERGED_COPY;
    for (size_t i = 0; i < p->device_count; i++)
        if (p->devices[i] == device)
            return;
    if (row == MERGED_WORK && p->device_count < MERGED_DEVICES_MAX)
        p->devices[p->device_count++] = device;
}

/* ---- keys: what is the same in all pids of a rank ---- */

/* Writes what distinguishes a rank, and returns false when the pid has no such thing. */
typedef bool rank_key(const struct merged_pid *p, char key[MERGED_TEXT_MAX]);

/* Leaves out the digits from `at` on; they must be the device of work. */
static bool without_digits(const struct merged_pid *p, const char *at, char key[MERGED_TEXT_MAX])
{
    const size_t digits = strspn(at, "0123456789");
    if (p->is_number || !digits || (p->has_work && (p->device_count != 1 || strtoll(at, NULL, 10) != p->devices[0])))
        return false;
    snprintf(key, MERGED_TEXT_MAX, "%.*s%s", (int)(at - p->text), p->text, at + digits);
    return true;
}

/* "[TP00] 4242", "[TP00] 0" */
static bool key_before_pid(const struct merged_pid *p, char key[MERGED_TEXT_MAX])
{
    const char *at = p->text + strlen(p->text);
    while (at > p->text && !isdigit((unsigned char)at[-1]))
        at--;
    while (at > p->text && isdigit((unsigned char)at[-1]))
        at--;
    return without_digits(p, at, key);
}

/* "4242 [rank 0]", "0 [rank 0]" */
static bool key_behind_pid(const struct merged_pid *p, char key[MERGED_TEXT_MAX])
{
    return without_digits(p, p->text + strcspn(p->text, "0123456789"), key);
}

/* "Rank 3", "rank_3", "RANK=3" */
static bool number_of_rank(const char *text, char key[MERGED_TEXT_MAX])
{
    const char *at = strcasestr(text, "rank");
    if (!at)
        return false;
    at += 4;
    at += strspn(at, " _:=#-");
    const size_t digits = strspn(at, "0123456789");
    snprintf(key, MERGED_TEXT_MAX, "%.*s", (int)digits, at);
    return digits > 0 && digits < 6;
}

static bool key_of_rank(const struct merged_pid *p, char key[MERGED_TEXT_MAX])
{
    return number_of_rank(p->text, key) || number_of_rank(p->labels, key);
}

/* "[TP0 DP1] python" */
static bool key_in_brackets(const struct merged_pid *p, char key[MERGED_TEXT_MAX])
{
    const char *from = strchr(p->text, '[') ? strchr(p->text, '[') : strchr(p->labels, '[');
    const char *to = from ? strchr(from, ']') : NULL;
    if (to)
        snprintf(key, MERGED_TEXT_MAX, "%.*s", (int)(to - from), from);
    return to != NULL;
}

static rank_key *const rank_keys[] = {key_of_rank, key_before_pid, key_behind_pid, key_in_brackets};

struct keyed {
    char key[MERGED_TEXT_MAX];
    struct merged_pid *pid;
};

/* "rank 2" is before "rank 10". */
static int keyed_order(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    const int order = strverscmp(a->key, b->key);
    return order ? order : strcmp(a->pid->text, b->pid->text);
}

static bool is_of_host(const struct merged_pid *p)
{
    return p->has_calls || p->has_ranges;
}

static bool counts(const struct merged_pid *p)
{
    return is_of_host(p) || p->has_work || p->has_copies;
}

/* Do two pids of one rank run on one device? Then the rank is more than one. */
static bool share_device(const struct merged_pid *a, const struct merged_pid *b)
{
    for (size_t i = 0; i < a->device_count; i++)
        for (size_t k = 0; k < b->device_count; k++)
            if (a->devices[i] == b->devices[k])
                return true;
    return false;
}

/* The pids of one key are those of one rank: one has calls, and each has devices of its own. */
static bool is_one_rank(const struct keyed *k, size_t count)
{
    size_t callers = 0;
    for (size_t i = 0; i < count; i++) {
        callers += is_of_host(k[i].pid);
        for (size_t j = 0; j < i; j++)
            if (share_device(k[i].pid, k[j].pid))
                return false;
    }
    return callers <= 1;
}

static bool has_work(const struct keyed *k, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (k[i].pid->has_work || k[i].pid->has_copies)
            return true;
    return false;
}

static long number_in(const struct keyed *k)
{
    return strtol(k->key, NULL, 10);
}

/* Does each key have a number of its own that a rank can have? "1" and "01" do not. */
static bool numbers_differ(const struct keyed *k, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (number_in(&k[i]) > INT16_MAX)
            return false;
        for (size_t j = 0; j < i; j++)
            if (number_in(&k[i]) == number_in(&k[j]) && strcmp(k[i].key, k[j].key))
                return false;
    }
    return true;
}

/* Numbers the keys in their order, or by their own numbers. Returns how many there are; 0 when they cannot be ranks. */
static size_t number_keys(struct keyed *k, size_t count, bool by_number)
{
    size_t ranks = 0, end;
    bool some_work = false;
    for (size_t from = 0; from < count; from = end) {
        for (end = from + 1; end < count && !strcmp(k[end].key, k[from].key);)
            end++;
        if (!is_one_rank(k + from, end - from))
            return 0;
        some_work |= has_work(k + from, end - from);
        const long number = by_number ? number_in(&k[from]) : (long)ranks;
        for (size_t i = from; i < end; i++)
            k[i].pid->rank = (int16_t)number;
        ranks++;
    }
    return some_work ? ranks : 0;
}

/* Does each process with calls have work under its key, where there are calls at all? */
static bool keys_meet(const struct keyed *k, size_t count)
{
    size_t calls = 0, both = 0;
    for (size_t from = 0, end; from < count; from = end) {
        bool has_calls = false;
        for (end = from; end < count && !strcmp(k[end].key, k[from].key); end++)
            has_calls |= is_of_host(k[end].pid);
        calls += has_calls;
        both += has_calls && has_work(k + from, end - from);
    }
    return !calls || both;
}

static bool decide_by_key(struct merged_ranks *m, rank_key *key, struct keyed *room)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        struct merged_pid *p = &m->items[i];
        if (!counts(p))
            continue;
        if (!key(p, room[count].key))
            return false;
        room[count++].pid = p;
    }
    qsort(room, count, sizeof *room, keyed_order);
    m->ranks = keys_meet(room, count) ? number_keys(room, count, key == key_of_rank && numbers_differ(room, count)) : 0;
    return m->ranks > 1;
}

/* ---- offsets: numbers that were added to pids ---- */

/* What was added to the pid of work, whose own pid is its device; -1: nothing that is the same for all its devices. */
static int64_t offset_of(const struct merged_pid *p)
{
    return p->is_number && p->device_count == 1 && p->devices[0] >= 0 && p->number >= p->devices[0]
               ? p->number - p->devices[0]
               : -1;
}

static int number_order(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static size_t list_offsets(const struct merged_ranks *m, int64_t *out)
{
    size_t count = 0, distinct = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!m->items[i].has_work)
            continue;
        out[count] = offset_of(&m->items[i]);
        if (out[count++] < 0)
            return 0;
    }
    qsort(out, count, sizeof *out, number_order);
    for (size_t i = 0; i < count; i++)
        if (!i || out[i] != out[distinct - 1])
            out[distinct++] = out[i];
    return distinct;
}

/* Returns one more than the place of the last offset up to the pid; 0 when there is none. */
static size_t rank_below(const struct merged_pid *p, const int64_t *offsets, size_t count)
{
    while (count && (!p->is_number || offsets[count - 1] > p->number))
        count--;
    return count;
}

/* A process lies between its own offset and the next. */
static bool place_callers(struct merged_ranks *m, const int64_t *offsets, size_t count)
{
    bool taken[MERGED_PIDS_MAX] = {false};
    for (size_t i = 0; i < m->count; i++) {
        struct merged_pid *p = &m->items[i];
        if (!is_of_host(p))
            continue;
        const size_t rank = rank_below(p, offsets, count);
        if (!rank || taken[rank - 1] || p->has_work || p->has_copies)
            return false;
        taken[rank - 1] = true;
        p->rank = (int16_t)(rank - 1);
    }
    return true;
}

/* And so do the pids of work without kernels. */
static bool place_copies(struct merged_ranks *m, const int64_t *offsets, size_t count)
{
    for (size_t i = 0; i < m->count; i++) {
        struct merged_pid *p = &m->items[i];
        if (!p->has_copies || p->has_work)
            continue;
        const size_t rank = rank_below(p, offsets, count);
        if (!rank)
            return false;
        p->rank = (int16_t)(rank - 1);
    }
    return true;
}

static bool decide_by_offset(struct merged_ranks *m)
{
    int64_t offsets[MERGED_PIDS_MAX];
    const size_t count = list_offsets(m, offsets);
    if (count < 2 || !place_callers(m, offsets, count) || !place_copies(m, offsets, count))
        return false;
    for (size_t i = 0; i < m->count; i++)
        for (size_t rank = 0; m->items[i].has_work && rank < count; rank++)
            if (offset_of(&m->items[i]) == offsets[rank])
                m->items[i].rank = (int16_t)rank;
    m->ranks = count;
    return true;
}

/* ---- the decision ---- */

/* One process makes calls, and no device number has two pids: nothing was merged. Others may have ranges where all work
 * has one pid: it is that of the caller. */
static bool is_one_process(const struct merged_ranks *m)
{
    size_t callers = 0, hosts = 0, workers = 0;
    for (size_t i = 0; i < m->count; i++) {
        const struct merged_pid *p = &m->items[i];
        callers += p->has_calls;
        hosts += is_of_host(p);
        workers += p->has_work;
        for (size_t k = 0; k < i; k++)
            if (share_device(p, &m->items[k]))
                return false;
    }
    return hosts <= 1 || (callers == 1 && workers == 1);
}

enum merged_by merged_ranks_decide(struct merged_ranks *m)
{
    if (m->is_full)
        return MERGED_UNKNOWN;
    if (is_one_process(m))
        return MERGED_NOT;
    struct keyed *room = calloc(m->count, sizeof *room);
    enum merged_by by = MERGED_UNKNOWN;
    for (size_t i = 0; room && by == MERGED_UNKNOWN && i < COUNT_OF(rank_keys); i++)
        if (decide_by_key(m, rank_keys[i], room))
            by = MERGED_BY_LABEL;
    free(room);
    if (by == MERGED_UNKNOWN && decide_by_offset(m))
        by = MERGED_BY_OFFSET;
    return by;
}
