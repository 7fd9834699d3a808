/* ceilings.h - which rates was a GPU measured to reach, and which would its widths and clocks allow? The runner
 * measures them (its roles ceilings and peers) and writes JSON (docs/doctor.md). This module reads it and computes the
 * theoretical rates. */
#ifndef CPPROF_CEILINGS_H
#define CPPROF_CEILINGS_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/units.h"

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
    const char *id; /* "tensor_mma" */
    enum unit unit; /* unit of its rates; UNIT_NS for a time, whose least value is the best */
    const char
        *group; /* the group of counters that it is a ceiling of (core/gpu/metrics.h): "tensor_fp16"; "" for none */
    const char *meaning;
};

const struct ceiling_kind *ceiling_kind(enum ceiling_id id);
enum ceiling_id ceiling_by_id(const char *id); /* CEILING_COUNT when the id is unknown */

/* The values of one ceiling on one GPU; NAN where the document has none. */
struct ceiling {
    double best, median;
    int64_t repeats;
    double sm_clock_hz; /* SM clock during the measurement */
    double peak;        /* the theoretical rate at the highest clocks */
    double peak_then;   /* ... at the SM clock of the measurement; NAN for device memory, which has its own clock */
};

struct ceiling ceiling_of(const json_t *gpu, enum ceiling_id id);

/* Returns the best rate that was measured for a group of counters, in amounts as they count them; NAN when there is
 * none. */
double ceilings_measured(const json_t *gpu, const char *group);

/* Returns the theoretical rate with the SMs at `sm_clock_hz`, from the bus width, the number of SMs and the rates of
 * the chip (core/gpu/chips.h). NAN where these are not known. */
double ceiling_peak(const json_t *gpu, enum ceiling_id id, double sm_clock_hz);

/* Returns the theoretical rate of one direction between two GPUs: the number of links times the rate of one. NAN
 * without NVLink. */
double ceiling_link_peak(const json_t *gpu, const json_t *peer);

/* Finds the GPU of a run in a document that `doctor --ceilings` wrote: the one with that uuid, else one with the same
 * name, since GPUs of one model are much alike. The document keeps owning the value. Returns ERR_INPUT, with a list of
 * its GPUs, when it has neither. */
int ceilings_choose(const json_t *document, const char *uuid, const char *name, const json_t **gpu, struct err *e);

#endif
