/* How does the runner run in a Python process? */
#include <stdio.h>

#include "collector/runner/judge/judge_client.h"
#include "collector/runner/python/python_solution.h"

int main(int argc, char **argv); /* runner_main.c */

/* The libjansson.a of a distribution is not made for shared libraries, and stdin is the one name of another library
 * that it reaches directly. With -Wl,--wrap=stdin it finds this; nothing here reads JSON from standard input. */
extern FILE *__wrap_stdin;
FILE *__wrap_stdin;

int cpprof_python_main(int argc, char **argv, const struct python_host *host)
{
    python_host_set(host);
    const int status = main(argc, argv);
    judge_client_stop(); /* the process may end without what is registered for its end */
    return status;
}
