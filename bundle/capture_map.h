/* capture_map.h - the processes of one capture: which rank is each, and which of
 * the GPUs of the bundle does each mean by its device 0, 1, 2?
 *
 * Correlation ids, threads, streams and device numbers mean something only
 * within a process. So every process that left events is a rank of its own: the
 * one that its launcher gave it, if no process before it has that one, else the
 * next number behind all of them, or a lower one where no number is left behind them. A
 * capture in which one process did everything keeps what that says, or no rank.
 *
 * GPUs are known by UUID. While no two processes contradict each other, a GPU has
 * the number that they use; else GPUs are numbered in the order of their PCI
 * addresses, as nvidia-smi does. */
#ifndef CPPROF_CAPTURE_MAP_H
#define CPPROF_CAPTURE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/caveat.h"
#include "base/err.h"
#include "base/json.h"

struct bundle;

enum { CAPTURE_ORDINALS_MAX = 64, CAPTURE_PROCESSES_MAX = 4096, CAPTURE_GPUS_MAX = 1024 };

#define CAPTURE_KIND "capture"

struct capture_process {
    const json_t *report; /* what its guest said of itself; NULL when that is lost */
    char *trace;          /* file name of its shard; NULL: it left none */
    long long pid;
    int32_t own_rank;                      /* of its launcher, -1 */
    int16_t rank;                          /* in this bundle, -1 */
    bool has_events;                       /* the shard is more than its header */
    int64_t start_unix_ns;                 /* of its shard */
    int16_t devices[CAPTURE_ORDINALS_MAX]; /* of the bundle, by the process' ordinal; -1 unknown */
};

struct capture_gpu {
    const json_t *about; /* name, uuid, compute_capability, pci */
    int16_t device;
};

struct capture_map {
    struct {
        struct capture_process *items; /* in the order in which they began */
        size_t count, capacity;
    } processes;
    struct {
        struct capture_gpu *items; /* by device number */
        size_t count, capacity;
    } gpus;
    bool renumbered; /* GPUs, because processes contradict each other */
};

/* From the manifest and the shards of a bundle that is open (bundle_check_seal); its manifest must outlive it. Release
 * even after an error. */
int capture_map_make(struct capture_map *out, const struct bundle *bundle, struct err *e);
void capture_map_release(struct capture_map *m);

/* The process of a shard, by the name of the file; NULL when there is none. */
const struct capture_process *capture_map_find(const struct capture_map *m, const char *trace);

const char *capture_process_program(const struct capture_process *p); /* "unknown program" when it is lost */

/* Did a process begin to record migrations only when the first managed allocation was seen? */
bool capture_lacks_migrations(const struct capture_map *m);

/* What the bundle cannot hold: processes that outlived the seal or were not
 * recorded, a part that was asked for, how ranks and GPUs were told apart. */
int capture_caveats(const struct capture_map *m, const json_t *manifest, struct caveat_list *caveats, struct err *e);

#endif
