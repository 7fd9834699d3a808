/* How is a kernel launched, or a function called, that a JSON file describes? */
#define _GNU_SOURCE
#include "collector/runner/described/described_solution.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/described/described_call.h"
#include "collector/runner/variant_check.h"
#include "core/base/json.h"
#include "kernels/cuda_versions.h"

/* Mangled names of templates are long. */
enum { PATH_BYTES = 4096, NAME_BYTES = 4096, WORDS = 16, WARP = 32, SHARED_BYTES_MAX = 1 << 20 };

struct described_solution {
    struct cpprof_solution solution;
    const struct cpprof_task *task;
    char summary[VARIANT_TEXT_MAX + 1];
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
    fprintf(stderr, "%s of %s: %s\n", d->name, *d->image ? d->image : d->library, what);
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

/* The driver reads as many arguments as the kernel takes, of the sizes that it takes. Before CUDA 12.4 it does not say
 * how many that is. */
static int check_parameters(const struct described_solution *d, CUfunction kernel)
{
    CUresult (*parameter)(CUfunction, size_t, size_t *, size_t *);
    const size_t count = d->arguments.count;
    char text[128];
    if (find("cuFuncGetParamInfo", &parameter, sizeof parameter))
        return 0;
    for (size_t i = 0; i <= count; i++) {
        size_t offset, bytes = 0;
        const CUresult status = parameter(kernel, i, &offset, &bytes);
        const struct described_argument *a = &d->arguments.items[i];
        const bool is_missing = !status && i == count, is_extra = status == CUDA_ERROR_INVALID_VALUE && i && i < count;
        if (is_missing)
            snprintf(text, sizeof text, "the kernel takes more than the %zu arguments that are described", count);
        else if (is_extra)
            snprintf(text, sizeof text, "the kernel takes %zu arguments, and %zu are described", i, count);
        else if (!status && !described_argument_is_of(a, bytes))
            snprintf(text, sizeof text, "argument %zu: the kernel takes %zu bytes, and %zu are described", i, bytes,
                     described_argument_bytes(a));
        else if (status)
            return 0;
        else
            continue;
        return complain(d, cudaErrorInvalidValue, text);
    }
    return 0;
}

static int load_kernel(struct described_solution *d)
{
    CUresult (*load)(CUmodule *, const char *);
    CUresult (*get)(CUfunction *, CUmodule, const char *);
    CUresult (*set)(CUfunction, CUfunction_attribute, int);
    CUmodule module = NULL;
    CUfunction kernel = NULL;
    if (find("cuModuleLoad", &load, sizeof load) || find("cuModuleGetFunction", &get, sizeof get) ||
        find("cuFuncSetAttribute", &set, sizeof set))
        return complain(d, cudaErrorNotSupported, "the driver has no functions for modules");
    int status = (int)load(&module, d->image);
    if (status)
        return complain(d, status, "the driver cannot load the image: is it there and readable, and for this GPU?");
    status = (int)get(&kernel, module, d->name);
    if (status)
        return complain(d, status, "the image has no kernel of this name (cuobjdump -elf lists those of a cubin)");
    if ((status = check_parameters(d, kernel)))
        return status;
    if (d->shared_bytes) /* the kernel may have some of its own */
        status = (int)set(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)d->shared_bytes);
    if (status)
        return complain(d, status, "a block cannot have as much dynamic shared memory as \"shared\" says");
    d->kernel = kernel;
    return 0;
}

static int load_function(struct described_solution *d)
{
    void *library = dlopen(d->library, RTLD_NOW | RTLD_LOCAL);
    d->function = library ? dlsym(library, d->name) : NULL;
    const char *why = d->function ? NULL : dlerror();
    return d->function ? 0 : complain(d, cudaErrorInvalidValue, why ? why : "the function's address is NULL");
}

/* A number that does not fit into what a launch takes would lose its upper bits. */
static int check_shape(const struct described_solution *d, const struct cpprof_config *config)
{
    char text[80];
    for (size_t i = 0; i < d->arguments.count; i++)
        if (!described_argument_fits(&d->arguments.items[i], config)) {
            snprintf(text, sizeof text, "argument %zu: the axis does not fit in i32 at this shape", i);
            return complain(d, cudaErrorInvalidValue, text);
        }
    for (size_t i = 0; i < 3 && *d->image; i++)
        if (described_extent_value(&d->grid[i], config) > UINT32_MAX ||
            described_extent_value(&d->block[i], config) > UINT32_MAX) {
            snprintf(text, sizeof text, "extent %zu of grid or block needs more than 32 bits at this shape", i);
            return complain(d, cudaErrorInvalidValue, text);
        }
    return 0;
}

/* The state is there already. Of its files all are loaded before the first launch, which may be recorded. */
static int prepare(const struct cpprof_config *config, void **state)
{
    struct described_solution *d = *state;
    const int status = check_shape(d, config);
    if (status || d->kernel || d->function)
        return status;
    return *d->image ? load_kernel(d) : load_function(d);
}

static int launch_kernel(struct described_solution *d, const struct cpprof_call *call)
{
    static CUresult (*launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              CUstream, void **, void **);
    union described_word values[DESCRIBED_ARGUMENTS_MAX] = {0};
    void *arguments[DESCRIBED_ARGUMENTS_MAX];
    unsigned grid[3], block[3];
    if (!launch && find("cuLaunchKernel", &launch, sizeof launch))
        return cudaErrorNotSupported;
    /* All of them, in case that the kernel takes more. */
    for (size_t i = 0; i < DESCRIBED_ARGUMENTS_MAX; i++) {
        if (i < d->arguments.count)
            values[i] = described_argument_value(&d->arguments.items[i], call);
        arguments[i] = &values[i];
    }
    for (size_t i = 0; i < 3; i++) {
        grid[i] = (unsigned)described_extent_value(&d->grid[i], call->config);
        block[i] = (unsigned)described_extent_value(&d->block[i], call->config);
        if (!grid[i] || !block[i])
            return 0; /* an empty shape */
    }
    const int status = (int)launch(d->kernel, grid[0], grid[1], grid[2], block[0], block[1], block[2], d->shared_bytes,
                                   call->stream, arguments, NULL);
    return status ? complain(d, status, "it cannot be launched: can this GPU have such a grid and block?") : 0;
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

static int too_long(const char *what, size_t most, struct err *e)
{
    return err_set(e, ERR_USAGE, "'%.40s...' is longer than %zu bytes", what, most);
}

static int keep_name(struct described_solution *d, const char *name, struct err *e)
{
    const bool fits = strlen(name) < sizeof d->name;
    snprintf(d->name, sizeof d->name, "%s", name);
    return fits ? 0 : too_long(name, sizeof d->name - 1, e);
}

/* Files are beside the description, unless they have a path from the root. */
static int place(char out[PATH_BYTES], const char *path, const char *file, struct err *e)
{
    const char *slash = strrchr(path, '/');
    const int folder = *file == '/' ? 0 : slash ? (int)(slash - path) + 1 : 0;
    const int length = snprintf(out, PATH_BYTES, "%s%.*s%s", *file != '/' && !slash ? "./" : "", folder, path, file);
    return length >= 0 && length < PATH_BYTES ? 0 : too_long(file, PATH_BYTES - 1, e);
}

/* A member that is misspelt would be left out without a word. */
static int check_members(const char *kind, json_t *all, struct err *e)
{
    static const char *const members[][7] = {{"image", "kernel", "grid", "block", "shared", "arguments"},
                                             {"triton", "grid", "arguments"},
                                             {"library", "function", "arguments"}};
    const char *const *mine = members[0], *key;
    json_t *value;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (!strcmp(members[i][0], kind))
            mine = members[i];
    json_object_foreach (all, key, value) {
        size_t i = 0;
        while (mine[i] && strcmp(mine[i], key))
            i++;
        if (!mine[i])
            return err_set(e, ERR_USAGE, "it has a member '%.40s', which does not go with \"%s\"", key, kind);
    }
    return 0;
}

/* Bytes of dynamic shared memory. */
static int read_shared(struct described_solution *d, const json_t *from, struct err *e)
{
    const long long bytes = json_get_integer(from, "shared", json_object_get(from, "shared") ? -1 : 0);
    if (bytes < 0 || bytes > SHARED_BYTES_MAX)
        return err_set(e, ERR_USAGE,
                       "\"shared\" is a whole number from 0 to %d: bytes of dynamic shared memory of a block",
                       SHARED_BYTES_MAX);
    d->shared_bytes = (unsigned)bytes;
    return 0;
}

static int read_kernel(struct described_solution *d, const json_t *all, struct err *e)
{
    const json_t *block = json_object_get(all, "block");
    if (!block)
        return err_set(e, ERR_USAGE, "it has no \"block\": how many threads has one?");
    const int rc = described_extents_read(d->block, block, "block", d->task, e);
    return rc ? rc : read_shared(d, all, e);
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
    if (json_is_true(json_object_get(beside, "launch_cooperative_grid")))
        return err_set(e, ERR_USAGE, "'%s': kernels whose blocks wait for each other cannot be described", file);
    d->block[0] = (struct described_extent){-1, warps * WARP, 1};
    d->block[1] = d->block[2] = (struct described_extent){-1, 1, 1};
    int rc = keep_name(d, name, e);
    if (!rc && (rc = read_shared(d, beside, e)))
        err_context(e, "'%s'", file);
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
    int rc = place(beside_path, path, file, e);
    if (!rc && !described_solution_is(beside_path))
        rc = err_set(e, ERR_USAGE, "\"triton\" names the JSON file beside the cubin, not '%s'", file);
    if (!rc)
        rc = json_read_file(beside_path, &beside, e);
    if (!rc)
        rc = read_triton(d, beside, file, e);
    json_decref(beside);
    if (rc)
        return rc;
    const int length = snprintf(d->image, sizeof d->image, "%.*s.cubin", (int)strlen(beside_path) - 5, beside_path);
    return length >= 0 && length < PATH_BYTES ? 0 : too_long(beside_path, PATH_BYTES - 1, e);
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
static int read_call(struct described_solution *d, const char *path, json_t *all, struct err *e)
{
    const char *image = json_get_text(all, "image", ""), *library = json_get_text(all, "library", ""),
               *triton = json_get_text(all, "triton", "");
    if (!*image + !*library + !*triton != 2)
        return err_set(e, ERR_USAGE,
                       "it must name exactly one of \"image\" (a cubin, fatbin or PTX file), \"triton\" and "
                       "\"library\"");
    int rc = check_members(*image ? "image" : *triton ? "triton" : "library", all, e);
    if (!rc)
        rc = keep_name(d, json_get_text(all, *library ? "function" : "kernel", ""), e);
    if (!rc)
        rc = described_arguments_read(&d->arguments, json_object_get(all, "arguments"), d->task, e);
    if (!rc && *triton)
        rc = read_with_triton(d, path, triton, e);
    if (!rc && !*d->name)
        rc = err_set(e, ERR_USAGE, "it names no \"%s\"", *library ? "function" : "kernel");
    if (!rc && !*triton)
        rc = place(*image ? d->image : d->library, path, *image ? image : library, e);
    if (!rc && *library)
        return check_function(d, e);
    if (!rc)
        rc = described_extents_read(d->grid, json_object_get(all, "grid"), "grid", d->task, e);
    return !rc && *image ? read_kernel(d, all, e) : rc;
}

/* It is a line of the bundle: without the folder, and no longer than such a line may be. */
static void summarise(struct described_solution *d)
{
    const char *file = *d->image ? d->image : d->library;
    snprintf(d->summary, sizeof d->summary, "%.500s of %.255s", d->name, strrchr(file, '/') + 1);
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
    summarise(d);
    d->solution = (struct cpprof_solution){.struct_bytes = sizeof d->solution,
                                           .abi = CPPROF_TASK_ABI,
                                           .launch = launch,
                                           .summary = d->summary,
                                           .prepare = prepare};
    d->next = known;
    *out = known = d;
    return 0;
}
