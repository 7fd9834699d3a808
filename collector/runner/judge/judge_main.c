/* cpprof-judge: owns what a solution must not reach. */
#include <stdio.h>
#include <unistd.h>

#include "collector/runner/judge/judge_serve.h"

/* CUDA takes 100 ms when a process ends normally, and the kernel frees everything anyway. */
int main(int argc, char **argv)
{
    const int status = judge_serve(argc, argv);
    fflush(NULL);
    _exit(status);
}
