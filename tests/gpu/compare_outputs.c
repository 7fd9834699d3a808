/* Do the judge's kernel and its host code say the same of the same outputs? All types, wrong values of every kind, and
 * sizes that no word or block divides; then how long both take. A line for each type: "f16: the same of 12 outputs".
 * With PLAYED the kernel is played on the host. Exit status 0: all are the same. */
#define _GNU_SOURCE
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/runner/judge/compare_device.h"
#include "collector/runner/judge/task_problem.h"
#ifdef PLAYED
#include "tests/collector/judge/played_compare.h"
#endif

enum { MANY = 1 << 24, SIZES = 6, KINDS = 2 };

static const char *const names[CPPROF_TYPES] = {"f32", "f64", "f16", "bf16", "i32", "i64", "u8"};
static const size_t sizes[SIZES] = {0, 1, 7, 255, 4099, 300007};

static size_t values(const struct cpprof_config *config)
{
    return (size_t)config->value[0];
}

/* Numbers that have no difference, or an infinite one, or none that is a number, are among the references. */
static void reference(const struct cpprof_config *config, const void *const *inputs, double *const *outputs)
{
    static const double rare[] = {INFINITY, -INFINITY, NAN, 0, -0.0, 5e-324, 1.7e308};
    for (size_t i = 0; i < values(config); i++) {
        const uint64_t bits = cpprof_bits(3, i);
        outputs[0][i] = 50 * cpprof_value(CPPROF_F32, inputs[0], i);
        if (config->value[1] && bits % 64 < sizeof rare / sizeof rare[0])
            outputs[0][i] = rare[bits % 64];
    }
}

/* Each value is right, near the edge of what is allowed, anything, or not written. */
static void make_output(void *out, enum cpprof_type type, const double *expected, size_t count, int is_wrong)
{
    const size_t bytes = cpprof_type_bytes(type);
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = cpprof_bits(7, i), kind = is_wrong ? bits % 16 : 0;
        double value = expected[i];
        if (kind >= 1 && kind <= 4)
            value += cpprof_uniform(11, i) * 2 * (1e-3 + 1e-2 * fabs(value));
        if (!isfinite(value) && type >= CPPROF_I32)
            value = 0;
        if (type >= CPPROF_I32)
            value = fmod(fabs(value), 100);
        cpprof_set_value(type, out, i, value);
        if (kind == 5) {
            const uint64_t any = cpprof_bits(13, i);
            memcpy((char *)out + i * bytes, &any, bytes);
        } else if (kind == 6) {
            memset((char *)out + i * bytes, type >= CPPROF_I32 ? 0xa5 : 0xff, bytes);
        }
    }
}

static uint64_t hash_of(const void *bytes, size_t count)
{
    uint64_t hash = 0;
    for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, (const char *)bytes + at, count - at < sizeof word ? count - at : sizeof word);
        hash += cpprof_bits(word, at);
    }
    return hash;
}

static void *on_device(const void *bytes, size_t count)
{
    void *device = NULL;
#ifdef PLAYED
    device = malloc(count + 8);
    if (device && bytes)
        memcpy(device, bytes, count);
#else
    if (cudaMalloc(&device, count + 8) || (bytes && cudaMemcpy(device, bytes, count, cudaMemcpyHostToDevice)))
        return NULL;
#endif
    return device;
}

static void forget(void *device)
{
#ifdef PLAYED
    free(device);
#else
    cudaFree(device);
#endif
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int complain(const char *what, const struct compare_found *host, const struct compare_found *device)
{
    printf(
        "%s: bad %llu and %llu, unwritten %llu and %llu, first %lld and %lld, error %016llx and %016llx, hash %016llx "
        "and %016llx (host and device)\n",
        what, (unsigned long long)host->bad, (unsigned long long)device->bad, (unsigned long long)host->unwritten,
        (unsigned long long)device->unwritten, (long long)host->first, (long long)device->first,
        (unsigned long long)host->error_bits, (unsigned long long)device->error_bits, (unsigned long long)host->hash,
        (unsigned long long)device->hash);
    return 1;
}

/* Compares one output twice; `ms` become what the host and the device took. */
static int compare(enum cpprof_type type, size_t count, int has_rare, int is_wrong, double ms[2])
{
    static struct cpprof_array input = {"in", CPPROF_F32, values}, output = {"out", CPPROF_F32, values};
    static struct cpprof_task task = {.inputs = &input, .input_count = 1, .outputs = &output, .output_count = 1};
    const struct cpprof_config config = {.value = {(int64_t)count, has_rare}};
    const struct cpprof_draw draw = {5 + (uint64_t)type, CPPROF_RANDOM};
    struct cpprof_verification unused = {0};
    struct compare_found host, device = {0};
    struct task_problem *p;
    struct err e = {0};
    output.type = type;
    task.reference = reference;
    task.tolerance = (struct cpprof_tolerance){1e-3, 1e-2, "as for a test"};
    if (task_problem_get(&p, &task, &config, &draw, &e) || task_problem_expect(p, &e))
        return 1;
    const size_t bytes = count * cpprof_type_bytes(type);
    void *got = calloc(bytes + 8, 1);
    make_output(got, type, p->expected[0], count, is_wrong);
    void *there = on_device(got, bytes), *expected = on_device(p->expected[0], count * sizeof(double)),
         *scratch = on_device(NULL, sizeof device);
    const struct compare_rule rule = task_problem_rule(p, 0);
    int status = there && expected && scratch ? 0 : 1;
    double begin_ms = now_ms();
    task_problem_compare(p, 0, got, &unused, &host);
    host.hash = hash_of(got, bytes);
    ms[0] = now_ms() - begin_ms;
    for (int turn = 0; turn < 2 && !status; turn++) { /* the first one loads the kernel */
        begin_ms = now_ms();
        status = compare_output(&rule, there, expected, scratch, &device, NULL);
        ms[1] = now_ms() - begin_ms;
    }
    if (status)
        printf("%s: the device failed: %s\n", names[type], cudaGetErrorString((cudaError_t)status));
    else if (memcmp(&host, &device, sizeof host))
        status = complain(names[type], &host, &device);
    if (is_wrong && count > 4000 && !host.bad)
        status = printf("%s: nothing is wrong\n", names[type]);
    forget(there), forget(expected), forget(scratch);
    free(got);
    task_problem_release(p);
    return status != 0;
}

int main(void)
{
    double ms[2];
    int failed = 0;
    for (int type = 0; type < CPPROF_TYPES; type++) {
        int bad = 0, outputs = 0;
        for (int size = 0; size < SIZES; size++)
            for (int kind = 0; kind < 2 * KINDS; kind++, outputs++)
                bad |= compare((enum cpprof_type)type, sizes[size] + (size_t)type, kind & 1, kind >> 1, ms);
        if (!bad)
            printf("%s: the same of %d outputs\n", names[type], outputs);
        failed |= bad;
    }
#ifndef PLAYED
    for (int type = 0; type < CPPROF_TYPES; type += CPPROF_F16) {
        failed |= compare((enum cpprof_type)type, MANY, 0, 0, ms);
        printf("%s: %d values in %.1f ms on the host, %.3f ms on the device\n", names[type], MANY, ms[0], ms[1]);
    }
#endif
    return failed;
}
