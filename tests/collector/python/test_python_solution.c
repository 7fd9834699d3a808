/* Is a function of a Python file tried before anything of it is timed, and is what it does wrong said? Python and CUDA
 * are played: the function does what the script says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/device.h"
#include "collector/runner/python/python_solution.h"
#include "core/base/json.h"
#include "tests/test.h"

enum { ROWS = 3, STREAM = 0x50, DEVICE = 1 };

static struct {
    /* the script */
    const char *raises_eagerly, *raises_captured; /* NULL: it does not */
    cudaError_t no_memory, bad_launch, bad_capture;
    size_t nodes; /* of its graph */
    /* what came of it */
    bool is_captured;
    int eager, captured, graphs, allocations;
    struct python_call last;
    uint64_t first, second, counts[3];
    char task[256];
} played;

/* ---- CUDA ---- */

cudaError_t __wrap_cudaMalloc(void **out, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **out, size_t bytes)
{
    if (played.no_memory)
        return played.no_memory;
    *out = malloc(bytes);
    played.allocations++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaFree(void *at);
cudaError_t __wrap_cudaFree(void *at)
{
    free(at);
    played.allocations -= at != NULL;
    return cudaSuccess;
}

cudaError_t __wrap_cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream);
cudaError_t __wrap_cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    memset(at, value, bytes);
    return cudaSuccess;
}

cudaError_t __wrap_cudaGetDevice(int *out);
cudaError_t __wrap_cudaGetDevice(int *out)
{
    *out = DEVICE;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGetLastError(void);
cudaError_t __wrap_cudaGetLastError(void)
{
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    (void)flags;
    *out = (cudaStream_t)(uintptr_t)STREAM;
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return played.eager ? played.bad_launch : cudaSuccess;
}

cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *out);
cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *out)
{
    (void)stream;
    *out = played.is_captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t __wrap_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    (void)stream, (void)mode;
    played.is_captured = true;
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out);
cudaError_t __wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
    (void)stream;
    played.is_captured = false;
    if (played.bad_capture)
        return played.bad_capture;
    *out = (cudaGraph_t)(void *)&played;
    played.graphs++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t __wrap_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    (void)graph, (void)nodes;
    *count = played.nodes;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGraphDestroy(cudaGraph_t graph);
cudaError_t __wrap_cudaGraphDestroy(cudaGraph_t graph)
{
    (void)graph;
    played.graphs--;
    return cudaSuccess;
}

/* ---- Python ---- */

static int open_function(const char *path, const char *task, char *text, size_t text_bytes)
{
    snprintf(played.task, sizeof played.task, "%s", task);
    const bool is_there = strcmp(path, "absent.py:f") != 0;
    snprintf(text, text_bytes, is_there ? "%s (Played 1.0)" : "%s: No such file or directory", path);
    return is_there ? 7 : 0;
}

static int call_function(int function, const struct python_call *call, char *text, size_t text_bytes)
{
    assert_int_equal(function, 7);
    assert_int_equal(call->is_captured, played.is_captured);
    *(call->is_captured ? &played.captured : &played.eager) += 1;
    played.last = *call;
    played.first = call->arrays[0];
    played.second = call->arrays[1];
    memcpy(played.counts, call->counts, sizeof played.counts);
    const char *raises = call->is_captured ? played.raises_captured : played.raises_eagerly;
    if (raises)
        snprintf(text, text_bytes, "%s", raises);
    return raises == NULL;
}

static const struct python_host host = {open_function, call_function};

/* ---- the task ---- */

static size_t values(const struct cpprof_config *config)
{
    return (size_t)config->value[0];
}

static size_t one(const struct cpprof_config *config)
{
    (void)config;
    return 1;
}

static const struct cpprof_axis axes[] = {{"rows", "rows", CPPROF_AXIS_SHAPE, 0, 1000, ROWS}};
static const struct cpprof_array inputs[] = {{"x \"1\"", CPPROF_F32, values}, {"y", CPPROF_I64, one}};
static const struct cpprof_array output = {"out", CPPROF_F16, values};
static const struct cpprof_task task = {
    .axes = axes, .axis_count = 1, .inputs = inputs, .input_count = 2, .outputs = &output, .output_count = 1};
static const struct cpprof_config three = {.value = {ROWS}, .seed = 42};

static struct python_function *opened(void)
{
    struct python_function *f = NULL;
    struct err e = {0};
    memset(&played, 0, sizeof played);
    played.nodes = 1;
    if (python_solution_open(&f, &task, "folder/softmax.py:softmax", &e))
        fail_msg("%s", e.text);
    return f;
}

/* ---- tests ---- */

TEST(it_is_found_or_refused)
{
    struct python_function *f = opened();
    json_t *told = json_loads(played.task, 0, NULL);
    assert_non_null(told);
    assert_string_equal(json_string_value(json_array_get(json_object_get(told, "axes"), 0)), "rows");
    const json_t *x = json_array_get(json_object_get(told, "inputs"), 0);
    assert_string_equal(json_get_text(x, "name", ""), "x \"1\"");
    assert_int_equal(json_get_integer(json_array_get(json_object_get(told, "outputs"), 0), "type", -1), CPPROF_F16);
    json_decref(told);
    assert_string_equal(python_solution(f)->summary, "folder/softmax.py:softmax (Played 1.0)");
    python_solution_free(f);

    struct err e = {0};
    assert_int_equal(python_solution_open(&f, &task, "absent.py:f", &e), ERR_USAGE);
    assert_string_equal(e.text, "absent.py:f: No such file or directory");
}

TEST(a_trial_launches_and_records)
{
    struct python_function *f = opened();
    char why[160] = "";
    assert_int_equal(python_solution_try(f, &three, why, sizeof why), 0);
    assert_true(played.eager == 2 && played.captured == 1 && !played.graphs && !played.allocations);
    assert_string_equal(why, "");
    assert_true(played.last.stream == STREAM && played.last.device == DEVICE);
    assert_true(played.counts[0] == ROWS && played.counts[1] == 1 && played.counts[2] == ROWS);
    assert_true(played.first % 16 == 0 && played.second == played.first + 256);
    assert_int_equal(python_solution_try(f, &three, why, sizeof why), 0);
    assert_int_equal(played.eager, 2); /* once for a config */
    const struct cpprof_config none = {.value = {0}};
    played.nodes = 0; /* there is nothing to be launched */
    assert_int_equal(python_solution_try(f, &none, why, sizeof why), 0);
    assert_int_equal(played.eager, 4);
    python_solution_free(f);
}

TEST(what_cannot_be_timed_is_refused)
{
    static const struct {
        const char *raises_eagerly, *raises_captured, *says;
        cudaError_t bad_launch, bad_capture;
        size_t nodes;
        int eager, captured;
    } cases[] = {
        {.raises_eagerly = "a.py:3: NameError: x", .says = "a.py:3: NameError: x", .nodes = 1, .eager = 1},
        {.bad_launch = cudaErrorIllegalAddress, .says = "a launch of it failed: ", .nodes = 1, .eager = 1},
        {.raises_captured = "a.py:4 waits", .says = "a.py:4 waits", .nodes = 1, .eager = 2, .captured = 1},
        /* what the function said is the reason, and not what became of the capture */
        {.raises_captured = "a.py:4 waits",
         .bad_capture = cudaErrorStreamCaptureInvalidated,
         .says = "a.py:4 waits",
         .nodes = 1,
         .eager = 2,
         .captured = 1},
        {.bad_capture = cudaErrorStreamCaptureUnjoined,
         .says = "its launches do not fit into a CUDA graph: ",
         .nodes = 1,
         .eager = 2,
         .captured = 1},
        {.raises_eagerly = "", .says = "Python failed to call it", .nodes = 1, .eager = 1},
        {.says = "nothing of it is launched on the stream of the runner", .eager = 2, .captured = 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct python_function *f = opened();
        char why[160] = "", again[160] = "";
        played.raises_eagerly = cases[i].raises_eagerly;
        played.raises_captured = cases[i].raises_captured;
        played.bad_launch = cases[i].bad_launch;
        played.bad_capture = cases[i].bad_capture;
        played.nodes = cases[i].nodes;
        const int status = python_solution_try(f, &three, why, sizeof why);
        if (!status || strncmp(why, cases[i].says, strlen(cases[i].says)) != 0)
            fail_msg("case %zu: status %d, '%s'", i, status, why);
        assert_true(played.eager == cases[i].eager && played.captured == cases[i].captured);
        assert_true(!played.graphs && !played.allocations && !played.is_captured);
        assert_int_equal(python_solution_try(f, &three, again, sizeof again), status);
        assert_string_equal(again, why);
        assert_int_equal(played.eager, cases[i].eager);
        python_solution_free(f);
    }
}

/* That is said, and is not taken for a trial that passed or failed. */
TEST(without_memory_nothing_is_tried)
{
    struct python_function *f = opened();
    char why[160] = "";
    played.no_memory = cudaErrorMemoryAllocation;
    assert_int_equal(python_solution_try(f, &three, why, sizeof why), cudaErrorMemoryAllocation);
    assert_int_equal(played.eager, 0);
    assert_int_equal(strncmp(why, "not tried, for want of device memory: ", 38), 0);
    played.no_memory = cudaSuccess;
    *why = '\0';
    assert_int_equal(python_solution_try(f, &three, why, sizeof why), 0);
    assert_int_equal(played.eager, 2);
    assert_string_equal(why, "");
    python_solution_free(f);
}

TEST(a_launch_that_raises_fails)
{
    struct python_function *f = opened();
    const float x[ROWS] = {0};
    float out[ROWS];
    const int64_t y = 0;
    const void *const in[] = {x, &y};
    void *const to[] = {out};
    const struct cpprof_call call = {.struct_bytes = sizeof call,
                                     .config = &three,
                                     .inputs = in,
                                     .outputs = to,
                                     .stream = (struct CUstream_st *)(uintptr_t)STREAM};
    assert_int_equal(python_solution(f)->launch(f, &call), 0);
    assert_true(played.first == (uintptr_t)x && played.second == (uintptr_t)&y);
    played.raises_eagerly = "a.py:3: NameError: x";
    assert_int_equal(python_solution(f)->launch(f, &call), cudaErrorUnknown);
    python_solution_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_found_or_refused),          cmocka_unit_test(a_trial_launches_and_records),
        cmocka_unit_test(what_cannot_be_timed_is_refused), cmocka_unit_test(without_memory_nothing_is_tried),
        cmocka_unit_test(a_launch_that_raises_fails),
    };
    struct python_function *f = NULL;
    struct err e = {0};
    if (python_solution_open(&f, &task, "softmax.py:softmax", &e) != ERR_USAGE) /* nobody has Python yet */
        return 1;
    python_host_set(&host);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
