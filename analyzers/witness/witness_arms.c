/* Which arms does a run have, and what is known of each? */
#include "analyzers/witness/witness.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/json.h"

struct witnessed *witnessed_find(struct witnessing *w, const struct arm *arm)
{
    const size_t place = w->places[arm->index];
    return place ? &w->arms[place - 1] : NULL;
}

static const struct seen_calls unseen = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

static int add_arms(struct witnessing *w, struct err *e)
{
    const struct table *variants = &w->a->bundle->tables[BUNDLE_VARIANTS];
    w->arms = calloc(table_rows(variants) + 1, sizeof *w->arms);
    w->places = calloc(w->a->run->arms.list.count + 1, sizeof *w->places);
    if (!w->arms || !w->places)
        return err_memory(e);
    for (size_t row = 0; row < table_rows(variants); row++) {
        const struct arm *arm = w->a->run->tables[BUNDLE_VARIANTS].arms[row];
        if (w->places[arm->index])
            continue; /* the same arm again */
        w->places[arm->index] = w->count + 1;
        w->arms[w->count++] = (struct witnessed){
            .arm = arm,
            .bytes = table_number(variants, row, VARIANTS_BYTES),
            .flops = table_number(variants, row, VARIANTS_FLOPS),
            .bus_factor = table_number(variants, row, VARIANTS_BUS_FACTOR),
            .no_verdict = table_text(variants, row, VARIANTS_NO_VERDICT),
            .verified = unseen,
            .measured = unseen,
            .graph = unseen,
            .busy_ns = NAN,
            .own_ns = NAN,
            .verified_ns = NAN,
            .hot_ns = NAN,
            .cold_ns = NAN,
            .counted_kernels = NAN,
            .l2_bytes = NAN,
            .l2_written_bytes = NAN,
            .operations = NAN,
            .integer_operations = NAN,
            .peak_dram = NAN,
            .peak_l2 = NAN,
            .peak_operations = NAN,
            .link_bytes = NAN,
            .cold_dram_bytes = NAN,
            .persisting_bytes = NAN,
            .timed_bad = NAN,
            .before_bad = NAN,
        };
    }
    return 0;
}

int witnessing_init(struct witnessing *w, struct analysis *a, struct err *e)
{
    *w = (struct witnessing){.a = a, .flushed_bytes = NAN, .flush_read_bytes = NAN, .damage = "", .untraced = ""};
    w->l2_size_bytes = json_get_number(json_object_get(a->bundle->manifest, "gpu"), "l2_bytes", NAN);
    if (caveat_has(&a->bundle->caveats, CAVEAT_TRUNCATED)) /* rows that are gone would accuse those that are left */
        w->damage = "the bundle is damaged";
    int rc = add_arms(w, e);
    if (!rc)
        rc = witness_read_tables(w, e);
    return rc ? rc : witness_read_trace(w, e);
}

void witnessing_release(struct witnessing *w)
{
    free(w->arms);
    free(w->places);
}
