/* What does a check come to, in a word and as an exit status? */
#include "core/base/verdict.h"

const char *verdict_status_name(enum verdict_status s)
{
    static const char *const names[] = {
        [VERDICT_INCONCLUSIVE] = "inconclusive", [VERDICT_PASS] = "pass", [VERDICT_FAIL] = "fail"};
    return names[s];
}

enum exit_status verdict_exit_status(enum verdict_status s)
{
    static const enum exit_status table[] = {
        [VERDICT_INCONCLUSIVE] = EXIT_INCONCLUSIVE, [VERDICT_PASS] = EXIT_PASS, [VERDICT_FAIL] = EXIT_CHECK_FAILED};
    return table[s];
}
