/* Is a launch that does not end read while it runs, without a call that would wait for it? CUDA and the kernel are
 * played: the kernel writes what record.cuh writes in a progress build, and may never end. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/device.h"
#include "collector/runner/runner.h"
#include "played_device.h"
#include "tests/test.h"

enum { DEVICES = 2, SECONDS = 3, SEATS = 32 };

/* ---- CUDA ---- */

static struct {
    struct cpprof_inside_settings given[DEVICES];
    void (*write)(int device, int reading); /* what the warps have written when they are read; 0: at the launch */
    int devices;
    int rounds; /* in which the end of the launch is not yet there; below 0: it never comes */
    bool copies_hang, launch_fails;
    int launches, readings, there, streams, events, pinned;
    int64_t now_ns;
} played;

int64_t __wrap_clock_now_ns(void);
int64_t __wrap_clock_now_ns(void)
{
    return played.now_ns += 500000000;
}

int __wrap_runner_open_device(struct runner *r, struct err *e);
int __wrap_runner_open_device(struct runner *r, struct err *e)
{
    (void)r, (void)e;
    assert_null(getenv("CUDA_LAUNCH_BLOCKING")); /* CUDA reads them when it starts */
    assert_string_equal(getenv("CUDA_MODULE_LOADING"), "EAGER");
    return 0;
}

static cudaError_t count(int *what, int by)
{
    played_memory.late += played_memory.hangs;
    *what += by;
    return cudaSuccess;
}

cudaError_t __wrap_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t __wrap_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    assert_int_equal(flags, cudaEventDisableTiming);
    *event = (cudaEvent_t)&played.events;
    return count(&played.events, 1);
}

cudaError_t __wrap_cudaEventDestroy(cudaEvent_t event);
cudaError_t __wrap_cudaEventDestroy(cudaEvent_t event)
{
    (void)event;
    return count(&played.events, -1);
}

cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    assert_ptr_equal(event, &played.events);
    return cudaSuccess;
}

cudaError_t __wrap_cudaEventQuery(cudaEvent_t event);
cudaError_t __wrap_cudaEventQuery(cudaEvent_t event)
{
    (void)event;
    if (played.rounds && played.rounds-- != 0)
        return cudaErrorNotReady;
    played_memory.hangs = false;
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    assert_int_equal(flags, cudaStreamNonBlocking);
    *stream = (cudaStream_t)&played.given[played_memory.device];
    return count(&played.streams, 1);
}

cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream);
cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream)
{
    (void)stream;
    return count(&played.streams, -1);
}

cudaError_t __wrap_cudaStreamQuery(cudaStream_t stream);
cudaError_t __wrap_cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return played.copies_hang && played_memory.hangs ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return count(&(int){0}, 0);
}

cudaError_t __wrap_cudaHostAlloc(void **out, size_t bytes, unsigned flags);
cudaError_t __wrap_cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    assert_int_equal(flags, cudaHostAllocPortable);
    *out = malloc(bytes);
    assert_non_null(*out);
    return count(&played.pinned, 1);
}

cudaError_t __wrap_cudaFreeHost(void *block);
cudaError_t __wrap_cudaFreeHost(void *block)
{
    free(block);
    return count(&played.pinned, -1);
}

cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                   cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                   cudaStream_t stream)
{
    const int device = played_memory.device;
    assert_int_equal(kind, cudaMemcpyDeviceToHost);
    assert_ptr_equal(stream, &played.given[device]); /* its own stream, not that of the launch */
    assert_int_equal(played_device_of(from), device);
    if (played_memory.hangs) { /* else no launch was given its room yet */
        assert_ptr_equal(from, played.given[device].warps);
        played.write(device, 1 + played.readings++ / (played.devices > 1 ? played.devices : 1));
    }
    memcpy(to, from, bytes);
    return cudaSuccess;
}

/* ---- the kernel ---- */

static void put(int device, uint32_t block, uint32_t warp, uint32_t role, uint32_t word, uint64_t end_ns)
{
    struct cpprof_inside_warp *w = &played.given[device].warps[block * SEATS + warp];
    w->sm = 100 + block;
    w->role = role + 1;
    w->warp = warp;
    w->tiles = word;
    w->end_ns = end_ns;
}

static uint32_t word_of(uint32_t tile, uint32_t mark)
{
    return 1 + tile * CPPROF_MARKS_MAX + mark;
}

/* Block 0 has ended. Of block 1 the loader has ended, a consumer waits for tile 5, and another one still moves. Block 2
 * has passed no mark. Blocks 3 and more have not begun. */
static void stopped_pipeline(int device, int reading)
{
    put(device, 0, 0, 0, word_of(9, 2), 77);
    put(device, 0, 4, 1, word_of(9, 5), 78);
    put(device, 1, 0, 0, word_of(4, 2), 79);
    put(device, 1, 4, 1, word_of(5 + (uint32_t)device, 4), 0);
    put(device, 1, 5, 1, word_of(6, reading > 1 ? 6 : 5), 0);
    put(device, 2, 0, 0, 0, 0);
}

static void nothing_begins(int device, int reading)
{
    (void)device, (void)reading;
}

static void the_second_device_is_late(int device, int reading)
{
    if (device == 0)
        stopped_pipeline(device, reading);
}

static int launch(void *state, struct CUstream_st *stream)
{
    (void)state, (void)stream;
    played.launches++;
    played_memory.hangs = true;
    for (int device = 0; device < (played.devices ? played.devices : 1); device++)
        played.write(device, 0);
    return played.launch_fails ? cudaErrorLaunchFailure : 0;
}

/* ---- the arms ---- */

static const struct cpprof_phase phases[] = {
    {"loads", "issue", 0, 2, CPPROF_PHASE_ISSUE, 0, 3, NULL},
    {"multiplies", "elsewhere", 1, 4, CPPROF_PHASE_WAIT, 0, 0, "other/*"},
    {"multiplies", "wait", 1, 4, CPPROF_PHASE_WAIT, 6, 0, "mine/*"},
    {"multiplies", "math", 1, 6, CPPROF_PHASE_COMPUTE, 0, 0, NULL},
};

static int set(const struct cpprof_inside_settings *settings)
{
    played.given[played_memory.device] = *settings;
    return 0;
}

static const struct cpprof_inside inside = {sizeof inside, CPPROF_INSIDE_PROGRESS, -1, phases, COUNT_OF(phases), set,
                                            NULL,          CPPROF_INSIDE_LAYOUT};

static int set_up(const struct cpprof_config *config, struct CUstream_st *stream, void **state)
{
    (void)config, (void)stream;
    *state = &played;
    played.there++;
    return 0;
}

static void tear_down(void *state)
{
    (void)state;
    played_memory.late += played_memory.hangs;
    played.there--;
}

static size_t shared_bytes(const struct cpprof_config *config)
{
    (void)config;
    return 0;
}

static int devices(const struct cpprof_config *config, int *device, int devices_max)
{
    (void)config;
    for (int i = 0; i < played.devices && i < devices_max; i++)
        device[i] = i;
    return played.devices;
}

#define VARIANT(NAME)                                                                                                  \
    {                                                                                                                  \
        .struct_bytes = sizeof(struct cpprof_variant), .name = NAME, .shared_bytes = shared_bytes, .setup = set_up,    \
        .launch = launch, .teardown = tear_down, .devices = devices                                                    \
    }
static const struct cpprof_variant off = VARIANT("mine/v1"), other = VARIANT("mine/v2"),
                                   progress = VARIANT("mine/v1+progress");
static const struct inside_build build = {&off, &inside, -1};

/* Two progress arms, and a variant that has none. */
static int run(struct runner *r, struct err *e)
{
    static struct run_case cases[4];
    static const char *seed = "77";
    const struct cpprof_variant *const variants[] = {&off, &other, &progress, &progress};
    memset(&played_memory, 0, sizeof played_memory);
    *r = (struct runner){.role = "progress", .progress_s = SECONDS, .report = json_object()};
    r->seeds.items = &seed;
    r->seeds.count = 1;
    r->cases.items = cases;
    r->cases.count = COUNT_OF(cases);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        cases[i] = (struct run_case){.variant = variants[i], .build = variants[i] == &progress ? &build : NULL};
        snprintf(cases[i].name, sizeof cases[i].name, "%s", variants[i]->name);
        snprintf(cases[i].key, sizeof cases[i].key, i == 3 ? "large" : "small");
    }
    for (int t = 0; t < BUNDLE_TABLE_COUNT; t++)
        bundle_table_init(&r->tables[t], (enum bundle_table)t);
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    return role_progress(r, e);
}

/* What a process that ends takes with it. */
static void forget(struct runner *r)
{
    for (int t = 0; t < BUNDLE_TABLE_COUNT; t++)
        table_release(&r->tables[t]);
    json_decref(r->report);
}

static const struct table *rows_of(const struct runner *r)
{
    return &r->tables[BUNDLE_INSIDE_PROGRESS];
}

static void expect_row(const struct table *t, size_t row, const char *cells)
{
    char text[256] = "";
    for (size_t c = INSIDE_PROGRESS_VARIANT; c < INSIDE_PROGRESS_WAITED_NS; c++) {
        const double number = table_number(t, row, c);
        const size_t used = strlen(text);
        if (t->columns[c].unit == UNIT_TEXT)
            snprintf(text + used, sizeof text - used, "%s|", table_text(t, row, c));
        else
            snprintf(text + used, sizeof text - used, number == number ? "%.0f|" : "|", number);
    }
    assert_string_equal(text, cells);
    assert_true(table_number(t, row, INSIDE_PROGRESS_WAITED_NS) >= SECONDS * 1e9);
}

/* ---- the tests ---- */

/* Blocks that are open come first. The second arm is not launched any more, and nothing is taken down. */
TEST(a_launch_that_hangs_is_read)
{
    struct runner r;
    struct err e = {0};
    size_t good = 0;
    struct str why;
    memset(&played, 0, sizeof played);
    played.write = stopped_pipeline;
    played.rounds = -1;
    assert_int_equal(run(&r, &e), ERR_ENVIRONMENT);
    assert_string_equal(e.text,
                        "'mine/v1' at 'small' does not end after 3 s: inside_progress.csv has where its warps are");
    static const char *const rows[] = {
        "mine/v1+progress|small|0|1|0|101|0|loads|4|2|issue|ended|no|",
        "mine/v1+progress|small|0|1|4|101|1|multiplies|5|4|wait|marked|no|",
        "mine/v1+progress|small|0|1|5|101|1|multiplies|6|6|math|marked|yes|",
        "mine/v1+progress|small|0|2|0|102|0|loads||||begun|no|",
        "mine/v1+progress|small|0|0|0|100|0|loads|9|2|issue|ended|no|",
        "mine/v1+progress|small|0|0|4|100|1|multiplies|9|5||ended|no|",
    };
    assert_int_equal(table_rows(rows_of(&r)), COUNT_OF(rows));
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_row(rows_of(&r), i, rows[i]);
    str_init(&why);
    assert_int_equal(bundle_table_check(rows_of(&r), BUNDLE_INSIDE_PROGRESS, &good, &why, &e), 0);
    assert_int_equal(good, COUNT_OF(rows));
    str_release(&why);
    assert_true(r.is_stuck);
    assert_int_equal(played_memory.late, 0);
    assert_int_equal(played.launches, 1);
    assert_int_equal(played.there, 1);
    assert_int_equal(json_get_integer(r.report, "ended", -1), 0);
    forget(&r);
}

TEST(every_device_is_read)
{
    struct runner r;
    struct err e = {0};
    memset(&played, 0, sizeof played);
    played = (__typeof__(played)){.write = stopped_pipeline, .rounds = -1, .devices = DEVICES};
    assert_int_equal(run(&r, &e), ERR_ENVIRONMENT);
    assert_int_equal(table_rows(rows_of(&r)), 12);
    assert_int_equal(played_memory.device, 0);
    expect_row(rows_of(&r), 1, "mine/v1+progress|small|0|1|4|101|1|multiplies|5|4|wait|marked|no|");
    expect_row(rows_of(&r), 5, "mine/v1+progress|small|1|1|4|101|1|multiplies|6|4|wait|marked|no|");
    assert_int_equal(played_memory.late, 0);
    forget(&r);
}

TEST(no_warp_is_a_row_too)
{
    struct runner r;
    struct err e = {0};
    played = (__typeof__(played)){.write = nothing_begins, .rounds = -1};
    assert_int_equal(run(&r, &e), ERR_ENVIRONMENT);
    assert_int_equal(table_rows(rows_of(&r)), 1);
    expect_row(rows_of(&r), 0, "mine/v1+progress|small|0|||||||||absent||");
    forget(&r);
}

TEST(a_device_on_which_nothing_begins_is_a_row)
{
    struct runner r;
    struct err e = {0};
    played = (__typeof__(played)){.write = the_second_device_is_late, .rounds = -1, .devices = DEVICES};
    assert_int_equal(run(&r, &e), ERR_ENVIRONMENT);
    assert_int_equal(table_rows(rows_of(&r)), 7);
    expect_row(rows_of(&r), 0, "mine/v1+progress|small|1|||||||||absent||");
    forget(&r);
}

TEST(launches_that_end_leave_no_row)
{
    struct runner r;
    struct err e = {0};
    played = (__typeof__(played)){.write = stopped_pipeline, .rounds = 2};
    if (run(&r, &e))
        fail_msg("%s", e.text);
    assert_int_equal(table_rows(rows_of(&r)), 0);
    assert_false(r.is_stuck);
    assert_int_equal(played.launches, 2);
    assert_int_equal(played.readings, 0);
    assert_int_equal(json_get_integer(r.report, "ended", -1), 2);
    const json_t *missing = json_object_get(r.report, "missing");
    assert_int_equal(json_array_size(missing), 1); /* a variant that is launched later on, unwatched */
    assert_string_equal(json_get_text(json_array_get(missing, 0), "what", ""), "the progress of 'mine/v2'");
    assert_int_equal(played.there + played.streams + played.events + played.pinned, 0);
    assert_int_equal(played_memory.there, 0);
    forget(&r);
}

/* The process must be able to end: nothing is freed, and the reason is said. */
TEST(what_cannot_be_read_is_said)
{
    static const struct {
        bool copies_hang, launch_fails;
        const char *says;
    } rows[] = {
        {true, false,
         "'mine/v1+progress' does not end after 3 s, and where it is cannot be told: variant 'mine/v1+progress' at "
         "'small': CUDA failed to read its progress"},
        {false, true, "variant 'mine/v1+progress' at 'small': CUDA failed to launch"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct runner r;
        struct err e = {0};
        played = (__typeof__(played)){.write = stopped_pipeline,
                                      .rounds = -1,
                                      .copies_hang = rows[i].copies_hang,
                                      .launch_fails = rows[i].launch_fails};
        assert_int_equal(run(&r, &e), ERR_ENVIRONMENT);
        if (strncmp(e.text, rows[i].says, strlen(rows[i].says)))
            fail_msg("row %zu: %s", i, e.text);
        assert_int_equal(table_rows(rows_of(&r)), 0);
        assert_true(r.is_stuck);
        assert_int_equal(played_memory.late, 0);
        assert_int_equal(played.there, 1);
        forget(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_that_hangs_is_read),    cmocka_unit_test(every_device_is_read),
        cmocka_unit_test(no_warp_is_a_row_too),           cmocka_unit_test(a_device_on_which_nothing_begins_is_a_row),
        cmocka_unit_test(launches_that_end_leave_no_row), cmocka_unit_test(what_cannot_be_read_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
