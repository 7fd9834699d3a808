/* Is the installed CUPTI what translate.c, metric_choice.c and the fake take it for? chips_page.c asks for its chips.
 * No GPU is needed: its host half knows every chip. Exit 77 where there is no CUPTI. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/activity/translate.h"
#include "collector/dynload/cupti_api.h"
#include "collector/profiler/counter_host.h"
#include "core/gpu/metric_choice.h"
#include "tests/test.h"

enum { SKIPPED = 77, CALLBACKS_MAX = 2000 };

static struct cupti_api api;

/* A chip of which CUPTI knows the counters. */
static CUpti_Profiler_Host_Object *open_chip(const char *chip)
{
    CUpti_Profiler_Host_Initialize_Params p = {.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = chip;
    const CUptiResult result = api.cuptiProfilerHostInitialize(&p);
    if (result)
        fail_msg("CUPTI does not open the chip '%s': %d", chip, (int)result);
    return p.pHostObject;
}

static void close_chip(CUpti_Profiler_Host_Object *host)
{
    CUpti_Profiler_Host_Deinitialize_Params p = {.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE};
    p.pHostObject = host;
    assert_int_equal(api.cuptiProfilerHostDeinitialize(&p), CUPTI_SUCCESS);
}

static bool has_metric(CUpti_Profiler_Host_Object *host, const char *name)
{
    CUpti_Profiler_Host_GetMetricProperties_Params p = {.structSize =
                                                            CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE};
    p.pHostObject = host;
    p.pMetricName = name;
    return api.cuptiProfilerHostGetMetricProperties(&p) == CUPTI_SUCCESS;
}

/* One configuration cannot hold both: role_count counts twice. */
TEST(links_are_counted_apart)
{
    CUpti_Profiler_Host_Object *host = open_chip("GH100");
    const char *names[] = {"nvlrx__bytes.sum", "sm__cycles_active.avg"};
    struct metric_choice_item items[] = {{names[0], true}, {names[1], true}};
    assert_true(metric_choice_is_mixed(&(struct metric_choice){.items = items, .count = 2}));
    CUpti_Profiler_Host_ConfigAddMetrics_Params add = {.structSize =
                                                           CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
    add.pHostObject = host;
    add.ppMetricNames = names;
    add.numMetrics = 2;
    assert_int_equal(api.cuptiProfilerHostConfigAddMetrics(&add), CUPTI_ERROR_NOT_SUPPORTED);
    close_chip(host);
}

TEST(unknown_chips_and_counters_are_refused)
{
    CUpti_Profiler_Host_Initialize_Params p = {.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = "GX999";
    assert_int_not_equal(api.cuptiProfilerHostInitialize(&p), CUPTI_SUCCESS);
    CUpti_Profiler_Host_Object *host = open_chip("GH100");
    assert_true(has_metric(host, "sm__cycles_active.avg"));
    assert_false(has_metric(host, "sm__cycles_active.average"));
    assert_false(has_metric(host, ""));
    assert_false(has_metric(host, "smsp__average_warps_issue_stalled_branch_resolve_per_issue_active.ratio"));
    close_chip(host);
}

/* A machine is played whose chip is newer than the CUPTI that is here. */
static const char *named_chip;

static CUptiResult CUPTIAPI begin_nothing(CUpti_Profiler_Initialize_Params *p)
{
    (void)p;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI name_chip(CUpti_Device_GetChipName_Params *p)
{
    p->pChipName = named_chip;
    return CUPTI_SUCCESS;
}

TEST(a_newer_chip_is_told_from_a_known_one)
{
    static const char *const name[] = {"sm__cycles_active.avg"};
    static const enum counter_reading readings[] = {COUNTERS_OF_RANGES, COUNTERS_OF_SAMPLES};
    struct cupti_api played = api;
    played.cuptiProfilerInitialize = begin_nothing;
    played.cuptiDeviceGetChipName = name_chip;
    for (size_t i = 0; i < COUNT_OF(readings); i++) {
        struct counter_plan plan;
        struct err e = {0};
        named_chip = "GX999";
        assert_int_equal(counter_plan_make(&plan, &played, 0, readings[i], name, 1, NULL, &e), ERR_ENVIRONMENT);
        counter_plan_release(&plan);
        counter_host_explain(&played, 0, &e);
        assert_non_null(strstr(e.text, "does not know the counters of the chip 'GX999'"));
    }
    struct err e = {.code = ERR_ENVIRONMENT, .text = "something else"};
    named_chip = "GH100";
    counter_host_explain(&played, 0, &e);
    assert_string_equal(e.text, "something else");
}

/* Without _v7000, _ptsz and the like. */
static void plain_name(const char *name, char *out, size_t bytes)
{
    static const char *const endings[] = {"_ptsz", "_ptds"};
    snprintf(out, bytes, "%s", name);
    for (;;) {
        char *last = strrchr(out, '_');
        if (!last || last == out)
            return;
        bool ending = last[1] == 'v' && last[2] && !last[2 + strspn(last + 2, "0123456789")];
        for (size_t i = 0; i < 2; i++)
            ending |= !strcmp(last, endings[i]);
        if (!ending)
            return;
        *last = '\0';
    }
}

/* Every call that CUPTI can name, as translate.c sorts it. */
TEST(only_launches_are_launches)
{
    static const char *const launches[] = {
        "cuLaunch",
        "cuLaunchGrid",
        "cuLaunchGridAsync",
        "cuLaunchKernel",
        "cuLaunchKernelEx",
        "cuLaunchCooperativeKernel",
        "cuLaunchCooperativeKernelMultiDevice",
        "cuGraphLaunch",
        "cudaLaunch",
        "cudaLaunchKernel",
        "__cudaLaunchKernel",
        "cudaLaunchKernelExC",
        "cudaLaunchCooperativeKernel",
        "cudaLaunchCooperativeKernelMultiDevice",
        "cudaGraphLaunch",
    };
    enum { LAUNCHES = COUNT_OF(launches) };
    bool seen[LAUNCHES] = {false};
    struct shard_writer names = {.fd = -1};
    strtab_init(&names.strings);
    size_t named = 0, managed = 0;
    for (uint32_t i = 0; i < 2 * CALLBACKS_MAX; i++) {
        const CUpti_ActivityAPI record = {.kind = i % 2 ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME,
                                          .cbid = i / 2,
                                          .start = 1,
                                          .end = 2};
        struct cpprof_event call;
        assert_true(translate_record(&api, (const CUpti_Activity *)(const void *)&record, &names, &call));
        char plain[128];
        plain_name(strtab_text(&names.strings, call.name), plain, sizeof plain);
        named += *plain != '\0';
        managed += translate_is_managed(plain);
        bool listed = false;
        for (size_t n = 0; n < LAUNCHES; n++)
            if (!strcmp(launches[n], plain))
                listed = seen[n] = true;
        if (listed != (call.detail == CPPROF_API_LAUNCH))
            fail_msg("'%s' is %s a launch", plain, listed ? "not taken for" : "taken for");
        if (strstr(plain, "Graph") && call.detail == CPPROF_API_COPY)
            fail_msg("'%s' is taken for a copy", plain);
    }
    assert_true(named > 1000);
    assert_int_equal(managed, 2); /* cudaMallocManaged, cuMemAllocManaged */
    for (size_t n = 0; n < LAUNCHES; n++)
        if (!seen[n])
            fail_msg("this CUPTI knows no '%s'", launches[n]);
    shard_writer_close(&names, NULL);
}

/* What fake_cupti.c imitates. */
TEST(buffers_are_read_as_the_fake_reads_them)
{
    enum { BYTES = 4096 };
    const CUpti_ActivityKernel10 kernel = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
    static const struct {
        size_t valid;
        uint32_t second_kind;
        size_t records;
        CUptiResult end;
    } rows[] = {
        {0, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 0, CUPTI_ERROR_MAX_LIMIT_REACHED},
        {2 * sizeof kernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 2, CUPTI_ERROR_MAX_LIMIT_REACHED},
        {2 * sizeof kernel - 8, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 1, CUPTI_ERROR_MAX_LIMIT_REACHED},
        {2 * sizeof kernel, 200, 1, CUPTI_ERROR_INVALID_KIND},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint8_t *buffer = aligned_alloc(8, BYTES);
        assert_non_null(buffer);
        memset(buffer, 0, BYTES);
        memcpy(buffer, &kernel, sizeof kernel);
        memcpy(buffer + sizeof kernel, &kernel, sizeof kernel);
        memcpy(buffer + sizeof kernel, &rows[i].second_kind, sizeof rows[i].second_kind);
        CUpti_Activity *record = NULL;
        CUptiResult result;
        size_t records = 0;
        while (!(result = api.cuptiActivityGetNextRecord(buffer, rows[i].valid, &record)))
            records++;
        assert_int_equal(records, rows[i].records);
        assert_int_equal(result, rows[i].end);
        free(buffer);
    }
}

/* Run first: loaded beside, CUPTI's data is there for the host that is opened then, and another one beside it. */
TEST(data_is_loaded_by_another_thread)
{
    static const char *const names[] = {"smsp__inst_executed.sum", "dram__bytes_read.sum"};
    struct counter_host_loading loading;
    struct counter_host host, other;
    struct counter_config config, one;
    struct err e = {0};
    counter_host_load_begin(&loading, &api, 0, names, 2); /* without a GPU there is no plan */
    assert_true(loading.is_under_way);
    counter_host_load_end(&loading);
    counter_host_load_end(&loading); /* does nothing */
    assert_true(loading.data_ns > 0);
    if (loading.is_planned)
        counter_plan_release(&loading.plan);
    assert_int_equal(counter_host_open(&host, &api, "GH100", COUNTERS_OF_RANGES, NULL, &e), 0);
    assert_int_equal(counter_host_open(&other, &api, "GH100", COUNTERS_OF_RANGES, NULL, &e), 0);
    assert_int_equal(counter_host_configure(&other, names, 1, &one, &e), 0);
    assert_int_equal(counter_host_configure(&host, names, 2, &config, &e), 0);
    assert_int_equal(one.passes, 1);
    counter_host_close(&other);
    counter_host_close(&host);
    free(one.image);
    free(config.image);
}

/* What pm_sampler.c takes of launches on several GPUs: all at once. */
TEST(links_are_sampled_beside_instructions)
{
    static const char *const names[] = {
        "nvlrx__bytes.sum",           "nvlrx__bytes_data_user.sum", "nvltx__bytes.sum",
        "nvltx__bytes_data_user.sum", "pcie__read_bytes.sum",       "pcie__write_bytes.sum",
        "dram__bytes_read.sum",       "dram__bytes_write.sum",      "smsp__inst_executed.sum"};
    enum { NAMES = COUNT_OF(names) };
    struct counter_host host;
    struct counter_config config;
    struct err e = {0};
    assert_int_equal(counter_host_open(&host, &api, "GH100", COUNTERS_OF_SAMPLES, NULL, &e), 0);
    for (size_t i = 0; i < NAMES; i++)
        assert_true(counter_host_knows(&host, names[i]));
    assert_int_equal(counter_host_configure(&host, names, NAMES, &config, &e), 0);
    assert_int_equal(config.passes, 1);
    counter_host_close(&host);
    free(config.image);
}

int main(void)
{
    struct err e = {0};
    if (cupti_api_load_pm(&api, &e)) {
        fprintf(stderr, "skipped: %s\n", e.text);
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_is_loaded_by_another_thread),
        cmocka_unit_test(links_are_counted_apart),
        cmocka_unit_test(links_are_sampled_beside_instructions),
        cmocka_unit_test(unknown_chips_and_counters_are_refused),
        cmocka_unit_test(a_newer_chip_is_told_from_a_known_one),
        cmocka_unit_test(only_launches_are_launches),
        cmocka_unit_test(buffers_are_read_as_the_fake_reads_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
