/* The runner's part of profiler/no_counters.c: it stands for pm_sampler.c and role_metrics.c. */
#include "collector/profiler/pm_sampler.h"
#include "collector/runner/runner.h"

static int refuse(struct err *e)
{
    struct cupti_api api;
    const int rc = cupti_api_load_pm(&api, e);
    return rc ? rc : err_set(e, ERR_INTERNAL, "this build has no counters");
}

int pm_sampler_new(struct pm_sampler **out, const struct cupti_api *api, int device, const char *const *names,
                   size_t count, bool *accepted, struct err *e)
{
    (void)api, (void)device, (void)names, (void)count, (void)accepted;
    *out = NULL;
    return refuse(e);
}

int pm_sampler_unit_names(const struct cupti_api *api, int device, const char *names[SAMPLED_UNIT_COUNT], struct err *e)
{
    (void)api, (void)device, (void)names;
    return refuse(e);
}

int pm_sampler_new_series(struct pm_sampler **out, const struct cupti_api *api, int device, const char *const *names,
                          size_t count, bool *accepted, struct err *e)
{
    return pm_sampler_new(out, api, device, names, count, accepted, e);
}

void pm_sampler_free(struct pm_sampler *p)
{
    (void)p;
}

size_t pm_sampler_passes(const struct pm_sampler *p)
{
    (void)p;
    return 0;
}

size_t pm_sampler_room(const struct pm_sampler *p)
{
    (void)p;
    return 0;
}

int pm_sampler_sum(struct pm_sampler *p, pm_work work, void *context, double *values, struct err *e)
{
    (void)p, (void)work, (void)context, (void)values;
    return refuse(e);
}

int pm_sampler_watch(struct pm_sampler *p, uint64_t step_ns, pm_work work, void *context, const struct pm_watch *watch,
                     struct err *e)
{
    (void)p, (void)step_ns, (void)work, (void)context, (void)watch;
    return refuse(e);
}

int pm_sampler_time(const struct pm_sampler *p, uint64_t *now_ns, struct err *e)
{
    (void)p;
    *now_ns = 0;
    return refuse(e);
}

int role_metrics(struct runner *r, struct err *e)
{
    (void)r;
    return refuse(e);
}
