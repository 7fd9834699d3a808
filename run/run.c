/* What did this bundle measure? */
#define _GNU_SOURCE
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

void run_init(struct run *r)
{
    *r = (struct run){.stream = NULL};
    counters_list_init(&r->counters);
    variant_launches_init(&r->launches);
}

void run_release(struct run *r)
{
    timing_arms_release(&r->timing);
    counters_list_release(&r->counters);
    counted_rows_release(&r->counted);
    variant_launches_release(&r->launches);
    event_stream_free(r->stream);
    free(r->trace_error);
    run_init(r);
}

static int read_trace(struct run *r, const struct bundle *bundle, struct err *e)
{
    r->launches.has_trace = bundle->shards.count > 0;
    if (!r->launches.has_trace)
        return 0;
    struct err why = {0};
    int rc = event_stream_open_bundle(&r->stream, bundle, &why);
    if (!rc)
        rc = variant_launches_read(&r->launches, r->stream, &why);
    if (rc && rc != ERR_INPUT)
        return err_set(e, rc, "%s", why.text);
    if (rc)
        r->trace_error = strdup(why.text);
    return rc && !r->trace_error ? err_memory(e) : 0;
}

int run_join(struct run *r, const struct bundle *bundle, struct err *e)
{
    int rc = timing_arms_read(&r->timing, &bundle->tables[BUNDLE_TIMING], e);
    if (!rc)
        rc = counters_read(&r->counters, &bundle->tables[BUNDLE_METRICS], e);
    if (!rc)
        rc = counted_rows_make(&r->counted, &bundle->tables[BUNDLE_METRICS], e);
    return rc || !bundle->path ? rc : read_trace(r, bundle, e);
}
