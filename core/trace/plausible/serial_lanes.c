/* Which work of a stream lasts across later kernels of that stream? */
#include "core/trace/plausible/serial_lanes.h"

#include <stdlib.h>
#include <string.h>

void serial_lanes_release(struct serial_lanes *l)
{
    for (size_t i = 0; i < l->lanes.count; i++)
        free(l->lanes.items[i].open.items);
    free(l->lanes.items);
    free(l->found.items);
    key_table_release(&l->places);
    key_table_release(&l->contexts);
    key_table_release(&l->streams);
    *l = (struct serial_lanes){0};
}

/* Sets *out to the number of the event's lane; 0: there are too many. */
static int find_lane(struct serial_lanes *l, const struct cpprof_event *event, uint32_t *out, struct err *e)
{
    const uint32_t place = key_table_add(&l->places, event->rank, (uint32_t)(uint16_t)event->device);
    const uint32_t context = place ? key_table_add(&l->contexts, (int32_t)place, event->context) : 0;
    *out = context ? key_table_find(&l->streams, (int32_t)context, event->stream) : 0;
    if (!context)
        return err_memory(e);
    l->is_full |= !*out && l->lanes.count == LANES_MAX;
    if (*out || l->lanes.count == LANES_MAX)
        return 0;
    *out = key_table_add(&l->streams, (int32_t)context, event->stream);
    return *out && ARRAY_PUSH(&l->lanes) ? 0 : err_memory(e);
}

static bool is_of_a_stream(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_KERNEL || event->kind == CPPROF_EVENT_COPY || event->kind == CPPROF_EVENT_MEMSET;
}

/* Kernels of a graph may run side by side, whatever stream they are said to be on. */
static bool are_of_one_launch(const struct cpprof_event *a, const struct cpprof_event *b)
{
    return (a->correlation && a->correlation == b->correlation) || (a->graph_node && b->graph_node);
}

static void count_inside(const struct serial_lanes *l, struct serial_lane *lane, const struct cpprof_event *kernel)
{
    for (size_t i = 0; i < lane->open.count; i++) {
        struct lane_work *around = &lane->open.items[i];
        if (around->event.end_ns - kernel->end_ns >= 2 * l->time_error_ns && !are_of_one_launch(&around->event, kernel))
            around->inside++;
    }
}

static int note_found(struct serial_lanes *l, struct serial_lane *lane, const struct lane_work *work, struct err *e)
{
    const bool is_found = work->inside >= LANE_KERNELS_MANY;
    l->is_full |= is_found && l->found.count == LANE_FOUND_MAX;
    if (!is_found || l->found.count == LANE_FOUND_MAX)
        return 0;
    struct lane_found *found = ARRAY_PUSH(&l->found);
    if (!found)
        return err_memory(e);
    lane->found++;
    *found = (struct lane_found){*work, (uint32_t)(lane - l->lanes.items)};
    return 0;
}

/* Forgets what has ended by then. */
static int close_until(struct serial_lanes *l, struct serial_lane *lane, int64_t time_ns, struct err *e)
{
    size_t kept = 0;
    int rc = 0;
    for (size_t i = 0; !rc && i < lane->open.count; i++)
        if (lane->open.items[i].event.end_ns > time_ns)
            lane->open.items[kept++] = lane->open.items[i];
        else
            rc = note_found(l, lane, &lane->open.items[i], e);
    lane->open.count = kept;
    return rc;
}

/* In a full lane the one that ends first makes room: it is the least likely to last across others. */
static int open_work(struct serial_lanes *l, struct serial_lane *lane, const struct lane_work *work, struct err *e)
{
    int rc = 0;
    if (lane->open.count == LANE_OPEN_MAX) {
        size_t first = 0;
        for (size_t i = 1; i < lane->open.count; i++)
            if (lane->open.items[i].event.end_ns < lane->open.items[first].event.end_ns)
                first = i;
        rc = note_found(l, lane, &lane->open.items[first], e);
        lane->open.items[first] = *work;
        return rc;
    }
    struct lane_work *slot = ARRAY_PUSH(&lane->open);
    if (!slot)
        return err_memory(e);
    *slot = *work;
    return 0;
}

int serial_lanes_add(struct serial_lanes *l, const struct cpprof_event *event, int64_t place, struct err *e)
{
    uint32_t number = 0;
    if (!is_of_a_stream(event))
        return 0;
    int rc = find_lane(l, event, &number, e);
    if (rc || !number)
        return rc;
    struct serial_lane *lane = &l->lanes.items[number - 1];
    rc = close_until(l, lane, event->start_ns, e);
    if (rc || event->end_ns <= event->start_ns)
        return rc;
    if (event->kind == CPPROF_EVENT_KERNEL) {
        lane->kernels++;
        count_inside(l, lane, event);
    }
    return open_work(l, lane, &(struct lane_work){.event = *event, .place = place}, e);
}

int serial_lanes_finish(struct serial_lanes *l, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < l->lanes.count; i++)
        rc = close_until(l, &l->lanes.items[i], INT64_MAX, e);
    return rc;
}

int serial_lanes_doubt(struct serial_lanes *l, const struct cpprof_event *event, struct err *e)
{
    uint32_t number = 0;
    const int rc = is_of_a_stream(event) ? find_lane(l, event, &number, e) : 0;
    if (!rc && number)
        l->lanes.items[number - 1].is_doubtful = true;
    return rc;
}

bool serial_lanes_is_doubtful(const struct serial_lanes *l, const struct cpprof_event *event)
{
    if (!is_of_a_stream(event))
        return false;
    const uint32_t place = key_table_find(&l->places, event->rank, (uint32_t)(uint16_t)event->device);
    const uint32_t context = place ? key_table_find(&l->contexts, (int32_t)place, event->context) : 0;
    const uint32_t lane = context ? key_table_find(&l->streams, (int32_t)context, event->stream) : 0;
    return lane && l->lanes.items[lane - 1].is_doubtful;
}

bool serial_lanes_is_no_stream(const struct serial_lanes *l, uint32_t lane)
{
    const struct serial_lane *x = &l->lanes.items[lane];
    return x->found > 1 && x->found * 4 > x->kernels;
}
