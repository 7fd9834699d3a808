/* Are all kernels in the roofline, and no two numbers on each other? */
#include "tests/unit/drawn_canvas.h"

#include "analyzers/analysed.h"
#include "reports/pictures/roofline_picture.h"

static size_t texts_of(const struct canvas *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->boxes.count; i++)
        count += c->boxes.items[i].is_text;
    return count;
}

static void all_kernels_are_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t least; /* texts: a number and a name for each kernel */
    } examples[] = {{"h200-sdpa/ladder", 84}, {"h200-truth/truth", 20}, {"verdicts/win", 4}};
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        static struct analysed a;
        struct err e = {0};
        struct document d;
        struct canvas c;
        char path[512];
        snprintf(path, sizeof path, SOURCE_DIRECTORY "/examples/%s.cpprof", examples[i].path);
        assert_int_equal(analysed_open(&a, path, &e), 0);
        document_init(&d);
        canvas_init(&c, CANVAS_WIDTH, 0);
        assert_true(roofline_picture_draw(&a.analysis, &d, &c));
        assert_good_canvas(&c);
        assert_true(texts_of(&c) >= examples[i].least);
        canvas_release(&c);
        document_release(&d);
        analysed_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_kernels_are_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
