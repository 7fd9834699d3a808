/* Is one event an event, and are several events? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reports/trace_words.h"

static void one_is_not_many(void **state)
{
    (void)state;
    char text[UNITS_TEXT_BYTES];
    assert_string_equal(words_count(text, 0, "launch", "launches"), "0 launches");
    assert_string_equal(words_count(text, 1, "launch", "launches"), "1 launch");
    assert_string_equal(words_count(text, 1234, "launch", "launches"), "1,234 launches");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_is_not_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
