/* Which integer do these digits mean, exactly? */
#include "io/decimal.h"

enum { FRACTION_ONE = 1000000000 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool read_whole(const char **text, int64_t *whole)
{
    *whole = 0;
    for (; is_digit(**text); ++*text)
        if (__builtin_mul_overflow(*whole, 10, whole) || __builtin_add_overflow(*whole, **text - '0', whole))
            return false;
    return true;
}

/* In units of 1 / FRACTION_ONE. */
static int64_t read_fraction(const char **text, int *digits)
{
    int64_t fraction = 0, place = FRACTION_ONE / 10;
    for (*digits = 0; is_digit(**text); ++*text, ++*digits) {
        fraction += (**text - '0') * place;
        place /= 10;
    }
    return fraction;
}

bool decimal_read(const char *text, int64_t scale, struct decimal *out)
{
    bool negative = *text == '-';
    text += negative;
    if (!is_digit(*text))
        return false;
    int64_t whole, fraction = 0;
    out->fraction_digits = 0;
    if (!read_whole(&text, &whole))
        return false;
    if (*text == '.' && is_digit(text[1])) {
        text++;
        fraction = read_fraction(&text, &out->fraction_digits);
    }
    /* fraction * scale < 1e9 * 2^30 < 2^60 */
    int64_t rounded = fraction ? (fraction * scale + FRACTION_ONE / 2) / FRACTION_ONE : 0;
    if (*text || __builtin_mul_overflow(whole, scale, &whole) || __builtin_add_overflow(whole, rounded, &out->value))
        return false;
    if (negative)
        out->value = -out->value;
    return true;
}
