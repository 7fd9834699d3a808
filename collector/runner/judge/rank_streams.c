/* How does work on several GPUs become a part of one stream? */
#include "collector/runner/judge/rank_streams.h"

#include <cuda_runtime.h>

/* Also what a solution allocates itself is within reach of all. */
static int reach_all(const struct rank_streams *r, int rank)
{
    int status = 0;
    for (int other = 0; other < r->count && !status; other++) {
        status = other == rank ? 0 : (int)cudaDeviceEnablePeerAccess(r->devices[other], 0);
        if (status == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();
            status = 0;
        }
    }
    return status;
}

static int open_rank(struct rank_streams *r, int rank)
{
    int status = cudaSetDevice(r->devices[rank]);
    if (!status && rank)
        status = cudaStreamCreateWithFlags(&r->streams[rank], cudaStreamNonBlocking);
    if (!status)
        status = cudaEventCreateWithFlags(rank ? &r->joined[rank] : &r->forked, cudaEventDisableTiming);
    return status ? status : reach_all(r, rank);
}

int rank_streams_open(struct rank_streams *r, int count)
{
    *r = (struct rank_streams){.count = count};
    int status = cudaGetDevice(&r->devices[0]);
    for (int rank = 1; rank < r->count; rank++)
        r->devices[rank] = ranked_task_device(r->devices[0], rank);
    for (int rank = r->count - 1; r->count > 1 && rank >= 0 && !status; rank--)
        status = open_rank(r, rank);
    rank_streams_use(r, 0);
    return status;
}

void rank_streams_close(struct rank_streams *r)
{
    for (int rank = 1; rank < r->count; rank++) {
        if (r->joined[rank])
            cudaEventDestroy(r->joined[rank]);
        if (r->streams[rank])
            cudaStreamDestroy(r->streams[rank]);
    }
    if (r->forked)
        cudaEventDestroy(r->forked);
    *r = (struct rank_streams){0};
}

int rank_streams_use(const struct rank_streams *r, int rank)
{
    return r->count > 1 ? (int)cudaSetDevice(r->devices[rank]) : 0;
}

int rank_streams_fork(const struct rank_streams *r, struct CUstream_st *stream)
{
    int status = r->count > 1 ? (int)cudaEventRecord(r->forked, stream) : 0;
    for (int rank = 1; rank < r->count && !status; rank++)
        status = cudaStreamWaitEvent(r->streams[rank], r->forked, 0);
    return status;
}

int rank_streams_join(const struct rank_streams *r, struct CUstream_st *stream)
{
    int first = rank_streams_use(r, 0);
    for (int rank = 1; rank < r->count; rank++) {
        int status = cudaEventRecord(r->joined[rank], r->streams[rank]);
        if (!status)
            status = cudaStreamWaitEvent(stream, r->joined[rank], 0);
        if (!first)
            first = status;
    }
    return first;
}
