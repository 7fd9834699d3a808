/* How is a function of a Python file launched, and can its launches be timed? */
#include "collector/runner/python/python_solution.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"

enum { TEXT_BYTES = 400 };

/* What came of a trial. */
struct python_trial {
    struct cpprof_config config;
    int status;
    char why[TEXT_BYTES];
};

struct python_function {
    struct cpprof_solution solution;
    const struct cpprof_task *task;
    int number;               /* the host's */
    char summary[TEXT_BYTES]; /* and where it is */
    ARRAY_OF(struct python_trial) trials;
};

static const struct python_host *python;

void python_host_set(const struct python_host *host)
{
    python = host;
}

bool python_host_is_set(void)
{
    return python != NULL;
}

/* ---- open ---- */

static json_t *arrays_json(const struct cpprof_array *arrays, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list,
                              json_pack("{s:o,s:i}", "name", json_text(arrays[i].name), "type", (int)arrays[i].type));
    return list;
}

/* free() gives it back; NULL: no memory. */
static char *task_json(const struct cpprof_task *task)
{
    json_t *axes = json_array();
    for (size_t i = 0; i < task->axis_count; i++)
        json_array_append_new(axes, json_text(task->axes[i].name));
    json_t *whole = json_pack("{s:o,s:o,s:o}", "axes", axes, "inputs", arrays_json(task->inputs, task->input_count),
                              "outputs", arrays_json(task->outputs, task->output_count));
    char *text = json_dumps(whole, JSON_COMPACT);
    json_decref(whole);
    return text;
}

static int launch(void *state, const struct cpprof_call *call);

static int open_function(struct python_function *f, const char *path, struct err *e)
{
    char *description = task_json(f->task);
    if (!description)
        return err_memory(e);
    f->number = python->open(path, description, f->summary, sizeof f->summary);
    free(description);
    return f->number > 0 ? 0 : err_set(e, ERR_USAGE, "%s", *f->summary ? f->summary : "Python failed to open it");
}

int python_solution_open(struct python_function **out, const struct cpprof_task *task, const char *path, struct err *e)
{
    if (!python)
        return err_set(e, ERR_USAGE, "a function of a Python file runs in Python, which cpprof starts as its runner");
    struct python_function *f = calloc(1, sizeof *f);
    if (!f)
        return err_memory(e);
    f->task = task;
    const int rc = open_function(f, path, e);
    if (rc) {
        python_solution_free(f);
        return rc;
    }
    f->solution = (struct cpprof_solution){
        .struct_bytes = sizeof f->solution, .abi = CPPROF_TASK_ABI, .launch = launch, .summary = f->summary};
    *out = f;
    return 0;
}

void python_solution_free(struct python_function *f)
{
    free(f->trials.items);
    free(f);
}

const struct cpprof_solution *python_solution(const struct python_function *function)
{
    return &function->solution;
}

/* ---- launch ---- */

static int call_function(const struct python_function *f, const struct cpprof_call *call, char *why, size_t why_bytes)
{
    uint64_t arrays[2 * CPPROF_ARRAYS_MAX], counts[2 * CPPROF_ARRAYS_MAX];
    const size_t inputs = f->task->input_count;
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    int device = 0, status = cudaStreamIsCapturing(call->stream, &capture);
    if (!status)
        status = cudaGetDevice(&device);
    if (status) {
        snprintf(why, why_bytes, "%s", cudaGetErrorString((cudaError_t)status));
        return status;
    }
    for (size_t i = 0; i < inputs; i++) {
        arrays[i] = (uintptr_t)call->inputs[i];
        counts[i] = f->task->inputs[i].count(call->config);
    }
    for (size_t i = 0; i < f->task->output_count; i++) {
        arrays[inputs + i] = (uintptr_t)call->outputs[i];
        counts[inputs + i] = f->task->outputs[i].count(call->config);
    }
    const struct python_call values = {call->config->value,     arrays, counts,
                                       (uintptr_t)call->stream, device, capture != cudaStreamCaptureStatusNone};
    if (python->launch(f->number, &values, why, why_bytes))
        return 0;
    if (!*why)
        snprintf(why, why_bytes, "Python failed to call it");
    return cudaErrorUnknown;
}

/* A number of CUDA does not say which line it was. */
static int launch(void *state, const struct cpprof_call *call)
{
    char why[TEXT_BYTES] = "";
    const int status = call_function(state, call, why, sizeof why);
    if (status)
        fprintf(stderr, "%s\n", why);
    return status;
}

/* ---- a trial ---- */

struct trial_memory {
    char *memory;
    const void *inputs[CPPROF_ARRAYS_MAX];
    void *outputs[CPPROF_ARRAYS_MAX];
    size_t values_out;
};

static size_t place(size_t *used, const struct cpprof_array *array, const struct cpprof_config *config)
{
    const size_t at = *used, bytes = array->count(config) * cpprof_type_bytes(array->type);
    *used += (bytes + 255) / 256 * 256;
    return at;
}

/* Zeros: what the function computes is looked at by the judge, later. */
static int trial_memory_open(struct trial_memory *m, const struct cpprof_task *task, const struct cpprof_config *config,
                             struct CUstream_st *stream)
{
    size_t bytes = 256, at[2 * CPPROF_ARRAYS_MAX];
    for (size_t i = 0; i < task->input_count; i++)
        at[i] = place(&bytes, &task->inputs[i], config);
    for (size_t i = 0; i < task->output_count; i++) {
        at[task->input_count + i] = place(&bytes, &task->outputs[i], config);
        m->values_out += task->outputs[i].count(config);
    }
    int status = cudaMalloc((void **)&m->memory, bytes);
    if (status)
        return status;
    for (size_t i = 0; i < task->input_count; i++)
        m->inputs[i] = m->memory + at[i];
    for (size_t i = 0; i < task->output_count; i++)
        m->outputs[i] = m->memory + at[task->input_count + i];
    status = cudaMemsetAsync(m->memory, 0, bytes, stream);
    return status ? status : (int)cudaStreamSynchronize(stream);
}

static int say(int status, const char *doing, char *why, size_t why_bytes)
{
    if (status && !*why)
        snprintf(why, why_bytes, "%s: %s", doing, cudaGetErrorString((cudaError_t)status));
    return status;
}

/* As the block timer does it. An error inside spoils the capture, and what the function said of it is the reason. */
static int try_capture(const struct python_function *f, const struct cpprof_call *call, bool must_launch, char *why,
                       size_t why_bytes)
{
    cudaGraph_t graph = NULL;
    size_t nodes = 0;
    int status = cudaStreamBeginCapture(call->stream, cudaStreamCaptureModeThreadLocal);
    if (status)
        return say(status, "no graph can be begun", why, why_bytes);
    status = call_function(f, call, why, why_bytes);
    const int ended = cudaStreamEndCapture(call->stream, &graph);
    if (!status)
        status = say(ended, "its launches do not fit into a CUDA graph", why, why_bytes);
    if (!status)
        status = say(cudaGraphGetNodes(graph, NULL, &nodes), "its graph cannot be read", why, why_bytes);
    if (!status && !nodes && must_launch) {
        snprintf(why, why_bytes, "nothing of it is launched on the stream of the runner, which is the current one");
        status = cudaErrorUnknown;
    }
    if (graph)
        cudaGraphDestroy(graph);
    if (status)
        cudaGetLastError();
    return status;
}

/* The second launch finds the memory that the first one needed. */
static int try_launches(const struct python_function *f, const struct cpprof_call *call, bool must_launch, char *why,
                        size_t why_bytes)
{
    int status = 0;
    for (int i = 0; i < 2 && !status; i++) {
        status = call_function(f, call, why, why_bytes);
        if (!status)
            status = say(cudaStreamSynchronize(call->stream), "a launch of it failed", why, why_bytes);
    }
    return status ? status : try_capture(f, call, must_launch, why, why_bytes);
}

/* One stream for all trials: frameworks keep memory by stream. */
static int trial_stream(struct CUstream_st **stream)
{
    static cudaStream_t kept;
    const int status = kept ? 0 : (int)cudaStreamCreateWithFlags(&kept, cudaStreamNonBlocking);
    *stream = kept;
    return status;
}

/* *is_tried becomes false where there is no memory for it now: nothing is known of the function then. */
static int try_config(const struct python_function *f, const struct cpprof_config *config, bool *is_tried, char *why,
                      size_t why_bytes)
{
    struct trial_memory m = {0};
    struct CUstream_st *stream;
    int status = say(trial_stream(&stream), "no stream can be made", why, why_bytes);
    if (status)
        return status;
    status = trial_memory_open(&m, f->task, config, stream);
    const struct cpprof_call call = {
        .struct_bytes = sizeof call, .config = config, .inputs = m.inputs, .outputs = m.outputs, .stream = stream};
    *is_tried = status != cudaErrorMemoryAllocation;
    if (!*is_tried)
        cudaGetLastError();
    if (!say(status, *is_tried ? "memory for a trial" : "not tried, for want of device memory", why, why_bytes))
        status = try_launches(f, &call, m.values_out > 0, why, why_bytes);
    cudaFree(m.memory);
    return status;
}

static const struct python_trial *earlier(const struct python_function *f, const struct cpprof_config *config)
{
    for (size_t i = 0; i < f->trials.count; i++)
        if (!memcmp(f->trials.items[i].config.value, config->value, sizeof config->value))
            return &f->trials.items[i];
    return NULL;
}

int python_solution_try(void *function, const struct cpprof_config *config, char *why, size_t why_bytes)
{
    struct python_function *f = function;
    const struct python_trial *known = earlier(f, config);
    struct python_trial trial = {.config = *config}, *slot;
    if (!known) {
        trial.config.seed = 0;
        bool is_tried = true;
        trial.status = try_config(f, &trial.config, &is_tried, trial.why, sizeof trial.why);
        known = &trial;
        if (is_tried && (slot = ARRAY_PUSH(&f->trials)))
            *slot = trial;
    }
    if (known->status)
        snprintf(why, why_bytes, "%s", known->why);
    return known->status;
}
