/* What did this bundle measure? */
#define _GNU_SOURCE
#include "core/run/run.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"

void run_init(struct run *r)
{
    *r = (struct run){.stream = NULL};
    arms_init(&r->arms);
    counters_list_init(&r->counters);
    variant_launches_init(&r->launches);
}

void run_release(struct run *r)
{
    for (size_t i = 0; i < BUNDLE_TABLE_COUNT; i++)
        arm_table_release(&r->tables[i]);
    timing_arms_release(&r->timing);
    counters_list_release(&r->counters);
    counted_rows_release(&r->counted);
    variant_launches_release(&r->launches);
    arms_release(&r->arms);
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
        rc = variant_launches_read(&r->launches, r->stream, &r->arms, &why);
    if (rc && rc != ERR_INPUT)
        return err_set(e, rc, "%s", why.text);
    if (rc)
        r->trace_error = strdup(why.text);
    return rc && !r->trace_error ? err_memory(e) : 0;
}

/* Adds the arms that a variant is compared with, at its config. */
static int add_named(struct run *r, struct err *e)
{
    const struct arm_table *variants = &r->tables[BUNDLE_VARIANTS];
    static const size_t columns[] = {VARIANTS_BASELINE, VARIANTS_IMPROVES_ON};
    for (size_t row = 0; row < table_rows(variants->table); row++)
        for (size_t i = 0; i < COUNT_OF(columns); i++) {
            const char *named = table_text(variants->table, row, columns[i]);
            if (*named && !arms_add(&r->arms, named, variants->arms[row]->config))
                return err_memory(e);
        }
    return 0;
}

int run_join(struct run *r, const struct bundle *bundle, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < BUNDLE_TABLE_COUNT && !rc; i++)
        rc = arm_table_read(&r->tables[i], &bundle->tables[i], (enum bundle_table)i, &r->arms, e);
    if (!rc)
        rc = add_named(r, e);
    if (!rc)
        rc = timing_arms_read(&r->timing, &r->tables[BUNDLE_TIMING], e);
    if (!rc)
        rc = counters_read(&r->counters, &r->tables[BUNDLE_METRICS], e);
    if (!rc)
        rc = counted_rows_make(&r->counted, &r->tables[BUNDLE_METRICS], e);
    return rc || !bundle->path ? rc : read_trace(r, bundle, e);
}
