/* How long do launches take that are all in their stream before the first one begins? */
#define _GNU_SOURCE
#include "collector/runner/judge/launch_time.h"

#include <math.h>
#include <stdint.h>
#include <unistd.h>

enum { LATE_US = 2000 };

static void be_late(void *unused)
{
    (void)unused;
    usleep(LATE_US);
}

int launch_time_hold(cudaStream_t stream)
{
    return cudaLaunchHostFunc(stream, be_late, NULL);
}

bool launch_time_is_to_come(cudaEvent_t event)
{
    const bool to_come = cudaEventQuery(event) == cudaErrorNotReady;
    if (to_come) /* which is no error, and must not look like one of the next launch */
        cudaGetLastError();
    return to_come;
}

/* The stream waits for the host, with the launches behind it. The fill makes the device turn to this process before the
 * first event. */
static int submit(const struct launch_work *work, cudaStream_t stream, cudaEvent_t begin, cudaEvent_t end)
{
    int status = launch_time_hold(stream);
    if (!status && work->before)
        status = work->before(work->context, stream);
    if (!status)
        status = cudaMemsetAsync(work->scratch, 0, sizeof(uint32_t), stream);
    if (!status)
        status = cudaEventRecord(begin, stream);
    if (!status)
        status = work->launch(work->context, stream);
    return status ? status : (int)cudaEventRecord(end, stream);
}

static int time_between(const struct launch_work *work, cudaStream_t stream, cudaEvent_t begin, cudaEvent_t end,
                        double *ns)
{
    float ms = NAN;
    const int status = submit(work, stream, begin, end);
    const bool is_in_time = launch_time_is_to_come(begin);
    const int ended = cudaStreamSynchronize(stream);
    if (!status && !ended && is_in_time && !cudaEventElapsedTime(&ms, begin, end))
        *ns = (double)ms * 1e6;
    return status ? status : ended;
}

int launch_time(const struct launch_work *work, cudaStream_t stream, double *ns)
{
    cudaEvent_t begin, end;
    *ns = NAN;
    int status = cudaEventCreate(&begin);
    if (status)
        return status;
    status = cudaEventCreate(&end);
    if (!status) {
        status = time_between(work, stream, begin, end, ns);
        cudaEventDestroy(end);
    }
    cudaEventDestroy(begin);
    return status;
}
