/* A user's library of variants without CUDA: what cpprof_variants() returns is
 * what the variable LOADED_VARIANTS says, right or wrong in one way. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpprof/variant.h"

static size_t no_shared_memory(const struct cpprof_config *config)
{
    (void)config;
    return 0;
}

static int two_devices(const struct cpprof_config *config, int *device, int devices_max)
{
    (void)config;
    for (int i = 0; i < devices_max && i < 2; i++)
        device[i] = i;
    return 2;
}

static double amount(const struct cpprof_config *config)
{
    return (double)config->value[0];
}

static int setup(const struct cpprof_config *config, struct CUstream_st *stream, void **state)
{
    (void)config, (void)stream;
    *state = NULL;
    return 0;
}

static int work(void *state, struct CUstream_st *stream)
{
    (void)state, (void)stream;
    return 0;
}

static int verify(void *state, struct CUstream_st *stream, struct cpprof_verification *result)
{
    (void)state, (void)stream;
    memset(result, 0, sizeof *result);
    return 0;
}

static void teardown(void *state)
{
    (void)state;
}

static void declare(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    if (config->value[0] == 99)
        declaration->kernel_pattern = "^mine_odd\\(";
}

static void declare_no_pattern(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    declaration->kernel_pattern = config->value[0] == 99 ? "(" : "^mine";
}

static struct cpprof_axis axes[2];
static struct cpprof_shape shapes[2];
static struct cpprof_expect expect[1];
static struct cpprof_variant first, second;
static const struct cpprof_variant *variants[2];
static struct cpprof_variant_library library;

static void make_good(void)
{
    axes[0] = (struct cpprof_axis){"n", "values", CPPROF_AXIS_SHAPE, 1, 1000, 100};
    axes[1] = (struct cpprof_axis){"unroll", "values per thread", CPPROF_AXIS_PARAMETER, 1, 8, 4};
    shapes[0] = (struct cpprof_shape){"small", {100}, 0};
    shapes[1] = (struct cpprof_shape){"odd", {99}, 1};
    expect[0] = (struct cpprof_expect){"smsp__inst_executed.sum", 1, INFINITY};
    first = (struct cpprof_variant){
        .struct_bytes = sizeof first,
        .name = "mine/v1",
        .summary = "the first one",
        .kernel_pattern = "^mine_first\\(",
        .axes = axes,
        .axis_count = 2,
        .shapes = shapes,
        .shape_count = 2,
        .expect = expect,
        .expect_count = 1,
        .shared_bytes = no_shared_memory,
        .flops = amount,
        .bytes = amount,
        .setup = setup,
        .poison = work,
        .launch = work,
        .verify = verify,
        .teardown = teardown,
        .signals = "instructions down",
        .bus_factor = amount,
        .bound = "memory-bound dram",
        .improves_on = "mine/v0", /* of a library that is not there */
        .devices = two_devices,
        .declare = declare,
    };
    second = first;
    second.name = "mine/v2";
    second.summary = "the second one";
    variants[0] = &first;
    variants[1] = &second;
    library = (struct cpprof_variant_library){sizeof library, CPPROF_VARIANT_ABI, variants, 2};
}

/* A copy that is as short as the struct was once; behind it is memory that cannot be read. */
static struct cpprof_variant *at_the_end_of_memory(const struct cpprof_variant *variant, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE))
        abort();
    const size_t whole = (bytes + 7) / 8 * 8; /* a member of which only a half is covered lies there all the same */
    char *at = pages + page - whole;
    memcpy(at, variant, whole);
    memcpy(at, &(uint32_t){(uint32_t)bytes}, sizeof(uint32_t));
    return (struct cpprof_variant *)(void *)at;
}

static void age(size_t bytes)
{
    variants[1] = at_the_end_of_memory(&second, bytes);
}

static void become_newer(void)
{
    static struct {
        struct cpprof_variant known;
        void *unknown[4];
    } newer;
    newer.known = second;
    newer.known.struct_bytes = sizeof newer;
    memset(newer.unknown, 0x5a, sizeof newer.unknown);
    variants[1] = &newer.known;
}

static void many_axes(void)
{
    second.axis_count = CPPROF_AXES_MAX + 1;
}
static void many_shapes(void)
{
    second.shape_count = (size_t)1 << 40;
}
static void many_variants(void)
{
    library.variant_count = (size_t)1 << 40;
}
static void no_variants(void)
{
    library.variant_count = 0;
}
static void no_array(void)
{
    library.variants = NULL;
}
static void null_variant(void)
{
    variants[1] = NULL;
}
static void library_bytes(void)
{
    library.struct_bytes = 0;
}
static void other_abi(void)
{
    library.abi = CPPROF_VARIANT_ABI + 1;
}
static void no_bytes(void)
{
    second.struct_bytes = 0;
}
static void few_bytes(void)
{
    second.struct_bytes = offsetof(struct cpprof_variant, signals) - 1;
}
static void wild_bytes(void)
{
    second.struct_bytes = 0xdeadbeef;
}
static void null_name(void)
{
    second.name = NULL;
}
static void name_without_family(void)
{
    second.name = "v2";
}

static void name_of_build(void)
{
    second.name = "mine/v2+without-copy";
}
static void name_of_pattern(void)
{
    second.name = "mine/*";
}
static void name_of_three(void)
{
    second.name = "mine/v2/v3";
}
static void name_that_acts(void)
{
    second.name = "mine/\033[2J";
}
static void name_twice(void)
{
    second.name = "mine/v1";
}
static void name_built_in(void)
{
    second.name = "pipeline/sync";
}
static void null_launch(void)
{
    second.launch = NULL;
}
static void null_bytes(void)
{
    second.bytes = NULL;
}
static void null_summary(void)
{
    second.summary = NULL;
}
static void two_lines(void)
{
    second.summary = "one\ntwo";
}
static void no_utf8(void)
{
    second.summary = "\xff";
}
static void bad_pattern(void)
{
    second.kernel_pattern = "(";
}
static void null_axes(void)
{
    second.axes = NULL;
}
static void axis_name(void)
{
    axes[1].name = "un roll";
}
static void axis_twice(void)
{
    axes[1].name = "n";
}
static void axis_default(void)
{
    axes[1].value = 9;
}
static void axis_role(void)
{
    axes[1].role = (enum cpprof_axis_role)7;
}
static void null_help(void)
{
    axes[1].help = NULL;
}
static void no_shapes(void)
{
    second.shape_count = 0;
}
static void null_shapes(void)
{
    second.shapes = NULL;
}
static void shape_value(void)
{
    shapes[1].values[0] = 1001;
}
static void shape_twice(void)
{
    shapes[1].name = "small";
}
static void only_ragged(void)
{
    shapes[0].ragged = 1;
}
static void null_metric(void)
{
    expect[0].metric = NULL;
}
static void expect_nothing(void)
{
    expect[0].min = 2, expect[0].max = 1;
}
static void bad_signals(void)
{
    second.signals = "dram_bytes sideways";
}
static void bad_bound(void)
{
    second.bound = "bound by nothing";
}
static void bad_improves_on(void)
{
    second.improves_on = "v1";
}
static void age_0(void)
{
    age(offsetof(struct cpprof_variant, signals));
}
static void age_1(void)
{
    age(offsetof(struct cpprof_variant, bus_factor));
}
static void age_half(void)
{
    age(offsetof(struct cpprof_variant, bus_factor) - 4);
}
static void age_2(void)
{
    age(offsetof(struct cpprof_variant, bound));
}
static void age_3(void)
{
    age(offsetof(struct cpprof_variant, improves_on));
}
static void age_4(void)
{
    age(offsetof(struct cpprof_variant, devices));
}
static void age_5(void)
{
    age(offsetof(struct cpprof_variant, declare));
}
static void declares_no_pattern(void)
{
    second.declare = declare_no_pattern;
}
static void dies(void)
{
    abort();
}

#define WAY(NAME)                                                                                                      \
    {                                                                                                                  \
#NAME, NAME                                                                                                    \
    }
static const struct {
    const char *name;
    void (*apply)(void);
} ways[] = {
    WAY(many_axes),
    WAY(many_shapes),
    WAY(many_variants),
    WAY(no_variants),
    WAY(no_array),
    WAY(null_variant),
    WAY(library_bytes),
    WAY(other_abi),
    WAY(no_bytes),
    WAY(few_bytes),
    WAY(wild_bytes),
    WAY(null_name),
    WAY(name_without_family),
    WAY(name_of_build),
    WAY(name_of_pattern),
    WAY(name_of_three),
    WAY(name_that_acts),
    WAY(name_twice),
    WAY(name_built_in),
    WAY(null_launch),
    WAY(null_bytes),
    WAY(null_summary),
    WAY(two_lines),
    WAY(no_utf8),
    WAY(bad_pattern),
    WAY(null_axes),
    WAY(axis_name),
    WAY(axis_twice),
    WAY(axis_default),
    WAY(axis_role),
    WAY(null_help),
    WAY(no_shapes),
    WAY(null_shapes),
    WAY(shape_value),
    WAY(shape_twice),
    WAY(only_ragged),
    WAY(null_metric),
    WAY(expect_nothing),
    WAY(bad_signals),
    WAY(bad_bound),
    WAY(bad_improves_on),
    WAY(age_0),
    WAY(age_1),
    WAY(age_half),
    WAY(age_2),
    WAY(age_3),
    WAY(age_4),
    WAY(age_5),
    WAY(become_newer),
    WAY(declares_no_pattern),
    WAY(dies),
};

const struct cpprof_variant_library *cpprof_variants(void)
{
    const char *asked = getenv("LOADED_VARIANTS");
    make_good(); /* a test loads it again and again in one process */
    if (!asked || !*asked)
        return &library;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (!strcmp(ways[i].name, asked)) {
            ways[i].apply();
            return &library;
        }
    return NULL;
}
