/* Which arms on several GPUs are counted? The one without marks and the one that records; none whose mark waits. The
 * sampler is played: it cannot be opened, so each arm that is to be counted is noted as missing. */
#include <stdio.h>
#include <string.h>

#include "collector/profiler/pm_sampler.h"
#include "collector/runner/collective_count.h"
#include "tests/test.h"

enum { ARMS = 4 };

int __wrap_pm_sampler_new(struct pm_sampler **out, const struct cupti_api *api, int device, const char *const *names,
                          size_t count, bool *accepted, struct err *e);
int __wrap_pm_sampler_new(struct pm_sampler **out, const struct cupti_api *api, int device, const char *const *names,
                          size_t count, bool *accepted, struct err *e)
{
    (void)api, (void)device, (void)names, (void)count, (void)accepted;
    *out = NULL;
    return err_set(e, ERR_ENVIRONMENT, "played");
}

static int two_devices(const struct cpprof_config *config, int *device, int devices_max)
{
    (void)config;
    for (int i = 0; i < 2 && i < devices_max; i++)
        device[i] = i;
    return 2;
}

static size_t no_shared_memory(const struct cpprof_config *config)
{
    (void)config;
    return 0;
}

TEST(a_mark_that_waits_is_not_counted)
{
    static const struct cpprof_inside records = {.build = CPPROF_INSIDE_RECORD}, waits = {.build = CPPROF_INSIDE_DELAY};
    static const struct cpprof_variant variant = {
        .struct_bytes = sizeof variant, .name = "mine/v1", .shared_bytes = no_shared_memory, .devices = two_devices};
    static const struct inside_build builds[ARMS] = {
        {NULL, NULL, 0}, {&variant, &records, -1}, {&variant, &waits, -1}, {&variant, &waits, 400}};
    static const char *const names[ARMS] = {"v1", "v1+record", "v1+delay-0.0-none", "v1+delay-0.0-400"};
    struct run_case cases[ARMS];
    struct runner r = {.role = "count", .repeats = 1, .report = json_object()};
    const struct metric_choice choice = {0};
    struct err e = {0};
    memset(cases, 0, sizeof cases);
    r.cases.items = cases;
    r.cases.count = ARMS;
    for (size_t i = 0; i < ARMS; i++) {
        cases[i].variant = &variant;
        cases[i].build = i ? &builds[i] : NULL;
        snprintf(cases[i].name, sizeof cases[i].name, "%s", names[i]);
    }
    assert_int_equal(collective_count(&r, NULL, &choice, 0, &e), 0);
    const json_t *missing = json_object_get(r.report, "missing");
    assert_int_equal(json_array_size(missing), 2);
    for (size_t i = 0; i < 2; i++) {
        char what[64];
        snprintf(what, sizeof what, "counters of %s at  on GPU 0", names[i]);
        assert_string_equal(json_string_value(json_object_get(json_array_get(missing, i), "what")), what);
    }
    json_decref(r.report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_mark_that_waits_is_not_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
