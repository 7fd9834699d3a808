/* Which guest is meant? And what they share. */
#include "tests/gpu/guests/guest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__global__ void guest_empty()
{
}

void guest_check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    printf("%s: %s\n", what, cudaGetErrorName(error));
    exit(4);
}

double guest_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void guest_launch(cudaStream_t stream, long launches)
{
    for (long i = 0; i < launches; i++)
        guest_empty<<<1, 32, 0, stream>>>();
    guest_check(cudaGetLastError(), "launch");
    guest_check(cudaStreamSynchronize(stream), "wait");
}

long guest_launch_for(cudaStream_t stream, double seconds)
{
    enum { AT_ONCE = 500 };
    long launches = 0;
    for (const double end = guest_now_s() + seconds; guest_now_s() < end; launches += AT_ONCE)
        guest_launch(stream, AT_ONCE);
    return launches;
}

static int run_in(const struct guest *guests, size_t count, const char *name, const char *argument)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(guests[i].name, name))
            return guests[i].run(argument);
    return -1;
}

int main(int argc, char **argv)
{
    static const struct {
        const struct guest *guests;
        size_t count;
    } tables[] = {{guests_work, guests_work_count},
                  {guests_end, guests_end_count},
                  {guests_profile, guests_profile_count},
                  {guests_causal, guests_causal_count}};
    const size_t count = sizeof tables / sizeof tables[0];
    setvbuf(stdout, NULL, _IOLBF, 0); /* what was said before a violent end must be out */
    for (size_t t = 0; t < count && argc >= 2; t++) {
        const int status = run_in(tables[t].guests, tables[t].count, argv[1], argc > 2 ? argv[2] : "");
        if (status >= 0)
            return status;
    }
    fprintf(stderr, "usage: cpprof-guests NAME [ARGUMENT]\n");
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < tables[t].count; i++)
            fprintf(stderr, "  %-18s %s\n", tables[t].guests[i].name, tables[t].guests[i].what);
    return 2;
}
