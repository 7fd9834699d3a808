/* Does stress launch on several streams with new inputs, count what is wrong, and stop in time? Arms, memory and the
 * clock are played. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/runner/runner.h"
#include "core/base/files.h"
#include "tests/test.h"

enum { LAUNCHES = 100, STREAMS = 4, SETUPS_MAX = 64 };

/* ---- what is played ---- */

static struct {
    int64_t now_ns, step_ns;      /* what a launch takes */
    int64_t launches, wrong_from; /* the launch from which on results are wrong; 0: none is */
    uint64_t seeds[SETUPS_MAX];   /* of each set-up */
    size_t setups, live;
    bool poisoned[STREAMS + 1]; /* by stream */
    unsigned streams_used, streams_made;
    long allocations, written;
    const char *refusal;
} played;

int64_t __wrap_clock_now_ns(void);
int64_t __wrap_clock_now_ns(void)
{
    return played.now_ns;
}

cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    assert_int_equal(flags, cudaStreamNonBlocking);
    *out = (cudaStream_t)(uintptr_t)++played.streams_made; /* 1 is that of the filler */
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream);
cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream)
{
    (void)stream;
    played.streams_made--;
    return cudaSuccess;
}

cudaError_t __wrap_cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t __wrap_cudaMemGetInfo(size_t *available, size_t *total)
{
    *available = *total = (size_t)8 << 30;
    return cudaSuccess;
}

cudaError_t __wrap_cudaMalloc(void **out, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **out, size_t bytes)
{
    if (bytes > (size_t)5 << 30) /* not in one piece */
        return cudaErrorMemoryAllocation;
    played.allocations++;
    *out = &played;
    return cudaSuccess;
}

cudaError_t __wrap_cudaFree(void *at);
cudaError_t __wrap_cudaFree(void *at)
{
    assert_ptr_equal(at, &played);
    played.allocations--;
    return cudaSuccess;
}

cudaError_t __wrap_cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream);
cudaError_t __wrap_cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    (void)value, (void)bytes;
    assert_true((char *)at >= (char *)&played && (char *)at < (char *)&played + ((size_t)5 << 30));
    assert_int_equal((uintptr_t)stream, 1);
    played.written++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGetLastError(void);
cudaError_t __wrap_cudaGetLastError(void)
{
    return cudaSuccess;
}

int device_error(int cuda_status, const char *doing, struct err *e)
{
    return err_set(e, ERR_ENVIRONMENT, "CUDA failed to %s: %d", doing, cuda_status);
}

uint64_t runner_seed(const struct runner *r, size_t index)
{
    (void)r, (void)index;
    return 42;
}

const char *runner_refusal(const struct runner *r, const struct run_case *c, char *text, size_t bytes)
{
    (void)r, (void)c, (void)text, (void)bytes;
    return played.refusal;
}

bool verification_passes(const struct cpprof_verification *v)
{
    return v->values && v->bad_ratio == 0;
}

static size_t stream_of(const struct runner *r)
{
    const size_t stream = (uintptr_t)r->device.stream - 1; /* behind that of the filler */
    assert_true(stream >= 1 && stream <= STREAMS);
    played.streams_used |= 1u << stream;
    return stream;
}

int arm_setup(struct runner *r, struct arm *arm, const struct run_case *c, uint64_t seed, struct err *e)
{
    (void)e;
    stream_of(r);
    *arm = (struct arm){.run_case = c, .state = arm};
    assert_true(played.setups < SETUPS_MAX);
    played.seeds[played.setups++] = seed;
    played.live++;
    return 0;
}

void arm_teardown(struct arm *arm)
{
    played.live -= arm->state != NULL;
    arm->state = NULL;
}

int arm_poison(struct runner *r, struct arm *arm, struct err *e)
{
    (void)arm, (void)e;
    played.poisoned[stream_of(r)] = true;
    return 0;
}

int arm_launch(struct runner *r, struct arm *arm, struct err *e)
{
    (void)e;
    assert_non_null(arm->state);
    played.poisoned[stream_of(r)] = false;
    played.launches++;
    played.now_ns += played.step_ns;
    return 0;
}

int arm_synchronize(struct runner *r, const struct arm *arm, struct err *e)
{
    (void)arm, (void)e;
    stream_of(r);
    return 0;
}

int arm_look(struct runner *r, struct arm *arm, struct cpprof_verification *result, struct err *e)
{
    (void)arm, (void)e;
    const bool is_wrong = played.poisoned[stream_of(r)] || (played.wrong_from && played.launches >= played.wrong_from);
    *result =
        (struct cpprof_verification){.values = 10, .bad_ratio = is_wrong, .output_hash = 7, .mismatch_count = is_wrong};
    snprintf(result->mismatches[0].where, sizeof result->mismatches[0].where, "out[3]");
    snprintf(result->hint, sizeof result->hint, "%s", is_wrong ? "why" : "");
    return 0;
}

/* ---- the role ---- */

static int devices_two(const struct cpprof_config *config, int *device, int most)
{
    (void)config;
    for (int i = 0; i < 2 && i < most; i++)
        device[i] = i;
    return 2;
}

/* Gives the only row of stress.json. */
static json_t *stress(int64_t step_ns, int64_t wrong_from, const char *refusal, bool on_two)
{
    static struct cpprof_variant variant = {.struct_bytes = sizeof variant, .name = "f/a"};
    struct run_case one = {.variant = &variant, .name = "f/a", .key = "small"};
    struct runner r = {.iterations = LAUNCHES, .cases = {.items = &one, .count = 1, .group_count = 1}};
    struct err e = {0};
    char folder[] = "/tmp/cpprof-test-XXXXXX", file[64];
    json_t *rows = NULL;
    memset(&played, 0, sizeof played);
    played.step_ns = step_ns;
    played.wrong_from = wrong_from;
    played.refusal = refusal;
    variant.devices = on_two ? devices_two : NULL;
    assert_non_null(mkdtemp(folder));
    r.directory = folder;
    assert_int_equal(role_stress(&r, &e), 0);
    snprintf(file, sizeof file, "%s/stress.json", folder);
    assert_int_equal(json_read_file(file, &rows, &e), 0);
    files_remove_tree(folder, &e);
    assert_int_equal(played.live, 0);
    assert_int_equal(played.allocations, 0);
    assert_int_equal(played.streams_made, 0);
    assert_null(r.device.stream); /* its own again */
    json_t *row = json_incref(json_array_get(rows, 0));
    json_decref(rows);
    return row;
}

static void expect(json_t *row, const char *key, int64_t value)
{
    if (json_get_integer(row, key, -1) != value)
        fail_msg("%s is %lld, not %lld", key, (long long)json_get_integer(row, key, -1), (long long)value);
}

/* A round is 4 launches on each of 4 streams: 7 rounds are 112 launches and 28 checks; inputs are new in rounds 0
 * and 4. */
TEST(all_streams_launch_with_new_inputs)
{
    json_t *row = stress(1000, 0, NULL, false);
    expect(row, "launches", 112);
    expect(row, "checks", 28);
    expect(row, "wrong", 0);
    expect(row, "other_bits", 0);
    assert_true(json_is_true(json_object_get(row, "is_whole")));
    assert_int_equal(played.streams_used, 0x1e);
    assert_int_equal(played.setups, 2 * STREAMS);
    for (size_t i = 0; i < played.setups; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(played.seeds[i] != played.seeds[k]);
    assert_int_equal(played.written, 7);
    json_decref(row);
}

TEST(what_is_wrong_is_counted)
{
    json_t *row = stress(1000, 100, NULL, false); /* in the last round, of launches 97 to 112 */
    expect(row, "wrong", STREAMS);
    assert_non_null(strstr(json_get_text(row, "first", ""), "launch 112, seed "));
    assert_non_null(strstr(json_get_text(row, "first", ""), ": out[3]; why"));
    json_decref(row);
}

/* A launch of 20 s: the first round takes 320 s, and there is no second one. */
TEST(it_ends_in_time)
{
    json_t *row = stress(20 * INT64_C(1000000000), 0, NULL, false);
    expect(row, "launches", 16);
    expect(row, "checks", 4);
    assert_false(json_is_true(json_object_get(row, "is_whole")));
    json_decref(row);
}

TEST(what_cannot_run_is_said)
{
    json_t *row = stress(1000, 0, "needs more", false);
    expect(row, "launches", 0);
    assert_string_equal(json_get_text(row, "refused", ""), "needs more");
    assert_int_equal(played.setups, 0);
    json_decref(row);
}

/* Kernels on several GPUs may wait for each other. */
TEST(several_gpus_launch_one_at_a_time)
{
    json_t *row = stress(1000, 0, NULL, true);
    expect(row, "launches", 100);
    assert_int_equal(played.streams_used, 0x2);
    json_decref(row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_streams_launch_with_new_inputs),
        cmocka_unit_test(what_is_wrong_is_counted),
        cmocka_unit_test(it_ends_in_time),
        cmocka_unit_test(what_cannot_run_is_said),
        cmocka_unit_test(several_gpus_launch_one_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
