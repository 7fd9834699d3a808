/* ceilings.h - what a GPU was measured to reach, beside what its widths and
 * clocks would allow. The runner measures (its roles ceilings and peers); docs/doctor.md
 * says what stands in its JSON: here it is read, and the theory computed. */
#ifndef CPPROF_CEILINGS_H
#define CPPROF_CEILINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "base/units.h"

#define CEILINGS_SCHEMA "cpprof.ceilings/1"

enum ceiling_id {
    CEILING_DRAM,
    CEILING_L2,
    CEILING_FP32,
    CEILING_FP64,
    CEILING_TENSOR_MMA,
    CEILING_TENSOR_WGMMA,
    CEILING_LAUNCH,
    CEILING_GRAPH_NODE,
    CEILING_COUNT
};

struct ceiling_kind {
    const char *id;    /* "tensor_mma" */
    enum unit unit;    /* of its rates; UNIT_NS of a time, of which the least is the best */
    const char *group; /* of the counters that it is a ceiling of (gpu/metrics.h): "tensor_fp16"; "" of none */
    const char *meaning;
};

const struct ceiling_kind *ceiling_kind(enum ceiling_id id);
enum ceiling_id ceiling_by_id(const char *id); /* CEILING_COUNT when there is none */

/* What one GPU says of one ceiling; NAN where it does not. */
struct ceiling {
    double best, median;
    int64_t repeats;
    double sm_clock_hz; /* while it was measured */
    double peak;        /* what the hardware would do at its highest clocks */
    double peak_then;   /* ... at the SM clock while it was measured; NAN of device memory, which has its own */
};

struct ceiling ceiling_of(const json_t *gpu, enum ceiling_id id);

/* The best that was measured for a group of counters, of amounts as they count them; NAN without. */
double ceilings_measured(const json_t *gpu, const char *group);

/* What the hardware would do in theory, with the SMs at `sm_clock_hz`: from bus width, number of SMs and
 * the rates of its chip (gpu/chips.h). NAN where these are not known. */
double ceiling_peak(const json_t *gpu, enum ceiling_id id, double sm_clock_hz);

/* One direction between a GPU and another: links times the rate of one. NAN without NVLink. */
double ceiling_link_peak(const json_t *gpu, const json_t *peer);

/* Takes from a document that `doctor --ceilings` wrote the GPU that a run is on: the one of that
 * uuid, else one of the same name, which serves as well as a GPU of its model can.
 * The value is the document's. ERR_INPUT with what there is when there is neither. */
int ceilings_choose(const json_t *document, const char *uuid, const char *name, const json_t **gpu, struct err *e);

#endif
