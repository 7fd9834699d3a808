/* What was a GPU measured to reach, and what would its hardware allow? */
#include "core/gpu/ceilings.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/gpu/chips.h"

static const struct ceiling_kind kinds[CEILING_COUNT] = {
    [CEILING_DRAM] = {"dram", UNIT_BYTES_PER_S, "dram", "device memory, read and written at once"},
    [CEILING_L2] = {"l2", UNIT_BYTES_PER_S, "l2", "reads that the L2 cache holds"},
    [CEILING_FP32] = {"fp32", UNIT_FLOP_PER_S, "fp32", "independent FMAs in FP32"},
    [CEILING_FP64] = {"fp64", UNIT_FLOP_PER_S, "fp64", "independent FMAs in FP64"},
    [CEILING_TENSOR_MMA] = {"tensor_mma", UNIT_FLOP_PER_S, "tensor_fp16",
                            "dense FP16 products by mma.sync, sums in FP32"},
    [CEILING_TENSOR_WGMMA] = {"tensor_wgmma", UNIT_FLOP_PER_S, "tensor_fp16",
                              "dense FP16 products by wgmma, sums in FP32"},
    [CEILING_LAUNCH] = {"launch", UNIT_NS, "", "from one launch to the next, back to back"},
    [CEILING_GRAPH_NODE] = {"graph_node", UNIT_NS, "", "from one kernel of a graph to the next"},
};

enum { L2_SLICE_BYTES_PER_CYCLE = 64, TRANSFERS_PER_CYCLE = 2, BITS = 8 };

const struct ceiling_kind *ceiling_kind(enum ceiling_id id)
{
    return &kinds[id];
}

enum ceiling_id ceiling_by_id(const char *id)
{
    int i = 0;
    while (i < CEILING_COUNT && strcmp(kinds[i].id, id))
        i++;
    return (enum ceiling_id)i;
}

static const json_t *measurement(const json_t *gpu, const char *id)
{
    const json_t *list = json_object_get(gpu, "ceilings");
    size_t i;
    json_t *one;
    json_array_foreach (list, i, one)
        if (!strcmp(json_get_text(one, "id", ""), id))
            return one;
    return NULL;
}

/* Returns a number above 0, else NAN: the file comes from outside. */
static double positive(const json_t *object, const char *key)
{
    const double value = json_get_number(object, key, NAN);
    return isfinite(value) && value > 0 ? value : NAN;
}

static const struct chip *chip_of(const json_t *gpu)
{
    return chip_by_capability(json_get_text(gpu, "compute_capability", ""));
}

/* Each line of the bus carries a bit on both edges of the memory clock. */
static double dram_peak(const json_t *gpu)
{
    return TRANSFERS_PER_CYCLE * positive(gpu, "memory_clock_max_hz") * positive(gpu, "memory_bus_bits") / BITS;
}

/* The L2 cache has its own clock, which is seldom much below the SMs' clock; this is an upper bound, and close
 * enough. */
static double l2_peak(const json_t *gpu, const struct chip_rates *r, double sm_clock_hz)
{
    return round(positive(gpu, "l2_bytes") / r->l2_slice_bytes) * L2_SLICE_BYTES_PER_CYCLE * sm_clock_hz;
}

double ceiling_peak(const json_t *gpu, enum ceiling_id id, double sm_clock_hz)
{
    const struct chip *chip = chip_of(gpu);
    const double sm_cycles_per_s = positive(gpu, "sm_count") * sm_clock_hz;
    if (id == CEILING_DRAM)
        return dram_peak(gpu);
    if (!chip)
        return NAN;
    const struct chip_rates *r = &chip->rates;
    switch (id) {
    case CEILING_L2: return l2_peak(gpu, r, sm_clock_hz);
    case CEILING_FP32: return r->fp32 * sm_cycles_per_s;
    case CEILING_FP64: return r->fp64 * sm_cycles_per_s;
    case CEILING_TENSOR_MMA:
    case CEILING_TENSOR_WGMMA: return r->tensor_fp16 * sm_cycles_per_s;
    case CEILING_DRAM:
    case CEILING_LAUNCH:
    case CEILING_GRAPH_NODE:
    case CEILING_COUNT: break;
    }
    return NAN;
}

struct ceiling ceiling_of(const json_t *gpu, enum ceiling_id id)
{
    const json_t *m = measurement(gpu, kinds[id].id);
    const double sm_clock_hz = positive(m, "sm_clock_hz");
    return (struct ceiling){.best = positive(m, "best"),
                            .median = positive(m, "median"),
                            .repeats = json_get_integer(m, "repeats", 0),
                            .sm_clock_hz = sm_clock_hz,
                            .peak = ceiling_peak(gpu, id, positive(gpu, "sm_clock_max_hz")),
                            .peak_then = id == CEILING_DRAM ? NAN : ceiling_peak(gpu, id, sm_clock_hz)};
}

/* Does it state only what a kernel requested from a cache, because the cache could not be counted? */
static bool is_merely_asked(const json_t *measurement)
{
    return !strcmp(json_get_text(measurement, "amount", ""), "asked");
}

double ceilings_measured(const json_t *gpu, const char *group)
{
    double best = NAN;
    for (int id = 0; id < CEILING_COUNT; id++)
        if (!strcmp(kinds[id].group, group) && !is_merely_asked(measurement(gpu, kinds[id].id)))
            best = fmax(best, ceiling_of(gpu, (enum ceiling_id)id).best); /* of a number and NAN: the number */
    return best;
}

double ceiling_link_peak(const json_t *gpu, const json_t *peer)
{
    const struct chip *chip = chip_of(gpu);
    return chip ? chip->rates.link_bytes_per_s * positive(peer, "nvlinks") : NAN;
}

static const json_t *gpu_with(const json_t *gpus, const char *key, const char *value)
{
    size_t i;
    json_t *gpu;
    json_array_foreach (gpus, i, gpu)
        if (*value && !strcmp(json_get_text(gpu, key, ""), value))
            return gpu;
    return NULL;
}

int ceilings_choose(const json_t *document, const char *uuid, const char *name, const json_t **gpu, struct err *e)
{
    const json_t *ceilings = json_object_get(document, "ceilings");
    const json_t *gpus = json_object_get(ceilings, "gpus");
    if (strcmp(json_get_text(ceilings, "schema", ""), CEILINGS_SCHEMA) || !json_is_array(gpus))
        return err_set(e, ERR_INPUT, "it holds no ceilings: 'cpprof doctor --ceilings -o ceilings.json' writes them");
    *gpu = gpu_with(gpus, "uuid", uuid);
    if (!*gpu)
        *gpu = gpu_with(gpus, "name", name);
    if (!*gpu)
        return err_set(e, ERR_INPUT, "its ceilings are of '%s', not of '%s'",
                       json_get_text(json_array_get(gpus, 0), "name", "no GPU"), name);
    return 0;
}
