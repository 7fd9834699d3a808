/* What do the files that count do in a build whose CUPTI has no counters? They refuse. It stands for counter_host.c and
 * range_profiler.c, no_samples.c for the rest (dynload/cupti_versions.h). The words are those of cupti_api_load. */
#include <stdlib.h>
#include <string.h>

#include "collector/profiler/counter_host.h"
#include "collector/profiler/range_profiler.h"

static int refuse(struct err *e)
{
    struct cupti_api api;
    const int rc = cupti_api_load(&api, e);
    return rc ? rc : err_set(e, ERR_INTERNAL, "this build has no counters");
}

/* ---- counter_host.h ---- */

int counter_host_open(struct counter_host *h, const struct cupti_api *api, const char *chip,
                      enum counter_reading reading, const uint8_t *availability, struct err *e)
{
    (void)chip, (void)reading, (void)availability;
    *h = (struct counter_host){.api = api};
    return refuse(e);
}

void counter_host_close(struct counter_host *h)
{
    (void)h;
}

int counter_host_chip(const struct cupti_api *api, int device, const char **chip, struct err *e)
{
    (void)api, (void)device;
    *chip = NULL;
    return refuse(e);
}

bool counter_host_knows(const struct counter_host *h, const char *name)
{
    (void)h, (void)name;
    return false;
}

const char *counter_host_describe(const struct counter_host *h, const char *name)
{
    (void)h, (void)name;
    return NULL;
}

int counter_host_configure(const struct counter_host *h, const char *const *names, size_t count,
                           struct counter_config *config, struct err *e)
{
    (void)h, (void)names, (void)count;
    *config = (struct counter_config){0};
    return refuse(e);
}

int counter_plan_make(struct counter_plan *plan, const struct cupti_api *api, int device, enum counter_reading reading,
                      const char *const *names, size_t count, uint8_t *availability, struct err *e)
{
    (void)api, (void)device, (void)reading, (void)names, (void)count;
    *plan = (struct counter_plan){.availability = availability};
    return refuse(e);
}

void counter_plan_release(struct counter_plan *plan)
{
    free(plan->availability);
    plan->availability = NULL;
}

void counter_host_load_begin(struct counter_host_loading *l, const struct cupti_api *api, int device,
                             const char *const *names, size_t count)
{
    *l = (struct counter_host_loading){.api = api, .device = device, .names = names, .count = count};
}

void counter_host_load_end(struct counter_host_loading *l)
{
    (void)l;
}

/* ---- range_profiler.h ---- */

int range_profiler_new(struct range_profiler **out, const struct range_profiler_request *request, bool *accepted,
                       struct err *e)
{
    *out = NULL;
    memset(accepted, 0, request->count * sizeof *accepted);
    if (request->plan)
        counter_plan_release(request->plan);
    return refuse(e);
}

void range_profiler_free(struct range_profiler *p)
{
    (void)p;
}

size_t range_profiler_passes(const struct range_profiler *p)
{
    (void)p;
    return 0;
}

const char *range_profiler_step_name(enum range_profiler_step step)
{
    (void)step;
    return "none";
}

int64_t range_profiler_spent_ns(const struct range_profiler *p, enum range_profiler_step step)
{
    (void)p, (void)step;
    return 0;
}

int range_profiler_collect(struct range_profiler *p, range_work work, void *context, double **values,
                           size_t *kernel_count, struct err *e)
{
    (void)p, (void)work, (void)context;
    *values = NULL;
    *kernel_count = 0;
    return refuse(e);
}

int range_profiler_begin(struct range_profiler *p, struct err *e)
{
    (void)p;
    return refuse(e);
}

int range_profiler_end(struct range_profiler *p, double **values, size_t *kernel_count, struct err *e)
{
    (void)p;
    *values = NULL;
    *kernel_count = 0;
    return refuse(e);
}
