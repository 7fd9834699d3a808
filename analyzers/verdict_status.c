/* Which exit status follows from a verdict? */
#include "analyzers/verdict_status.h"

enum exit_status verdict_status(enum comparison_verdict verdict)
{
    static const enum exit_status statuses[] = {
        [COMPARE_INCONCLUSIVE] = EXIT_INCONCLUSIVE, [COMPARE_FASTER] = EXIT_PASS,
        [COMPARE_SLOWER] = EXIT_CHECK_FAILED,       [COMPARE_EQUIVALENT] = EXIT_PASS,
        [COMPARE_UNUSABLE] = EXIT_UNUSABLE_INPUT,   [COMPARE_CONTRADICTED] = EXIT_CHECK_FAILED};
    return statuses[verdict];
}
