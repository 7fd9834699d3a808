/* guest.h - the programs that tests/gpu/manners.sh runs with and without capture,
 * all in one: cpprof-guests NAME [ARGUMENT].
 *
 * Each prints the same to stdout and stderr every time, whatever the machine does,
 * and ends in the way that its line in guests.cu says. */
#ifndef CPPROF_GUEST_H
#define CPPROF_GUEST_H

#include <cuda_runtime.h>

struct guest {
    const char *name;
    const char *what;
    int (*run)(const char *argument); /* argument: "" when none was given; the result is the exit status */
};

extern const struct guest guests_work[], guests_end[], guests_profile[], guests_causal[];
extern const size_t guests_work_count, guests_end_count, guests_profile_count, guests_causal_count;

/* Prints and exits with 4 when CUDA says no: a guest tells what befell it, as any program would. */
void guest_check(cudaError_t error, const char *what);

/* Launches an empty kernel so often, and waits. */
void guest_launch(cudaStream_t stream, long launches);

/* Launches for so long, waiting once in a while so that the queue stays short; the number of launches. */
long guest_launch_for(cudaStream_t stream, double seconds);

double guest_now_s(void);

int guest_run_vector(const char *argument); /* other guests run it, too, in a child */

#endif
