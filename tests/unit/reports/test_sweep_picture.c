/* Are sweeps drawn where all of it can be read, whatever they are? */
#include "tests/unit/drawn_canvas.h"

#include <math.h>
#include <stdlib.h>

#include "reports/pictures/sweep_picture.h"

enum { LINES_OF_CHARACTERS = 12 };

static size_t lines_of(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static void assert_sound(const struct sweep_picture *p)
{
    struct canvas c;
    struct str text;
    canvas_init(&c, CANVAS_WIDTH, 0);
    str_init(&text);
    sweep_picture_draw(p, &c);
    assert_good_canvas(&c);
    sweep_picture_write(p, &text);
    assert_good_characters(str_text(&text));
    assert_in_range(lines_of(str_text(&text)), 2, LINES_OF_CHARACTERS);
    sweep_picture_say(p, &text);
    assert_true(text.length > 0 && !text.failed);
    str_release(&text);
    canvas_release(&c);
}

static struct sweep_dot dot(double size, double speedup, double base_ns)
{
    return (struct sweep_dot){size, speedup, speedup * 0.9, speedup * 1.1, base_ns, base_ns / speedup};
}

static struct sweep_picture picture_of(struct sweep_line line)
{
    return (struct sweep_picture){
        .lines = {line}, .count = 1, .baseline = "nccl", .axis = "size", .in_bytes = true, .margin = 0.01};
}

/* The finding is in the words, and the sizes are as people write them. */
static void it_says_what_it_shows(void **state)
{
    (void)state;
    struct sweep_dot dots[] = {dot(8192, 2.4, 6e3), dot(2097152, 2.69, 3e4), dot(67108864, 1.2, 3e5),
                               dot(536870912, 1.07, 1.7e6)};
    struct sweep_picture p = picture_of((struct sweep_line){"dispatch", dots, 4});
    struct str text;
    str_init(&text);
    sweep_picture_say(&p, &text);
    assert_string_equal(str_text(&text), "Speedup against nccl by size: dispatch 1.07x to 2.69x, lowest at 512 MiB, "
                                         "highest at 2 MiB");
    str_clear(&text);
    sweep_picture_write(&p, &text);
    assert_non_null(strstr(str_text(&text), "   2.69x \xe2\x94\x82"));
    assert_non_null(strstr(str_text(&text), "      1x \xe2\x94\x82\xe2\x94\x84"));
    assert_non_null(strstr(str_text(&text), "    size  8 KiB "));
    assert_non_null(strstr(str_text(&text), " 512 MiB\n"));
    assert_sound(&p);
    str_release(&text);
}

/* What is faster stands above what is slower, and one between them. */
static void faster_is_higher(void **state)
{
    (void)state;
    struct sweep_dot dots[] = {dot(1, 0.5, 100), dot(2, 1.5, 100), dot(4, 0.5, 100), dot(8, 0.5, 100)};
    struct sweep_picture p = picture_of((struct sweep_line){"a", dots, 4});
    struct str text;
    str_init(&text);
    sweep_picture_write(&p, &text);
    const char *high = strstr(str_text(&text), "\xe2\x97\x8f"), *one = strstr(str_text(&text), "1x "),
               *low = strstr(str_text(&text), "0.500x");
    assert_true(high && one && low && high < one && one < low);
    str_release(&text);
}

/* Of several variants each has a row, and the value at the first and the last size. */
static void variants_have_rows(void **state)
{
    (void)state;
    struct sweep_dot a[] = {dot(1, 2, 100), dot(2, 2, 100), dot(4, 2, 100), dot(8, 4, 100)},
                     b[] = {dot(1, 0.5, 100), dot(2, 1, 100), dot(4, 1, 100), dot(16, 3, 100)};
    struct sweep_picture p = picture_of((struct sweep_line){"fast", a, 4});
    p.lines[p.count++] = (struct sweep_line){"slow", b, 4};
    struct str text;
    str_init(&text);
    sweep_picture_write(&p, &text);
    const char *fast = strstr(str_text(&text), "fast"), *slow = strstr(str_text(&text), "slow");
    assert_non_null(fast);
    assert_non_null(slow);
    assert_int_equal(lines_of(str_text(&text)), 3);
    assert_true(strstr(fast, "2.00x") < slow && strstr(fast, "4.00x") < slow);
    assert_non_null(strstr(slow, "0.500x"));
    assert_non_null(strstr(slow, "3.00x"));
    assert_sound(&p);
    str_release(&text);
}

/* ---- anything ---- */

static double value_at(size_t kind, size_t at)
{
    static const double odd[] = {NAN, 1e-300, 1e300, 1, 0.9999, 1.0001, 166, 12.6};
    switch (kind) {
    case 0: return 1;
    case 1: return 1 + 0.0001 * (double)at;
    case 2: return pow(3, (double)(at % 9));
    case 3: return NAN;
    default: return odd[at % 8];
    }
}

static void fill(struct sweep_dot *dots, size_t count, size_t kind, bool is_dense)
{
    for (size_t i = 0; i < count; i++) {
        const double speedup = value_at(kind, i);
        dots[i] = dot(is_dense ? 1000000 + (double)i : ldexp(1, (int)(i % 50)), speedup, 1e4 * value_at(4 - kind, i));
        dots[i].high = kind == 2 ? 1e300 : dots[i].high;
        dots[i].low = kind == 2 ? 1e-300 : dots[i].low;
    }
}

static void any_sweep_is_drawn(void **state)
{
    (void)state;
    static const char *const labels[] = {"x", "<&\"'>\xff\x1b[31m", "",
                                         "a name that is far longer than its room is wide, wherever that may be, and "
                                         "goes on after that"};
    static struct sweep_dot dots[SWEEP_DOTS_MAX];
    static const size_t counts[] = {4, 17, SWEEP_DOTS_MAX};
    for (size_t kind = 0; kind < 5; kind++)
        for (size_t lines = 1; lines <= SWEEP_LINES_MAX; lines++)
            for (size_t n = 0; n < 6; n++) {
                struct sweep_picture p = {.count = lines,
                                          .baseline = labels[(n + 3) % 4],
                                          .axis = n == 5 ? labels[3] : "rows",
                                          .in_bytes = n & 1,
                                          .margin = n == 4 ? 0 : 0.01};
                fill(dots, counts[n % 3], kind, n > 2);
                for (size_t i = 0; i < lines; i++)
                    p.lines[i] = (struct sweep_line){labels[(i + n) % 4], dots, counts[n % 3]};
                assert_sound(&p);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_it_shows),
        cmocka_unit_test(faster_is_higher),
        cmocka_unit_test(variants_have_rows),
        cmocka_unit_test(any_sweep_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
