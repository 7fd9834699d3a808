/* capture_map.h - which rank has each process of a capture, and which GPU of the bundle does it mean by its device 0,
 * 1, 2?
 *
 * Correlation ids, threads, streams and device numbers have a meaning only within a process. So every process that left
 * events is a rank of its own: the one from its launcher if no earlier process has it, else the next number above all
 * of them, or a lower one when no number above is left. In a capture of a single process the rank is the launcher's, or
 * there is none.
 *
 * GPUs are identified by UUID. While no two processes contradict each other, a GPU has the number that they use.
 * Otherwise GPUs are numbered in the order of their PCI addresses, as nvidia-smi does. */
#ifndef CPPROF_CAPTURE_MAP_H
#define CPPROF_CAPTURE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/base/json.h"

struct bundle;

enum { CAPTURE_ORDINALS_MAX = 64, CAPTURE_PROCESSES_MAX = 4096, CAPTURE_GPUS_MAX = 1024 };

#define CAPTURE_KIND "capture"

struct capture_process {
    const json_t *report; /* the report of its guest; NULL when it is lost */
    char *trace;          /* file name of its shard; NULL: it left none */
    long long pid;
    int32_t own_rank;                      /* from its launcher; -1: none */
    int16_t rank;                          /* in this bundle; -1: none */
    bool has_events;                       /* the shard is more than its header */
    int64_t start_unix_ns;                 /* from its shard */
    int16_t devices[CAPTURE_ORDINALS_MAX]; /* device of the bundle for each ordinal of the process; -1: unknown */
};

struct capture_gpu {
    const json_t *about; /* name, uuid, compute_capability, pci */
    int16_t device;
};

struct capture_map {
    struct {
        struct capture_process *items; /* in the order in which they started */
        size_t count, capacity;
    } processes;
    struct {
        struct capture_gpu *items; /* by device number */
        size_t count, capacity;
    } gpus;
    bool renumbered; /* the GPUs were renumbered because processes contradict each other */
};

/* Makes the map from the manifest and the shards of an open bundle (bundle_check_seal). The bundle's manifest must
 * outlive it. Release even after an error. */
int capture_map_make(struct capture_map *out, const struct bundle *bundle, struct err *e);
void capture_map_release(struct capture_map *m);

/* Returns the process of a shard by its file name; NULL when there is none. */
const struct capture_process *capture_map_find(const struct capture_map *m, const char *trace);

const char *capture_process_program(const struct capture_process *p); /* "unknown program" when the report is lost */

/* Did a process with managed memory record no migrations, or only later ones? */
bool capture_lacks_migrations(const struct capture_map *m);

/* Did kernels run in the process that are in no record? */
bool capture_process_hides_kernels(const struct capture_process *p);

/* Did they run in a process without events, so that nobody knows where? */
bool capture_hides_anywhere(const struct capture_map *m);

/* Is something of what NCCL said of collectives not in the traces? */
bool capture_lacks_collectives(const struct capture_map *m);

/* Do NCCL's numbers of collectives contradict one another? */
bool capture_process_is_misnumbered(const struct capture_process *p);

/* Adds caveats about gaps of the capture: processes that outlived the seal or were not recorded, a part that was asked
 * for, how ranks and GPUs were assigned. */
int capture_caveats(const struct capture_map *m, const json_t *manifest, struct caveat_list *caveats, struct err *e);

#endif
