/* What was each GPU measured to reach, and how much of its theory is that? */
#include <math.h>

#include "core/base/count_of.h"
#include "core/gpu/ceilings.h"
#include "reports/doctor_report.h"

/* Device memory has a clock of its own: what its share is of does not change with that of the SMs. */
static void add_ceiling(const json_t *gpu, enum ceiling_id id, struct document *d)
{
    const struct ceiling_kind *kind = ceiling_kind(id);
    const struct ceiling c = ceiling_of(gpu, id);
    if (isnan(c.best))
        return;
    document_cell(d, "%lld", json_get_integer(gpu, "ordinal", -1));
    document_cell_code(d, kind->id);
    document_cell_unit(d, kind->unit, c.best);
    document_cell_unit(d, kind->unit, c.median);
    document_cell_unit(d, kind->unit, c.peak);
    document_cell_unit(d, UNIT_RATIO, c.best / c.peak);
    document_cell_unit(d, UNIT_HZ, c.sm_clock_hz);
    document_cell_unit(d, UNIT_RATIO, c.best / c.peak_then);
    document_cell(d, "%s", kind->meaning);
}

static void add_missing(const json_t *list, const char *of, struct document *d)
{
    size_t i;
    json_t *one;
    json_array_foreach (list, i, one) {
        document_bullet(d);
        document_span(d, SPAN_PLAIN, "%s%s: not measured: %s", of, json_get_text(one, "what", "something"),
                      json_get_text(one, "why", "no reason was given"));
    }
}

static const json_t *gpu_at(const json_t *gpus, long long ordinal)
{
    size_t i;
    json_t *gpu;
    json_array_foreach (gpus, i, gpu)
        if (json_get_integer(gpu, "ordinal", -1) == ordinal)
            return gpu;
    return NULL;
}

static void add_peers(const json_t *ceilings, struct document *d)
{
    static const struct document_column columns[] = {{"from", true},    {"to", true},     {"by", false},
                                                     {"best", true},    {"median", true}, {"in theory", true},
                                                     {"reached", true}, {"over", false}};
    const json_t *peers = json_object_get(ceilings, "peers");
    size_t i;
    json_t *peer;
    if (!json_array_size(peers))
        return;
    document_heading(d, 3, "Between GPUs");
    document_table(d, columns, COUNT_OF(columns));
    json_array_foreach (peers, i, peer) {
        const long long from = json_get_integer(peer, "from", -1), links = json_get_integer(peer, "nvlinks", 0);
        const double best = json_get_number(peer, "best", NAN);
        const double peak = ceiling_link_peak(gpu_at(json_object_get(ceilings, "gpus"), from), peer);
        document_cell(d, "%lld", from);
        document_cell(d, "%lld", json_get_integer(peer, "to", -1));
        document_cell(d, "%s", json_get_text(peer, "how", "unknown"));
        document_cell_unit(d, UNIT_BYTES_PER_S, best);
        document_cell_unit(d, UNIT_BYTES_PER_S, json_get_number(peer, "median", NAN));
        document_cell_unit(d, UNIT_BYTES_PER_S, peak);
        document_cell_unit(d, UNIT_RATIO, best / peak);
        if (links > 0)
            document_cell(d, "NV%lld", links);
        else
            document_cell(d, "%s%s", json_get_text(peer, "topology", "unknown"),
                          json_is_false(json_object_get(peer, "access")) ? " host" : "");
    }
}

void doctor_ceilings_add(const json_t *ceilings, struct document *d)
{
    static const struct document_column columns[] = {{"GPU", true},      {"ceiling", false},      {"best", true},
                                                     {"median", true},   {"in theory", true},     {"reached", true},
                                                     {"SM clock", true}, {"reached at it", true}, {"of", false}};
    const json_t *gpus = json_object_get(ceilings, "gpus");
    size_t i;
    json_t *gpu;
    document_heading(d, 2, "Ceilings");
    document_table(d, columns, COUNT_OF(columns));
    json_array_foreach (gpus, i, gpu)
        for (int id = 0; id < CEILING_COUNT; id++)
            add_ceiling(gpu, (enum ceiling_id)id, d);
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "In theory: bus width, SMs and rates of the compute capability at the highest clocks; 'reached at it': at the "
        "SM clock while it was measured. The L2 cache's own clock is taken for that of the SMs, and mma.sync "
        "cannot reach what wgmma can on compute capability 9.0.");
    json_array_foreach (gpus, i, gpu)
        add_missing(json_object_get(gpu, "missing"),
                    arena_printf(&d->arena, "GPU %lld, ", json_get_integer(gpu, "ordinal", -1)), d);
    add_missing(json_object_get(ceilings, "missing"), "", d);
    add_peers(ceilings, d);
}
