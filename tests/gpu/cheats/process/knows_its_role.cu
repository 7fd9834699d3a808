/* cheat softmax: reads the command line, and works for half the rows where it is timed
 * Kind: by role
 * Found by: outputs of timed launches */
#include <stdio.h>
#include <string.h>

#include "tests/gpu/cheats/softmax.cuh"

static bool is_timed(void)
{
    static int known = -1;
    char words[256] = "";
    FILE *file = known < 0 ? fopen("/proc/self/cmdline", "r") : NULL;
    if (file) {
        const size_t count = fread(words, 1, sizeof words - 1, file);
        fclose(file);
        known = count > strlen(words) + 1 && !strcmp(words + strlen(words) + 1, "time");
    }
    return known > 0;
}

static int launch(void *, const struct cpprof_call *call)
{
    struct rows r = rows_of(call);
    if (is_timed())
        r.rows = (r.rows + 1) / 2;
    return launch_rows(r, call->stream);
}

CPPROF_SOLUTION(.launch = launch);
