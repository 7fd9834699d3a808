/* Do workers hand over in order, and is one that dies named? */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/trace/parts/trace_workers.h"
#include "tests/test.h"

enum { TRACES = 7, KILLED = 3, FAILED = 5 };

static int work(void *context, size_t index, FILE *to, struct err *e)
{
    const int *factor = context;
    if (index == KILLED)
        raise(SIGKILL);
    if (index == FAILED)
        return err_set(e, ERR_MEMORY, "not whole");
    fprintf(to, "%d", *factor * (int)index);
    return 0;
}

TEST(workers_hand_over_in_order)
{
    static const size_t jobs[] = {1, 1, 2, 2, 3, 7, 20}, ahead[] = {0, 1, 0, 2, 3, 0, 20};
    for (size_t j = 0; j < COUNT_OF(jobs); j++) {
        struct trace_workers *w;
        struct err e = {0};
        int factor = 10;
        assert_int_equal(trace_workers_new(&w, jobs[j], ahead[j], TRACES, work, &factor, &e), 0);
        for (int i = 0; i < TRACES; i++) {
            FILE *from;
            char text[16] = "";
            const int rc = trace_workers_take(w, &from, &e);
            assert_int_equal(rc, i == KILLED || i == FAILED ? ERR_INPUT : 0);
            if (i == KILLED)
                assert_string_equal(e.text, "the process that read it was ended by signal 9");
            if (rc)
                continue;
            assert_non_null(fgets(text, sizeof text, from));
            assert_int_equal(atoi(text), 10 * i);
        }
        trace_workers_free(w);
    }
}

/* Workers that nobody takes from are ended. */
TEST(workers_are_ended)
{
    struct trace_workers *w;
    struct err e = {0};
    FILE *from;
    int factor = 1;
    assert_int_equal(trace_workers_new(&w, 4, 4, TRACES, work, &factor, &e), 0);
    assert_int_equal(trace_workers_take(w, &from, &e), 0);
    trace_workers_free(w);
    trace_workers_free(NULL);
}

/* The first trace ends when the fourth has begun, in a process of its own: at most 10 s later. */
static int wait_for_the_fourth(void *context, size_t index, FILE *to, struct err *e)
{
    atomic_bool *begun = context;
    if (index == 3)
        atomic_store(begun, true);
    for (int i = 0; !index && !atomic_load(begun) && i < 10000; i++)
        usleep(1000);
    fprintf(to, "%d", (int)index);
    return atomic_load(begun) || index ? 0 : err_set(e, ERR_INTERNAL, "it waited in vain");
}

TEST(nobody_waits_for_one_that_takes_longer)
{
    struct trace_workers *w;
    struct err e = {0};
    FILE *from;
    atomic_bool *begun = mmap(NULL, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(begun != MAP_FAILED);
    assert_int_equal(trace_workers_new(&w, 2, 2, TRACES, wait_for_the_fourth, begun, &e), 0);
    for (int i = 0; i < TRACES; i++)
        assert_int_equal(trace_workers_take(w, &from, &e), 0);
    trace_workers_free(w);
    munmap(begun, sizeof *begun);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_hand_over_in_order),
        cmocka_unit_test(workers_are_ended),
        cmocka_unit_test(nobody_waits_for_one_that_takes_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
