/* How do CUPTI's buffers become events without delaying the program? */
#define _GNU_SOURCE
#include "collector/activity/activity.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "collector/activity/activity_buffers.h"

/* CUPTI's buffer callbacks take no user data, so the only session is here. */
static struct {
    const struct cupti_api *api;
    struct shard_writer *shard;
    struct record_choice choice;
    struct buffer_pool pool;
    struct decoder decoder;
    int64_t decode_ns;                     /* CPU time of the draining thread */
    _Atomic uint64_t refused[SHARD_KINDS]; /* records for which there was no room, not counted as dropped yet */
    _Atomic int64_t callbacks_ns;
    _Atomic uint64_t moved; /* progress of the draining thread besides the records that it decodes */
    atomic_bool is_flushing;
    atomic_bool has_left;
} session;

/* An old CUPTI gets a buffer also when the session is over: it belongs to nobody. */
static uint8_t *spare_buffer(size_t *size_bytes)
{
    uint8_t *bytes = session.api->version < CUPTI_VERSION_BEARS_NO_BUFFER ? calloc(1, BUFFER_BYTES_MIN) : NULL;
    *size_bytes = bytes ? BUFFER_BYTES_MIN : 0;
    return bytes;
}

/* When it gets no buffer, CUPTI drops records and counts them. */
static void CUPTIAPI buffer_requested(uint8_t **bytes, size_t *size_bytes, size_t *max_records)
{
    *bytes = NULL;
    *size_bytes = 0;
    *max_records = 0; /* as many as fit */
    if (atomic_load(&session.has_left)) {
        *bytes = spare_buffer(size_bytes);
        return;
    }
    const int64_t start_ns = buffer_cpu_ns();
    struct buffer *buffer = buffer_pool_open(&session.pool);
    if (buffer) {
        *bytes = buffer->bytes;
        *size_bytes = buffer->size_bytes;
    }
    atomic_fetch_add(&session.callbacks_ns, buffer_cpu_ns() - start_ns);
}

static void refuse(struct buffer *buffer)
{
    uint64_t counts[SHARD_KINDS] = {0};
    decoder_count(session.api, buffer->bytes, buffer->valid_bytes, counts);
    for (size_t kind = 0; kind < SHARD_KINDS; kind++)
        if (counts[kind])
            atomic_fetch_add(&session.refused[kind], counts[kind]);
    buffer_pool_recycle(&session.pool, buffer);
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *bytes, size_t size_bytes,
                                      size_t valid_bytes)
{
    (void)context; /* both are always 0 since CUDA 6: buffers belong to the process */
    (void)stream;
    if (atomic_load(&session.has_left)) {
        if (session.api->version < CUPTI_VERSION_BEARS_NO_BUFFER)
            free(bytes);
        return;
    }
    const int64_t start_ns = buffer_cpu_ns();
    struct buffer *buffer = buffer_pool_returned(&session.pool, bytes, size_bytes, valid_bytes);
    if (!buffer_pool_queue(&session.pool, buffer))
        refuse(buffer);
    if (atomic_load(&session.is_flushing))
        atomic_fetch_add(&session.moved, 1);
    atomic_fetch_add(&session.callbacks_ns, buffer_cpu_ns() - start_ns);
}

int activity_start(const struct cupti_api *api, struct shard_writer *shard, const struct activity_options *options,
                   struct err *e)
{
    session.api = api;
    session.shard = shard;
    session.choice = options->choice;
    if (buffer_pool_init(&session.pool, options->flush_ns, options->waiting_max_bytes))
        return err_memory(e);
    int rc = decoder_init(&session.decoder, api, shard, options->kernels, e);
    if (rc)
        return rc;
    if (options->watch)
        decoder_watch(&session.decoder, options->watch);
    session.decoder.own_thread = options->own_thread;
    session.decoder.only_calls_of_work = !options->choice.all_calls;
    const uint8_t zeroed = 1;
    size_t zeroed_bytes = sizeof zeroed;
    api->cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &zeroed_bytes, (void *)&zeroed);
    CUptiResult result = api->cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
    if (!result)
        result = api->cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed);
    return result ? cupti_error(api, result, "start tracing", e) : 0;
}

int activity_collect(bool on, struct err *e)
{
    return record_kinds_set(session.api, &session.choice, on, e);
}

/* Called also when no buffer has completed, because CUPTI drops records when it gets no buffer at all. */
static void count_dropped(void)
{
    size_t dropped = 0;
    if (!session.api->cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped))
        shard_writer_dropped(session.shard, 0, dropped);
    for (unsigned kind = 0; kind < SHARD_KINDS; kind++)
        shard_writer_dropped(session.shard, kind, atomic_exchange(&session.refused[kind], 0));
}

static int decode_queued(struct err *e)
{
    int rc = 0;
    for (struct buffer *buffer = buffer_pool_take(&session.pool), *next; buffer && !atomic_load(&session.has_left);
         buffer = next) {
        next = buffer->next;
        int failed = decoder_take(&session.decoder, buffer->bytes, buffer->valid_bytes, rc ? NULL : e);
        rc = rc ? rc : failed;
        buffer_pool_recycle(&session.pool, buffer);
    }
    return rc;
}

static int decode_round(bool all, activity_listener listener, void *context, struct err *e)
{
    if (atomic_load(&session.has_left))
        return 0;
    const int64_t start_ns = buffer_cpu_ns();
    session.decoder.listener = listener;
    session.decoder.listener_context = context;
    int rc = decode_queued(e);
    int failed = decoder_end_round(&session.decoder, all, rc ? NULL : e);
    rc = rc ? rc : failed;
    if (!atomic_load(&session.has_left)) /* it may have been left meanwhile */
        count_dropped();
    failed = shard_writer_flush(session.shard, rc ? NULL : e);
    buffer_pool_prepare(&session.pool);
    atomic_fetch_add(&session.moved, 1);
    session.decode_ns += buffer_cpu_ns() - start_ns;
    return rc ? rc : failed;
}

static int flush_cupti(enum activity_flush flush, struct err *e)
{
    if (flush == ACTIVITY_FLUSH_NONE || atomic_load(&session.has_left))
        return 0;
    atomic_store(&session.is_flushing, true);
    CUptiResult result =
        session.api->cuptiActivityFlushAll(flush == ACTIVITY_FLUSH_FORCED ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
    atomic_store(&session.is_flushing, false);
    return result ? cupti_error(session.api, result, "flush the trace", e) : 0;
}

static int flush_and_decode(enum activity_flush flush, bool all, activity_listener listener, void *context,
                            struct err *e)
{
    int rc = flush_cupti(flush, e);
    int failed = decode_round(all, listener, context, rc ? NULL : e);
    return rc ? rc : failed;
}

int activity_drain(enum activity_flush flush, activity_listener listener, void *context, struct err *e)
{
    return flush_and_decode(flush, false, listener, context, e);
}

int activity_finish(activity_listener listener, void *context, struct err *e)
{
    int rc = flush_cupti(ACTIVITY_FLUSH_ENDED, e);
    int failed = flush_and_decode(ACTIVITY_FLUSH_FORCED, true, listener, context, rc ? NULL : e);
    return rc ? rc : failed;
}

bool activity_has_managed(void)
{
    return session.decoder.has_managed;
}

int activity_first_device(void)
{
    return session.decoder.first_device;
}

void activity_wait(int64_t until_ns)
{
    buffer_pool_wait(&session.pool, until_ns);
}

void activity_wake(void)
{
    buffer_pool_wake(&session.pool);
}

void activity_cost(struct activity_cost *cost)
{
    const struct decoder *d = &session.decoder;
    *cost = (struct activity_cost){
        .records = atomic_load(&d->records),
        .record_bytes = d->record_bytes,
        .unknown_records = d->unknown_records,
        .filtered = d->filtered,
        .decode_ns = session.decode_ns,
        .callbacks_ns = atomic_load(&session.callbacks_ns),
    };
    for (size_t kind = 0; kind < SHARD_KINDS && session.shard; kind++)
        cost->dropped += session.shard->dropped[kind];
    buffer_pool_cost(&session.pool, &cost->buffers, &cost->lent_buffers, &cost->peak_bytes);
}

uint64_t activity_progress(void)
{
    return atomic_load(&session.moved) + atomic_load(&session.decoder.records);
}

void activity_leave(void)
{
    atomic_store(&session.has_left, true);
}

void activity_release(void)
{
    decoder_release(&session.decoder);
    buffer_pool_release(&session.pool);
    atomic_store(&session.has_left, false);
}
