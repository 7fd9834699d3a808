/* identity.h - who is who: which call started this work, whose recording is this, and which GPU is it?
 *
 * A launch belongs to a call of the same process by correlation id, if that id has exactly one call. Where an id is
 * used again, its uses are told apart by time: each call has one piece of work before the next call. Otherwise it is
 * not known which call started which work, and no rule passes or fails on it. */
#ifndef CPPROF_IDENTITY_H
#define CPPROF_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/caveat.h"
#include "core/base/err.h"

/* More uses of one id, or more work of an id that is used again, are not told apart. */
enum { CALL_USES_MAX = UINT16_MAX };

/* How many follows: commands that join work and calls say it alike. */
#define DOUBTFUL_CALLS "GPU events whose call is not known, as several have its correlation id: "

/* How a process uses one correlation id. Starts zeroed. Calls that are part of another one do not count. */
struct call_uses {
    uint32_t calls;
    uint16_t work;         /* since the last call; 2: more than one */
    bool begins_with_work; /* before the first call */
    bool is_doubtful;
};

/* Take the calls and the work of one id in the order of their starts. Returns false for a call beyond the limit, which
 * makes the id doubtful. */
bool call_uses_add_call(struct call_uses *u);
void call_uses_add_work(struct call_uses *u);

/* Is it known which of the calls of an id started which work? Takes the starts of both, sorted. Then work i belongs to
 * call i where there are several calls. */
bool call_uses_are_known(const int64_t *calls, size_t call_count, const int64_t *work, size_t work_count);

/* Is it not known which of several calls with one id started some work, which the scope, or what communicates, takes or
 * leaves by its call? Then no rule on them passes or fails. */
struct call_doubt {
    bool of_scope, of_comm;
};

enum { PROCESS_HOST_MAX = 64 };

/* A process whose trace was read, and the time that it covers. */
struct traced_process {
    int64_t process; /* its id; 0: unknown */
    char host[PROCESS_HOST_MAX];
    int own_rank;  /* as its trace states it; -1 */
    int path_rank; /* as its path states it; -1 */
    int64_t start_ns, end_ns;
    int16_t rank; /* among all traces */
    size_t recordings;
};

struct traced_processes { /* starts zeroed */
    struct traced_process *items;
    size_t count, capacity;
};

void traced_processes_release(struct traced_processes *t);

/* May this be one more recording of a process that is there? Returns it; NULL: it is none. Ids say nothing where hosts
 * or ranks differ, and recordings of one process follow one another. Times of INT64_MIN and INT64_MAX are unknown: then
 * it may be one. */
struct traced_process *traced_processes_find(struct traced_processes *t, const struct traced_process *p);
int traced_processes_add(struct traced_processes *t, const struct traced_process *p, struct err *e);

enum { GPU_PLACES_MAX = 4096 };

/* A device as a process numbers it, and the GPU that it is, in the numbers of the input. */
struct gpu_place {
    int16_t rank, device;
    int64_t gpu;
    int32_t owner; /* index of the first place of its GPU */
};

/* Which devices of different processes are one GPU. Starts zeroed; it is empty when every device is a GPU of its own.
 */
struct gpu_places {
    struct gpu_place *items; /* by rank and device */
    size_t count, capacity;
};

void gpu_places_release(struct gpu_places *g);
int gpu_places_add(struct gpu_places *g, int16_t rank, int16_t device, int64_t gpu, struct err *e);

/* Says whether some GPU has more than one place, in a note. */
int gpu_places_note_shared(const struct gpu_places *g, const char *path, struct caveat_list *caveats, struct err *e);

/* Sorts the places, leaves out those that share their GPU with no other, and numbers the GPUs from 0. */
void gpu_places_settle(struct gpu_places *g);

/* A GPU goes by its first place whose rank is taken; NULL: all are. */
void gpu_places_choose(struct gpu_places *g, bool (*takes)(const void *context, int rank), const void *context);

/* Sets rank and device to the place by which the GPU goes. */
void gpu_places_find(const struct gpu_places *g, int16_t *rank, int16_t *device);

#endif
