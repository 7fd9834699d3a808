/* Which kernel and which copies belong to what NCCL said of a collective? */
#include "core/trace/readers/shard_collectives.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/trace/collective_notes.h"
#include "core/trace/event_work.h"

/* A call that launched something while the kernel of a row was launched. */
struct candidate {
    size_t row; /* the first of those with the same thread and times */
    uint32_t correlation;
};

struct kernel {
    int64_t start_ns;
    uint32_t correlation, stream;
    int16_t device;
};

struct joining {
    struct shard_slices *slices;
    const struct shard_collectives *rows; /* in order */
    struct strtab *strings;
    bool is_misnumbered, has_copies;
    ARRAY_OF(struct candidate) candidates;
    ARRAY_OF(struct kernel) kernels; /* those of NCCL */
    ARRAY_OF(uint32_t) copies;       /* ids of those between GPUs */
};

void shard_collectives_release(struct shard_collectives *c)
{
    free(c->rows.items);
    *c = (struct shard_collectives){0};
}

/* ---- rows ---- */

static bool adopt(const struct shard_slices *slices, struct collective_row *row)
{
    uint32_t *const texts[] = {&row->operation, &row->type, &row->algorithm, &row->protocol, &row->name};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (!shard_slices_translate(slices, texts[i]))
            return false;
    return true;
}

const char *shard_collectives_fault(const struct shard_slices *slices, const void *payload, size_t bytes)
{
    struct collective_row row;
    if (bytes % sizeof row)
        return "a chunk of collectives holds part of a row";
    for (size_t at = 0; at < bytes; at += sizeof row) {
        memcpy(&row, (const char *)payload + at, sizeof row);
        if (!adopt(slices, &row))
            return "a collective has a string that is not there";
        if (row.begin_ns > row.end_ns || row.position < 1 || row.sequence < 0)
            return "a collective ends before it starts, or has no number";
    }
    return NULL;
}

int shard_collectives_add(struct shard_collectives *c, const struct shard_slices *slices, const void *payload,
                          size_t bytes, struct err *e)
{
    for (size_t at = 0; at < bytes; at += sizeof *c->rows.items) {
        struct collective_row *slot = ARRAY_PUSH(&c->rows);
        if (!slot)
            return err_memory(e);
        memcpy(slot, (const char *)payload + at, sizeof *slot);
        adopt(slices, slot);
    }
    return 0;
}

static int by_thread(const void *left, const void *right)
{
    const struct collective_row *a = left, *b = right;
#define COMPARE(member)                                                                                                \
    if (a->member != b->member)                                                                                        \
        return a->member < b->member ? -1 : 1;
    COMPARE(thread)
    COMPARE(begin_ns)
    COMPARE(end_ns)
    COMPARE(communicator)
    COMPARE(position)
#undef COMPARE
    return 0;
}

/* Returns the last row of the thread that begins by then; their number when there is none. */
static size_t last_before(const struct shard_collectives *c, uint32_t thread, int64_t time_ns)
{
    size_t low = 0, high = c->rows.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct collective_row *row = &c->rows.items[middle];
        if (row->thread < thread || (row->thread == thread && row->begin_ns <= time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low && c->rows.items[low - 1].thread == thread ? low - 1 : c->rows.count;
}

static bool is_same_launch(const struct collective_row *a, const struct collective_row *b)
{
    return a->thread == b->thread && a->begin_ns == b->begin_ns && a->end_ns == b->end_ns;
}

/* ---- events ---- */

static int take_call(struct joining *j, const struct cpprof_event *call, struct err *e)
{
    const struct collective_row *rows = j->rows->rows.items;
    size_t row = last_before(j->rows, call->thread, call->start_ns);
    if (row == j->rows->rows.count || call->start_ns > rows[row].end_ns)
        return 0;
    while (row && is_same_launch(&rows[row - 1], &rows[row]))
        row--;
    struct candidate *slot = ARRAY_PUSH(&j->candidates);
    if (!slot)
        return err_memory(e);
    *slot = (struct candidate){row, call->correlation};
    return 0;
}

static int take_kernel(struct joining *j, const struct cpprof_event *event, struct err *e)
{
    if (!event->correlation || !strstr(strtab_text(j->strings, event->name), "nccl"))
        return 0;
    struct kernel *slot = ARRAY_PUSH(&j->kernels);
    if (!slot)
        return err_memory(e);
    *slot = (struct kernel){event->start_ns, event->correlation, event->stream, event->device};
    return 0;
}

static int take_copy(struct joining *j, const struct cpprof_event *event, struct err *e)
{
    uint32_t *slot = event->correlation ? ARRAY_PUSH(&j->copies) : NULL;
    if (slot)
        *slot = event->correlation;
    return slot || !event->correlation ? 0 : err_memory(e);
}

static int take_event(struct joining *j, const struct cpprof_event *event, struct err *e)
{
    if (event->kind == CPPROF_EVENT_KERNEL)
        return take_kernel(j, event, e);
    if (event_is_between_gpus(event))
        return take_copy(j, event, e);
    const bool is_call = event->kind == CPPROF_EVENT_API && (event->detail == CPPROF_API_LAUNCH || j->has_copies);
    return is_call ? take_call(j, event, e) : 0;
}

static int read_events(struct joining *j, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < j->slices->slices.count; i++) {
        const int trouble = shard_slices_load(j->slices, i);
        const struct cpprof_event *events = j->slices->places[i % PUMP_PLACES];
        if (trouble)
            return shard_slices_set_error(j->slices, trouble, e);
        for (size_t k = 0; !rc && k < j->slices->slices.items[i].events; k++)
            rc = take_event(j, &events[k], e);
    }
    return rc;
}

/* ---- notes ---- */

static int64_t bytes_of_type(const char *type)
{
    static const struct {
        const char *name;
        int bytes;
    } types[] = {{"ncclInt8", 1},    {"ncclUint8", 1},    {"ncclFloat8e4m3", 1}, {"ncclFloat8e5m2", 1},
                 {"ncclFloat16", 2}, {"ncclBfloat16", 2}, {"ncclInt32", 4},      {"ncclUint32", 4},
                 {"ncclFloat32", 4}, {"ncclInt64", 8},    {"ncclUint64", 8},     {"ncclFloat64", 8}};
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (!strcmp(type, types[i].name))
            return types[i].bytes;
    return 0;
}

/* The larger of what goes in and out; -1: unknown. Of some operations each rank gives or gets a part. */
static int64_t bytes_of(const struct joining *j, const struct collective_row *row)
{
    const char *operation = strtab_text(j->strings, row->operation);
    const int64_t each = bytes_of_type(strtab_text(j->strings, row->type));
    const bool is_part = !strcmp(operation, "AllGather") || !strcmp(operation, "ReduceScatter") ||
                         !strcmp(operation, "AlltoAll") || !strcmp(operation, "Gather") ||
                         !strcmp(operation, "Scatter");
    int64_t bytes;
    if (!each || (is_part && !row->ranks) || row->count > INT64_MAX ||
        __builtin_mul_overflow((int64_t)row->count, each, &bytes) ||
        __builtin_mul_overflow(bytes, is_part ? (int64_t)row->ranks : 1, &bytes))
        return -1;
    return bytes;
}

/* No list of ranks can follow: "[" would begin one. */
static uint32_t group_of(const struct joining *j, const struct collective_row *row)
{
    struct str text;
    str_init(&text);
    if (row->name)
        str_addf(&text, "%s ", strtab_text(j->strings, row->name));
    str_addf(&text, "%016" PRIx64, row->communicator);
    for (size_t i = 0; i < text.length; i++)
        text.text[i] = text.text[i] == '[' ? '(' : text.text[i];
    const uint32_t id = text.failed ? 0 : strtab_add(j->strings, str_text(&text));
    str_release(&text);
    return id;
}

/* Several collectives that are one kernel have the number of the first, and the bytes of all. */
static struct collective_note note_of(const struct joining *j, size_t first, const struct kernel *kernel)
{
    const struct collective_row *rows = j->rows->rows.items;
    struct collective_note note = {.start_ns = kernel->start_ns,
                                   .bytes = bytes_of(j, &rows[first]),
                                   .sequence = j->is_misnumbered ? -1 : rows[first].position,
                                   .group = group_of(j, &rows[first]),
                                   .operation = rows[first].operation,
                                   .group_size = rows[first].ranks,
                                   .stream = kernel->stream,
                                   .rank = j->slices->rank,
                                   .device = kernel->device,
                                   .correlation = kernel->correlation};
    for (size_t i = first + 1; i < j->rows->rows.count && is_same_launch(&rows[i], &rows[first]); i++) {
        const int64_t bytes = bytes_of(j, &rows[i]);
        if (note.bytes < 0 || bytes < 0 || __builtin_add_overflow(note.bytes, bytes, &note.bytes))
            note.bytes = -1;
        note.operation = rows[i].operation == note.operation ? note.operation : 0;
    }
    return note;
}

static int by_correlation(const void *left, const void *right)
{
    const struct kernel *a = left, *b = right;
    return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

static int by_row(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return (a->row > b->row) - (a->row < b->row);
}

/* Returns the only kernel of NCCL that these calls launched; NULL when there is none, or there are several. */
static const struct kernel *only_kernel(const struct joining *j, const struct candidate *calls, size_t count)
{
    const struct kernel *found = NULL, *end = j->kernels.items + j->kernels.count;
    for (size_t i = 0; i < count; i++) {
        const struct kernel key = {.correlation = calls[i].correlation};
        const struct kernel *k =
            j->kernels.count ? bsearch(&key, j->kernels.items, j->kernels.count, sizeof key, by_correlation) : NULL;
        if (!k)
            continue;
        const bool is_one = (k == j->kernels.items || k[-1].correlation != k->correlation) &&
                            (k + 1 == end || k[1].correlation != k->correlation);
        if (found || !is_one)
            return NULL;
        found = k;
    }
    return found;
}

static int write_notes(struct joining *j, struct record_spool *notes, struct err *e)
{
    int rc = 0;
    for (size_t i = 0, end; !rc && i < j->candidates.count; i = end) {
        const size_t row = j->candidates.items[i].row;
        for (end = i + 1; end < j->candidates.count && j->candidates.items[end].row == row;)
            end++;
        const struct kernel *kernel = only_kernel(j, &j->candidates.items[i], end - i);
        if (!kernel)
            continue;
        const struct collective_note note = note_of(j, row, kernel);
        rc = note.group ? record_spool_add(notes, &note, e) : err_memory(e);
    }
    return rc;
}

/* ---- copies ---- */

/* NCCL before 2.28 does not say when it launches: a row reaches from one report of the thread to the next, and has all
 * that the program did meanwhile. It has no copies in place of kernels either. */
static bool says_its_launch(const struct shard_collectives *c, size_t first)
{
    const struct collective_row *rows = c->rows.items, *row = &rows[first];
    size_t next = first + 1;
    while (next < c->rows.count && is_same_launch(&rows[next], row))
        next++;
    const bool follows = first && rows[first - 1].thread == row->thread && rows[first - 1].end_ns == row->begin_ns;
    return !follows &&
           !(next < c->rows.count && rows[next].thread == row->thread && rows[next].begin_ns == row->end_ns);
}

static int by_id(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static int mark_copies(struct joining *j, struct err *e)
{
    int rc = 0;
    if (j->copies.count)
        qsort(j->copies.items, j->copies.count, sizeof *j->copies.items, by_id);
    for (size_t i = 0; !rc && j->copies.count && i < j->candidates.count; i++) {
        const struct candidate *call = &j->candidates.items[i];
        if (bsearch(&call->correlation, j->copies.items, j->copies.count, sizeof call->correlation, by_id) &&
            says_its_launch(j->rows, call->row) && shard_slices_add_comm_copy(j->slices, call->correlation))
            rc = err_memory(e);
    }
    shard_slices_sort_comm_copies(j->slices);
    return rc;
}

int shard_collectives_join(struct shard_collectives *c, struct shard_slices *slices, bool is_misnumbered,
                           struct strtab *strings, struct record_spool *notes, struct err *e)
{
    const bool has_copies = shard_slices_have_peer_copies(slices);
    if (!c->rows.count || (!notes && !has_copies))
        return 0;
    struct joining j = {
        .slices = slices, .rows = c, .strings = strings, .is_misnumbered = is_misnumbered, .has_copies = has_copies};
    qsort(c->rows.items, c->rows.count, sizeof *c->rows.items, by_thread);
    int rc = read_events(&j, e);
    if (j.kernels.count)
        qsort(j.kernels.items, j.kernels.count, sizeof *j.kernels.items, by_correlation);
    if (j.candidates.count)
        qsort(j.candidates.items, j.candidates.count, sizeof *j.candidates.items, by_row);
    if (!rc && notes)
        rc = write_notes(&j, notes, e);
    if (!rc)
        rc = mark_copies(&j, e);
    free(j.copies.items);
    free(j.kernels.items);
    free(j.candidates.items);
    return rc;
}
