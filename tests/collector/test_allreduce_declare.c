/* What must the counters show of an all-reduce, on one device and on several? CUDA's devices are played here. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/device.h"
#include "kernels/allreduce/allreduce_bench.h"
#include "kernels/registry.h"
#include "tests/test.h"

#define RECEIVED "nvlrx__bytes_data_user.sum"
#define LDGSTS   "sm__sass_inst_executed_op_ldgsts.sum"

static int device_count;
static int major;    /* compute capability */
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
    assert_int_not_equal(from, to);
    *value = attribute == cudaDevP2PAttrNativeAtomicSupported && from != unlinked && to != unlinked;
    return cudaSuccess;
}

cudaError_t __wrap_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t __wrap_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    *value = attribute == cudaDevAttrComputeCapabilityMajor ? major : 0;
    return cudaSuccess;
}

TEST(data_comes_over_links_or_does_not)
{
    static const struct {
        const char *variant;
        int64_t bytes;
        int devices, ranks, unlinked, major;
        const char *metric; /* NULL: nothing is expected */
        double min, max;
    } rows[] = {
        {"allreduce/1stage", 1 << 20, 1, 2, -1, 9, LDGSTS, 0, 0},
        {"allreduce/1stage", 1 << 20, 2, 2, -1, 9, RECEIVED, 65536, INFINITY},
        {"allreduce/1stage", 65536, 2, 2, -1, 9, RECEIVED, 65536, INFINITY},
        {"allreduce/1stage", 8192, 2, 2, -1, 9, RECEIVED, 1, INFINITY}, /* flags are as much */
        {"allreduce/1stage", 1 << 20, 2, 2, 1, 9, NULL, 0, 0},
        {"allreduce/1stage", 1 << 20, 4, 4, 3, 9, NULL, 0, 0},
        {"allreduce/1stage", 1 << 20, 4, 4, -1, 9, RECEIVED, 65536, INFINITY},
        {"allreduce/1stage", 1 << 20, 2, 2, -1, 8, NULL, 0, 0},
        {"allreduce/1stage-cpasync3", 1 << 20, 1, 2, -1, 9, LDGSTS, 1, INFINITY},
        {"allreduce/1stage-cpasync3", 8, 1, 2, -1, 9, LDGSTS, 0, 0}, /* no vector */
        {"allreduce/1stage-cpasync3", 8, 2, 2, -1, 9, RECEIVED, 1, INFINITY},
        {"allreduce/2stage-push", 1 << 20, 2, 2, -1, 9, RECEIVED, 65536, INFINITY},
        {"allreduce/dispatch", 1 << 20, 2, 2, -1, 9, RECEIVED, 65536, INFINITY},
        {"allreduce/dispatch", 1 << 20, 2, 2, 0, 9, NULL, 0, 0},
        {"allreduce/naive", 1 << 20, 1, 2, -1, 9, LDGSTS, 0, 0},
        {"allreduce/naive", 1 << 20, 2, 2, -1, 9, RECEIVED, 0, 4096},
        {"allreduce/naive", 1 << 20, 2, 2, 0, 9, NULL, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct cpprof_variant *v = variant_by_name(rows[i].variant);
        struct cpprof_config config = {0};
        struct cpprof_declaration declared;
        assert_non_null(v);
        config.value[ALLREDUCE_AXIS_BYTES] = rows[i].bytes;
        config.value[ALLREDUCE_AXIS_GPUS] = rows[i].ranks;
        device_count = rows[i].devices;
        unlinked = rows[i].unlinked;
        major = rows[i].major;
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
