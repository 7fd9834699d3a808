/* rank_streams.h - the GPUs of a task, and a stream on each. The runner launches on them, and the judge, in its own
 * process, fills on them. A task that is no collective has one GPU, and nothing of this costs it anything. */
#ifndef CPPROF_RANK_STREAMS_H
#define CPPROF_RANK_STREAMS_H

#include "collector/runner/judge/ranked_task.h"

struct rank_streams {
    int count, devices[JUDGE_RANKS_MAX];
    struct CUstream_st *streams[JUDGE_RANKS_MAX]; /* rank 0 has the caller's */
    struct CUevent_st *forked, *joined[JUDGE_RANKS_MAX];
};

/* Rank 0 has the current device, which is current afterwards, too; each device reaches the memory of all. Returns a
 * cudaError_t; rank_streams_close also after one. */
int rank_streams_open(struct rank_streams *r, int count);
void rank_streams_close(struct rank_streams *r);

/* These return a cudaError_t. The streams of the other ranks wait for what is in `stream`, that of rank 0. */
int rank_streams_fork(const struct rank_streams *r, struct CUstream_st *stream);
/* `stream` waits for the others, also where the work between failed: what was begun belongs to it. The device of rank 0
 * is current afterwards. */
int rank_streams_join(const struct rank_streams *r, struct CUstream_st *stream);
/* Makes the device of a rank current, where there are several. */
int rank_streams_use(const struct rank_streams *r, int rank);

#endif
