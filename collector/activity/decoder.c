/* What becomes of each record? */
#include "collector/activity/decoder.h"

#include <stdatomic.h>
#include <string.h>

#include "collector/activity/translate.h"

int decoder_init(struct decoder *d, const struct cupti_api *api, struct shard_writer *shard, const char *kernel_pattern,
                 struct err *e)
{
    *d = (struct decoder){.api = api, .shard = shard, .first_device = -1};
    return kernel_filter_init(&d->filter, kernel_pattern, e);
}

void decoder_release(struct decoder *d)
{
    kernel_filter_release(&d->filter);
    range_pairs_release(&d->ranges);
}

static int store(struct decoder *d, const struct cpprof_event *event, struct err *e)
{
    int rc = shard_writer_add(d->shard, event, e);
    if (d->listener)
        d->listener(d->listener_context, event, strtab_text(&d->shard->strings, event->name));
    return rc;
}

/* Is it a range that the watch reports itself? */
static bool is_watched(const struct decoder *d, const struct cpprof_event *range)
{
    const struct strtab *strings = &d->shard->strings;
    return d->watch && !strcmp(strtab_text(strings, range->name), d->watch->range) &&
           (!d->watch->domain || !strcmp(strtab_text(strings, range->detail), d->watch->domain));
}

static int take_marker(struct decoder *d, const CUpti_Activity *record, struct err *e)
{
    struct cpprof_event event;
    const CUpti_ActivityMarker2 *marker = (const CUpti_ActivityMarker2 *)(const void *)record;
    int whole = range_pairs_take(&d->ranges, marker, d->shard, &event);
    if (whole < 0)
        shard_writer_dropped(d->shard, CPPROF_EVENT_RANGE, 1);
    const bool is_moment = !(marker->flags & (CUPTI_ACTIVITY_FLAG_MARKER_START | CUPTI_ACTIVITY_FLAG_MARKER_END));
    return whole == 1 && (is_moment || !is_watched(d, &event)) ? store(d, &event, e) : 0;
}

static int take_seen(struct decoder *d, const struct seen_range *range, struct err *e)
{
    const struct cpprof_event event = {
        .start_ns = range->start_ns,
        .end_ns = range->end_ns,
        .kind = CPPROF_EVENT_RANGE,
        .flags = range->is_unfinished ? CPPROF_EVENT_UNFINISHED : 0,
        .name = shard_writer_label(d->shard, d->watch->range),
        .device = -1,
        .rank = -1,
        .thread = range->thread,
        .detail = *range->domain ? shard_writer_label(d->shard, range->domain) : 0,
    };
    if (range->left_end)
        range_pairs_owe_end(&d->ranges, range->end_ns);
    return store(d, &event, e);
}

static int take_all_seen(struct decoder *d, bool all, struct err *e)
{
    struct seen_range range;
    int rc = 0;
    while (d->watch->next(all, &range)) {
        int failed = take_seen(d, &range, rc ? NULL : e);
        rc = rc ? rc : failed;
    }
    shard_writer_dropped(d->shard, CPPROF_EVENT_RANGE, d->watch->lost());
    return rc;
}

void decoder_watch(struct decoder *d, const struct range_watch *watch)
{
    d->watch = watch;
    shard_writer_label(d->shard, watch->range); /* gets its id while there is room for names */
    if (watch->domain && *watch->domain)
        shard_writer_label(d->shard, watch->domain);
}

/* The id of a context's name is that of its CUcontext; a stream's name has that id and its own. */
static int take_name(struct decoder *d, const CUpti_Activity *record, struct err *e)
{
    const CUpti_ActivityName *from = (const CUpti_ActivityName *)(const void *)record;
    struct cpprof_name_row row = {.name = shard_writer_label(d->shard, from->name)};
    switch (from->objectKind) {
    case CUPTI_ACTIVITY_OBJECT_THREAD:
        row.object = CPPROF_NAMED_THREAD;
        row.id = from->objectId.pt.threadId;
        break;
    case CUPTI_ACTIVITY_OBJECT_DEVICE:
        row.object = CPPROF_NAMED_DEVICE;
        row.id = from->objectId.dcs.deviceId;
        break;
    case CUPTI_ACTIVITY_OBJECT_CONTEXT:
        row.object = CPPROF_NAMED_CONTEXT;
        row.id = from->objectId.dcs.contextId;
        break;
    case CUPTI_ACTIVITY_OBJECT_STREAM:
        row.object = CPPROF_NAMED_STREAM;
        row.context = from->objectId.dcs.contextId;
        row.id = from->objectId.dcs.streamId;
        break;
    default: d->unknown_records++; return 0;
    }
    return shard_writer_name(d->shard, &row, e);
}

static int take_api(struct decoder *d, const struct cpprof_event *call, struct err *e)
{
    struct cpprof_event wait;
    if (d->own_thread && call->thread == d->own_thread)
        return 0;
    if (call->detail == CPPROF_API_OTHER) {
        d->has_managed |= translate_is_managed(strtab_text(&d->shard->strings, call->name));
        if (d->only_calls_of_work)
            return 0;
    }
    int held = wait_threads_call(&d->waits, call, &wait) ? store(d, &wait, e) : 0;
    int rc = store(d, call, held ? NULL : e);
    return held ? held : rc;
}

static bool is_unwanted(struct decoder *d, const CUpti_Activity *record)
{
    const bool kernel =
        record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL;
    return kernel && !kernel_filter_wants(&d->filter, translate_kernel_name(record));
}

/* Only one thread counts, so no locked instruction is needed. */
static void count_record(struct decoder *d)
{
    const uint64_t before = atomic_load_explicit(&d->records, memory_order_relaxed);
    atomic_store_explicit(&d->records, before + 1, memory_order_relaxed);
}

static int take_record(struct decoder *d, const CUpti_Activity *record, struct err *e)
{
    struct cpprof_event event;
    count_record(d);
    if (record->kind == CUPTI_ACTIVITY_KIND_MARKER)
        return take_marker(d, record, e);
    if (record->kind == CUPTI_ACTIVITY_KIND_NAME)
        return take_name(d, record, e);
    if (is_unwanted(d, record)) {
        d->filtered++;
        return 0;
    }
    if (!translate_record(d->api, record, d->shard, &event)) {
        d->unknown_records++;
        return 0;
    }
    if (event.kind == CPPROF_EVENT_KERNEL && d->first_device < 0)
        d->first_device = event.device;
    if (event.kind == CPPROF_EVENT_API)
        return take_api(d, &event, e);
    if (event.kind == CPPROF_EVENT_SYNC && !wait_threads_hold(&d->waits, &event))
        return 0;
    return store(d, &event, e);
}

int decoder_take(struct decoder *d, uint8_t *bytes, size_t valid_bytes, struct err *e)
{
    CUpti_Activity *record = NULL;
    CUptiResult result;
    int rc = 0;
    while (!(result = d->api->cuptiActivityGetNextRecord(bytes, valid_bytes, &record))) {
        int failed = take_record(d, record, rc ? NULL : e);
        rc = rc ? rc : failed;
    }
    if (result != CUPTI_ERROR_MAX_LIMIT_REACHED)
        shard_writer_dropped(d->shard, 0, 1); /* CUPTI cannot read a record; those after it are lost, too */
    d->record_bytes += valid_bytes;
    return rc;
}

int decoder_end_round(struct decoder *d, bool all, struct err *e)
{
    struct cpprof_event event;
    int rc = 0;
    while (wait_threads_next_old(&d->waits, all, &event)) {
        int failed = store(d, &event, rc ? NULL : e);
        rc = rc ? rc : failed;
    }
    if (d->watch) {
        int failed = take_all_seen(d, all, rc ? NULL : e);
        rc = rc ? rc : failed;
    }
    while (all && range_pairs_next_open(&d->ranges, &event)) {
        if (is_watched(d, &event))
            continue;
        int failed = store(d, &event, rc ? NULL : e);
        rc = rc ? rc : failed;
    }
    return rc;
}

void decoder_count(const struct cupti_api *api, uint8_t *bytes, size_t valid_bytes, uint64_t counts[SHARD_KINDS])
{
    CUpti_Activity *record = NULL;
    CUptiResult result;
    while (!(result = api->cuptiActivityGetNextRecord(bytes, valid_bytes, &record)))
        counts[translate_event_kind(record)]++;
    if (result != CUPTI_ERROR_MAX_LIMIT_REACHED)
        counts[0]++;
}
