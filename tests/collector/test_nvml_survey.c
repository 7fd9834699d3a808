/* Does the survey say of each GPU and each pair what NVML said? fake_nvml.c is
 * NVML, found in the loader's path as the real one is. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/dynload/nvml_survey.h"
#include "collector/runner/runner.h"
#include "core/base/files.h"
#include "tests/test.h"

static struct nvml_survey survey;

static int open_survey(void **state)
{
    (void)state;
    struct err e = {0};
    if (nvml_survey_open(&survey, &e))
        fail_msg("%s", e.text);
    return 0;
}

struct fact {
    const char *key, *json; /* the value as JSON; NULL: absent */
};

static void must_hold(const json_t *object, const struct fact *facts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_t *wanted = facts[i].json ? json_loads(facts[i].json, JSON_DECODE_ANY, NULL) : NULL;
        const json_t *got = json_object_get(object, facts[i].key);
        assert_int_equal(!wanted, !facts[i].json);
        if (!(got ? wanted && json_equal(got, wanted) : !wanted)) {
            char *text = json_dumps(object, JSON_INDENT(1));
            fail_msg("%s is not %s in %s", facts[i].key, facts[i].json ? facts[i].json : "absent", text);
        }
        json_decref(wanted);
    }
}

#define MUST_HOLD(object, facts) must_hold(object, facts, COUNT_OF(facts))

/* Bits as NVML's reference lists them; idle, set clocks and a display's clocks slow nothing down. */
TEST(test_slowed)
{
    static const struct {
        long long mask;
        int slowed;
    } rows[] = {{-1, -1}, {0, 0},    {0x1, 0},  {0x2, 0},  {0x100, 0}, {0x103, 0}, {0x4, 1},
                {0x8, 1}, {0x10, 1}, {0x20, 1}, {0x40, 1}, {0x80, 1},  {0x5, 1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(nvml_is_slowed(rows[i].mask), rows[i].slowed);
}

static int mig_answer, virtual_answer, virtual_mode;
static unsigned mig;

static int say_mig(void *device, unsigned *current, unsigned *pending)
{
    (void)device;
    *current = *pending = mig;
    return mig_answer;
}

static int say_virtual(void *device, int *mode)
{
    (void)device;
    *mode = virtual_mode;
    return virtual_answer;
}

/* Modes and answers by NVML's lists: 3 is "not supported", virtualization 1 is passthrough, 2 a virtual GPU, 3 its
 * host. What NVML refuses to say, or has no function for, is no whole GPU. */
TEST(test_whole_gpu)
{
    static const struct {
        int mig_answer;
        unsigned mig;
        int virtual_answer, virtual_mode;
        bool is_whole;
    } rows[] = {{0, 0, 0, 0, true},  {0, 0, 0, 1, true},  {3, 0, 0, 0, true},  {3, 7, 0, 1, true},
                {0, 1, 0, 0, false}, {4, 0, 0, 0, false}, {0, 0, 0, 2, false}, {0, 0, 0, 3, false},
                {0, 0, 0, 4, false}, {0, 0, 3, 0, false}};
    struct nvml_api api_of_one = {.device = &mig, .mig_mode = say_mig, .virtualization = say_virtual};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mig_answer = rows[i].mig_answer;
        mig = rows[i].mig;
        virtual_answer = rows[i].virtual_answer;
        virtual_mode = rows[i].virtual_mode;
        assert_int_equal(nvml_is_whole_gpu(&api_of_one), rows[i].is_whole);
    }
    assert_false(nvml_is_whole_gpu(&(struct nvml_api){.device = &mig, .virtualization = say_virtual}));
    assert_false(nvml_is_whole_gpu(&(struct nvml_api){.device = &mig, .mig_mode = say_mig}));
    assert_false(nvml_is_whole_gpu(&(struct nvml_api){.mig_mode = say_mig, .virtualization = say_virtual}));
}

TEST(test_system)
{
    static const struct fact facts[] = {
        {"error", "null"}, {"driver_version", "\"580.159.03\""}, {"cuda_driver", "13000"}, {"devices", "4"}};
    json_t *system = nvml_survey_system(&survey, "");
    MUST_HOLD(system, facts);
    assert_non_null(strstr(json_get_text(system, "library", ""), "libnvidia-ml.so"));
    json_decref(system);
}

TEST(test_device)
{
    /* 0x5 is idle and the power cap; compute mode 3 and virtualization 1 by NVML's lists; no uuid, MIG and
     * default applications clock: the library lacks the functions */
    static const struct fact facts[] = {
        {"name", "\"NVIDIA Fake\""},
        {"uuid", "null"},
        {"pci", "\"0000:23:00.0\""},
        {"compute_capability", "\"9.0\""},
        {"memory_bytes", "161061273600"},
        {"memory_free_bytes", "159987531776"},
        {"sm_clock_mhz", "345"},
        {"sm_clock_max_mhz", "1980"},
        {"memory_clock_mhz", "3201"},
        {"memory_clock_max_mhz", "3202"},
        {"application_clock_mhz", "null"},
        {"application_clock_default_mhz", "null"},
        {"throttle_mask", "5"},
        {"throttle_reasons", "\"idle, power cap\""},
        {"temperature_c", "33"},
        {"slowdown_c", "87"},
        {"power_mw", "75000"},
        {"power_limit_mw", "500000"},
        {"power_limit_default_mw", "700000"},
        {"persistence", "true"},
        {"compute_mode", "\"exclusive process\""},
        {"virtualization", "\"passthrough\""},
        {"ecc", "true"},
        {"ecc_pending", "false"},
        {"ecc_uncorrected", "2"},
        {"mig", "null"},
        {"mig_pending", "null"},
        {"pcie_generation_max", "5"},
        {"pcie_width", "8"},
        {"pcie_width_max", "16"},
        {"nvlinks", "5"},
        {"processes", "[{\"pid\":4300,\"kind\":\"compute\",\"memory_bytes\":1073741824},"
                      "{\"pid\":4301,\"kind\":\"compute\",\"memory_bytes\":null}]"},
    };
    json_t *device = json_object();
    nvml_survey_device(&survey, nvml_survey_by_index(&survey, 3), device);
    MUST_HOLD(device, facts);
    json_decref(device);
}

TEST(test_pairs)
{
    static const struct {
        unsigned a, b;
        struct fact facts[5];
    } cases[] = {
        /* two links, from one to the other */
        {0,
         1,
         {{"nvlinks", "2"},
          {"nvlink_version", "4"},
          {"topology", "\"PHB\""},
          {"p2p_read", "\"ok\""},
          {"p2p_atomics", "\"ok\""}}},
        /* six and five to switches: five between them */
        {2,
         3,
         {{"nvlinks", "5"},
          {"nvlink_version", "4"},
          {"topology", "\"PHB\""},
          {"p2p_read", "\"ok\""},
          {"p2p_write", "\"ok\""}}},
        /* GPU 0 has links to another GPU only, GPU 2 to switches only */
        {0,
         2,
         {{"nvlinks", "0"},
          {"nvlink_version", "null"},
          {"topology", "\"SYS\""},
          {"p2p_read", "\"the PCIe topology does not allow it\""},
          {"p2p_atomics", "\"not supported\""}}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        json_t *link = json_object();
        nvml_survey_pair(&survey, nvml_survey_by_index(&survey, cases[i].a), nvml_survey_by_index(&survey, cases[i].b),
                         link);
        MUST_HOLD(link, cases[i].facts);
        json_decref(link);
    }
}

TEST(test_who_is_who)
{
    void *one = nvml_survey_by_bus_id(&survey, "0000:21:00.0");
    assert_non_null(one);
    assert_null(nvml_survey_by_bus_id(&survey, "0000:99:00.0"));
    assert_null(nvml_survey_by_index(&survey, 4));
    assert_true(nvml_survey_same(&survey, one, nvml_survey_by_index(&survey, 1)));
    assert_false(nvml_survey_same(&survey, one, nvml_survey_by_index(&survey, 2)));
    assert_false(nvml_survey_same(&survey, one, NULL));
}

/* A library that was not opened, and GPUs that NVML does not know: nulls, no crash. */
TEST(test_nothing)
{
    const struct nvml_survey none = {0};
    static const struct fact device_facts[] = {
        {"name", "null"}, {"temperature_c", "null"}, {"processes", "null"}, {"nvlinks", "null"}};
    static const struct fact pair_facts[] = {{"topology", "null"}, {"p2p_read", "null"}, {"nvlinks", NULL}};
    static const struct fact system_facts[] = {{"error", "\"gone\""}, {"devices", "0"}, {"library", "null"}};
    json_t *device = json_object(), *pair = json_object(), *system = nvml_survey_system(&none, "gone");
    int unknown = 0;
    nvml_survey_device(&none, &unknown, device);
    nvml_survey_pair(&survey, NULL, nvml_survey_by_index(&survey, 0), pair);
    MUST_HOLD(device, device_facts);
    MUST_HOLD(pair, pair_facts);
    MUST_HOLD(system, system_facts);
    json_decref(device);
    json_decref(pair);
    json_decref(system);
}

/* The whole probe: GPUs that CUDA does not see are there all the same, each pair once. */
TEST(test_probe)
{
    char folder[] = "/tmp/cpprof-test-XXXXXX";
    if (!access("/dev/nvidiactl", F_OK))
        skip(); /* the real CUDA does not start under AddressSanitizer */
    assert_non_null(mkdtemp(folder));
    struct runner r = {.role = "probe", .directory = folder, .report = json_object()};
    struct err e = {0};
    struct str path;
    json_t *probe;
    str_init(&path);
    if (role_probe(&r, &e) || json_read_file(files_join(&path, folder, "probe.json"), &probe, &e))
        fail_msg("%s", e.text);
    const json_t *devices = json_object_get(probe, "devices"), *links = json_object_get(probe, "links");
    assert_string_equal(json_get_text(probe, "schema", ""), "cpprof.probe/1");
    assert_true(json_array_size(devices) >= 4);
    const size_t count = json_array_size(devices);
    assert_int_equal(json_array_size(links), count * (count - 1) / 2);
    assert_string_equal(json_get_text(json_array_get(devices, count - 1), "pci", ""), "0000:23:00.0");
    assert_true(json_is_null(json_object_get(json_array_get(devices, count - 1), "ordinal")));
    json_decref(probe);
    json_decref(r.report);
    str_release(&path);
    files_remove_tree(folder, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slowed),  cmocka_unit_test(test_whole_gpu), cmocka_unit_test(test_system),
        cmocka_unit_test(test_device),  cmocka_unit_test(test_pairs),     cmocka_unit_test(test_who_is_who),
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_probe),
    };
    return cmocka_run_group_tests(tests, open_survey, NULL);
}
