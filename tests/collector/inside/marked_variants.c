/* A library of marked variants without CUDA, compiled several times: without marks, with records, and with one mark
 * that waits. What the builds with marks say of themselves is what the variable MARKED says, right or wrong in one way.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cpprof/inside.h"
#include "cpprof/variant.h"

static double amount(const struct cpprof_config *config)
{
    return (double)config->value[0];
}

static size_t no_shared_memory(const struct cpprof_config *config)
{
    (void)config;
    return 0;
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
    (void)state, (void)stream, (void)result;
    return 0;
}

static void teardown(void *state)
{
    (void)state;
}

static void declare(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    (void)config, (void)declaration;
}

enum { VARIANTS = 3 };
static const struct cpprof_axis axes[] = {{"n", "values", CPPROF_AXIS_SHAPE, 1, 1000, 100}};
static const struct cpprof_shape shapes[] = {{"small", {100}, 0}};
static const struct cpprof_expect expect[] = {{"smsp__inst_executed.sum", 1, 1000}};
static struct cpprof_variant variant[VARIANTS];
static const struct cpprof_variant *variants[VARIANTS];
static struct cpprof_variant_library library;

static void make_variants(void)
{
    static const char *const names[VARIANTS] = {"mine/v1", "mine/v2", "mine/new"};
    for (size_t i = 0; i < VARIANTS; i++) {
        variant[i] = (struct cpprof_variant){
            .struct_bytes = sizeof variant[i],
            .name = names[i],
            .summary = "multiplies",
            .kernel_pattern = "^mine\\(",
            .axes = axes,
            .axis_count = 1,
            .shapes = shapes,
            .shape_count = 1,
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
            .bound = "memory-bound dram",
            .improves_on = "mine/v0",
            .declare = declare,
        };
        variants[i] = &variant[i];
    }
    library = (struct cpprof_variant_library){sizeof library, CPPROF_VARIANT_ABI, variants, VARIANTS};
    if (CPPROF_INSIDE == CPPROF_INSIDE_OFF)
        library.variant_count--; /* the last one is newer than this build */
}

#if CPPROF_INSIDE != CPPROF_INSIDE_OFF

static struct cpprof_phase phases[3];
static struct cpprof_inside inside;
static const struct cpprof_inside *told;

static int set(const struct cpprof_inside_settings *settings)
{
    (void)settings;
    return 0;
}

#if CPPROF_INSIDE == CPPROF_INSIDE_DELAY
#define MEASURE take_all
static int take_all(int32_t delay_cycles, double *cycles)
{
    *cycles = delay_cycles;
    return 0;
}
#else
#define MEASURE NULL
#endif

static void make_inside(void)
{
    phases[0] = (struct cpprof_phase){"multiplies", "wait", 0, 0, CPPROF_PHASE_WAIT, 1, 0, NULL};
    phases[1] = (struct cpprof_phase){"multiplies", "math", 0, 1, CPPROF_PHASE_COMPUTE, 0, 0, NULL};
    phases[2] = (struct cpprof_phase){"loads", "issue", 1, 1, CPPROF_PHASE_ISSUE, 0, 0, NULL};
    inside = (struct cpprof_inside){sizeof inside, CPPROF_INSIDE, CPPROF_DELAY_MARK,   phases, 3,
                                    set,           MEASURE,       CPPROF_INSIDE_LAYOUT};
    told = &inside;
}

/* Memory of which these bytes are the last that can be read. */
static void *at_the_end_of_memory(const void *from, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE))
        abort();
    return memcpy(pages + page - bytes, from, bytes);
}

static void damage_row(const char *way)
{
    struct cpprof_phase *p = &phases[1];
    static char long_name[66];
    memset(long_name, 'x', sizeof long_name - 1); /* 65 */
    if (!strcmp(way, "role_8"))
        p->role = 8;
    else if (!strcmp(way, "role_below_0"))
        p->role = -1;
    else if (!strcmp(way, "mark_9"))
        p->mark = 9;
    else if (!strcmp(way, "until_8"))
        p->until = 8;
    else if (!strcmp(way, "ahead_1000"))
        p->ahead = 1000;
    else if (!strcmp(way, "no_name"))
        p->name = NULL;
    else if (!strcmp(way, "empty_role_name"))
        p->role_name = "";
    else if (!strcmp(way, "long_name"))
        p->name = long_name;
    else if (!strcmp(way, "kind_6"))
        p->kind = (enum cpprof_phase_kind)6;
    else if (!strcmp(way, "only_v1"))
        p->variants = "*/v1";
}

static void damage_table(const char *way)
{
    const uint32_t few = 4;
    if (!strcmp(way, "no_inside"))
        told = NULL;
    else if (!strcmp(way, "few_bytes"))
        told = at_the_end_of_memory(&(uint64_t){few}, sizeof(uint64_t));
    else if (!strcmp(way, "one_byte_less"))
        inside.struct_bytes--;
    else if (!strcmp(way, "other_layout"))
        inside.layout--;
    else if (!strcmp(way, "no_set"))
        inside.set = NULL;
    else if (!strcmp(way, "no_measure"))
        inside.measure = NULL;
    else if (!strcmp(way, "build_7"))
        inside.build = 7;
    else if (!strcmp(way, "no_mark"))
        inside.delay_mark = -1;
    else if (!strcmp(way, "mark_2"))
        inside.delay_mark = 2;
    else if (!strcmp(way, "no_rows"))
        inside.phase_count = 0;
    else if (!strcmp(way, "null_rows"))
        inside.phases = NULL;
    else if (!strcmp(way, "many_rows"))
        inside.phase_count = 257;
    else if (!strcmp(way, "null_launch"))
        variant[1].launch = NULL;
    else if (!strcmp(way, "no_shapes"))
        variant[1].shape_count = 0;
    else if (!strcmp(way, "name_twice"))
        variant[1].name = variant[0].name;
    else if (!strcmp(way, "last_rows")) /* good ones, behind which nothing can be read */
        inside.phases = at_the_end_of_memory(phases, sizeof phases);
}

const struct cpprof_inside *cpprof_phases(void)
{
    const char *way = getenv("MARKED");
    make_inside();
    damage_row(way ? way : "");
    damage_table(way ? way : "");
    return told;
}

#endif

/* The builds with marks are asked for their variants first, and for their phases next. */
const struct cpprof_variant_library *cpprof_variants(void)
{
    make_variants();
    return &library;
}
