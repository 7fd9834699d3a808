/* How is a kernel launched, or a function called, that a JSON file describes? */
#define _GNU_SOURCE
#include "collector/runner/described/described_solution.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "collector/runner/described/described_call.h"
#include "kernels/cuda_versions.h"

enum { PATH_BYTES = 4096, NAME_BYTES = 256, WORDS = 16, WARP = 32, PLAIN_SHARED_BYTES = 48 * 1024 };

struct described_solution {
    struct cpprof_solution solution;
    const struct cpprof_task *task;
    char summary[PATH_BYTES + NAME_BYTES + 8];
    char image[PATH_BYTES], library[PATH_BYTES]; /* one of them */
    char name[NAME_BYTES];                       /* of the kernel or the function */
    struct described_arguments arguments;
    struct described_extent grid[3], block[3];
    unsigned shared_bytes;
    CUfunction kernel; /* NULL: not loaded yet */
    void *function;
    struct described_solution *next;
};

/* Variants that are made of them keep their addresses until the process ends. */
static struct described_solution *known;

bool described_solution_is(const char *path)
{
    const size_t length = strlen(path);
    return length > 5 && !strcmp(path + length - 5, ".json");
}

const struct cpprof_solution *described_solution_functions(const struct described_solution *d)
{
    return &d->solution;
}

void described_solution_free(struct described_solution *d)
{
    struct described_solution **at = &known;
    while (*at && *at != d)
        at = &(*at)->next;
    if (*at)
        *at = d->next;
    free(d);
}

/* ---- calls ---- */

/* Where a launch fails the runner knows a number of CUDA alone. */
static int complain(const struct described_solution *d, int status, const char *what)
{
    fprintf(stderr, "%s: %s\n", d->summary, what);
    return status ? status : (int)cudaErrorUnknown;
}

/* The driver's functions, which nothing links with. */
static int find(const char *name, void *function, size_t bytes)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    void *symbol = NULL;
    if (driver_function(name, &symbol, CUDART_VERSION, &found) || found != cudaDriverEntryPointSuccess)
        return cudaErrorNotSupported;
    memcpy(function, &symbol, bytes);
    return 0;
}

static int load_kernel(struct described_solution *d)
{
    CUresult (*load)(CUmodule *, const char *);
    CUresult (*get)(CUfunction *, CUmodule, const char *);
    CUresult (*set)(CUfunction, CUfunction_attribute, int);
    CUmodule module = NULL;
    if (find("cuModuleLoad", &load, sizeof load) || find("cuModuleGetFunction", &get, sizeof get) ||
        find("cuFuncSetAttribute", &set, sizeof set))
        return complain(d, cudaErrorNotSupported, "the driver has no functions for modules");
    int status = (int)load(&module, d->image);
    if (status)
        return complain(d, status, "the driver cannot load the image: is it there, and for this GPU?");
    status = (int)get(&d->kernel, module, d->name);
    if (status) {
        d->kernel = NULL;
        return complain(d, status, "the image has no kernel of this name (cuobjdump -elf lists them)");
    }
    if (d->shared_bytes > PLAIN_SHARED_BYTES)
        status = (int)set(d->kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)d->shared_bytes);
    return status ? complain(d, status, "a block has not so much shared memory") : 0;
}

static int load_function(struct described_solution *d)
{
    void *library = dlopen(d->library, RTLD_NOW | RTLD_LOCAL);
    d->function = library ? dlsym(library, d->name) : NULL;
    return d->function ? 0 : complain(d, cudaErrorInvalidValue, dlerror());
}

/* The state is there already. Of its files all are loaded before the first launch, which may be recorded. */
static int prepare(const struct cpprof_config *config, void **state)
{
    struct described_solution *d = *state;
    (void)config;
    if (d->kernel || d->function)
        return 0;
    return *d->image ? load_kernel(d) : load_function(d);
}

static int launch_kernel(struct described_solution *d, const struct cpprof_call *call)
{
    static CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              CUstream, void **, void **);
    union described_word values[DESCRIBED_ARGUMENTS_MAX];
    void *arguments[DESCRIBED_ARGUMENTS_MAX];
    unsigned grid[3], block[3];
    if (!launch && find("cuLaunchKernel", &launch, sizeof launch))
        return cudaErrorNotSupported;
    for (size_t i = 0; i < d->arguments.count; i++) {
        values[i] = described_argument_value(&d->arguments.items[i], call);
        arguments[i] = &values[i];
    }
    for (size_t i = 0; i < 3; i++) {
        grid[i] = (unsigned)described_extent_value(&d->grid[i], call->config);
        block[i] = (unsigned)described_extent_value(&d->block[i], call->config);
        if (!grid[i] || !block[i])
            return 0; /* an empty shape */
    }
    return (int)launch(d->kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2], d->shared_bytes,
                       call->stream, arguments, NULL);
}

/* Pointers and whole numbers are words of 64 bits in each ABI that CUDA has on Linux, and what is passed beyond those
 * that a function takes is of no matter. */
static int call_function(const struct described_solution *d, const struct cpprof_call *call)
{
    int (*function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                    uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    uint64_t w[WORDS] = {0};
    for (size_t i = 0; i < d->arguments.count; i++) {
        const union described_word v = described_argument_value(&d->arguments.items[i], call);
        w[i] = d->arguments.items[i].type == AS_I32 ? (uint64_t)(int64_t)v.i32 : v.word;
    }
    memcpy(&function, &d->function, sizeof function);
    return function(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11], w[12], w[13], w[14],
                    w[15]);
}

static int launch(void *state, const struct cpprof_call *call)
{
    struct described_solution *d = state;
    return *d->image ? launch_kernel(d, call) : call_function(d, call);
}

/* ---- the description ---- */

/* Files are beside the description, unless they have a path from the root. */
static void place(char out[PATH_BYTES], const char *path, const char *file)
{
    const char *slash = strrchr(path, '/');
    const int folder = *file == '/' ? 0 : slash ? (int)(slash - path) + 1 : 0;
    snprintf(out, PATH_BYTES, "%s%.*s%s", *file != '/' && !slash ? "./" : "", folder, path, file);
}

static int read_kernel(struct described_solution *d, const json_t *all, struct err *e)
{
    const long long shared = json_get_integer(all, "shared", 0);
    int rc = described_extents_read(d->grid, json_object_get(all, "grid"), "grid", d->task, e);
    if (!rc && json_object_get(all, "block"))
        rc = described_extents_read(d->block, json_object_get(all, "block"), "block", d->task, e);
    if (!rc && !d->block[0].per)
        rc = err_set(e, ERR_USAGE, "it has no \"block\": how many threads has one?");
    if (!rc && (shared < 0 || shared > 1 << 20))
        rc = err_set(e, ERR_USAGE, "\"shared\" is %lld: bytes of dynamic shared memory of a block", shared);
    if (!rc && shared)
        d->shared_bytes = (unsigned)shared;
    return rc;
}

/* What Triton leaves beside the cubin: name, warps and shared memory, and whether its kernels take addresses of scratch
 * memory behind their own arguments. */
static int read_triton(struct described_solution *d, const json_t *beside, const char *file, struct err *e)
{
    static const char *const scratch[] = {"global_scratch_size", "profile_scratch_size"};
    const char *name = json_get_text(beside, "name", "");
    const long long warps = json_get_integer(beside, "num_warps", 0);
    if (!*name || warps < 1 || warps > WARP)
        return err_set(e, ERR_USAGE, "'%s' has no \"name\" and \"num_warps\", as Triton writes them", file);
    if (json_get_integer(beside, "num_ctas", 1) != 1)
        return err_set(e, ERR_USAGE, "'%s': kernels of clusters cannot be described", file);
    snprintf(d->name, sizeof d->name, "%s", name);
    d->block[0] = (struct described_extent){-1, warps * WARP, 1};
    d->block[1] = d->block[2] = (struct described_extent){-1, 1, 1};
    d->shared_bytes = (unsigned)json_get_integer(beside, "shared", 0);
    int rc = 0;
    for (size_t i = 0; i < sizeof scratch / sizeof scratch[0] && !rc; i++) {
        if (json_get_integer(beside, scratch[i], 0) > 0)
            rc = err_set(e, ERR_USAGE, "'%s': its kernel needs scratch memory, which has to be its own", file);
        else if (json_object_get(beside, scratch[i]))
            rc = described_arguments_add_null(&d->arguments, e);
    }
    return rc;
}

static int read_with_triton(struct described_solution *d, const char *path, const char *file, struct err *e)
{
    char beside_path[PATH_BYTES];
    json_t *beside = NULL;
    place(beside_path, path, file);
    int rc = json_read_file(beside_path, &beside, e);
    if (!rc)
        rc = read_triton(d, beside, file, e);
    json_decref(beside);
    if (rc || !described_solution_is(beside_path))
        return rc ? rc : err_set(e, ERR_USAGE, "\"triton\" names the JSON file beside the cubin, not '%s'", file);
    snprintf(d->image, sizeof d->image, "%.*s.cubin", (int)strlen(beside_path) - 5, beside_path);
    return 0;
}

static int check_function(const struct described_solution *d, struct err *e)
{
    if (d->arguments.count > WORDS)
        return err_set(e, ERR_USAGE, "a function takes %d arguments at most", WORDS);
    for (size_t i = 0; i < d->arguments.count; i++)
        if (d->arguments.items[i].type == AS_F32 || d->arguments.items[i].type == AS_F64)
            return err_set(e, ERR_USAGE, "argument %zu: a function takes addresses and whole numbers alone", i);
    return 0;
}

/* Exactly one of them says what is launched. */
static int read_call(struct described_solution *d, const char *path, const json_t *all, struct err *e)
{
    const char *image = json_get_text(all, "image", ""), *library = json_get_text(all, "library", ""),
               *triton = json_get_text(all, "triton", "");
    if (!*image + !*library + !*triton != 2)
        return err_set(e, ERR_USAGE,
                       "it names one of \"image\" (a cubin, fatbin or PTX file), \"triton\" and \"library\"");
    snprintf(d->name, sizeof d->name, "%s", json_get_text(all, *library ? "function" : "kernel", ""));
    int rc = described_arguments_read(&d->arguments, json_object_get(all, "arguments"), d->task, e);
    if (!rc && *triton)
        rc = read_with_triton(d, path, triton, e);
    if (!rc && !*d->name)
        rc = err_set(e, ERR_USAGE, "it names no \"%s\"", *library ? "function" : "kernel");
    if (rc)
        return rc;
    if (*image)
        place(d->image, path, image);
    if (*library)
        place(d->library, path, library);
    return *library ? check_function(d, e) : read_kernel(d, all, e);
}

static int check_task(const struct cpprof_task *task, struct err *e)
{
    return task->ranks ? err_set(e, ERR_USAGE, "solutions of a collective are libraries: they launch on several GPUs")
                       : 0;
}

int described_solution_open(struct described_solution **out, const struct cpprof_task *task, const char *path,
                            struct err *e)
{
    json_t *all = NULL;
    struct described_solution *d = calloc(1, sizeof *d);
    int rc = d ? check_task(task, e) : err_memory(e);
    if (!rc)
        rc = json_read_file(path, &all, e);
    if (!rc) {
        d->task = task;
        rc = read_call(d, path, all, e);
    }
    json_decref(all);
    if (rc) {
        free(d);
        return rc;
    }
    snprintf(d->summary, sizeof d->summary, "%s of %s", d->name, *d->image ? d->image : d->library);
    d->solution = (struct cpprof_solution){.struct_bytes = sizeof d->solution,
                                           .abi = CPPROF_TASK_ABI,
                                           .launch = launch,
                                           .summary = d->summary,
                                           .prepare = prepare};
    d->next = known;
    *out = known = d;
    return 0;
}
