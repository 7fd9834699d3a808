/* How are the kinds of inputs called? */
#include "collector/runner/judge/judged.h"

const char *judged_draw_name(enum cpprof_draw_kind kind)
{
    static const char *const names[CPPROF_DRAW_KINDS] = {"random",  "constant", "sorted",
                                                         "one-hot", "large",    "subnormal"};
    return names[kind];
}
