/* Is what each built-in variant says of itself true? */
#include <math.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "collector/runner/variant_check.h"
#include "core/base/demangle.h"
#include "core/gpu/expected_change.h"
#include "core/gpu/metrics.h"
#include "kernels/ptxas_facts.h"
#include "kernels/registry.h"
#include "tests/test.h"

/* What this build compiled its kernels for (CPPROF_CUDA_CODE). */
static const int architectures[] = {ARCHITECTURE_LIST};
enum { ARCHITECTURES = COUNT_OF(architectures) };

typedef void (*variant_claim)(const struct cpprof_variant *variant);

static void each_variant(variant_claim check)
{
    size_t families, seen = 0;
    const struct variant_family *family = variant_families(&families);
    for (size_t f = 0; f < families; f++)
        for (size_t v = 0; v < family[f].count; v++, seen++)
            check(&family[f].variants[v]);
    assert_true(seen > 0);
}

static void is_found_by_its_name(const struct cpprof_variant *v)
{
    assert_ptr_equal(variant_by_name(v->name), v); /* the first of its name: the names differ */
    const char *slash = strchr(v->name, '/');
    assert_non_null(slash);
    size_t families;
    const struct variant_family *family = variant_families(&families);
    bool found = false;
    for (size_t f = 0; f < families; f++)
        found |= strlen(family[f].name) == (size_t)(slash - v->name) &&
                 !strncmp(family[f].name, v->name, (size_t)(slash - v->name)) && v >= family[f].variants &&
                 v < family[f].variants + family[f].count;
    if (!found)
        fail_msg("'%s' stands in no family of that name", v->name);
}

static void is_complete(const struct cpprof_variant *v)
{
    assert_int_equal(v->struct_bytes, sizeof(struct cpprof_variant));
    assert_true(v->summary && *v->summary && !strchr(v->summary, '\n'));
    assert_true(v->shared_bytes && v->flops && v->bytes && v->setup && v->poison && v->launch && v->verify &&
                v->teardown);
    assert_true(v->shape_count > 0 && !v->shapes[0].ragged); /* the default is timed */
}

static void axes_hold_their_defaults(const struct cpprof_variant *v)
{
    assert_true(v->axis_count <= CPPROF_AXES_MAX);
    for (size_t i = 0; i < v->axis_count; i++) {
        const struct cpprof_axis *a = &v->axes[i];
        if (!*a->name || strpbrk(a->name, " =,") || !*a->help || a->min > a->max || a->value < a->min ||
            a->value > a->max)
            fail_msg("'%s': axis '%s' has the default %lld, from %lld to %lld", v->name, a->name, (long long)a->value,
                     (long long)a->min, (long long)a->max);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(v->axes[j].name, a->name);
    }
}

static void shapes_are_in_range(const struct cpprof_variant *v)
{
    for (size_t s = 0; s < v->shape_count; s++) {
        const struct cpprof_shape *shape = &v->shapes[s];
        assert_true(*shape->name && !strpbrk(shape->name, " =,")); /* a word of a case key, and of a list */
        for (size_t j = 0; j < s; j++)
            assert_string_not_equal(v->shapes[j].name, shape->name);
        size_t used = 0;
        for (size_t a = 0; a < v->axis_count; a++) {
            if (v->axes[a].role != CPPROF_AXIS_SHAPE)
                continue;
            const int64_t value = shape->values[used++];
            if (value < v->axes[a].min || value > v->axes[a].max)
                fail_msg("'%s': shape '%s' has %s=%lld", v->name, shape->name, v->axes[a].name, (long long)value);
        }
        for (; used < CPPROF_AXES_MAX; used++)
            assert_int_equal(shape->values[used], 0); /* no value without a dimension */
    }
}

static void expectations_are_counters_that_we_know(const struct cpprof_variant *v)
{
    for (size_t i = 0; i < v->expect_count; i++) {
        if (!metric_by_name(v->expect[i].metric))
            fail_msg("'%s' expects '%s', which has no id", v->name, v->expect[i].metric);
        assert_true(v->expect[i].min <= v->expect[i].max);
    }
}

static void signals_can_be_read(const struct cpprof_variant *v)
{
    const char *at = cpprof_variant_signals(v);
    while (*at) {
        struct expected_change expected_change;
        struct err e = {0};
        if (expected_change_parse(&expected_change, &at, &e))
            fail_msg("'%s': %s", v->name, e.text);
        const char *parts[METRIC_PARTS_MAX];
        metric_parts(expected_change.metric, parts);
        if (!metric_by_name(parts[0]))
            fail_msg("'%s' expects something of '%s', which has no id", v->name, expected_change.metric);
        expected_change_release(&expected_change);
    }
}

/* Ours is there, has its shapes and is another one. */
static void improves_on_one_of_its_family(const struct cpprof_variant *v)
{
    const char *name = cpprof_variant_improves_on(v);
    const struct cpprof_variant *other = variant_by_name(name);
    if (*name && (!other || other == v || other->shapes[0].values[0] != v->shapes[0].values[0] ||
                  strncmp(name, v->name, strcspn(v->name, "/") + 1) != 0))
        fail_msg("'%s' improves on '%s', which is no other of its family", v->name, name);
    if (!strncmp(v->name, "sdpa/", 5) && !*name && *cpprof_variant_signals(v))
        fail_msg("'%s' stands on nothing", v->name);
}

static void amounts_of_work_are_finite(const struct cpprof_variant *v)
{
    for (size_t s = 0; s < v->shape_count; s++) {
        struct cpprof_config config = {.seed = 0};
        size_t used = 0;
        for (size_t a = 0; a < v->axis_count; a++)
            config.value[a] = v->axes[a].role == CPPROF_AXIS_SHAPE ? v->shapes[s].values[used++] : v->axes[a].value;
        assert_true(isfinite(v->flops(&config)) && v->flops(&config) >= 0);
        assert_true(isfinite(v->bytes(&config)) && v->bytes(&config) > 0);
        assert_true(v->shared_bytes(&config) <= 228 * 1024); /* what an SM of compute capability 9.0 has */
    }
}

TEST(expected_signals_are_of_known_counters)
{
    each_variant(signals_can_be_read);
    each_variant(improves_on_one_of_its_family);
}

/* What is asked of a stranger's variant is true of ours. */
static void passes_the_check(const struct cpprof_variant *v)
{
    struct err e = {0};
    if (variant_check(v, &e))
        fail_msg("'%s': %s", v->name, e.text);
}

TEST(strangers_are_asked_no_more)
{
    each_variant(passes_the_check);
}

/* Compiled before the member existed, what lies there is something else. */
TEST(an_older_variant_has_no_signals)
{
    struct cpprof_variant v = {.struct_bytes = sizeof v, .signals = "dram_bytes flat"};
    assert_string_equal(cpprof_variant_signals(&v), "dram_bytes flat");
    v.struct_bytes = offsetof(struct cpprof_variant, signals);
    assert_string_equal(cpprof_variant_signals(&v), "");
    v.struct_bytes += 4;
    assert_string_equal(cpprof_variant_signals(&v), "");
    v = (struct cpprof_variant){.struct_bytes = sizeof v};
    assert_string_equal(cpprof_variant_signals(&v), "");
    v.bound = "launch-bound";
    assert_string_equal(cpprof_variant_bound(&v), "launch-bound");
    v.struct_bytes = offsetof(struct cpprof_variant, bound);
    assert_string_equal(cpprof_variant_bound(&v), "");
    v = (struct cpprof_variant){.struct_bytes = sizeof v, .improves_on = "sdpa/stage1"};
    assert_string_equal(cpprof_variant_improves_on(&v), "sdpa/stage1");
    v.struct_bytes = offsetof(struct cpprof_variant, improves_on);
    assert_string_equal(cpprof_variant_improves_on(&v), "");
    v = (struct cpprof_variant){.struct_bytes = sizeof v};
    assert_string_equal(cpprof_variant_improves_on(&v), "");
}

static int three_devices(const struct cpprof_config *config, int *device, int devices_max)
{
    (void)config;
    for (int i = 0; i < devices_max && i < 3; i++)
        device[i] = 4 - i;
    return 3;
}

TEST(devices_are_those_of_the_variant)
{
    const struct cpprof_config config = {.seed = 0};
    struct cpprof_variant v = {.struct_bytes = sizeof v};
    int device[4] = {-1, -1, -1, -1};
    assert_int_equal(cpprof_variant_devices(&v, &config, device, 4), 1);
    v.devices = three_devices;
    v.struct_bytes = offsetof(struct cpprof_variant, devices);
    assert_int_equal(cpprof_variant_devices(&v, &config, device, 4), 1);
    assert_int_equal(device[0], -1);
    v.struct_bytes = sizeof v;
    assert_int_equal(cpprof_variant_devices(&v, &config, device, 2), 3);
    assert_int_equal(device[1], 3);
    assert_int_equal(device[2], -1);
}

static void declare_of_odd_values(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    static const struct cpprof_expect none[] = {{"a", 0, 0}};
    if (config->value[0] % 2 == 0)
        return;
    declaration->kernel_pattern = "odd<";
    declaration->expect = none;
    declaration->expect_count = 1;
    snprintf(declaration->chosen, sizeof declaration->chosen, "odd");
}

/* What is not declared of a config is what the variant says of all; an older variant declares nothing. */
TEST(a_declaration_is_of_one_config)
{
    static const struct cpprof_expect some[] = {{"a", 1, INFINITY}, {"b", 1, 1}};
    struct cpprof_variant v = {.struct_bytes = sizeof v,
                               .kernel_pattern = "any<",
                               .expect = some,
                               .expect_count = 2,
                               .declare = declare_of_odd_values};
    const struct cpprof_config even = {.value = {2}}, odd = {.value = {3}};
    struct cpprof_declaration d;
    memset(&d, 0x5a, sizeof d);
    cpprof_variant_declare(&v, &even, &d);
    assert_string_equal(d.kernel_pattern, "any<");
    assert_ptr_equal(d.expect, some);
    assert_int_equal(d.expect_count, 2);
    assert_string_equal(d.chosen, "");
    assert_string_equal(d.no_verdict, "");
    cpprof_variant_declare(&v, &odd, &d);
    assert_string_equal(d.kernel_pattern, "odd<");
    assert_int_equal(d.expect_count, 1);
    assert_string_equal(d.chosen, "odd");
    v.struct_bytes = offsetof(struct cpprof_variant, declare);
    assert_false(cpprof_variant_declares(&v));
    cpprof_variant_declare(&v, &odd, &d);
    assert_string_equal(d.kernel_pattern, "any<");
    assert_string_equal(d.chosen, "");
}

static double all_reduce_on_two(const struct cpprof_config *config)
{
    (void)config;
    return 1; /* 2 (2 - 1) / 2 */
}

static double unbounded(const struct cpprof_config *config)
{
    (void)config;
    return NAN;
}

/* As of the signals; what is no factor is none. */
TEST(a_bus_factor_is_read_where_there_is_one)
{
    const struct cpprof_config config = {.seed = 0};
    struct cpprof_variant v = {.struct_bytes = sizeof v, .bus_factor = all_reduce_on_two};
    assert_true(cpprof_variant_bus_factor(&v, &config) == 1);
    v.struct_bytes = offsetof(struct cpprof_variant, bus_factor);
    assert_true(cpprof_variant_bus_factor(&v, &config) == 0);
    v.struct_bytes += 4;
    assert_true(cpprof_variant_bus_factor(&v, &config) == 0);
    v = (struct cpprof_variant){.struct_bytes = sizeof v, .bus_factor = unbounded};
    assert_true(cpprof_variant_bus_factor(&v, &config) == 0);
    v.bus_factor = NULL;
    assert_true(cpprof_variant_bus_factor(&v, &config) == 0);
}

TEST(names_are_unique)
{
    each_variant(is_found_by_its_name);
}
TEST(descriptors_are_complete)
{
    each_variant(is_complete);
}
TEST(defaults_are_in_range)
{
    each_variant(axes_hold_their_defaults);
}
TEST(shapes_fit_the_axes)
{
    each_variant(shapes_are_in_range);
}
TEST(expected_metrics_exist)
{
    each_variant(expectations_are_counters_that_we_know);
}
TEST(work_is_finite)
{
    each_variant(amounts_of_work_are_finite);
}

/* Pipeline: n = 33554432 floats are 8388608 chunks of four. A chunk takes 256 FMAs and
 * 6 additions, 518 operations; n floats are read and one float a chunk is written. */
TEST(pipeline_states_its_work)
{
    static const struct {
        const char *name;
        size_t shared_bytes; /* slots x 256 chunks x 16 bytes */
    } rows[] = {{"pipeline/sync", 4096},
                {"pipeline/cpasync2", 8192},
                {"pipeline/cpasync3", 12288},
                {"pipeline/cpasync4", 16384},
                {"pipeline/misdispatched", 12288}};
    const struct cpprof_config mission = {.value = {33554432, 1, 256}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct cpprof_variant *v = variant_by_name(rows[i].name);
        assert_non_null(v);
        assert_int_equal(v->shared_bytes(&mission), rows[i].shared_bytes);
        assert_true(v->flops(&mission) == 8388608.0 * 518);
        assert_true(v->bytes(&mission) == 33554432.0 * 4 + 8388608.0 * 4);
    }
    assert_null(variant_by_name("pipeline"));
    assert_null(variant_by_name("pipeline/"));
}

/* Doses: of 256 steps 2% more are 261.12, so 261; each is an FMA, two operations, of the
 * 128 threads of an SM. The test knows no device, so the variant counts one SM or all. */
TEST(dose_states_its_work)
{
    const struct cpprof_variant *v = variant_by_name("dose/chain");
    assert_non_null(v);
    static const struct {
        int64_t steps, extra_ppm;
        double doses;
    } rows[] = {{256, 0, 256}, {256, 20000, 261}, {100, 4999, 100}, {100, 5000, 101}, {8000000, 1000000, 16000000}};
    const double threads = v->bytes(&(struct cpprof_config){.value = {1}}) / (2 * sizeof(float));
    assert_true(threads >= 128);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct cpprof_config config = {.value = {rows[i].steps, rows[i].extra_ppm}};
        assert_true(v->flops(&config) == 2 * rows[i].doses * threads);
    }
}

/* On SMs as many as the device has, or on one. A block of fma-peak: 1024 threads x 32 chains of 4 x 3 FMAs and
 * an addition before and one behind; of issue 2 blocks of 512 threads, 8 chains of 4 x 3 steps of 4 FMAs and
 * 2 additions; of bank-padded 4 blocks of 256 threads, 32 chains of 8 x 3 FMAs and an
 * addition; of tensor-wgmma 2 blocks of 64 x 256 x 64, each 3 times. */
TEST(truth_states_its_work)
{
    static const struct {
        const char *name, *bound;
        double flops;
        size_t shared_bytes;
    } rows[] = {{"truth/fma-peak", "compute-bound fma", 1024.0 * 32 * (2 * 12 + 2), 0},
                {"truth/bank-padded", "compute-bound fma", 1024.0 * 32 * (2 * 24 + 1), 32 * 33 * 4},
                {"truth/bank-conflicts", "memory-bound shared", 1024.0 * 32 * (2 * 24 + 1), 32 * 32 * 4},
                {"truth/tensor-wgmma", "compute-bound tensor", 2.0 * 2 * 64 * 256 * 64 * 3, (64 + 256) * 64 * 2},
                {"truth/issue", "compute-bound issue", 1024.0 * 8 * 4 * 3 * (2 * 4 + 2), 0},
                {"truth/shared-stream", "memory-bound shared", 1024.0 * (2 * 4 * 3 + 3), 32768}};
    const struct cpprof_config three = {.value = {3}};
    const double sms = variant_by_name("truth/launch-flood")->flops(&three) / 32; /* an addition of a warp on each */
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct cpprof_variant *v = variant_by_name(rows[i].name);
        assert_non_null(v);
        assert_string_equal(cpprof_variant_bound(v), rows[i].bound);
        assert_true(v->flops(&three) == rows[i].flops * sms);
        assert_int_equal(v->shared_bytes(&three), rows[i].shared_bytes);
    }
    const struct cpprof_variant *copy = variant_by_name("truth/tma-stream");
    assert_string_equal(cpprof_variant_bound(copy), "memory-bound dram");
    assert_int_equal(copy->shared_bytes(&three), 4 * (8192 + 8)); /* four slots of 8 KiB, each with its barrier */
    assert_true(copy->bytes(&three) == variant_by_name("truth/dram-stream")->bytes(&three));
}

/* issue states what its bound means: of all counters that it expects, the issue slots are full and no pipe is. */
TEST(issue_expects_full_slots_and_no_full_pipe)
{
    const struct cpprof_variant *v = variant_by_name("truth/issue");
    size_t slots = 0, pipes = 0;
    for (size_t i = 0; i < v->expect_count; i++) {
        if (!strncmp(v->expect[i].metric, "sm__inst_issued.", 16))
            slots += v->expect[i].min >= 0.9;
        if (!strncmp(v->expect[i].metric, "sm__pipe_", 9))
            pipes += v->expect[i].min > 0 && v->expect[i].max <= 0.6;
    }
    assert_int_equal(slots, 1);
    assert_int_equal(pipes, 4); /* FMA, its heavy half, ALU, float64 */
}

/* Attention: two products of 512 x 512 x 64 FMAs in each of 8 heads; 3 bytes are read and a float is
 * written for each of 8 x 512 x 64 values, and three scales for each head. A tile of 32 keys is 4096 bytes of
 * K and V; a warp has 32 x 20 floats of scores and 16 x 40 halves of weights. */
TEST(sdpa_states_its_work)
{
    static const struct {
        const char *name;
        size_t shared_bytes;
    } rows[] = {
        {"sdpa/baseline", 0},
        {"sdpa/stage1-sync", 4096 + 4 * 2560},
        {"sdpa/stage1", 2 * 4096 + 4 * 2560},
        {"sdpa/stage2", 2 * 4096 + 4 * (2560 + 1280)},
        {"sdpa/stage4", 3 * 4096 + 4 * (2560 + 1280)},
        {"sdpa/stage3a", 2 * 4096 + 4 * 2560},
        {"sdpa/stage3b", 2 * 4096},
        {"sdpa/swizzle", 2 * 4096},
        {"sdpa/explut", 2 * 4096 + 32 * 4},
        {"sdpa/warpspec", 4 * 4096 + 128}, /* 8 mbarriers, to the alignment of a tile */
        /* of each of 8 warps: 32 rows of 64 halves, and two floats a row */
        {"sdpa/splitkeys", 8 * 32 * (64 * 2 + 8)},
        /* four tiles of 128 keys: K, V, and V as halves; 128 queries; 13 mbarriers */
        {"sdpa/wgmma", 4 * 4 * 8192 + 8192 + 13 * 8},
        /* the same, to the alignment of what follows: 16 rows of 64 ones, and 8 mbarriers, to the same alignment */
        {"sdpa/wgmma-xu", 4 * 4 * 8192 + 8192 + 1024 + 2048 + 1024}};
    const struct cpprof_config mission = {.value = {1, 8, 512}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct cpprof_variant *v = variant_by_name(rows[i].name);
        assert_non_null(v);
        assert_int_equal(v->shared_bytes(&mission), rows[i].shared_bytes);
        assert_true(v->flops(&mission) == 2.0 * 2 * 512 * 512 * 64 * 8);
        assert_true(v->bytes(&mission) == 8.0 * (512 * 64 * 7 + 12));
    }
}

/* The gates under which the ladder was written: 128 registers, 64 KiB, nothing spilled, on every architecture. Two take
 * an SM for a block, and its registers or its shared memory with it. */
static int sdpa_registers_allowed(const char *symbol)
{
    return strstr(symbol, "sdpa_splitkeys")                                                              ? 255
           : strstr(symbol, "sdpa_wgmma") || strstr(symbol, "sdpa_turns") || strstr(symbol, "sdpa_late") ? 168
                                                                                                         : 128;
}

TEST(sdpa_keeps_its_gates)
{
    size_t seen = 0;
    for (size_t i = 0; i < ptxas_facts_count; i++) {
        const struct ptxas_facts *facts = &ptxas_facts_table[i];
        if (!strstr(facts->symbol, "sdpa_problem"))
            continue;
        seen++;
        if (facts->registers > sdpa_registers_allowed(facts->symbol) ||
            facts->spill_store_bytes + facts->spill_load_bytes > 0)
            fail_msg("'%s' takes %d registers and spills %d bytes on sm_%d", facts->symbol, facts->registers,
                     facts->spill_store_bytes + facts->spill_load_bytes, facts->sm);
    }
    assert_true(seen >= 5 * ARCHITECTURES);
    size_t families;
    const struct variant_family *family = variant_families(&families);
    const struct cpprof_config mission = {.value = {1, 8, 512}};
    for (size_t f = 0; f < families; f++)
        for (size_t v = 0; v < family[f].count && !strcmp(family[f].name, "sdpa"); v++)
            assert_true(family[f].variants[v].shared_bytes(&mission) <=
                        (strncmp(family[f].variants[v].name, "sdpa/wgmma", 10) ? 64u : 227u) * 1024);
}

/* What the driver would report for the kernels that each variant is meant to launch. */
enum { KERNELS_MAX = 6 };

static const struct {
    const char *variant;
    const char *kernels[KERNELS_MAX]; /* demangled */
} meant[] = {
    {"pipeline/sync", {"pipeline_sync(tiles)"}},
    {"pipeline/cpasync2", {"void pipeline_cpasync<2>(tiles)"}},
    {"pipeline/cpasync3", {"void pipeline_cpasync<3>(tiles)"}},
    {"pipeline/cpasync4", {"void pipeline_cpasync<4>(tiles)"}},
    {"pipeline/misdispatched", {"void pipeline_cpasync<3>(tiles)"}}, /* and launches pipeline_sync */
    {"dose/chain", {"dose_chain(float const*, float*, int, dose)"}},
    {"streams/one", {"streams_work(float const*, float*, unsigned long, int)"}},
    {"streams/two", {"streams_work(float const*, float*, unsigned long, int)"}},
    {"streams/pageable", {"streams_work(float const*, float*, unsigned long, int)"}},
    {"streams/three", {"streams_work(float const*, float*, unsigned long, int)"}},
    {"streams/pdl",
     {"streams_first(float const*, float*, unsigned long, int)",
      "streams_second(float const*, float const*, float*, unsigned long, int)"}},
    {"streams/two-devices", {"streams_work(float const*, float*, unsigned long, int)"}},
    {"streams/gemm", {"truth_mma(float const*, float*, int)"}},
    {"truth/dram-stream", {"truth_dram(float4 const*, float4*, unsigned long, int)"}},
    {"truth/tma-stream", {"truth_tma(float4 const*, float4*, int)"}},
    {"truth/l2-stream", {"truth_l2(float4 const*, float*, int)"}},
    {"truth/l2-strided", {"truth_l2_strided(float const*, float*, int)"}},
    {"truth/shared-stream", {"truth_shared(float4 const*, float*, int, unsigned int)"}},
    {"truth/bank-conflicts", {"void truth_columns<32>(float const*, float*, int, unsigned int, float)"}},
    {"truth/bank-padded", {"void truth_columns<33>(float const*, float*, int, unsigned int, float)"}},
    {"truth/fma-peak", {"truth_fma(float const*, float*, int, step)"}},
    {"truth/small-grid", {"truth_fma(float const*, float*, int, step)"}},
    {"truth/tail", {"truth_fma(float const*, float*, int, step)"}},
    {"truth/fp64-peak", {"truth_fp64(float const*, float*, int, step64)"}},
    {"truth/xu-peak", {"truth_xu(float const*, float*, int, float)"}},
    {"truth/alu-peak", {"truth_alu(float const*, float*, int, unsigned int)"}},
    {"truth/issue", {"truth_issue(float const*, float*, int, mix)"}},
    {"truth/tensor-mma", {"truth_mma(float const*, float*, int)"}},
    {"truth/tensor-wgmma", {"truth_wgmma(float const*, float*, int)"}},
    {"truth/pointer-chase", {"truth_chase(float const*, unsigned int const*, float*, int)"}},
    {"truth/barrier", {"truth_relay(float const*, float*, int, step)"}},
    {"truth/launch-flood", {"truth_flood(float const*, float*, int)"}},
    {"sdpa/baseline", {"sdpa_baseline(sdpa_problem)"}},
    {"sdpa/stage1-sync", {"sdpa_stage1_sync(sdpa_problem)"}},
    {"sdpa/stage1", {"sdpa_stage1(sdpa_problem)"}},
    {"sdpa/stage2", {"sdpa_stage2(sdpa_problem)"}},
    {"sdpa/stage4", {"sdpa_stage4(sdpa_problem)"}},
    {"sdpa/stage3a", {"sdpa_stage3a(sdpa_problem)"}},
    {"sdpa/stage3b", {"sdpa_stage3b(sdpa_problem)"}},
    {"sdpa/swizzle", {"sdpa_swizzle(sdpa_problem)"}},
    {"sdpa/exp2poly", {"sdpa_exp2poly(sdpa_problem)"}},
    {"sdpa/explut", {"sdpa_explut(sdpa_problem)"}},
    {"sdpa/ex2approx", {"sdpa_ex2approx(sdpa_problem)"}},
    {"sdpa/warpspec", {"sdpa_warpspec(sdpa_problem)"}},
    {"sdpa/splitkeys", {"sdpa_splitkeys(sdpa_problem)"}},
    {"sdpa/splitkeys-pdl", {"sdpa_splitkeys_pdl(sdpa_problem)"}},
    {"sdpa/wgmma", {"sdpa_wgmma(sdpa_problem, sdpa::wgmma_maps)"}},
    {"sdpa/wgmma-turns", {"sdpa_turns(sdpa_problem, sdpa::wgmma_maps)"}},
    {"sdpa/wgmma-loads", {"sdpa_turns_loads(sdpa_problem, sdpa::wgmma_maps)"}},
    {"sdpa/wgmma-xu", {"sdpa_turns_xu(sdpa_problem, sdpa::wgmma_maps)"}},
    {"sdpa/wgmma-pdl", {"sdpa_turns_pdl(sdpa_problem, sdpa::wgmma_maps)"}},
    {"sdpa/wgmma-late", {"sdpa_late(sdpa_problem, sdpa::wgmma_maps)"}},
    {"sdpa/dispatch",
     {"sdpa_ex2approx(sdpa_problem)", "sdpa_splitkeys_pdl(sdpa_problem)",
      "sdpa_turns_pdl(sdpa_problem, sdpa::wgmma_maps)", "sdpa_late(sdpa_problem, sdpa::wgmma_maps)"}},
};

/* For variants whose kernels are many instances of templates: how each instance begins, how many there are of an
 * architecture. */
static const struct {
    const char *variant;
    const char *begins[KERNELS_MAX];
    size_t instances;
} meant_instances[] = {
    /* three types, each: 16 bytes by ranks and items (2, 4, 8 ranks: 3 + 2 + 1), 8 and 4 bytes */
    {"allreduce/naive", {"void allreduce_naive<"}, 3},
    {"allreduce/1stage", {"void allreduce_1stage<"}, 3 * (6 + 2)},
    {"allreduce/1stage-cpasync2", {"void allreduce_1stage_cpasync<2,"}, 3},
    {"allreduce/1stage-cpasync3", {"void allreduce_1stage_cpasync<3,"}, 3},
    {"allreduce/1stage-cpasync4", {"void allreduce_1stage_cpasync<4,"}, 3},
    {"allreduce/2stage", {"void allreduce_2stage<"}, 3 * 6},
    {"allreduce/2stage-cpasync", {"void allreduce_2stage_cpasync<"}, 3},
    {"allreduce/1stage-tma", {"void allreduce_1stage_tma<"}, 3},
    {"allreduce/1stage-pdl", {"void allreduce_1stage_pdl<"}, 3 * 6},
    {"allreduce/1stage-push", {"void allreduce_1stage_push<"}, 3 * 6},
    {"allreduce/1stage-ll", {"void allreduce_1stage_ll<"}, 3 * 3},
    {"allreduce/2stage-push", {"void allreduce_2stage_push<"}, 3 * 6},
    {"allreduce/2stage-send", {"void allreduce_2stage_send<"}, 3 * 6},
    {"allreduce/dispatch",
     {"void allreduce_1stage", "void allreduce_2stage"},
     24 + 9 + 18 + 3 + 3 + 18 + 18 + 9 + 18 + 18},
    {"allreduce/nccl", {NULL}, 0}, /* none of ours */
    {"streams/allreduce", {"void allreduce_1stage<"}, 24},
    {"streams/allreduce-gemm", {"void allreduce_1stage<", "truth_mma("}, 24 + 1},
};

static void has_a_row(const struct cpprof_variant *v)
{
    for (size_t i = 0; i < COUNT_OF(meant_instances); i++)
        if (!strcmp(meant_instances[i].variant, v->name))
            return;
    for (size_t i = 0; i < COUNT_OF(meant); i++)
        if (!strcmp(meant[i].variant, v->name))
            return;
    fail_msg("'%s' has no row in this test's table of kernels", v->name);
}

/* How often the pattern says the right thing of a kernel that is meant; fails when it is wrong about one. */
static size_t count_matches(const regex_t *pattern, const char *variant, const char *const *kernels, bool whole)
{
    size_t matches = 0;
    for (size_t k = 0; k < ptxas_facts_count; k++) {
        struct str name;
        str_init(&name);
        demangle_full(&name, ptxas_facts_table[k].symbol);
        bool is_meant = false;
        for (size_t i = 0; i < KERNELS_MAX && kernels[i]; i++)
            is_meant |= whole ? !strcmp(str_text(&name), kernels[i])
                              : !strncmp(str_text(&name), kernels[i], strlen(kernels[i]));
        if (!regexec(pattern, str_text(&name), 0, NULL, 0) != is_meant)
            fail_msg("'%s': its pattern is wrong about '%s'", variant, str_text(&name));
        matches += is_meant;
        str_release(&name);
    }
    return matches;
}

static void matches(const char *variant, const char *const *kernels, bool whole, size_t expected)
{
    const struct cpprof_variant *v = variant_by_name(variant);
    assert_non_null(v);
    regex_t pattern;
    if (regcomp(&pattern, v->kernel_pattern, REG_EXTENDED | REG_NOSUB))
        fail_msg("'%s': '%s' is no extended regular expression", v->name, v->kernel_pattern);
    const size_t found = count_matches(&pattern, v->name, kernels, whole);
    if (found != expected * ARCHITECTURES)
        fail_msg("'%s' matches %zu kernels, expected %zu", variant, found, expected * ARCHITECTURES);
    regfree(&pattern);
}

TEST(patterns_match_only_the_kernels_that_are_meant)
{
    each_variant(has_a_row);
    for (size_t i = 0; i < COUNT_OF(meant); i++) {
        size_t count = 0;
        while (count < KERNELS_MAX && meant[i].kernels[count])
            count++;
        matches(meant[i].variant, meant[i].kernels, true, count);
    }
    for (size_t i = 0; i < COUNT_OF(meant_instances); i++)
        matches(meant_instances[i].variant, meant_instances[i].begins, false, meant_instances[i].instances);
}

/* All-reduce: the message is what rates are of; each of its values takes n - 1 additions; a link carries
 * 2 (n - 1) / n of it. Nothing spills, and nothing is kept in local memory, on any architecture. */
TEST(allreduce_states_its_work)
{
    static const struct {
        int64_t bytes, gpus, dtype;
        double flops, bus_factor;
    } rows[] = {{1 << 20, 2, 0, 262144, 1}, {600, 3, 1, 600, 4.0 / 3}, {1000, 8, 2, 3500, 1.75}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct cpprof_variant *v = variant_by_name("allreduce/1stage");
        const struct cpprof_config config = {.value = {rows[i].bytes, rows[i].gpus, rows[i].dtype}};
        assert_true(v->flops(&config) == rows[i].flops);
        assert_true(v->bytes(&config) == (double)rows[i].bytes);
        assert_true(fabs(cpprof_variant_bus_factor(v, &config) - rows[i].bus_factor) < 1e-15);
    }
    size_t seen = 0;
    for (size_t i = 0; i < ptxas_facts_count; i++) {
        const struct ptxas_facts *facts = &ptxas_facts_table[i];
        if (!strstr(facts->symbol, "allreduce"))
            continue;
        seen++;
        if (facts->stack_bytes + facts->spill_store_bytes + facts->spill_load_bytes > 0)
            fail_msg("'%s' spills, or keeps values in local memory, on sm_%d", facts->symbol, facts->sm);
    }
    assert_true(seen >= 24 * ARCHITECTURES);
}

/* An all-reduce beside products: of both together what each has alone, on one device where the test knows none. And of
 * an SM's 65,536 registers two blocks of products and one of the all-reduce, 256 threads each, leave some: neither
 * keeps the other out. */
TEST(streams_put_together_what_is_there)
{
    const struct cpprof_config both = {.value = {1 << 20, 2, 3, 32}}, message = {.value = {1 << 20, 2}},
                               rounds = {.value = {3}};
    const struct cpprof_variant *sum = variant_by_name("streams/allreduce"),
                                *products = variant_by_name("streams/gemm"),
                                *v = variant_by_name("streams/allreduce-gemm");
    assert_true(sum->flops(&both) == variant_by_name("allreduce/1stage")->flops(&message));
    assert_true(sum->bytes(&both) == 1 << 20);
    assert_true(cpprof_variant_bus_factor(sum, &both) == 1 && cpprof_variant_bus_factor(v, &both) == 0);
    const double devices = products->flops(&both) / variant_by_name("truth/tensor-mma")->flops(&rounds);
    assert_true(devices == cpprof_variant_devices(v, &both, NULL, 0));
    assert_true(v->flops(&both) == sum->flops(&both) + products->flops(&both));
    assert_true(v->bytes(&both) == sum->bytes(&both) + products->bytes(&both));
    size_t seen = 0;
    for (size_t i = 0; i < ptxas_facts_count; i++) {
        const struct ptxas_facts *facts = &ptxas_facts_table[i];
        if (!strstr(facts->symbol, "16allreduce_1stageI"))
            continue;
        const struct ptxas_facts *other = ptxas_facts_find("_Z9truth_mmaPKfPfi", facts->sm);
        assert_non_null(other);
        assert_in_range(256 * (2 * other->registers + facts->registers), 1, 65536);
        seen++;
    }
    assert_int_equal(seen, 24 * ARCHITECTURES);
}

TEST(ptxas_saw_every_kernel_of_every_architecture)
{
    static const char *const symbols[] = {"_Z13pipeline_sync5tiles", "_Z16pipeline_cpasyncILi2EEv5tiles",
                                          "_Z16pipeline_cpasyncILi3EEv5tiles", "_Z16pipeline_cpasyncILi4EEv5tiles"};
    for (size_t a = 0; a < ARCHITECTURES; a++)
        for (size_t s = 0; s < COUNT_OF(symbols); s++) {
            const struct ptxas_facts *facts = ptxas_facts_find(symbols[s], architectures[a]);
            if (!facts)
                fail_msg("'%s' was not compiled for sm_%d", symbols[s], architectures[a]);
            assert_in_range(facts->registers, 1, 255);
            assert_int_equal(facts->spill_store_bytes + facts->spill_load_bytes, 0); /* small kernels do not spill */
        }
    assert_null(ptxas_facts_find("_Z13pipeline_sync5tiles", 70));
    assert_null(ptxas_facts_find("pipeline_sync", 90));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(devices_are_those_of_the_variant),
        cmocka_unit_test(expected_signals_are_of_known_counters),
        cmocka_unit_test(an_older_variant_has_no_signals),
        cmocka_unit_test(a_declaration_is_of_one_config),
        cmocka_unit_test(a_bus_factor_is_read_where_there_is_one),
        cmocka_unit_test(descriptors_are_complete),
        cmocka_unit_test(defaults_are_in_range),
        cmocka_unit_test(shapes_fit_the_axes),
        cmocka_unit_test(expected_metrics_exist),
        cmocka_unit_test(work_is_finite),
        cmocka_unit_test(pipeline_states_its_work),
        cmocka_unit_test(dose_states_its_work),
        cmocka_unit_test(truth_states_its_work),
        cmocka_unit_test(issue_expects_full_slots_and_no_full_pipe),
        cmocka_unit_test(strangers_are_asked_no_more),
        cmocka_unit_test(sdpa_states_its_work),
        cmocka_unit_test(sdpa_keeps_its_gates),
        cmocka_unit_test(allreduce_states_its_work),
        cmocka_unit_test(streams_put_together_what_is_there),
        cmocka_unit_test(patterns_match_only_the_kernels_that_are_meant),
        cmocka_unit_test(ptxas_saw_every_kernel_of_every_architecture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
