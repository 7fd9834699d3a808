/* Which numbers does a NumPy file hold? */
#define _GNU_SOURCE
#include "core/io/npy.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"

enum { MAGIC_BYTES = 6, KEY_BYTES = 32, VALUES_PER_READ = 4096, ITEM_BYTES_MAX = 8 };

static const char magic[MAGIC_BYTES + 1] = "\x93NUMPY";

/* ---- the types ---- */

static uint64_t little_endian(const unsigned char *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* IEEE 754 binary16: 5 bits of exponent, 10 of fraction. */
static double from_half(const unsigned char *bytes)
{
    const unsigned bits = (unsigned)little_endian(bytes, 2);
    const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    double value;
    if (exponent == 31)
        value = fraction ? (double)NAN : (double)INFINITY;
    else
        value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

static double from_float(const unsigned char *bytes)
{
    const uint32_t bits = (uint32_t)little_endian(bytes, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* The upper half of a float. */
static double from_bfloat16(const unsigned char *bytes)
{
    const unsigned char whole[4] = {0, 0, bytes[0], bytes[1]};
    return from_float(whole);
}

static double from_double(const unsigned char *bytes)
{
    const uint64_t bits = little_endian(bytes, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double from_i1(const unsigned char *bytes)
{
    return (double)(int8_t)bytes[0];
}

static double from_i2(const unsigned char *bytes)
{
    return (double)(int16_t)little_endian(bytes, 2);
}

static double from_i4(const unsigned char *bytes)
{
    return (double)(int32_t)little_endian(bytes, 4);
}

static double from_u1(const unsigned char *bytes)
{
    return (double)bytes[0];
}

static double from_u2(const unsigned char *bytes)
{
    return (double)little_endian(bytes, 2);
}

static double from_u4(const unsigned char *bytes)
{
    return (double)little_endian(bytes, 4);
}

/* Tolerances: a few units in the last place of sums of some thousand products. */
struct npy_type {
    const char *descr; /* without the byte-order character */
    const char *name;
    size_t bytes;
    double (*read)(const unsigned char *bytes);
    double absolute, relative;
};

static const struct npy_type types[] = {
    {"f2", "f2", 2, from_half, 2e-3, 1e-2},  {"V2", "bfloat16", 2, from_bfloat16, 1e-2, 3e-2},
    {"f4", "f4", 4, from_float, 1e-5, 1e-4}, {"f8", "f8", 8, from_double, 1e-12, 1e-9},
    {"b1", "b1", 1, from_u1, 0, 0},          {"i1", "i1", 1, from_i1, 0, 0},
    {"i2", "i2", 2, from_i2, 0, 0},          {"i4", "i4", 4, from_i4, 0, 0},
    {"u1", "u1", 1, from_u1, 0, 0},          {"u2", "u2", 2, from_u2, 0, 0},
    {"u4", "u4", 4, from_u4, 0, 0},
};

const char *npy_type_name(const struct npy_array *a)
{
    return a->type->name;
}

void npy_tolerance(const struct npy_array *a, double *absolute, double *relative)
{
    *absolute = a->type->absolute;
    *relative = a->type->relative;
}

char *npy_describe(char text[NPY_SHAPE_TEXT_BYTES], const struct npy_array *a)
{
    size_t used = (size_t)snprintf(text, NPY_SHAPE_TEXT_BYTES, "%s (", a->type->name);
    for (size_t i = 0; i < a->dimensions && used < NPY_SHAPE_TEXT_BYTES; i++)
        used += (size_t)snprintf(text + used, NPY_SHAPE_TEXT_BYTES - used, "%s%llu", i ? ", " : "",
                                 (unsigned long long)a->shape[i]);
    if (used < NPY_SHAPE_TEXT_BYTES)
        snprintf(text + used, NPY_SHAPE_TEXT_BYTES - used, ")");
    return text;
}

/* ---- the header: {'descr': '<f2', 'fortran_order': False, 'shape': (1, 8), } ---- */

struct header {
    const char *at; /* in text that is terminated */
    const char *name;
    bool fortran_order;
    bool has_type, has_order, has_shape;
};

static int malformed(const struct header *h, struct err *e)
{
    return err_set(e, ERR_INPUT, "'%s' is no array of NumPy: its header is not understood at '%.20s'", h->name, h->at);
}

static void skip_blanks(struct header *h)
{
    h->at += strspn(h->at, " \t\r\n");
}

/* Takes the character after any blanks. Returns false, and does not move, when another one stands there. */
static bool take(struct header *h, char c)
{
    skip_blanks(h);
    if (*h->at != c)
        return false;
    h->at++;
    return true;
}

static bool take_word(struct header *h, const char *word)
{
    skip_blanks(h);
    const size_t length = strlen(word);
    if (strncmp(h->at, word, length))
        return false;
    h->at += length;
    return true;
}

/* Takes 'text' or "text" of fewer than KEY_BYTES characters, without escapes. */
static bool take_text(struct header *h, char out[KEY_BYTES])
{
    skip_blanks(h);
    const char quote = *h->at;
    if (quote != '\'' && quote != '"')
        return false;
    const char *end = strchr(h->at + 1, quote);
    if (!end || end - h->at > KEY_BYTES)
        return false;
    const size_t length = (size_t)(end - h->at - 1);
    memcpy(out, h->at + 1, length);
    out[length] = '\0';
    h->at = end + 1;
    return true;
}

static int read_type(struct header *h, struct npy_array *a, struct err *e)
{
    char descr[KEY_BYTES];
    if (!take_text(h, descr))
        return malformed(h, e);
    const bool is_little = descr[0] == '<' || descr[0] == '|';
    for (size_t i = 0; is_little && i < COUNT_OF(types); i++)
        if (!strcmp(descr + 1, types[i].descr))
            a->type = &types[i];
    if (!a->type)
        return err_set(
            e, ERR_INPUT,
            "'%s' holds values of type '%s', which are not read: write little-endian f2, f4, f8, bfloat16 or "
            "integers of at most 32 bits",
            h->name, descr);
    h->has_type = true;
    return 0;
}

static int read_order(struct header *h, struct npy_array *a, struct err *e)
{
    (void)a;
    h->fortran_order = take_word(h, "True");
    if (!h->fortran_order && !take_word(h, "False"))
        return malformed(h, e);
    h->has_order = true;
    return 0;
}

static int read_dimension(struct header *h, struct npy_array *a, struct err *e)
{
    skip_blanks(h);
    if (*h->at < '0' || *h->at > '9' || a->dimensions == NPY_DIMENSIONS_MAX)
        return malformed(h, e);
    char *end;
    errno = 0;
    const unsigned long long size = strtoull(h->at, &end, 10);
    if (errno || __builtin_mul_overflow(a->values, (uint64_t)size, &a->values))
        return err_set(e, ERR_INPUT, "'%s' says that it has more values than can be counted", h->name);
    h->at = end;
    a->shape[a->dimensions++] = size;
    return 0;
}

static int read_shape(struct header *h, struct npy_array *a, struct err *e)
{
    a->dimensions = 0;
    a->values = 1;
    if (!take(h, '('))
        return malformed(h, e);
    int rc = 0;
    bool more = true;
    while (!rc && more && !take(h, ')')) {
        rc = read_dimension(h, a, e);
        more = !rc && take(h, ',');
        if (!rc && !more && !take(h, ')'))
            rc = malformed(h, e);
    }
    h->has_shape = !rc;
    return rc;
}

static int read_member(struct header *h, struct npy_array *a, struct err *e)
{
    static const struct {
        const char *key;
        int (*read)(struct header *h, struct npy_array *a, struct err *e);
    } members[] = {{"descr", read_type}, {"fortran_order", read_order}, {"shape", read_shape}};
    char key[KEY_BYTES];
    if (!take_text(h, key) || !take(h, ':'))
        return malformed(h, e);
    for (size_t i = 0; i < COUNT_OF(members); i++)
        if (!strcmp(members[i].key, key))
            return members[i].read(h, a, e);
    return malformed(h, e);
}

static int read_members(struct header *h, struct npy_array *a, struct err *e)
{
    if (!take(h, '{'))
        return malformed(h, e);
    int rc = 0;
    bool more = true;
    while (!rc && more && !take(h, '}')) {
        rc = read_member(h, a, e);
        more = !rc && take(h, ',');
        if (!rc && !more && !take(h, '}'))
            rc = malformed(h, e);
    }
    if (!rc && !(h->has_type && h->has_order && h->has_shape))
        rc = malformed(h, e);
    if (!rc && h->fortran_order && a->dimensions > 1)
        rc = err_set(e, ERR_INPUT, "'%s' is in Fortran order: write it in C order (numpy.ascontiguousarray)", h->name);
    return rc;
}

/* The length of the header has two bytes in version 1, and four in versions 2 and 3. */
static int read_header_bytes(struct header *h, char **text, FILE *file, struct err *e)
{
    unsigned char start[MAGIC_BYTES + 2], length_bytes[4];
    if (fread(start, 1, sizeof start, file) != sizeof start || memcmp(start, magic, MAGIC_BYTES) != 0)
        return err_set(e, ERR_INPUT, "'%s' is no array of NumPy: it does not begin as one", h->name);
    const size_t width = start[MAGIC_BYTES] == 1 ? 2 : 4;
    if (start[MAGIC_BYTES] < 1 || start[MAGIC_BYTES] > 3 || fread(length_bytes, 1, width, file) != width)
        return err_set(e, ERR_INPUT, "'%s' has a version of NumPy's format that is not known", h->name);
    const uint64_t length = little_endian(length_bytes, width);
    if (length > NPY_HEADER_BYTES_MAX)
        return err_set(e, ERR_INPUT, "'%s' says that its header has %llu bytes: no array has", h->name,
                       (unsigned long long)length);
    *text = calloc(1, length + 1);
    if (!*text)
        return err_memory(e);
    if (fread(*text, 1, length, file) != length)
        return err_set(e, ERR_INPUT, "'%s' breaks off in its header", h->name);
    h->at = *text;
    return 0;
}

/* Compares the size that the header states with the size of the file. */
static int check_size(const struct npy_array *a, const char *name, struct err *e)
{
    const off_t data = ftello(a->file);
    if (data < 0 || fseeko(a->file, 0, SEEK_END))
        return err_set(e, ERR_INPUT, "cannot read '%s': %s", name, strerror(errno));
    const uint64_t there = (uint64_t)(ftello(a->file) - data);
    uint64_t wanted;
    if (__builtin_mul_overflow(a->values, (uint64_t)a->type->bytes, &wanted) || wanted != there)
        return err_set(e, ERR_INPUT,
                       "'%s' breaks off or goes on: it says %llu values of %zu bytes and holds %llu bytes", name,
                       (unsigned long long)a->values, a->type->bytes, (unsigned long long)there);
    return fseeko(a->file, data, SEEK_SET) ? err_set(e, ERR_INPUT, "cannot read '%s': %s", name, strerror(errno)) : 0;
}

int npy_begin(struct npy_array *a, FILE *file, const char *name, struct err *e)
{
    *a = (struct npy_array){.file = file};
    struct header h = {.name = name};
    char *text = NULL;
    int rc = read_header_bytes(&h, &text, file, e);
    if (!rc)
        rc = read_members(&h, a, e);
    free(text);
    return rc ? rc : check_size(a, name, e);
}

/* ---- the values ---- */

long npy_next(struct npy_array *a, double *values, size_t room, const char *name, struct err *e)
{
    unsigned char bytes[VALUES_PER_READ * ITEM_BYTES_MAX];
    const uint64_t left = a->values - a->values_read;
    size_t count = room < VALUES_PER_READ ? room : VALUES_PER_READ;
    if (left < count)
        count = (size_t)left;
    if (fread(bytes, a->type->bytes, count, a->file) != count)
        return err_set(e, ERR_INPUT, "'%s' breaks off at value %llu", name, (unsigned long long)a->values_read);
    for (size_t i = 0; i < count; i++)
        values[i] = a->type->read(bytes + i * a->type->bytes);
    a->values_read += count;
    return (long)count;
}
