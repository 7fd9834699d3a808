/* Is what a GPU reached set beside the right theory, and is a file taken for the right GPU? */
#include <math.h>
#include <string.h>

#include "core/gpu/ceilings.h"
#include "core/gpu/metrics.h"
#include "tests/test.h"

static bool near(double got, double expected)
{
    return isnan(expected) ? isnan(got) : fabs(got - expected) <= 1e-9 * fabs(expected);
}

static json_t *gpu_of(const char *capability, int sm_count, double l2_bytes)
{
    return json_pack("{ss si sf sf sf si}", "compute_capability", capability, "sm_count", sm_count, "l2_bytes",
                     l2_bytes, "sm_clock_max_hz", 1.98e9, "memory_clock_max_hz", 3.201e9, "memory_bus_bits", 6144);
}

TEST(theory_is_that_of_the_chip)
{
    static const struct {
        const char *capability;
        int sm_count;
        double l2_bytes;
        enum ceiling_id id;
        double peak;
    } cases[] = {
        /* H200: 2 x 3.201 GHz x 6144 bits / 8; 96 slices x 64 bytes x 1.98 GHz */
        {"9.0", 132, 62914560, CEILING_DRAM, 4.916736e12},
        {"9.0", 132, 62914560, CEILING_L2, 96 * 64 * 1.98e9},
        /* 132 SMs x 128 lanes x 2 x 1.98 GHz, half of it, and 2048 products of the tensor cores */
        {"9.0", 132, 62914560, CEILING_FP32, 6.690816e13},
        {"9.0", 132, 62914560, CEILING_FP64, 3.345408e13},
        {"9.0", 132, 62914560, CEILING_TENSOR_MMA, 132 * 4096 * 1.98e9},
        {"9.0", 132, 62914560, CEILING_TENSOR_WGMMA, 132 * 4096 * 1.98e9},
        {"9.0", 132, 62914560, CEILING_LAUNCH, NAN},
        /* A100: 80 slices, 5,120 bytes a cycle; 64 lanes */
        {"8.0", 108, 41943040, CEILING_L2, 5120 * 1.98e9},
        {"8.0", 108, 41943040, CEILING_FP32, 108 * 64 * 2 * 1.98e9},
        /* what nobody wrote down */
        {"8.9", 142, 1e8, CEILING_L2, NAN},
        {"13.7", 170, 1e8, CEILING_FP32, NAN},
        {"12.0", 170, 1e8, CEILING_DRAM, 4.916736e12},
        {"9.0", 0, 0, CEILING_L2, NAN},
        {"9.0", 0, 0, CEILING_FP32, NAN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        json_t *gpu = gpu_of(cases[i].capability, cases[i].sm_count, cases[i].l2_bytes);
        const double peak = ceiling_peak(gpu, cases[i].id, 1.98e9);
        if (!near(peak, cases[i].peak))
            fail_msg("case %zu: %.17g instead of %.17g", i, peak, cases[i].peak);
        json_decref(gpu);
    }
    assert_true(isnan(ceiling_peak(NULL, CEILING_DRAM, 1e9)));
}

/* At 1.485 of 1.98 GHz: three quarters of the peak. The faster of the tensor cores' ways is their group's. */
TEST(what_was_measured_is_read)
{
    json_t *gpu = gpu_of("9.0", 132, 62914560);
    json_object_set_new(gpu, "ceilings",
                        json_pack("[{ss sf sf si sf}, {ss sf}, {ss sf}, {ss ss}, {ss sf}]", "id", "tensor_wgmma",
                                  "best", 7e14, "median", 6.9e14, "repeats", 40, "sm_clock_hz", 1.485e9, "id",
                                  "tensor_mma", "best", 6e14, "id", "dram", "best", -4e12, "id", "l2", "best", "much",
                                  "id", "unheard_of", "best", 1.0));
    const struct ceiling c = ceiling_of(gpu, CEILING_TENSOR_WGMMA);
    assert_true(near(c.best, 7e14) && near(c.median, 6.9e14) && c.repeats == 40);
    assert_true(near(c.peak, 132 * 4096 * 1.98e9) && near(c.peak_then, 0.75 * c.peak));
    assert_true(near(ceilings_measured(gpu, "tensor_fp16"), 7e14));
    assert_true(isnan(ceilings_measured(gpu, "dram")) && isnan(ceilings_measured(gpu, "l2")));
    assert_true(isnan(ceilings_measured(gpu, "tensor_bf16")) && isnan(ceilings_measured(NULL, "dram")));
    json_t *l2 = json_array_get(json_object_get(gpu, "ceilings"), 3);
    json_object_set_new(l2, "best", json_real(9e12));
    assert_true(near(ceilings_measured(gpu, "l2"), 9e12));
    json_object_set_new(l2, "amount", json_string("asked")); /* what counters say is another amount */
    assert_true(isnan(ceilings_measured(gpu, "l2")) && near(ceiling_of(gpu, CEILING_L2).best, 9e12));
    assert_true(isnan(ceiling_of(gpu, CEILING_FP32).best) && isnan(ceiling_of(gpu, CEILING_FP32).peak_then));
    assert_true(near(ceiling_of(gpu, CEILING_FP32).peak, 6.690816e13));
    json_decref(gpu);
}

/* The groups are those of the counters, or a roof would never find its measurement. */
TEST(groups_are_those_of_the_counters)
{
    size_t count, found = 0;
    const struct metric *metrics = metrics_known(&count);
    for (int id = 0; id < CEILING_COUNT; id++) {
        const struct ceiling_kind *kind = ceiling_kind((enum ceiling_id)id);
        bool known = !*kind->group;
        for (size_t i = 0; i < count && !known; i++)
            known = metrics[i].role == METRIC_PEAK && !strcmp(metrics[i].group, kind->group);
        assert_true(known);
        assert_int_equal(ceiling_by_id(kind->id), id);
        found += *kind->group != '\0';
    }
    assert_int_equal(found, 6);
    assert_int_equal(ceiling_by_id("dra"), CEILING_COUNT);
}

/* 18 links x 25 GB/s. */
TEST(links_have_a_theory)
{
    json_t *h200 = gpu_of("9.0", 132, 62914560), *l40 = gpu_of("8.9", 142, 1e8);
    json_t *linked = json_pack("{si}", "nvlinks", 18), *unlinked = json_pack("{si}", "nvlinks", 0);
    assert_true(near(ceiling_link_peak(h200, linked), 450e9));
    assert_true(isnan(ceiling_link_peak(h200, unlinked)) && isnan(ceiling_link_peak(l40, linked)));
    assert_true(isnan(ceiling_link_peak(NULL, linked)) && isnan(ceiling_link_peak(h200, NULL)));
    json_decref(h200);
    json_decref(l40);
    json_decref(linked);
    json_decref(unlinked);
}

TEST(a_file_serves_its_gpu_or_one_like_it)
{
    static const struct {
        const char *uuid, *name;
        int place; /* -1: refused */
    } cases[] = {{"GPU-b", "NVIDIA H200", 1},
                 {"GPU-c", "NVIDIA H200", 0},
                 {"GPU-c", "NVIDIA L4", 2},
                 {"GPU-c", "NVIDIA T4", -1},
                 {"", "", -1},
                 {"GPU-d", "NVIDIA H200", 0}};
    json_t *document = json_pack("{s:{ss s:[{ss ss}, {ss ss}, {ss ss}, {s:[s]}, n]}}", "ceilings", "schema",
                                 CEILINGS_SCHEMA, "gpus", "uuid", "GPU-a", "name", "NVIDIA H200", "uuid", "GPU-b",
                                 "name", "NVIDIA H200", "uuid", "GPU-l", "name", "NVIDIA L4", "uuid", "GPU-d");
    assert_non_null(document);
    const json_t *gpus = json_object_get(json_object_get(document, "ceilings"), "gpus"), *gpu = NULL;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err e = {0};
        const int rc = ceilings_choose(document, cases[i].uuid, cases[i].name, &gpu, &e);
        assert_int_equal(rc != 0, cases[i].place < 0);
        if (!rc)
            assert_ptr_equal(gpu, json_array_get(gpus, (size_t)cases[i].place));
        else
            assert_non_null(strstr(e.text, "'NVIDIA H200'"));
    }
    json_decref(document);
    static const char *const strangers[] = {"{}", "[]", "{\"ceilings\":[]}",
                                            "{\"ceilings\":{\"schema\":\"cpprof.ceilings/2\",\"gpus\":[]}}"};
    for (size_t i = 0; i < COUNT_OF(strangers); i++) {
        struct err e = {0};
        json_t *stranger = json_loads(strangers[i], 0, NULL);
        assert_int_not_equal(ceilings_choose(stranger, "GPU-a", "NVIDIA H200", &gpu, &e), 0);
        assert_non_null(strstr(e.text, "doctor --ceilings"));
        json_decref(stranger);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory_is_that_of_the_chip),           cmocka_unit_test(what_was_measured_is_read),
        cmocka_unit_test(groups_are_those_of_the_counters),     cmocka_unit_test(links_have_a_theory),
        cmocka_unit_test(a_file_serves_its_gpu_or_one_like_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
