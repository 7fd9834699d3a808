/* Do two threads make every thing once, and does the user get them in order? */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>
#include <time.h>

#include "core/base/pump.h"
#include "tests/test.h"

enum { THINGS = 1000 };

/* Every thing is its number squared; some take their time. */
struct factory {
    size_t places[PUMP_PLACES];
    unsigned made[THINGS]; /* how often */
    size_t slow_every;     /* 0: none */
};

static void make_square(void *context, size_t number)
{
    struct factory *f = context;
    if (f->slow_every && number % f->slow_every == 0)
        nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    f->places[number % PUMP_PLACES] = number * number;
    f->made[number]++;
}

static void work_through(size_t count, size_t slow_every, bool slow_user)
{
    struct factory f = {.slow_every = slow_every};
    struct pump pump;
    size_t number;
    pump_start(&pump, count, make_square, &f);
    for (size_t i = 0; i < count; i++) {
        assert_true(pump_next(&pump, &number));
        assert_int_equal(number, i);
        if (slow_user && i % 50 == 0)
            nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL); /* its place is not used for another */
        assert_int_equal(f.places[number % PUMP_PLACES], number * number);
    }
    assert_false(pump_next(&pump, &number));
    assert_false(pump_next(&pump, &number));
    pump_stop(&pump);
    pump_stop(&pump);
    for (size_t i = 0; i < THINGS; i++)
        assert_int_equal(f.made[i], i < count);
}

TEST(things_come_in_order)
{
    static const size_t counts[] = {0, 1, 2, PUMP_PLACES, PUMP_PLACES + 1, THINGS};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        for (int slow = 0; slow < 4; slow++)
            work_through(counts[i], slow & 1 ? 40 : 0, slow & 2);
}

TEST(one_processor_is_enough)
{
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    work_through(THINGS, 0, false);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

/* As many processes as processors, and more: none has a thread. */
TEST(processors_that_are_shared_have_no_second_thread)
{
    struct factory f = {.slow_every = 0};
    struct pump pump;
    pump_share_processors(CPU_SETSIZE + 1);
    pump_start(&pump, THINGS, make_square, &f);
    assert_false(pump.has_thread);
    pump_stop(&pump);
    work_through(THINGS, 0, false);
    pump_share_processors(1);
}

/* What is never asked for is made only as far ahead as there are places. */
TEST(a_pump_may_be_stopped_at_any_time)
{
    for (size_t taken = 0; taken < 40; taken++) {
        struct factory f = {.slow_every = 7};
        struct pump pump;
        size_t number;
        pump_start(&pump, THINGS, make_square, &f);
        for (size_t i = 0; i < taken; i++)
            assert_true(pump_next(&pump, &number));
        pump_stop(&pump);
        for (size_t i = 0; i < THINGS; i++)
            assert_true(f.made[i] <= (i < taken + PUMP_PLACES));
    }
    struct pump never = {0};
    pump_stop(&never);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(things_come_in_order),
        cmocka_unit_test(one_processor_is_enough),
        cmocka_unit_test(processors_that_are_shared_have_no_second_thread),
        cmocka_unit_test(a_pump_may_be_stopped_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
