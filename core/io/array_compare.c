/* Is the array in one file the array in another, within a tolerance? */
#define _GNU_SOURCE
#include "core/io/array_compare.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_VALUES = 1024 };

/* Any program may have left something under that name. Only a regular file is read. */
static FILE *open_array(const char *path, struct err *e)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    FILE *file = fd >= 0 && !fstat(fd, &info) && S_ISREG(info.st_mode) ? fdopen(fd, "rb") : NULL;
    if (!file) {
        err_set(e, ERR_INPUT, "cannot read '%s': %s", path, fd < 0 ? strerror(errno) : "it is no regular file");
        if (fd >= 0)
            close(fd);
    }
    return file;
}

static void choose_tolerance(struct array_difference *d, struct array_tolerance asked, const struct npy_array *expected,
                             const struct npy_array *got)
{
    double absolute[2], relative[2];
    npy_tolerance(expected, &absolute[0], &relative[0]);
    npy_tolerance(got, &absolute[1], &relative[1]);
    d->tolerance.absolute = isnan(asked.absolute) ? fmax(absolute[0], absolute[1]) : asked.absolute;
    d->tolerance.relative = isnan(asked.relative) ? fmax(relative[0], relative[1]) : asked.relative;
}

static void compare_value(struct array_difference *d, double expected, double got)
{
    const uint64_t index = d->values++;
    const double error = fabs(got - expected);
    const bool same = got == expected; /* also true for equal infinities */
    d->equal &= same;
    d->not_a_number += isnan(got) ? 1 : 0;
    if (same)
        return;
    if (isfinite(error)) {
        d->max_abs_err = fmax(d->max_abs_err, error);
        if (expected != 0)
            d->max_rel_err = fmax(d->max_rel_err, error / fabs(expected));
    }
    if (isfinite(error) && error <= d->tolerance.absolute + d->tolerance.relative * fabs(expected))
        return;
    d->wrong++;
    if (d->first_count < ARRAY_WRONG_SHOWN)
        d->first[d->first_count++] = (struct array_wrong){index, expected, got};
}

static void describe(struct array_difference *d)
{
    if (!d->wrong)
        return;
    int used = snprintf(d->hint, sizeof d->hint, "%llu of %llu values differ by more than %g + %g x the expected one",
                        (unsigned long long)d->wrong, (unsigned long long)d->values, d->tolerance.absolute,
                        d->tolerance.relative);
    if (d->not_a_number && used > 0)
        snprintf(d->hint + used, sizeof d->hint - (size_t)used, "; %llu are NaN", (unsigned long long)d->not_a_number);
    else if (used > 0)
        snprintf(d->hint + used, sizeof d->hint - (size_t)used, "; largest relative error %.3g", d->max_rel_err);
}

static int compare_values(struct array_difference *d, struct npy_array *expected, const char *expected_path,
                          struct npy_array *got, const char *got_path, struct err *e)
{
    double wanted[BLOCK_VALUES], have[BLOCK_VALUES];
    long count = 0;
    while ((count = npy_next(got, have, BLOCK_VALUES, got_path, e)) > 0) {
        const long other = npy_next(expected, wanted, BLOCK_VALUES, expected_path, e);
        if (other < 0)
            return (int)other;
        for (long i = 0; i < count && i < other; i++)
            compare_value(d, wanted[i], have[i]);
    }
    describe(d);
    return (int)count;
}

static bool same_shape(const struct npy_array *a, const struct npy_array *b)
{
    return a->dimensions == b->dimensions && !memcmp(a->shape, b->shape, a->dimensions * sizeof a->shape[0]);
}

static int compare_files(struct array_difference *d, FILE *expected_file, const char *expected_path, FILE *got_file,
                         const char *got_path, struct array_tolerance tolerance, struct err *e)
{
    struct npy_array expected, got;
    int rc = npy_begin(&expected, expected_file, expected_path, e);
    if (!rc)
        rc = npy_begin(&got, got_file, got_path, e);
    if (rc)
        return rc;
    memcpy(d->shape, got.shape, sizeof d->shape);
    d->dimensions = got.dimensions;
    choose_tolerance(d, tolerance, &expected, &got);
    d->comparable = same_shape(&expected, &got);
    if (d->comparable)
        return compare_values(d, &expected, expected_path, &got, got_path, e);
    char is[NPY_SHAPE_TEXT_BYTES], should_be[NPY_SHAPE_TEXT_BYTES];
    snprintf(d->hint, sizeof d->hint, "its array is %s where %s is expected", npy_describe(is, &got),
             npy_describe(should_be, &expected));
    return 0;
}

int arrays_compare(struct array_difference *out, const char *expected_path, const char *got_path,
                   struct array_tolerance tolerance, struct err *e)
{
    *out = (struct array_difference){.equal = true};
    FILE *expected = open_array(expected_path, e);
    FILE *got = expected ? open_array(got_path, e) : NULL;
    const int rc = got ? compare_files(out, expected, expected_path, got, got_path, tolerance, e) : ERR_INPUT;
    if (expected)
        fclose(expected);
    if (got)
        fclose(got);
    return rc;
}

void array_place(char *text, size_t bytes, const struct array_difference *d, uint64_t index)
{
    uint64_t place[NPY_DIMENSIONS_MAX];
    for (size_t i = d->dimensions; i-- > 0;) {
        place[i] = d->shape[i] ? index % d->shape[i] : 0;
        index = d->shape[i] ? index / d->shape[i] : 0;
    }
    size_t used = (size_t)snprintf(text, bytes, "[");
    for (size_t i = 0; i < d->dimensions && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%llu", i ? ", " : "", (unsigned long long)place[i]);
    if (used < bytes)
        snprintf(text + used, bytes - used, "]");
}
