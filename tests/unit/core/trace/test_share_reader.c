/* Does a process that reads a share hand over each trace of it once, in order, and say what went wrong? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/trace/parts/part_tree.h"
#include "core/trace/parts/share_reader.h"
#include "tests/test.h"

enum { TRACES = 100, DIES = 37 };

static int work(void *context, size_t index, FILE *to, struct err *e)
{
    const size_t dies = *(const size_t *)context;
    (void)e;
    if (index == dies)
        abort();
    return fprintf(to, "trace %zu", index) > 0 ? 0 : -1;
}

struct serving {
    const struct share_task *task;
    size_t dies;
};

static int serve(struct share_reader *r, void *context)
{
    struct serving *s = context;
    return share_reader_serve(r, s->task, TRACES, work, &s->dies);
}

static struct share_reader *start(const struct share_task *task, size_t dies)
{
    struct serving s = {task, dies};
    struct share_reader *r;
    assert_int_equal(share_reader_new(&r, serve, &s, NULL), 0);
    return r;
}

TEST(a_share_in_order)
{
    for (uint32_t of = 1; of <= 3; of++)
        for (uint32_t place = 0; place < of; place++)
            for (uint32_t jobs = 1; jobs <= 4; jobs += 3) {
                const struct share_task task = {.place = place, .of = of, .jobs = jobs};
                struct share_reader *r = start(&task, TRACES);
                assert_true(share_reader_does(r, &task));
                for (size_t i = place; i < TRACES; i += of) {
                    char expected[32], got[32] = "";
                    FILE *from;
                    snprintf(expected, sizeof expected, "trace %zu", i);
                    assert_int_equal(share_reader_take(r, &from, NULL), 0);
                    assert_non_null(fgets(got, sizeof got, from));
                    assert_string_equal(got, expected);
                }
                share_reader_free(r);
            }
}

TEST(a_worker_that_dies)
{
    const struct share_task task = {.of = 1, .jobs = 2};
    struct share_reader *r = start(&task, DIES);
    assert_true(share_reader_does(r, &task));
    for (size_t i = 0; i < TRACES; i++) {
        struct err e = {0};
        FILE *from;
        assert_int_equal(share_reader_take(r, &from, &e), i == DIES ? ERR_INPUT : 0);
        assert_int_equal(strcmp(e.text, "the process that read it was ended by signal 6") == 0, i == DIES);
    }
    share_reader_free(r);
}

/* It waits with what nobody takes, and is ended with its workers. */
TEST(nobody_takes)
{
    const struct share_task task = {.of = 1, .jobs = 2};
    FILE *from;
    struct share_reader *r = start(&task, TRACES);
    assert_true(share_reader_does(r, &task));
    assert_int_equal(share_reader_take(r, &from, NULL), 0);
    usleep(50000);
    share_reader_free(r);
    share_reader_free(NULL);
}

static int serve_nothing(struct share_reader *r, void *context)
{
    (void)r, (void)context;
    return 0;
}

TEST(another_task)
{
    const struct share_task task = {.list = 1, .of = 2, .jobs = 1}, other = {.list = 2, .of = 2, .jobs = 1};
    struct share_reader *r = start(&task, TRACES);
    assert_false(share_reader_does(r, &other));
    share_reader_free(r);
    assert_int_equal(share_reader_new(&r, serve_nothing, NULL, NULL), 0);
    assert_false(share_reader_does(r, &task)); /* it has ended */
    struct err e = {0};
    FILE *from;
    assert_int_equal(share_reader_take(r, &from, &e), ERR_INPUT);
    assert_string_equal(e.text, "the process that reads traces for this one has ended");
    share_reader_free(r);
}

/* Whatever a process reads reaches process 0, over as many others as its number has bits, and each hands over for a
 * stretch. */
TEST(up_the_tree)
{
    for (size_t processes = 1; processes <= 70; processes++)
        for (size_t p = 0; p < processes; p++) {
            size_t steps = 0;
            for (size_t at = p, parent; at; at = parent, steps++) {
                parent = part_tree_parent(at);
                assert_true(parent < at && p >= at && p < part_tree_end(at, processes));
                assert_int_equal(part_tree_child(parent, p), at);
            }
            assert_int_equal(steps, __builtin_popcountll(p));
        }
    assert_int_equal(part_tree_end(0, 6), 6);
    assert_int_equal(part_tree_end(4, 6), 6);
    assert_int_equal(part_tree_end(2, 6), 4);
    assert_int_equal(part_tree_end(3, 6), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_share_in_order), cmocka_unit_test(a_worker_that_dies), cmocka_unit_test(nobody_takes),
        cmocka_unit_test(another_task),     cmocka_unit_test(up_the_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
