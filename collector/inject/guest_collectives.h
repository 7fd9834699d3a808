/* guest_collectives.h - which collectives does NCCL launch, and on which communicators?
 *
 * NCCL tells it on the program's threads (nccl_plugin.c), right behind the launch of their kernel. What it says waits
 * in memory until the guest's thread stores it as rows (core/base/collective_row.h). */
#ifndef CPPROF_GUEST_COLLECTIVES_H
#define CPPROF_GUEST_COLLECTIVES_H

#include <cupti.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/json.h"
#include "core/base/shard_writer.h"

struct guest_communicator;

struct communicator_identity {
    uint64_t id;
    const char *name; /* NULL: none */
    int ranks, rank;  /* ranks 0: unknown */
};

/* The program's call that a collective comes from: captured into a graph, so that its kernel runs as often as that, or
 * not. Old versions of NCCL do not say so. */
enum reported_call { CALL_UNKNOWN, CALL_DIRECT, CALL_CAPTURED };

/* Texts need not stay valid. */
struct reported_collective {
    const char *operation, *type, *algorithm, *protocol;
    uint64_t sequence, count;
    enum reported_call call;
};

/* ---- for the guest ---- */

/* Takes what NCCL says from now on. `clock` gives the time of events. */
void guest_collectives_start(CUptiResult (*clock)(uint64_t *now_ns));

/* Takes nothing any more. Takes no lock: also for a forked child. */
void guest_collectives_stop(void);

/* Stores what waits. Only for the thread that writes the shard. */
void guest_collectives_store(struct shard_writer *shard);

/* A member of the report; NULL when no communicator was opened. */
json_t *guest_collectives_facts(void);

/* ---- for NCCL, on any thread ---- */

/* Returns NULL when nothing is recorded. */
struct guest_communicator *guest_collectives_open(const struct communicator_identity *identity);
void guest_collectives_close(struct guest_communicator *c);

/* Where the communicator tells what it is only later; once. */
void guest_collectives_identify(struct guest_communicator *c, const struct communicator_identity *identity);

/* The program's call, which may be captured into a graph: its kernel then runs as often as the graph. */
void guest_collectives_call(struct guest_communicator *c, bool is_captured);

/* A kernel is about to be launched on this thread, and was. Old versions of NCCL do not say so. */
void guest_collectives_launch(struct guest_communicator *c);
void guest_collectives_launched(struct guest_communicator *c);

/* The collectives of the next kernel come, on this thread: those of its latest launch of which nothing was said, else
 * of the oldest one of any thread, which may also follow; where launches are not told, of what this thread has launched
 * since the last time. */
void guest_collectives_plan(struct guest_communicator *c);
void guest_collectives_take(struct guest_communicator *c, const struct reported_collective *reported);

#endif
