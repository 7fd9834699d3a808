/* Are launches timed one at a time, or in graphs? */
#include "core/stats/batch_method.h"

#include <math.h>
#include <string.h>

/* Graphs are used where a launch takes less time than two events can resolve, or where part of its time alone is not
 * the kernel's: that part differs from process to process. It is 2 to 10 us, so an arm that takes long alone need not
 * be tried. */
#define BELOW_NS  5000.0
#define GAIN      1.05
#define NEVER_NS  50000.0
#define SAMPLE_NS 500000.0 /* the time that one graph should take */

static const char *const names[BATCH_METHODS] = {
    [BATCH_AUTO] = "auto", [BATCH_SINGLE] = "single", [BATCH_GRAPHS] = "graphs"};

const char *batch_method_name(enum batch_method method)
{
    return names[method];
}

bool batch_method_parse(const char *name, enum batch_method *out)
{
    for (int i = 0; i < BATCH_METHODS; i++)
        if (!strcmp(names[i], name)) {
            *out = (enum batch_method)i;
            return true;
        }
    return false;
}

/* An arm with unknown times does not ask for graphs. */
static bool asks_for_graphs(const struct batch_arm *arm)
{
    return arm->batched_ns < BELOW_NS || arm->single_ns > GAIN * arm->batched_ns;
}

static bool one_asks_for_graphs(const struct batch_arm *arms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (asks_for_graphs(&arms[i]))
            return true;
    return false;
}

static bool one_is_refused(const struct batch_arm *arms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (arms[i].refused)
            return true;
    return false;
}

static int fill_sample(double launch_ns)
{
    return (int)fmin(fmax(ceil(SAMPLE_NS / launch_ns), BATCH_LEAST), BATCH_MOST);
}

int batch_method_try(enum batch_method method, const struct batch_arm *arms, size_t count, size_t nth)
{
    const struct batch_arm *arm = &arms[nth];
    if (method == BATCH_SINGLE || isnan(arm->single_ns) || !isnan(arm->batched_ns) || arm->refused || arm->batch > 1)
        return 0;
    if (method == BATCH_AUTO && one_is_refused(arms, count))
        return 0;
    if (method == BATCH_AUTO && arm->single_ns >= NEVER_NS && !one_asks_for_graphs(arms, count))
        return 0;
    return fill_sample(arm->single_ns);
}

enum batch_method batch_method_choose(const struct batch_arm *arms, size_t count)
{
    return one_asks_for_graphs(arms, count) && !one_is_refused(arms, count) ? BATCH_GRAPHS : BATCH_SINGLE;
}

int batch_method_launches(const struct batch_arm *arm)
{
    return arm->batch > 1 ? arm->batch : fill_sample(isnan(arm->batched_ns) ? arm->single_ns : arm->batched_ns);
}
