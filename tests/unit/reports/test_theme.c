/* Can texts on fills be read, and can fills be told apart by who sees no red or no green? */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "tests/test.h"
#include <math.h>

#include "reports/pictures/theme.h"

struct colour {
    double red, green, blue; /* linear light, 0 to 1 */
};

static double linear(unsigned value)
{
    const double v = value / 255.0;
    return v <= 0.03928 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* The fill of an ink on a light or a dark page, from the style sheet. */
static struct colour fill_of(const char *css, enum ink ink, bool dark)
{
    char rule[32];
    unsigned red, green, blue;
    snprintf(rule, sizeof rule, ".f%s{fill:", theme_letters(ink));
    const char *at = strstr(dark ? strstr(css, "@media") : css, rule);
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(rule), "#%2x%2x%2x", &red, &green, &blue), 3);
    return (struct colour){linear(red), linear(green), linear(blue)};
}

static double luminance(struct colour c)
{
    return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue;
}

/* As WCAG 2 defines it. */
static double contrast(struct colour a, struct colour b)
{
    const double one = luminance(a) + 0.05, other = luminance(b) + 0.05;
    return one > other ? one / other : other / one;
}

TEST(texts_can_be_read)
{
    static const enum ink fills[] = {INK_BLUE, INK_GREEN, INK_ORANGE, INK_PURPLE, INK_GREY};
    struct str css;
    str_init(&css);
    theme_add(&css);
    for (int dark = 0; dark < 2; dark++) {
        for (size_t i = 0; i < COUNT_OF(fills); i++)
            assert_true(contrast(fill_of(str_text(&css), fills[i], dark), fill_of(str_text(&css), INK_ON, dark)) >=
                        4.5);
        for (int text = INK_TEXT; text <= INK_FAINT; text++) {
            const struct colour page =
                dark ? (struct colour){linear(0x0d), linear(0x11), linear(0x17)} : (struct colour){1, 1, 1};
            const struct colour ink = fill_of(str_text(&css), (enum ink)text, dark);
            assert_true(contrast(ink, page) >= 4.5);
            assert_true(contrast(ink, fill_of(str_text(&css), INK_PALE, dark)) >= 4.5);
        }
    }
    str_release(&css);
}

/* ---- colours as others see them ---- */

/* Vienot, Brettel and Mollon 1999, for protanopia and deuteranopia. */
static struct colour seen(struct colour c, int by)
{
    static const double rows[2][2][3] = {{{0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
                                         {{0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}}};
    if (by == 2)
        return c;
    const double yellow = rows[by][0][0] * c.red + rows[by][0][1] * c.green;
    return (struct colour){yellow, yellow, rows[by][1][0] * c.red + rows[by][1][1] * c.green + c.blue};
}

static double lab_part(double t)
{
    t = fmax(t, 0);
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* CIE 1976. */
static double distance(struct colour a, struct colour b)
{
    double parts[2][3];
    const struct colour both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        const struct colour c = both[i];
        parts[i][0] = lab_part((0.4124 * c.red + 0.3576 * c.green + 0.1805 * c.blue) / 0.9505);
        parts[i][1] = lab_part(luminance(c));
        parts[i][2] = lab_part((0.0193 * c.red + 0.1192 * c.green + 0.9505 * c.blue) / 1.089);
    }
    const double light = 116 * (parts[0][1] - parts[1][1]),
                 red = 500 * (parts[0][0] - parts[0][1] - parts[1][0] + parts[1][1]),
                 yellow = 200 * (parts[0][1] - parts[0][2] - parts[1][1] + parts[1][2]);
    return sqrt(light * light + red * red + yellow * yellow);
}

/* 2.3 is just noticeable side by side; boxes of a picture lie apart. */
TEST(fills_are_told_apart)
{
    struct str css;
    str_init(&css);
    theme_add(&css);
    for (int dark = 0; dark < 2; dark++)
        for (int by = 0; by < 3; by++)
            for (int i = INK_BLUE; i <= INK_GREY; i++)
                for (int k = INK_BLUE; k < i; k++) {
                    const double apart = distance(seen(fill_of(str_text(&css), (enum ink)i, dark), by),
                                                  seen(fill_of(str_text(&css), (enum ink)k, dark), by));
                    if (apart < 18)
                        fail_msg("inks %d and %d are %.1f apart on a %s page", i, k, apart, dark ? "dark" : "light");
                }
    str_release(&css);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_can_be_read), cmocka_unit_test(fills_are_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
