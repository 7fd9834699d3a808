/* Does somebody want a run to end early? */
#define _GNU_SOURCE
#include "cli/record/stop_signal.h"

#include <signal.h>
#include <stddef.h>

#include "core/base/count_of.h"

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

enum { ENDING = COUNT_OF(ending) };

static volatile sig_atomic_t noted;
static struct sigaction before[ENDING];

static void note(int signal)
{
    if (!noted)
        noted = signal;
}

void stop_signal_begin(void)
{
    const struct sigaction once = {.sa_handler = note, .sa_flags = SA_RESETHAND};
    noted = 0;
    for (size_t i = 0; i < ENDING; i++)
        if (!sigaction(ending[i], NULL, &before[i]) && before[i].sa_handler != SIG_IGN)
            sigaction(ending[i], &once, NULL);
}

void stop_signal_end(void)
{
    for (size_t i = 0; i < ENDING; i++)
        sigaction(ending[i], &before[i], NULL);
    noted = 0;
}

int stop_signal_first(void)
{
    return noted;
}
