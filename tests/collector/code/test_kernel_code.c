/* Which variants does a chip refuse, and in which words? CUDA's device is played here: it has the chip's capability and
 * runs the code that the driver would choose from the list of a build. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/runner.h"
#include "kernels/allreduce/allreduce_problem.h"
#include "kernels/kernel_code.h"
#include "kernels/registry.h"
#include "tests/test.h"

static struct {
    int chip;   /* 0: no device */
    int source; /* of the code that runs; 0: there is none */
    const char *built;
} played;

cudaError_t __wrap_cudaGetDevice(int *device);
cudaError_t __wrap_cudaGetDevice(int *device)
{
    *device = 0;
    return played.chip ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t __wrap_cudaGetDeviceCount(int *count);
cudaError_t __wrap_cudaGetDeviceCount(int *count)
{
    *count = played.chip != 0;
    return played.chip ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t __wrap_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t __wrap_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    *value = attribute == cudaDevAttrComputeCapabilityMajor   ? played.chip / 10
             : attribute == cudaDevAttrComputeCapabilityMinor ? played.chip % 10
                                                              : 0;
    return played.chip ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t __wrap_cudaFuncGetAttributes(struct cudaFuncAttributes *is, const void *function);
cudaError_t __wrap_cudaFuncGetAttributes(struct cudaFuncAttributes *is, const void *function)
{
    assert_non_null(function);
    if (!played.chip)
        return cudaErrorNoDevice;
    if (!played.source)
        return cudaErrorNoKernelImageForDevice;
    *is = (struct cudaFuncAttributes){.ptxVersion = played.source,
                                      .binaryVersion =
                                          played.source / 10 == played.chip / 10 ? played.source : played.chip};
    return cudaSuccess;
}

const char *__wrap_kernel_code_built(void);
const char *__wrap_kernel_code_built(void)
{
    return played.built;
}

#define ALL "sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_103a, sm_120a, PTX"

/* What the driver chooses: code with an `a` for that chip alone, other code within the major version. */
static const struct {
    int chip;
    const char *built;
    int source;
} places[] = {
    {80, ALL, 80},     {86, ALL, 86},   {87, ALL, 86},          {89, ALL, 89},
    {90, ALL, 90},     {100, ALL, 100}, {103, ALL, 103},        {110, ALL, 80},
    {120, ALL, 120},   {121, ALL, 80},  {90, "sm_80, PTX", 80}, {100, "sm_90a, PTX", 80},
    {90, "sm_90", 90}, /* a toolkit before 12.0 */
};
enum { PLACES = COUNT_OF(places) };

static void play(size_t place)
{
    played.chip = places[place].chip;
    played.source = places[place].source;
    played.built = places[place].built;
}

/* All others run on any chip from 8.0 on. */
static const struct {
    const char *variant, *what;
    int needs;
    bool only;
} needy[] = {
    {"truth/tensor-wgmma", "wgmma", 90, true},
    {"sdpa/wgmma", "wgmma", 90, true},
    {"sdpa/wgmma-turns", "wgmma", 90, true},
    {"sdpa/wgmma-loads", "wgmma", 90, true},
    {"sdpa/wgmma-xu", "wgmma", 90, true},
    {"sdpa/wgmma-pdl", "wgmma", 90, true},
    {"sdpa/wgmma-late", "wgmma", 90, true},
    {"sdpa/splitkeys-pdl", "programmatic dependent launch", 90, false},
    {"sdpa/splitkeys", "the instruction that decodes e4m3", 89, false},
    {"truth/tma-stream", "bulk copies", 90, false},
    {"streams/pdl", "programmatic dependent launch", 90, false},
    {"allreduce/1stage-tma", "TMA", 90, false},
    {"allreduce/1stage-pdl", "programmatic dependent launch", 90, false},
    {"allreduce/1stage-push", "programmatic dependent launch", 90, false},
    {"allreduce/2stage-push", "programmatic dependent launch", 90, false},
    {"allreduce/1stage-ll", "programmatic dependent launch", 90, false},
    {"allreduce/2stage-send", "programmatic dependent launch", 90, false},
};
enum { NEEDY = COUNT_OF(needy) };

static struct cpprof_config default_config(const struct cpprof_variant *v)
{
    struct cpprof_config config = {.seed = 0};
    size_t used = 0;
    for (size_t a = 0; a < v->axis_count; a++)
        config.value[a] = v->axes[a].role == CPPROF_AXIS_SHAPE ? v->shapes[0].values[used++] : v->axes[a].value;
    return config;
}

static bool runs(size_t need, size_t place)
{
    if (needy[need].only)
        return places[place].chip == needy[need].needs && places[place].source == needy[need].needs &&
               strstr(places[place].built, "sm_90a");
    return places[place].source >= needy[need].needs;
}

/* The place's chip is too old, or its code is: the words say which. */
static void refuses_in_words(size_t need, size_t place, const char *why)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "needs %s", needy[need].what);
    if (strncmp(why, wanted, strlen(wanted)) != 0)
        fail_msg("'%s' on %d says '%s'", needy[need].variant, places[place].chip, why);
    const int chip = places[place].chip, needs = needy[need].needs;
    const bool is_chip = needy[need].only ? chip != needs : chip < needs;
    if (!strstr(why, is_chip ? ", which compute capability " : "CPPROF_CUDA_CODE"))
        fail_msg("'%s' on %d says '%s'", needy[need].variant, chip, why);
    assert_true(strlen(why) < 159); /* whole */
}

static size_t need_of(const char *name)
{
    size_t need = 0;
    while (need < NEEDY && strcmp(needy[need].variant, name) != 0)
        need++;
    return need;
}

/* One refuses in words of its own, for its chip's pipes. */
static bool has_own_words(const char *name, size_t place, bool *refuses)
{
    *refuses = places[place].chip != 90 && places[place].chip != 100;
    return !strcmp(name, "truth/issue");
}

static void each_variant_runs_or_says_why(const struct cpprof_variant *v, size_t place)
{
    bool refuses;
    char why[160] = "";
    const struct cpprof_config config = default_config(v);
    const int refused = v->refuse && v->refuse(&config, why, sizeof why);
    const size_t need = need_of(v->name);
    if (has_own_words(v->name, place, &refuses)) {
        if (refused != refuses || (refused && !strstr(why, "compute capability")))
            fail_msg("'%s' on %d: '%s'", v->name, places[place].chip, why);
        return;
    }
    if (need == NEEDY) {
        if (refused && (strstr(why, "compute capability") || strstr(why, "CPPROF_CUDA_CODE")))
            fail_msg("'%s' refuses %d: '%s'", v->name, places[place].chip, why);
        return;
    }
    if (refused == runs(need, place))
        fail_msg("'%s' %s %d: '%s'", v->name, refused ? "refuses" : "takes", places[place].chip, why);
    if (refused)
        refuses_in_words(need, place, why);
}

TEST(chips_get_what_they_can_run)
{
    for (size_t i = 0; i < NEEDY; i++)
        assert_non_null(variant_by_name(needy[i].variant));
    size_t families;
    const struct variant_family *family = variant_families(&families);
    for (size_t place = 0; place < PLACES; place++) {
        play(place);
        for (size_t f = 0; f < families; f++)
            for (size_t v = 0; v < family[f].count; v++)
                each_variant_runs_or_says_why(&family[f].variants[v], place);
    }
}

TEST(words_are_whole_sentences)
{
    char why[160];
    played.chip = 100, played.source = 100, played.built = ALL;
    assert_int_equal(kernel_code_needs_only(90, "wgmma", why, sizeof why), 1);
    assert_string_equal(why, "needs wgmma, which compute capability 9.0 alone has; this device has 10.0");
    played.chip = 86, played.source = 86;
    assert_int_equal(kernel_code_needs(89, "TMA", why, sizeof why), 1);
    assert_string_equal(why, "needs TMA, which compute capability 8.9 or newer has; this device has 8.6");
    played.chip = 90, played.source = 80;
    assert_int_equal(kernel_code_needs_only(90, "wgmma", why, sizeof why), 1);
    assert_string_equal(why, "needs wgmma: build with 90a in CPPROF_CUDA_CODE; this device runs code compiled for 8.0");
}

/* The dispatcher chooses what needs 9.0 only where such code runs. */
TEST(a_dispatcher_asks_for_the_code_too)
{
    const struct cpprof_config config = {.value = {1 << 20, 2}};
    for (size_t place = 0; place < PLACES; place++) {
        play(place);
        assert_int_equal(allreduce_runs_code_of_9(&config), played.chip == 90 && played.source == 90);
    }
}

TEST(jit_is_told_from_machine_code)
{
    struct kernel_code code;
    for (size_t place = 0; place < PLACES; place++) {
        play(place);
        assert_int_equal(kernel_code_find(&code), 0);
        assert_int_equal(code.source, played.source);
        assert_int_equal(code.made_by_jit, played.chip / 10 != played.source / 10);
    }
}

/* A build without code for the chip refuses all variants, before a launch fails. Without a device there is nothing to
 * refuse. */
TEST(a_build_without_code_refuses_all)
{
    struct runner *r = calloc(1, sizeof *r);
    struct run_case c = {.variant = variant_by_name("pipeline/sync")};
    char why[160];
    assert_non_null(r);
    c.config = default_config(c.variant);
    r->device.properties.sharedMemPerBlockOptin = 227 * 1024;
    played.chip = 80, played.source = 0, played.built = "sm_90a";
    assert_non_null(runner_refusal(r, &c, why, sizeof why));
    assert_non_null(strstr(why, "this build has code for sm_90a; this device has compute capability 8.0 ("));
    played.source = 80;
    assert_null(runner_refusal(r, &c, why, sizeof why));
    played.chip = 0;
    assert_null(runner_refusal(r, &c, why, sizeof why));
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chips_get_what_they_can_run),        cmocka_unit_test(words_are_whole_sentences),
        cmocka_unit_test(a_dispatcher_asks_for_the_code_too), cmocka_unit_test(jit_is_told_from_machine_code),
        cmocka_unit_test(a_build_without_code_refuses_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
