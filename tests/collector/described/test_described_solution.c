/* Is a kernel launched, and a function called, as a JSON file describes it, and is a wrong description refused with
 * what is wrong? The driver is played. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/runner/described/described_solution.h"
#include "collector/runner/device.h"
#include "tests/test.h"

enum { N = 1000, PARAMETERS = 5 };

/* ---- the driver ---- */

static struct {
    char image[256], kernel[4096];
    unsigned grid[3], block[3], shared, raised;
    int loads;
    uint64_t words[PARAMETERS];
    int32_t i32;
    float f32;
    bool has_no_kernel, has_no_shared;
    const size_t *parameters; /* their bytes, and 0 behind them; NULL: a driver that does not say */
} driver;

static CUresult load(CUmodule *module, const char *path)
{
    snprintf(driver.image, sizeof driver.image, "%s", path);
    driver.loads++;
    *module = NULL;
    return CUDA_SUCCESS;
}

static CUresult get(CUfunction *function, CUmodule module, const char *name)
{
    (void)module;
    snprintf(driver.kernel, sizeof driver.kernel, "%s", name);
    *function = (CUfunction)(uintptr_t)1;
    return driver.has_no_kernel ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

static CUresult set(CUfunction function, CUfunction_attribute attribute, int value)
{
    (void)function;
    assert_int_equal(attribute, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    driver.raised = (unsigned)value;
    return driver.has_no_shared ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult info(CUfunction function, size_t number, size_t *offset, size_t *bytes)
{
    size_t count = 0;
    (void)function;
    while (driver.parameters[count])
        count++;
    if (number >= count)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = 8 * number;
    *bytes = driver.parameters[number];
    return CUDA_SUCCESS;
}

/* Of the kernels here: in, out, an i32, an f32, an address. */
static CUresult launch(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                       unsigned bz, unsigned shared, CUstream stream, void **parameters, void **extra)
{
    (void)function, (void)stream, (void)extra;
    memcpy(driver.grid, (unsigned[]){gx, gy, gz}, sizeof driver.grid);
    memcpy(driver.block, (unsigned[]){bx, by, bz}, sizeof driver.block);
    driver.shared = shared;
    for (int i = 0; i < 2; i++)
        memcpy(&driver.words[i], parameters[i], sizeof driver.words[i]);
    memcpy(&driver.i32, parameters[2], sizeof driver.i32);
    memcpy(&driver.f32, parameters[3], sizeof driver.f32);
    memcpy(&driver.words[4], parameters[4], sizeof driver.words[4]);
    return CUDA_SUCCESS;
}

static cudaError_t find(const char *name, void **out, enum cudaDriverEntryPointQueryResult *found)
{
    static CUresult (*const loads)(CUmodule *, const char *) = load;
    static CUresult (*const gets)(CUfunction *, CUmodule, const char *) = get;
    static CUresult (*const sets)(CUfunction, CUfunction_attribute, int) = set;
    static CUresult (*const launches)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                      CUstream, void **, void **) = launch;
    static CUresult (*const infos)(CUfunction, size_t, size_t *, size_t *) = info;
    const struct {
        const char *name;
        const void *function;
    } all[] = {{"cuModuleLoad", &loads},
               {"cuModuleGetFunction", &gets},
               {"cuFuncSetAttribute", &sets},
               {"cuFuncGetParamInfo", driver.parameters ? &infos : NULL},
               {"cuLaunchKernel", &launches}};
    *found = cudaDriverEntryPointSymbolNotFound;
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (all[i].function && !strcmp(name, all[i].name)) {
            memcpy(out, all[i].function, sizeof *out);
            *found = cudaDriverEntryPointSuccess;
        }
    return cudaSuccess;
}

cudaError_t __wrap_cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version,
                                                    unsigned long long flags,
                                                    enum cudaDriverEntryPointQueryResult *found);
cudaError_t __wrap_cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version,
                                                    unsigned long long flags,
                                                    enum cudaDriverEntryPointQueryResult *found)
{
    (void)version, (void)flags;
    return find(name, out, found);
}

cudaError_t __wrap_cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags,
                                           enum cudaDriverEntryPointQueryResult *found);
cudaError_t __wrap_cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags,
                                           enum cudaDriverEntryPointQueryResult *found)
{
    (void)flags;
    return find(name, out, found);
}

/* ---- the task and its descriptions ---- */

static int two(const struct cpprof_config *config)
{
    (void)config;
    return 2;
}

static const struct cpprof_axis axes[] = {{"n", "values", CPPROF_AXIS_SHAPE, 0, INT64_MAX, N},
                                          {"add", "what is added", CPPROF_AXIS_SHAPE, 0, 9, 3}};
static const struct cpprof_array in = {"in", CPPROF_F32, NULL}, out = {"out", CPPROF_F32, NULL};
static struct cpprof_task task = {
    .name = "add", .axes = axes, .axis_count = 2, .inputs = &in, .input_count = 1, .outputs = &out, .output_count = 1};

static char folder[] = "/tmp/cpprof-described-XXXXXX";

static const char *written(const char *name, const char *text)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static int open_text(struct described_solution **d, const char *text, struct err *e)
{
    return described_solution_open(d, &task, written("fast.json", text), e);
}

static int run(struct described_solution *d, int64_t n, void *stream, float *values)
{
    const struct cpprof_config config = {.value = {n, 3}};
    const void *const inputs[] = {values};
    void *const outputs[] = {values + N};
    const struct cpprof_call call = {
        .struct_bytes = sizeof call, .config = &config, .inputs = inputs, .outputs = outputs, .stream = stream};
    const struct cpprof_solution *s = described_solution_functions(d);
    void *state = d;
    const int status = s->prepare(&config, &state);
    return status ? status : s->launch(state, &call);
}

/* ---- tests ---- */

TEST(a_kernel_is_launched_as_described)
{
    static float values[2 * N];
    struct described_solution *d;
    struct err e = {0};
    memset(&driver, 0, sizeof driver);
    assert_int_equal(
        open_text(&d,
                  "{\"image\": \"fast.cubin\", \"kernel\": \"add_all\", \"grid\": [{\"ceil\": [\"n\", 256]}, "
                  "\"add\"], \"block\": [128, 2], \"shared\": 65536, \"arguments\": [\"in\", \"out\", "
                  "{\"i32\": \"n\"}, {\"f32\": 0.5}, \"stream\"]}",
                  &e),
        0);
    assert_int_equal(run(d, N, (void *)(uintptr_t)77, values), 0);
    assert_int_equal(run(d, N, (void *)(uintptr_t)77, values), 0);
    assert_int_equal(driver.loads, 1);
    assert_non_null(strstr(driver.image, "/fast.cubin"));
    assert_string_equal(driver.kernel, "add_all");
    assert_memory_equal(driver.grid, ((unsigned[]){4, 3, 1}), sizeof driver.grid);
    assert_memory_equal(driver.block, ((unsigned[]){128, 2, 1}), sizeof driver.block);
    assert_int_equal(driver.shared, 65536);
    assert_int_equal(driver.raised, 65536);
    assert_true(driver.words[0] == (uintptr_t)values && driver.words[1] == (uintptr_t)(values + N));
    assert_int_equal(driver.i32, N);
    assert_true(driver.f32 == 0.5f);
    assert_int_equal(driver.words[4], 77);
    memset(driver.grid, 0, sizeof driver.grid);
    assert_int_equal(run(d, 0, NULL, values), 0);
    assert_int_equal(driver.grid[0], 0); /* nothing was launched for an empty shape */
    described_solution_free(d);
}

TEST(what_triton_leaves_is_read)
{
    static float values[2 * N];
    struct described_solution *d;
    struct err e = {0};
    memset(&driver, 0, sizeof driver);
    written("add_kernel.json", "{\"name\": \"add_kernel\", \"num_warps\": 4, \"num_ctas\": 1, \"shared\": 512, "
                               "\"global_scratch_size\": 0, \"target\": {\"arch\": 90}}");
    assert_int_equal(open_text(&d,
                               "{\"triton\": \"add_kernel.json\", \"grid\": [\"n\"], \"arguments\": [\"in\", \"out\", "
                               "{\"i32\": 5}, {\"f32\": 2}]}",
                               &e),
                     0);
    assert_int_equal(run(d, N, NULL, values), 0);
    assert_non_null(strstr(driver.image, "/add_kernel.cubin"));
    assert_string_equal(driver.kernel, "add_kernel");
    assert_int_equal(driver.grid[0], N);
    assert_int_equal(driver.block[0], 128);
    assert_int_equal(driver.shared, 512);
    assert_int_equal(driver.raised, 512);
    assert_int_equal(driver.i32, 5);
    assert_int_equal(driver.words[4], 0); /* the address of scratch memory that it does not need */
    described_solution_free(d);
}

TEST(a_function_is_called_as_described)
{
    static float values[2 * N];
    struct described_solution *d;
    struct err e = {0};
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    assert_int_equal(open_text(&d,
                               "{\"library\": \"" CALLED_FUNCTION "\", \"function\": \"add_to_all\", \"arguments\": "
                               "[\"in\", \"out\", \"n\", {\"i32\": \"add\"}, \"stream\"]}",
                               &e),
                     0);
    assert_int_equal(run(d, N, values, values), 0);
    for (int i = 0; i < N; i++)
        assert_true(values[N + i] == (float)i + 3);
    assert_int_equal(run(d, N, NULL, values), 7); /* what it returns is a number of CUDA */
    described_solution_free(d);
}

TEST(files_that_are_missing_are_told_before_a_launch)
{
    static float values[2 * N];
    struct described_solution *d;
    struct err e = {0};
    memset(&driver, 0, sizeof driver);
    driver.has_no_kernel = true;
    assert_int_equal(
        open_text(&d, "{\"image\": \"a.cubin\", \"kernel\": \"k\", \"grid\": [1], \"block\": [1], \"arguments\": []}",
                  &e),
        0);
    assert_int_equal(run(d, N, NULL, values), CUDA_ERROR_NOT_FOUND);
    described_solution_free(d);
    assert_int_equal(open_text(&d, "{\"library\": \"none.so\", \"function\": \"f\", \"arguments\": []}", &e), 0);
    assert_int_not_equal(run(d, N, NULL, values), 0);
    described_solution_free(d);
}

TEST(a_shape_that_a_launch_cannot_take_is_told)
{
    static float values[2 * N];
    static const char *const cut[] = {
        "{\"image\": \"a.cubin\", \"kernel\": \"k\", \"grid\": [\"n\"], \"block\": [1], \"arguments\": "
        "[\"in\", \"out\", null, null, null]}",
        "{\"image\": \"a.cubin\", \"kernel\": \"k\", \"grid\": [1], \"block\": [1], \"arguments\": "
        "[\"in\", \"out\", {\"i32\": \"n\"}, null, null]}",
        "{\"library\": \"" CALLED_FUNCTION "\", \"function\": \"add_to_all\", \"arguments\": "
        "[\"in\", \"out\", null, {\"i32\": \"n\"}, null]}"};
    struct err e = {0};
    memset(&driver, 0, sizeof driver);
    for (size_t i = 0; i < COUNT_OF(cut); i++) {
        struct described_solution *d;
        assert_int_equal(open_text(&d, cut[i], &e), 0);
        assert_int_equal(run(d, ((int64_t)1 << 40) + 1, NULL, values), cudaErrorInvalidValue);
        assert_int_equal(driver.loads, 0);
        if (i < 2)
            assert_int_equal(run(d, 5, NULL, values), 0);
        described_solution_free(d);
        driver.loads = 0;
    }
}

TEST(a_kernel_that_cannot_be_made_ready_stays_so)
{
    static float values[2 * N];
    struct described_solution *d;
    struct err e = {0};
    memset(&driver, 0, sizeof driver);
    driver.has_no_shared = true;
    assert_int_equal(open_text(&d,
                               "{\"image\": \"a.cubin\", \"kernel\": \"k\", \"grid\": [1], \"block\": [1], "
                               "\"shared\": 99999, \"arguments\": []}",
                               &e),
                     0);
    assert_int_equal(run(d, N, NULL, values), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(run(d, N, NULL, values), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(driver.grid[0], 0); /* nothing was launched */
    described_solution_free(d);
}

TEST(arguments_are_those_of_the_kernel)
{
    static float values[2 * N];
    static const struct {
        size_t parameters[8];
        int status;
    } cases[] = {
        {{8, 8, 4, 4, 8}, 0},
        {{8, 8, 1, 4, 8}, 0},
        {{0}, 0}, /* a driver that says nothing of the first one */
        {{8, 8, 4, 4}, cudaErrorInvalidValue},
        {{8, 8, 4, 4, 8, 8}, cudaErrorInvalidValue},
        {{8, 8, 8, 4, 8}, cudaErrorInvalidValue},
        {{8, 8, 4, 2, 8}, cudaErrorInvalidValue},
        {{8, 16, 4, 4, 8}, cudaErrorInvalidValue},
        {{8, 4, 4, 4, 8}, cudaErrorInvalidValue},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct described_solution *d;
        struct err e = {0};
        memset(&driver, 0, sizeof driver);
        driver.parameters = cases[i].parameters;
        assert_int_equal(open_text(&d,
                                   "{\"image\": \"a.cubin\", \"kernel\": \"k\", \"grid\": [1], \"block\": [1], "
                                   "\"arguments\": [\"in\", \"out\", {\"i32\": 5}, {\"f32\": 2}, null]}",
                                   &e),
                         0);
        if (run(d, N, NULL, values) != cases[i].status)
            fail_msg("case %zu does not end with %d", i, cases[i].status);
        assert_int_equal(driver.grid[0], cases[i].status ? 0 : 1);
        described_solution_free(d);
    }
}

/* Names of templates are long, and neither they nor paths may be cut. */
TEST(a_long_name_is_kept)
{
    static float values[2 * N];
    static char text[20000], name[8000];
    struct described_solution *d;
    struct err e = {0};
    memset(&driver, 0, sizeof driver);
    memset(name, 'k', 3000);
    snprintf(text, sizeof text,
             "{\"image\": \"a.cubin\", \"kernel\": \"%s\", \"grid\": [1], \"block\": [1], \"arguments\": "
             "[\"in\", \"out\", null, null, null]}",
             name);
    assert_int_equal(open_text(&d, text, &e), 0);
    assert_true(strlen(described_solution_functions(d)->summary) < 1024);
    assert_int_equal(run(d, N, NULL, values), 0);
    assert_string_equal(driver.kernel, name);
    described_solution_free(d);
    memset(name, 'k', 7000);
    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "{\"image\": \"%s\", \"kernel\": \"%s\", \"grid\": [1], \"block\": [1], \"arguments\": []}",
                 i ? name : "a", i ? "k" : name);
        assert_int_equal(open_text(&d, text, &e), ERR_USAGE);
        assert_non_null(strstr(e.text, "is longer than 4095 bytes"));
    }
}

#define KERNEL(rest) "{\"image\": \"a.cubin\", \"kernel\": \"k\", " rest "}"

TEST(wrong_descriptions_are_refused)
{
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"{", "fast.json"},
        {"{}", "it must name exactly one of \"image\""},
        {"{\"image\": \"a\", \"library\": \"b\", \"arguments\": []}", "it must name exactly one of \"image\""},
        {"{\"image\": \"a\", \"grid\": [1], \"block\": [1], \"arguments\": []}", "it names no \"kernel\""},
        {"{\"library\": \"a\", \"arguments\": []}", "it names no \"function\""},
        {KERNEL("\"grid\": [1], \"block\": [1]"), "\"arguments\" is a list"},
        {KERNEL("\"grid\": [1], \"block\": [1], \"arguments\": [\"inn\"]"),
         "argument 0: 'inn' is no input, output or axis"},
        {KERNEL("\"grid\": [1], \"block\": [1], \"arguments\": [\"in\", 4]"),
         "argument 1: a number as an argument needs its type"},
        {KERNEL("\"grid\": [1], \"block\": [1], \"arguments\": [{\"i8\": 4}]"), "argument 0: an argument is a name"},
        {KERNEL("\"grid\": [1], \"block\": [1], \"arguments\": [{\"i32\": \"m\"}]"), "'m' is no axis"},
        {KERNEL("\"block\": [1], \"arguments\": []"), "\"grid\": it is a list of one to three extents"},
        {KERNEL("\"grid\": [0], \"block\": [1], \"arguments\": []"), "\"grid\": an extent is a number above 0"},
        {KERNEL("\"grid\": [\"m\"], \"block\": [1], \"arguments\": []"), "\"grid\": 'm' is no axis"},
        {KERNEL("\"grid\": [{\"ceil\": [\"n\", 0]}], \"block\": [1], \"arguments\": []"), "an extent is"},
        {KERNEL("\"grid\": [1], \"arguments\": []"), "it has no \"block\""},
        {KERNEL("\"grid\": [1], \"block\": [1], \"shared\": -1, \"arguments\": []"), "\"shared\" is a whole number"},
        {KERNEL("\"grid\": [1], \"block\": [1], \"shared\": \"64\", \"arguments\": []"),
         "\"shared\" is a whole number"},
        {KERNEL("\"grid\": [1], \"blocks\": [1], \"arguments\": []"), "it has a member 'blocks'"},
        {KERNEL("\"grid\": [1], \"block\": [1], \"arguements\": []"), "it has a member 'arguements'"},
        {"{\"triton\": \"a.json\", \"grid\": [1], \"block\": [1], \"arguments\": []}",
         "'block', which does not go with \"triton\""},
        {KERNEL("\"grid\": [{\"ceil\": [\"n\", 2, 3]}], \"block\": [1], \"arguments\": []"), "an extent is"},
        {KERNEL("\"grid\": [{\"ceil\": [\"n\", 2], \"floor\": 1}], \"block\": [1], \"arguments\": []"), "an extent is"},
        {KERNEL("\"grid\": [1, 1, 1, 1], \"block\": [1], \"arguments\": []"), "one to three extents"},
        {KERNEL("\"grid\": [1], \"block\": [1], \"arguments\": [{\"i32\": 4294967296}]"), "does not fit in i32"},
        {KERNEL("\"grid\": [1], \"block\": [1], \"arguments\": [{\"f32\": 1e40}]"), "does not fit in f32"},
        {KERNEL("\"grid\": [1], \"block\": [1], \"arguments\": [{\"i32\": 1, \"f32\": 1}]"),
         "argument 0: an argument is a name"},
        {KERNEL("\"grid\": [1], \"block\": [1], \"arguments\": [{\"i32\": \"in\"}]"), "'in' is no axis"},
        {"{\"library\": \"a\", \"function\": \"f\", \"arguments\": [{\"f32\": 1}]}",
         "addresses and whole numbers alone"},
        {"{\"triton\": \"none.json\", \"grid\": [1], \"arguments\": []}", "none.json"},
        {"{\"triton\": \"a.cubin\", \"grid\": [1], \"arguments\": []}", "the JSON file beside the cubin"},
        {"{\"triton\": \"wide.json\", \"grid\": [1], \"arguments\": []}", "'wide.json': \"shared\" is a whole number"},
        {"{\"triton\": \"waits.json\", \"grid\": [1], \"arguments\": []}", "blocks wait for each other"},
        {"{\"triton\": \"fast.json\", \"grid\": [1], \"arguments\": []}", "as Triton writes them"},
    };
    written("wide.json", "{\"name\": \"k\", \"num_warps\": 4, \"shared\": 4294967297}");
    written("waits.json", "{\"name\": \"k\", \"num_warps\": 4, \"launch_cooperative_grid\": true}");
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct described_solution *d = NULL;
        struct err e = {0};
        if (!open_text(&d, wrong[i].text, &e) || !strstr(e.text, wrong[i].says))
            fail_msg("%s: '%s' without '%s'", wrong[i].text, e.text, wrong[i].says);
    }
    struct described_solution *d = NULL;
    struct err e = {0};
    task.ranks = two;
    assert_int_equal(open_text(&d, KERNEL("\"grid\": [1], \"block\": [1], \"arguments\": []"), &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "solutions of a collective are libraries"));
    task.ranks = NULL;
    task.outputs = &in;
    assert_int_equal(open_text(&d, KERNEL("\"grid\": [1], \"block\": [1], \"arguments\": [\"in\"]"), &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "'in' names two things"));
    task.outputs = &out;
}

TEST(names_of_descriptions)
{
    assert_true(described_solution_is("a.json"));
    assert_false(described_solution_is(".json"));
    assert_false(described_solution_is("a.json.so"));
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const files[] = {"fast.json", "add_kernel.json", "wide.json", "waits.json"};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_is_launched_as_described),
        cmocka_unit_test(what_triton_leaves_is_read),
        cmocka_unit_test(a_function_is_called_as_described),
        cmocka_unit_test(files_that_are_missing_are_told_before_a_launch),
        cmocka_unit_test(a_shape_that_a_launch_cannot_take_is_told),
        cmocka_unit_test(a_kernel_that_cannot_be_made_ready_stays_so),
        cmocka_unit_test(arguments_are_those_of_the_kernel),
        cmocka_unit_test(a_long_name_is_kept),
        cmocka_unit_test(wrong_descriptions_are_refused),
        cmocka_unit_test(names_of_descriptions),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
