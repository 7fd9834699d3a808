/* Which integer do these digits mean, exactly? */
#include "core/io/decimal.h"

#include "core/base/count_of.h"

enum { FRACTION_ONE = 1000000000 };

/* What the last digit of a fraction is worth, by the number of digits. */
static const int64_t places[] = {FRACTION_ONE, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns where the digits from `at` end; NULL when the number does not fit. */
static const char *read_whole(const char *at, const char *end, int64_t *whole)
{
    int64_t value = 0;
    for (; at < end && is_digit(*at); at++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *at - '0', &value))
            return NULL;
    *whole = value;
    return at;
}

/* Reads the digits from `at` in units of 1 / FRACTION_ONE. Returns where they end. */
static const char *read_fraction(const char *at, const char *end, int64_t *fraction, int *digits)
{
    const char *const begin = at;
    int64_t value = 0;
    for (; at < end && is_digit(*at); at++)
        if (at - begin < (ptrdiff_t)COUNT_OF(places) - 1)
            value = value * 10 + (*at - '0');
    *digits = (int)(at - begin);
    *fraction = value * places[*digits < (int)COUNT_OF(places) ? *digits : (int)COUNT_OF(places) - 1];
    return at;
}

bool decimal_read(const char *text, size_t length, int64_t scale, struct decimal *out)
{
    const char *at = text, *const end = text + length;
    const bool negative = at < end && *at == '-';
    int64_t whole, fraction = 0;
    at += negative;
    if (at == end || !is_digit(*at))
        return false;
    at = read_whole(at, end, &whole);
    if (!at)
        return false;
    out->fraction_digits = 0;
    if (end - at > 1 && *at == '.' && is_digit(at[1]))
        at = read_fraction(at + 1, end, &fraction, &out->fraction_digits);
    /* fraction * scale < 1e9 * 2^30 < 2^60 */
    const int64_t rounded = fraction ? (fraction * scale + FRACTION_ONE / 2) / FRACTION_ONE : 0;
    if (at < end || __builtin_mul_overflow(whole, scale, &whole) || __builtin_add_overflow(whole, rounded, &out->value))
        return false;
    if (negative)
        out->value = -out->value;
    return true;
}
