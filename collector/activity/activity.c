/* How do CUPTI's buffers become events without standing in anyone's way? */
#define _GNU_SOURCE
#include "collector/activity/activity.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "collector/activity/translate.h"

enum { BUFFER_BYTES = 8 * 1024 * 1024, BUFFER_ALIGNMENT = 8 };

struct completed {
    struct completed *next;
    uint8_t *bytes;
    size_t valid_bytes;
};

/* CUPTI's buffer callbacks carry no user data: the one session lives here. */
static struct {
    const struct cupti_api *api;
    struct shard_writer *shard;
    pthread_mutex_t lock; /* guards the queue only */
    struct completed *first, **last;
    uint64_t lost_buffers; /* no memory to queue them: counted as drops, never silent */
    struct activity_cost cost;
} session = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
    *buffer = aligned_alloc(BUFFER_ALIGNMENT, BUFFER_BYTES);
    *bytes = *buffer ? BUFFER_BYTES : 0;
    *max_records = 0; /* as many as fit */
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
                                      size_t valid_bytes)
{
    (void)bytes;
    (void)context; /* both are always 0 since CUDA 6: buffers belong to the process */
    (void)stream;
    struct completed *entry = malloc(sizeof *entry);
    if (entry)
        *entry = (struct completed){NULL, buffer, valid_bytes};
    pthread_mutex_lock(&session.lock);
    if (entry) {
        *session.last = entry;
        session.last = &entry->next;
    } else {
        session.lost_buffers++;
    }
    pthread_mutex_unlock(&session.lock);
    if (!entry)
        free(buffer);
}

static void count_dropped(uint64_t records)
{
    session.cost.dropped += records;
    shard_writer_dropped(session.shard, 0, records);
}

static struct completed *take_completed(void)
{
    pthread_mutex_lock(&session.lock);
    struct completed *first = session.first;
    session.first = NULL;
    session.last = &session.first;
    uint64_t lost = session.lost_buffers;
    session.lost_buffers = 0;
    pthread_mutex_unlock(&session.lock);
    count_dropped(lost);
    return first;
}

int activity_start(const struct cupti_api *api, struct shard_writer *shard, struct err *e)
{
    session.api = api;
    session.shard = shard;
    session.last = &session.first;
    CUptiResult result = api->cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    if (!result)
        result = api->cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed);
    for (size_t i = 0; i < translate_kind_count && !result; i++)
        result = api->cuptiActivityEnable(translate_kinds[i]);
    return result ? cupti_error(api, result, "start tracing", e) : 0;
}

static int decode(const struct completed *buffer, activity_listener listener, void *context, struct err *e)
{
    CUpti_Activity *record = NULL;
    CUptiResult result;
    while (!(result = session.api->cuptiActivityGetNextRecord(buffer->bytes, buffer->valid_bytes, &record))) {
        struct cpprof_event event;
        session.cost.records++;
        if (!translate_record(session.api, record, session.shard, &event)) {
            session.cost.unknown_records++;
            continue;
        }
        int rc = shard_writer_add(session.shard, &event, e);
        if (rc)
            return rc;
        if (listener)
            listener(context, &event, strtab_text(&session.shard->strings, event.name));
    }
    if (result != CUPTI_ERROR_MAX_LIMIT_REACHED)
        count_dropped(1); /* a record that CUPTI cannot read; what is behind it is lost, too */
    session.cost.record_bytes += buffer->valid_bytes;
    return 0;
}

/* Asked also when no buffer has completed: CUPTI drops records when it gets no buffer at all. */
static void ask_dropped(void)
{
    size_t dropped = 0;
    if (!session.api->cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped))
        count_dropped(dropped);
}

int activity_drain(activity_listener listener, void *context, struct err *e)
{
    CUptiResult result = session.api->cuptiActivityFlushAll(0);
    if (result)
        return cupti_error(session.api, result, "flush the trace", e);
    struct timespec before, after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    int rc = 0;
    for (struct completed *buffer = take_completed(), *next; buffer; buffer = next) {
        next = buffer->next;
        if (!rc)
            rc = decode(buffer, listener, context, e);
        free(buffer->bytes);
        free(buffer);
    }
    ask_dropped();
    if (!rc)
        rc = shard_writer_flush(session.shard, e);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    session.cost.decode_ns += (after.tv_sec - before.tv_sec) * 1000000000ll + (after.tv_nsec - before.tv_nsec);
    return rc;
}

void activity_cost(struct activity_cost *cost)
{
    *cost = session.cost;
}
