/* What must the counters show of an all-reduce, on one device and on several? CUDA's devices are played here. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/runner/device.h"
#include "kernels/allreduce_bench.h"
#include "kernels/registry.h"

#define RECEIVED "nvlrx__bytes_data_user.sum"
#define LDGSTS   "sm__sass_inst_executed_op_ldgsts.sum"

static int device_count;
static int unlinked; /* the device that PCIe alone connects; -1: none */

cudaError_t __wrap_cudaGetDevice(int *device);
cudaError_t __wrap_cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGetDeviceCount(int *count);
cudaError_t __wrap_cudaGetDeviceCount(int *count)
{
    *count = device_count;
    return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to);
cudaError_t __wrap_cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to)
{
    assert_int_equal(attribute, cudaDevP2PAttrNativeAtomicSupported);
    assert_int_not_equal(from, to);
    *value = from != unlinked && to != unlinked;
    return cudaSuccess;
}

static void data_comes_over_links_or_does_not(void **state)
{
    (void)state;
    static const struct {
        const char *variant;
        int devices, unlinked;
        const char *metric; /* NULL: nothing is expected */
        double min, max;
    } rows[] = {
        {"allreduce/1stage", 1, -1, LDGSTS, 0, 0},
        {"allreduce/1stage", 2, -1, RECEIVED, 1, INFINITY},
        {"allreduce/1stage", 2, 1, NULL, 0, 0},
        {"allreduce/1stage-cpasync3", 1, -1, LDGSTS, 1, INFINITY},
        {"allreduce/1stage-cpasync3", 2, -1, RECEIVED, 1, INFINITY},
        {"allreduce/2stage-push", 2, -1, RECEIVED, 1, INFINITY},
        {"allreduce/dispatch", 2, -1, RECEIVED, 1, INFINITY},
        {"allreduce/dispatch", 2, 0, NULL, 0, 0},
        {"allreduce/naive", 1, -1, LDGSTS, 0, 0},
        {"allreduce/naive", 2, -1, RECEIVED, 0, 0},
        {"allreduce/naive", 2, 0, RECEIVED, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cpprof_variant *v = variant_by_name(rows[i].variant);
        struct cpprof_config config = {0};
        struct cpprof_declaration declared;
        assert_non_null(v);
        config.value[ALLREDUCE_AXIS_BYTES] = 1 << 20;
        config.value[ALLREDUCE_AXIS_GPUS] = 2;
        device_count = rows[i].devices;
        unlinked = rows[i].unlinked;
        cpprof_variant_declare(v, &config, &declared);
        assert_int_equal(declared.expect_count, rows[i].metric != NULL);
        if (rows[i].metric) {
            assert_string_equal(declared.expect[0].metric, rows[i].metric);
            assert_true(declared.expect[0].min == rows[i].min && declared.expect[0].max == rows[i].max);
        }
        assert_int_equal(declared.no_verdict[0] != '\0', rows[i].devices == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(data_comes_over_links_or_does_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
