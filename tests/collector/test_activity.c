/* Does every record that CUPTI delivers reach the shard once, and is every one that it loses counted? */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/activity/activity.h"
#include "collector/activity/translate.h"
#include "core/base/files.h"
#include "core/trace/event_stream.h"
#include "tests/collector/fake_cupti.h"
#include "tests/test.h"

/* The linker sends the allocations of all objects of this program here. */
static bool memory_is_out;
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
    return memory_is_out ? NULL : __real_calloc(count, bytes);
}

struct scene {
    char folder[64], path[96];
    struct shard_writer shard;
    int heard; /* events that the listener was told */
    char last_heard[32];
};

static const struct activity_options options = {.choice = {.all_calls = true}, .flush_ns = 1000000000};

static void start(struct scene *s, const struct activity_options *with)
{
    struct err e = {0};
    if (activity_start(fake_cupti_reset(), &s->shard, with, &e) || activity_collect(true, &e))
        fail_msg("%s", e.text);
}

static int open_scene(void **state)
{
    struct scene *s = calloc(1, sizeof *s);
    struct err e = {0};
    snprintf(s->folder, sizeof s->folder, "/tmp/cpprof-test-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->path, sizeof s->path, "%s/trace-1-0.bin", s->folder);
    if (shard_writer_open(&s->shard, s->path, -1, 0, &e))
        fail_msg("%s", e.text);
    start(s, &options);
    *state = s;
    return 0;
}

/* The same under another CUPTI. */
static void start_as(struct scene *s, uint32_t version)
{
    struct err e = {0};
    activity_release();
    if (activity_start(fake_cupti_reset_as(version), &s->shard, &options, &e) || activity_collect(true, &e))
        fail_msg("%s", e.text);
}

static int close_scene(void **state)
{
    struct scene *s = *state;
    activity_release();
    shard_writer_close(&s->shard, NULL);
    files_remove_tree(s->folder, NULL);
    free(s);
    return 0;
}

static void listen(void *context, const struct cpprof_event *event, const char *name)
{
    struct scene *s = context;
    (void)event;
    s->heard++;
    snprintf(s->last_heard, sizeof s->last_heard, "%s", name);
}

static void drain(struct scene *s)
{
    struct err e = {0};
    if (activity_drain(ACTIVITY_FLUSH_ENDED, listen, s, &e))
        fail_msg("%s", e.text);
}

static struct activity_cost cost_of(const struct scene *s)
{
    struct activity_cost now;
    (void)s;
    activity_cost(&now);
    return now;
}

/* Correlation and start say the same: which one it is. */
static void add_kernel(struct fake_buffer *b, uint32_t number, const char *name)
{
    const CUpti_ActivityKernel10 record = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                           .start = 1000 + 10ull * number,
                                           .end = 1005 + 10ull * number,
                                           .correlationId = number,
                                           .name = name};
    fake_buffer_add(b, &record);
}

/* Closes the shard and reads it again: kernels 1 to `count`, each once and in order, and
 * `dropped` lost ones. */
static void expect_trace(struct scene *s, uint32_t count, const char *dropped)
{
    struct err e = {0};
    struct event_stream *stream;
    if (shard_writer_close(&s->shard, &e) || event_stream_open(&stream, s->path, &e))
        fail_msg("%s", e.text);
    assert_int_equal(event_stream_count(stream), count);
    struct cpprof_event event;
    for (uint32_t i = 1; i <= count; i++) {
        assert_int_equal(event_stream_next(stream, &event, &e), 1);
        assert_int_equal(event.correlation, i);
        assert_int_equal(event.start_ns, 1000 + 10 * (int64_t)i);
        assert_int_equal(event.kind, CPPROF_EVENT_KERNEL);
        assert_string_equal(strtab_text(event_stream_strings(stream), event.name), i % 2 ? "odd" : "even");
    }
    assert_int_equal(event_stream_next(stream, &event, &e), 0);
    const struct caveat_list *caveats = event_stream_caveats(stream);
    assert_int_equal(caveat_has(caveats, CAVEAT_WEAKENS), dropped != NULL);
    assert_false(caveat_has(caveats, CAVEAT_TRUNCATED));
    for (size_t i = 0; dropped && i < caveats->count; i++)
        if (caveats->items[i].kind == CAVEAT_WEAKENS && !strstr(caveats->items[i].text, dropped))
            fail_msg("'%s' does not say '%s'", caveats->items[i].text, dropped);
    event_stream_free(stream);
}

static const char *parity(uint32_t number)
{
    return number % 2 ? "odd" : "even";
}

TEST(everything_is_switched_on)
{
    static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                               CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
                                               CUPTI_ACTIVITY_KIND_RUNTIME,           CUPTI_ACTIVITY_KIND_DRIVER,
                                               CUPTI_ACTIVITY_KIND_SYNCHRONIZATION};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        assert_true(fake_cupti_enabled(kinds[i]));
    assert_false(fake_cupti_enabled(CUPTI_ACTIVITY_KIND_KERNEL));                    /* it would serialise kernels */
    assert_int_equal(fake_cupti_thread_ids(), CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM); /* as gettid */
}

static void a_refusal_says_why(void **state)
{
    struct scene *s = *state;
    static const char *const functions[] = {"cuptiSetThreadIdType", "cuptiActivityRegisterCallbacks",
                                            "cuptiActivityEnable"};
    for (size_t i = 0; i < 3; i++) {
        struct err e = {0};
        const struct cupti_api *api = fake_cupti_reset();
        fake_cupti_refuse(functions[i], CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
        activity_release();
        int rc = activity_start(api, &s->shard, &options, &e);
        assert_int_equal(rc ? rc : activity_collect(true, &e), ERR_ENVIRONMENT);
        assert_non_null(
            strstr(e.text, "CUPTI failed to start tracing: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES; counters need"));
    }
}

static void buffers_arrive_in_any_order(void **state)
{
    struct scene *s = *state;
    struct fake_buffer first, second, third;
    assert_true(fake_buffer_open(&first) && fake_buffer_open(&second) && fake_buffer_open(&third));
    for (uint32_t i = 1; i <= 9; i++)
        add_kernel(i <= 3 ? &first : i <= 6 ? &second : &third, i, parity(i));
    fake_buffer_complete(&third);
    drain(s);
    assert_int_equal(s->heard, 3);
    assert_string_equal(s->last_heard, "odd"); /* kernel 9 */
    fake_cupti_hold(&first);                   /* the flush returns the second one first */
    fake_cupti_hold(&second);
    drain(s);
    assert_int_equal(s->heard, 9);
    assert_string_equal(s->last_heard, "odd"); /* kernel 3 */
    drain(s);
    assert_int_equal(s->heard, 9);
    const struct activity_cost cost = cost_of(s);
    assert_int_equal(cost.records, 9);
    assert_int_equal(cost.record_bytes, 9 * sizeof(CUpti_ActivityKernel10));
    assert_true(cost.unknown_records == 0 && cost.dropped == 0);
    expect_trace(s, 9, NULL);
}

static void an_empty_trace_is_no_error(void **state)
{
    struct fake_buffer empty;
    assert_true(fake_buffer_open(&empty));
    fake_buffer_complete(&empty);
    drain(*state);
    expect_trace(*state, 0, NULL);
}

static void dropped_records_weaken_the_trace(void **state)
{
    struct scene *s = *state;
    struct fake_buffer buffer;
    assert_true(fake_buffer_open(&buffer));
    add_kernel(&buffer, 1, "odd");
    fake_buffer_complete(&buffer);
    fake_cupti_drop(7);
    drain(s);
    fake_cupti_drop(4);
    drain(s); /* no buffer completed since: the loss is counted all the same */
    assert_int_equal(cost_of(s).dropped, 11);
    expect_trace(s, 1, "11 records were dropped");
}

/* Records of streams are not asked for; they stand for whatever else CUPTI may send. */
static void unknown_records_are_counted_and_stepped_over(void **state)
{
    struct scene *s = *state;
    const CUpti_ActivityStream unknown = {.kind = CUPTI_ACTIVITY_KIND_STREAM};
    struct fake_buffer buffer;
    assert_true(fake_buffer_open(&buffer));
    fake_buffer_add(&buffer, &unknown);
    add_kernel(&buffer, 1, "odd");
    fake_buffer_add(&buffer, &unknown);
    add_kernel(&buffer, 2, "even");
    fake_buffer_complete(&buffer);
    drain(s);
    assert_int_equal(cost_of(s).records, 4);
    assert_int_equal(cost_of(s).unknown_records, 2);
    assert_int_equal(s->heard, 2);
    expect_trace(s, 2, NULL);
}

/* CUPTI cannot step over a record whose kind it does not know. */
static void an_unreadable_record_counts_as_lost(void **state)
{
    struct scene *s = *state;
    struct fake_buffer buffer;
    assert_true(fake_buffer_open(&buffer));
    add_kernel(&buffer, 1, "odd");
    fake_buffer_spoil(&buffer);
    add_kernel(&buffer, 2, "even");
    fake_buffer_complete(&buffer);
    drain(s);
    assert_int_equal(cost_of(s).records, 1);
    assert_int_equal(cost_of(s).dropped, 1);
    expect_trace(s, 1, "1 records were dropped");
}

/* Without memory there is no new buffer, but a full one is never lost. */
static void without_memory_the_loss_is_counted(void **state)
{
    struct scene *s = *state;
    struct fake_buffer first, second, declined;
    assert_true(fake_buffer_open(&first) && fake_buffer_open(&second));
    add_kernel(&first, 1, "odd");
    add_kernel(&second, 2, "even");
    fake_buffer_complete(&first);
    memory_is_out = true;
    fake_buffer_complete(&second);
    const bool opened = fake_buffer_open(&declined);
    memory_is_out = false;
    assert_false(opened);
    fake_cupti_drop(5); /* what CUPTI would have put into the declined one */
    drain(s);
    assert_int_equal(cost_of(s).dropped, 5);
    expect_trace(s, 2, "5 records were dropped");
}

static void a_failed_flush_is_an_error(void **state)
{
    struct scene *s = *state;
    struct err e = {0};
    fake_cupti_refuse("cuptiActivityFlushAll", CUPTI_ERROR_UNKNOWN);
    assert_int_equal(activity_drain(ACTIVITY_FLUSH_ENDED, NULL, NULL, &e), ERR_ENVIRONMENT);
    assert_non_null(strstr(e.text, "CUPTI failed to flush the trace"));
    expect_trace(s, 0, NULL);
}

/* /dev/full takes nothing; the buffers behind the failure are released. */
static void a_full_disk_is_an_error(void **state)
{
    struct scene *s = *state;
    struct fake_buffer buffers[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(fake_buffer_open(&buffers[i]));
        add_kernel(&buffers[i], i, "odd");
        fake_buffer_complete(&buffers[i]);
    }
    const int full = open("/dev/full", O_WRONLY);
    struct stat about;
    assert_true(full >= 0 && !fstat(full, &about) && dup2(full, s->shard.fd) == s->shard.fd);
    s->shard.device = about.st_dev;
    s->shard.inode = about.st_ino;
    close(full);
    struct err e = {0};
    assert_int_equal(activity_drain(ACTIVITY_FLUSH_ENDED, NULL, NULL, &e), ERR_ENVIRONMENT);
    assert_non_null(strstr(e.text, "No space left"));
}

/* CUPTI completes buffers on threads of its own while the collector decodes. */
enum { THREADS = 4, BUFFERS_EACH = 24, KERNELS_EACH = 20, KERNELS = THREADS * BUFFERS_EACH * KERNELS_EACH };

static void *deliver(void *context)
{
    const uint32_t thread = *(const uint32_t *)context;
    for (uint32_t b = 0; b < BUFFERS_EACH; b++) {
        struct fake_buffer buffer;
        if (!fake_buffer_open(&buffer))
            return context;
        for (uint32_t k = 0; k < KERNELS_EACH; k++) { /* threads take turns in time */
            const uint32_t number = 1 + thread + THREADS * (b * KERNELS_EACH + k);
            add_kernel(&buffer, number, parity(number));
        }
        fake_buffer_complete(&buffer);
    }
    return NULL;
}

static void threads_deliver_while_we_decode(void **state)
{
    struct scene *s = *state;
    pthread_t threads[THREADS];
    uint32_t numbers[THREADS];
    for (uint32_t t = 0; t < THREADS; t++) {
        numbers[t] = t;
        assert_int_equal(pthread_create(&threads[t], NULL, deliver, &numbers[t]), 0);
    }
    for (int i = 0; i < 50; i++)
        drain(s);
    for (uint32_t t = 0; t < THREADS; t++) {
        void *failed;
        assert_int_equal(pthread_join(threads[t], &failed), 0);
        assert_null(failed);
    }
    drain(s);
    assert_int_equal(s->heard, KERNELS);
    assert_int_equal(cost_of(s).records, KERNELS);
    assert_int_equal(cost_of(s).dropped, 0);
    expect_trace(s, KERNELS, NULL);
}

/* CUPTI steps from record to record by its own sizes, whatever this was built with: 208 and 88 bytes are those of 12.4,
 * 216 and 96 those of 13.0. */
static void records_are_as_long_as_the_loaded_cupti_makes_them(void **state)
{
    static const struct {
        uint32_t version;
        size_t bytes;
    } rows[] = {{22, 2 * 208 + 88 + 40 + 64}, {130001, 2 * 216 + 96 + 56 + 104}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct scene *s = *state;
        struct fake_buffer buffer;
        start_as(s, rows[i].version);
        s->heard = 0;
        assert_true(fake_buffer_open(&buffer));
        add_kernel(&buffer, 1, "odd");
        fake_buffer_add(&buffer, &(CUpti_ActivityMemcpy6){.kind = CUPTI_ACTIVITY_KIND_MEMCPY, .start = 1, .end = 2});
        fake_buffer_add(&buffer, &(CUpti_ActivitySynchronization2){
                                     .kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, .start = 3, .end = 4});
        fake_buffer_add(&buffer, &(CUpti_ActivityUnifiedMemoryCounter3){
                                     .kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
                                     .counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD});
        add_kernel(&buffer, 2, "even");
        fake_buffer_complete(&buffer);
        drain(s);
        assert_int_equal(cost_of(s).record_bytes, rows[i].bytes);
        assert_int_equal(cost_of(s).records, 5);
        assert_int_equal(cost_of(s).unknown_records, 0);
        assert_int_equal(cost_of(s).dropped, 0);
        assert_string_equal(s->last_heard, "even");
        assert_int_equal(s->heard, 5);
    }
}

/* Before 12.9 a program that gets no buffer crashes, so it gets one after the session, too. */
static void an_old_cupti_always_gets_a_buffer(void **state)
{
    static const struct {
        uint32_t version;
        bool gets;
    } rows[] = {{22, true}, {26, true}, {27, false}, {130001, false}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fake_buffer before, after;
        start_as(*state, rows[i].version);
        assert_true(fake_buffer_open(&before));
        activity_leave();
        assert_int_equal(fake_buffer_open(&after), rows[i].gets);
        if (!rows[i].gets) { /* CUPTI's for ever */
            free(before.bytes);
            continue;
        }
        add_kernel(&after, 1, "odd");
        fake_buffer_complete(&after);
        fake_buffer_complete(&before);
    }
}

#define SCENE_TEST(name) cmocka_unit_test_setup_teardown(name, open_scene, close_scene)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(everything_is_switched_on),           SCENE_TEST(a_refusal_says_why),
        SCENE_TEST(buffers_arrive_in_any_order),         SCENE_TEST(an_empty_trace_is_no_error),
        SCENE_TEST(dropped_records_weaken_the_trace),    SCENE_TEST(unknown_records_are_counted_and_stepped_over),
        SCENE_TEST(an_unreadable_record_counts_as_lost), SCENE_TEST(without_memory_the_loss_is_counted),
        SCENE_TEST(a_failed_flush_is_an_error),          SCENE_TEST(a_full_disk_is_an_error),
        SCENE_TEST(threads_deliver_while_we_decode),     SCENE_TEST(records_are_as_long_as_the_loaded_cupti_makes_them),
        SCENE_TEST(an_old_cupti_always_gets_a_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
