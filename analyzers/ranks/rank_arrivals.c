/* Which collectives does each rank start, on which communicator, and when? */
#include "analyzers/ranks/rank_arrivals.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/count_sum.h"
#include "core/trace/collective_notes.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_work.h"

/* Notes with the start of the event that is being read. */
struct note_window {
    ARRAY_OF(struct collective_note) items;
    struct collective_note next;
    bool has_next;
};

/* What was read of a place so far. */
struct place_so_far {
    uint32_t streams;     /* with collectives */
    size_t last_arrival;  /* and 1 more; 0: none */
    int64_t copied_to_ns; /* the latest end of a copy between GPUs */
};

struct arriving {
    struct rank_arrivals *out;
    struct event_stream *stream;
    struct rank_kinds kinds;
    struct note_window notes;
    struct key_table clocks;          /* (0, origin) */
    struct key_table streams;         /* (place, stream) */
    struct key_table tracks;          /* (place, communicator) */
    struct key_table communicators;   /* (0, group's string id) or (1, order of the stream) */
    struct key_table kernels;         /* (place, name) */
    struct key_table sizes;           /* the bytes of an exchange */
    struct key_table sized;           /* (size, name) */
    struct key_table launched;        /* (sized, blocks) */
    struct key_table exchanges;       /* (launched, operation) */
    struct key_table ranks;           /* (0, rank): whose steps are counted */
    ARRAY_OF(uint32_t) stream_orders; /* by id of `streams` */
    ARRAY_OF(struct place_so_far) places;
    ARRAY_OF(int64_t) steps_of; /* by id of `ranks` */
    const struct strtab *strings;
};

/* ---- notes ---- */

static int read_note(struct arriving *a, struct err *e)
{
    const int got = event_stream_next_note(a->stream, &a->notes.next, e);
    a->notes.has_next = got == 1;
    return got == 1 ? 0 : got;
}

/* Events come in the order of their starts, and so do notes. */
static int move_window(struct arriving *a, int64_t start_ns, struct err *e)
{
    struct note_window *w = &a->notes;
    int rc = 0;
    if (w->items.count && w->items.items[0].start_ns != start_ns)
        w->items.count = 0;
    while (!rc && w->has_next && w->next.start_ns <= start_ns) {
        struct collective_note *slot = w->next.start_ns == start_ns ? ARRAY_PUSH(&w->items) : NULL;
        if (slot)
            *slot = w->next;
        else if (w->next.start_ns == start_ns)
            return err_memory(e);
        rc = read_note(a, e);
    }
    return rc;
}

static int by_kernel(const void *left, const void *right)
{
    const struct collective_note *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->stream > b->stream) - (a->stream < b->stream);
}

/* The window is sorted by (rank, device, stream). */
static const struct collective_note *note_of(const struct arriving *a, const struct cpprof_event *event)
{
    const struct collective_note key = {.rank = event->rank, .device = event->device, .stream = event->stream};
    return a->notes.items.count ? bsearch(&key, a->notes.items.items, a->notes.items.count, sizeof key, by_kernel)
                                : NULL;
}

/* ---- places, communicators, tracks ---- */

static int place_of(struct arriving *a, const struct cpprof_event *event, uint32_t *place, struct err *e)
{
    struct rank_arrivals *out = a->out;
    const uint32_t id = key_table_add(&out->place_ids, event->rank, (uint32_t)event->device);
    *place = id - 1;
    if (!id)
        return err_memory(e);
    if (id <= out->places.count)
        return 0;
    const uint32_t clock = key_table_add(&a->clocks, 0, (uint32_t)event_stream_origin(a->stream, event->rank));
    struct rank_place *slot = ARRAY_PUSH(&out->places);
    struct place_so_far *so_far = ARRAY_PUSH(&a->places);
    if (!clock || !slot || !so_far)
        return err_memory(e);
    so_far->copied_to_ns = INT64_MIN;
    *slot = (struct rank_place){.rank = event->rank, .device = event->device, .clock = clock - 1};
    event_stream_recorded_from(a->stream, event->rank, &slot->recorded_from_ns);
    return 0;
}

/* The first, second ... stream with collectives at its place. */
static int order_of_stream(struct arriving *a, uint32_t place, uint32_t stream, uint32_t *order, struct err *e)
{
    const uint32_t id = key_table_add(&a->streams, (int32_t)place, stream);
    if (!id)
        return err_memory(e);
    if (id > a->stream_orders.count) {
        uint32_t *slot = ARRAY_PUSH(&a->stream_orders);
        if (!slot)
            return err_memory(e);
        *slot = a->places.items[place].streams++;
    }
    *order = a->stream_orders.items[id - 1];
    return 0;
}

static void take_size(struct rank_communicator *c, const struct collective_note *note)
{
    if (!note || !note->group_size)
        return;
    if (!c->group_size)
        c->group_size = note->group_size;
    else if (c->group_size != note->group_size)
        c->other_size = note->group_size;
}

static int communicator_of(struct arriving *a, uint32_t place, const struct cpprof_event *event,
                           const struct collective_note *note, uint32_t *communicator, struct err *e)
{
    uint32_t order = 0;
    int rc = note ? 0 : order_of_stream(a, place, event->stream, &order, e);
    if (rc)
        return rc;
    const uint32_t id = key_table_add(&a->communicators, note ? 0 : 1, note ? note->group : order);
    *communicator = id - 1;
    if (!id)
        return err_memory(e);
    if (id > a->out->communicators.count) {
        struct rank_communicator *slot = ARRAY_PUSH(&a->out->communicators);
        if (!slot)
            return err_memory(e);
        *slot = (struct rank_communicator){.group = note ? note->group : 0, .order = order};
    }
    take_size(&a->out->communicators.items[id - 1], note);
    return 0;
}

static int track_of(struct arriving *a, uint32_t place, uint32_t communicator, uint32_t *track, struct err *e)
{
    const uint32_t id = key_table_add(&a->tracks, (int32_t)place, communicator);
    *track = id - 1;
    if (!id)
        return err_memory(e);
    if (id <= a->out->tracks.count)
        return 0;
    struct rank_track *slot = ARRAY_PUSH(&a->out->tracks);
    if (!slot)
        return err_memory(e);
    *slot = (struct rank_track){.place = place, .communicator = communicator};
    return 0;
}

/* ---- events ---- */

static uint32_t blocks_of(const struct cpprof_event *event)
{
    const uint64_t blocks = (uint64_t)event->grid[0] * event->grid[1] * event->grid[2];
    return blocks > UINT32_MAX ? UINT32_MAX : (uint32_t)blocks;
}

/* The note knows better than the kernel: NCCL runs an all-to-all as sends and receives. */
static enum rank_operation operation_of(const struct arriving *a, const struct cpprof_event *event,
                                        const struct collective_note *note)
{
    const enum rank_operation noted =
        note && note->operation ? rank_operation_of(strtab_text(a->strings, note->operation)) : RANK_UNNAMED;
    return noted != RANK_UNNAMED || event->name > strtab_count(a->strings)
               ? noted
               : (enum rank_operation)a->kinds.operations[event->name];
}

/* Each rank gives another size to an all-to-all. PyTorch notes 0 elements where it does not know them. */
static int64_t bytes_of(const struct arriving *a, const struct collective_note *note)
{
    const char *operation = strtab_text(a->strings, note->operation);
    return strstr(operation, "alltoall") || strstr(operation, "all_to_all") || !note->bytes ? -1 : note->bytes;
}

static int exchange_of(struct arriving *a, const struct rank_exchange *x, uint32_t *exchange, struct err *e)
{
    const uint64_t bytes = (uint64_t)x->bytes;
    const uint32_t size = key_table_add(&a->sizes, (int32_t)(bytes >> 32), (uint32_t)bytes);
    const uint32_t sized = size ? key_table_add(&a->sized, (int32_t)size, x->name) : 0;
    const uint32_t launched = sized ? key_table_add(&a->launched, (int32_t)sized, x->grid_blocks) : 0;
    const uint32_t id = launched ? key_table_add(&a->exchanges, (int32_t)launched, x->operation) : 0;
    *exchange = id - 1;
    if (!id)
        return err_memory(e);
    if (id <= a->out->exchanges.count)
        return 0;
    struct rank_exchange *slot = ARRAY_PUSH(&a->out->exchanges);
    if (!slot)
        return err_memory(e);
    *slot = *x;
    return 0;
}

static int add_arrival(struct arriving *a, uint32_t place, const struct cpprof_event *event,
                       const struct collective_note *note, struct err *e)
{
    struct rank_arrivals *out = a->out;
    const enum rank_operation operation = operation_of(a, event, note);
    const struct rank_exchange x = {note ? bytes_of(a, note) : -1, event->name, blocks_of(event), (uint8_t)operation};
    uint32_t communicator, track, exchange;
    int rc = communicator_of(a, place, event, note, &communicator, e);
    if (!rc)
        rc = track_of(a, place, communicator, &track, e);
    if (!rc)
        rc = exchange_of(a, &x, &exchange, e);
    if (rc)
        return rc;
    struct rank_exchanged *exchanged = ARRAY_PUSH(&out->exchanged);
    struct rank_arrival *slot = exchanged ? ARRAY_PUSH(&out->items) : NULL;
    if (!slot)
        return err_memory(e);
    exchanged->exchange = exchange & 0x7fffffff;
    exchanged->is_beside_copy = a->places.items[place].copied_to_ns > event->start_ns;
    *slot = (struct rank_arrival){
        .start_ns = event->start_ns, .end_ns = event->end_ns, .sequence = note ? note->sequence : -1, .track = track};
    a->places.items[place].last_arrival = out->items.count;
    out->tracks.items[track].count += operation != RANK_PAIRED;
    out->places.items[place].collectives++;
    out->paired += operation == RANK_PAIRED;
    return 0;
}

static int add_kernel(struct arriving *a, uint32_t place, const struct cpprof_event *event, struct err *e)
{
    struct rank_arrivals *out = a->out;
    const uint32_t id = key_table_add(&a->kernels, (int32_t)place, event->name);
    if (!id)
        return err_memory(e);
    if (id > out->kernels.count) {
        struct rank_kernel *slot = ARRAY_PUSH(&out->kernels);
        if (!slot)
            return err_memory(e);
        *slot = (struct rank_kernel){.place = place, .name = event->name};
    }
    out->kernels.items[id - 1].count++;
    count_add(&out->kernels.items[id - 1].sum_ns, duration_ns(event->start_ns, event->end_ns));
    return 0;
}

/* PyTorch's profiler opens a range "ProfilerStep#N" for each step. */
static int add_step(struct arriving *a, const struct cpprof_event *event, struct err *e)
{
    static const char begin[] = "ProfilerStep#";
    if (strncmp(strtab_text(a->strings, event->name), begin, sizeof begin - 1) != 0)
        return 0;
    const uint32_t id = key_table_add(&a->ranks, 0, (uint32_t)event->rank);
    if (!id || (id > a->steps_of.count && !ARRAY_PUSH(&a->steps_of)))
        return err_memory(e);
    a->steps_of.items[id - 1]++;
    if (id > 1 || a->out->steps.count == RANK_STEPS_KEPT)
        return 0;
    struct rank_step *slot = ARRAY_PUSH(&a->out->steps);
    if (!slot)
        return err_memory(e);
    *slot = (struct rank_step){event->start_ns, event->rank};
    return 0;
}

static int take_kernel(struct arriving *a, uint32_t place, const struct cpprof_event *event, struct err *e)
{
    if (!rank_kinds_communicates(&a->kinds, event))
        return event->flags & CPPROF_EVENT_UNFINISHED ? 0 : add_kernel(a, place, event, e);
    if (!rank_kinds_arrives(&a->kinds, event)) {
        a->out->unfinished++;
        return 0;
    }
    int rc = move_window(a, event->start_ns, e);
    return rc ? rc : add_arrival(a, place, event, note_of(a, event), e);
}

/* The links are the same, whichever stream it runs on. The last collective of the device stands for all that run. */
static void take_copy(struct arriving *a, uint32_t place, const struct cpprof_event *copy)
{
    struct place_so_far *p = &a->places.items[place];
    const struct rank_arrival *last = p->last_arrival ? &a->out->items.items[p->last_arrival - 1] : NULL;
    if (copy->detail != CPPROF_COPY_P2P || (copy->flags & CPPROF_EVENT_UNFINISHED))
        return;
    if (last && copy->start_ns < last->end_ns)
        a->out->exchanged.items[p->last_arrival - 1].is_beside_copy = true;
    if (copy->end_ns > p->copied_to_ns)
        p->copied_to_ns = copy->end_ns;
}

static bool is_too_many(const struct rank_arrivals *out)
{
    return out->items.count >= RANK_ARRIVALS_MAX || out->places.count >= RANK_PLACES_MAX ||
           out->kernels.count >= RANK_KERNELS_MAX;
}

static int take(struct arriving *a, const struct cpprof_event *event, struct err *e)
{
    uint32_t place;
    if (event->kind == CPPROF_EVENT_RANGE)
        return add_step(a, event, e);
    if (!event_is_gpu_work(event) || event->device < 0)
        return 0;
    int rc = place_of(a, event, &place, e);
    if (!rc && event->kind == CPPROF_EVENT_COPY)
        take_copy(a, place, event);
    return rc || event->kind != CPPROF_EVENT_KERNEL ? rc : take_kernel(a, place, event, e);
}

static int read_all(struct arriving *a, struct err *e)
{
    struct cpprof_event event;
    int rc = rank_kinds_make(&a->kinds, a->stream, e);
    if (!rc)
        rc = event_stream_rewind(a->stream, e);
    if (!rc)
        rc = event_stream_rewind_notes(a->stream, e);
    if (!rc)
        rc = read_note(a, e);
    while (!rc && !is_too_many(a->out) && (rc = event_stream_next(a->stream, &event, e)) == 1)
        rc = take(a, &event, e);
    return rc;
}

/* ---- order ---- */

static int by_place(const void *left, const void *right)
{
    const struct rank_place *a = left, *b = right;
    return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank)
                              : (a->device > b->device) - (a->device < b->device);
}

static int sort_places(struct rank_arrivals *out, struct err *e)
{
    out->place_of = calloc(out->places.count + 1, sizeof *out->place_of);
    if (!out->place_of)
        return err_memory(e);
    if (out->places.count)
        qsort(out->places.items, out->places.count, sizeof *out->places.items, by_place);
    for (size_t i = 0; i < out->places.count; i++) {
        const struct rank_place *p = &out->places.items[i];
        out->place_of[key_table_find(&out->place_ids, p->rank, (uint32_t)p->device) - 1] = (uint32_t)i;
    }
    for (size_t i = 0; i < out->tracks.count; i++)
        out->tracks.items[i].place = out->place_of[out->tracks.items[i].place];
    for (size_t i = 0; i < out->kernels.count; i++)
        out->kernels.items[i].place = out->place_of[out->kernels.items[i].place];
    return 0;
}

static int by_name(const void *left, const void *right)
{
    const struct rank_kernel *a = left, *b = right;
    return a->name != b->name ? (a->name > b->name) - (a->name < b->name)
                              : (a->place > b->place) - (a->place < b->place);
}

/* Several collectives that were launched as one may share a number. */
static void look_at_number(const struct rank_arrivals *out, struct rank_track *track, size_t at)
{
    const struct rank_arrival *items = out->items.items;
    const int64_t number = items[items[at].in_track].sequence;
    if (number < 0 || (at > track->first && number <= items[items[at - 1].in_track].sequence))
        track->is_numbered = false;
}

/* Arrivals of each track lie side by side, in order, without send and receive. */
static int sort_into_tracks(struct rank_arrivals *out, struct err *e)
{
    size_t *next = calloc(out->tracks.count + 1, sizeof *next), first = 0;
    if (!next)
        return err_memory(e);
    for (size_t i = 0; i < out->tracks.count; i++) {
        next[i] = out->tracks.items[i].first = first;
        out->tracks.items[i].is_numbered = true;
        first += out->tracks.items[i].count;
    }
    for (size_t i = 0; i < out->items.count; i++) {
        const struct rank_arrival *k = &out->items.items[i];
        if (rank_exchange_of(out, k)->operation == RANK_PAIRED)
            continue;
        out->items.items[next[k->track]].in_track = (uint32_t)i;
        look_at_number(out, &out->tracks.items[k->track], next[k->track]++);
    }
    free(next);
    return 0;
}

struct member {
    uint32_t communicator, place, track;
};

static int by_member(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    return a->communicator != b->communicator
               ? (a->communicator > b->communicator) - (a->communicator < b->communicator)
               : (a->place > b->place) - (a->place < b->place);
}

static int sort_members(struct rank_arrivals *out, struct err *e)
{
    const size_t count = out->tracks.count;
    struct member *members = calloc(count + 1, sizeof *members);
    out->members = calloc(count + 1, sizeof *out->members);
    if (!members || !out->members) {
        free(members);
        return err_memory(e);
    }
    for (size_t i = 0; i < count; i++)
        members[i] = (struct member){out->tracks.items[i].communicator, out->tracks.items[i].place, (uint32_t)i};
    qsort(members, count, sizeof *members, by_member);
    for (size_t i = 0; i < count; i++) {
        struct rank_communicator *c = &out->communicators.items[members[i].communicator];
        c->first = c->count++ ? c->first : i;
        out->members[i] = members[i].track;
    }
    free(members);
    return 0;
}

static int put_in_order(struct arriving *a, struct err *e)
{
    struct rank_arrivals *out = a->out;
    int rc = sort_places(out, e);
    if (out->kernels.count)
        qsort(out->kernels.items, out->kernels.count, sizeof *out->kernels.items, by_name);
    if (!rc)
        rc = sort_into_tracks(out, e);
    if (!rc)
        rc = sort_members(out, e);
    out->clock_count = a->clocks.count;
    for (size_t i = 0; i < out->places.count; i++)
        out->joined += out->places.items[i].collectives > 0;
    out->step_count = a->steps_of.count ? a->steps_of.items[0] : 0;
    for (size_t i = 1; i < a->steps_of.count; i++)
        out->step_count = a->steps_of.items[i] == out->step_count ? out->step_count : 0;
    return rc;
}

static enum arrivals_doubt doubt_of(const struct rank_arrivals *out)
{
    if (is_too_many(out))
        return ARRIVALS_TOO_MANY;
    if (out->places.count < 2)
        return ARRIVALS_FEW_PLACES;
    return out->items.count ? ARRIVALS_OK : ARRIVALS_NONE;
}

static void release_arriving(struct arriving *a)
{
    rank_kinds_release(&a->kinds);
    free(a->notes.items.items);
    free(a->stream_orders.items);
    free(a->places.items);
    free(a->steps_of.items);
    key_table_release(&a->clocks);
    key_table_release(&a->streams);
    key_table_release(&a->tracks);
    key_table_release(&a->communicators);
    key_table_release(&a->kernels);
    key_table_release(&a->ranks);
    key_table_release(&a->sizes);
    key_table_release(&a->sized);
    key_table_release(&a->launched);
    key_table_release(&a->exchanges);
}

int rank_arrivals_read(struct event_stream *stream, struct rank_arrivals *out, struct err *e)
{
    *out = (struct rank_arrivals){0};
    struct arriving a = {.out = out, .stream = stream, .strings = event_stream_strings(stream)};
    int rc = read_all(&a, e);
    if (!rc)
        rc = put_in_order(&a, e);
    if (!rc)
        out->doubt = doubt_of(out);
    release_arriving(&a);
    return rc;
}

const struct rank_exchange *rank_exchange_of(const struct rank_arrivals *a, const struct rank_arrival *arrival)
{
    return &a->exchanges.items[a->exchanged.items[arrival - a->items.items].exchange];
}

bool rank_is_beside_copy(const struct rank_arrivals *a, const struct rank_arrival *arrival)
{
    return a->exchanged.items[arrival - a->items.items].is_beside_copy;
}

uint32_t rank_place_of(const struct rank_arrivals *a, const struct rank_arrival *arrival)
{
    return a->tracks.items[arrival->track].place;
}

int64_t rank_place_span_ns(const struct rank_place *p)
{
    int64_t sum_ns = 0;
    for (int kind = 0; kind < SPENT_KINDS; kind++)
        count_add(&sum_ns, p->spent_ns[kind]);
    return sum_ns;
}

uint32_t rank_arrivals_place(const struct rank_arrivals *a, const struct cpprof_event *event)
{
    const uint32_t id = key_table_find(&a->place_ids, event->rank, (uint32_t)event->device);
    return id ? a->place_of[id - 1] : RANK_PLACES_MAX;
}

void rank_arrivals_release(struct rank_arrivals *a)
{
    free(a->places.items);
    free(a->items.items);
    free(a->exchanged.items);
    free(a->exchanges.items);
    free(a->tracks.items);
    free(a->communicators.items);
    free(a->kernels.items);
    free(a->steps.items);
    free(a->members);
    free(a->place_of);
    key_table_release(&a->place_ids);
    *a = (struct rank_arrivals){0};
}
