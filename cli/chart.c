/* How does a script become a picture? */
#define _GNU_SOURCE
#include "cli/chart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/scratch_file.h"

enum { SECONDS_MAX = 20, LOOK_MS = 5, SVG_BYTES_MAX = 16 * 1024 * 1024 };

extern char **environ;

/* Files and no pipes: nobody waits for anybody who waits. */
static int start(const char *gnuplot, FILE *script, FILE *svg, pid_t *child)
{
    char *arguments[] = {(char *)gnuplot, "-d", NULL}; /* without the user's settings */
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(svg), STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawnp(child, gnuplot, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Its wait status; one that takes too long is ended. */
static int wait_for(pid_t child)
{
    const struct timespec pause = {0, LOOK_MS * 1000000};
    int status = SIGKILL;
    for (int looks = 0; waitpid(child, &status, WNOHANG) == 0; looks++) {
        if (looks == SECONDS_MAX * 1000 / LOOK_MS)
            kill(child, SIGKILL);
        nanosleep(&pause, NULL);
    }
    return status;
}

static int read_picture(FILE *file, struct str *svg, struct err *e)
{
    char buffer[4096];
    const size_t start = svg->length;
    rewind(file);
    for (size_t got; svg->length - start <= SVG_BYTES_MAX && (got = fread(buffer, 1, sizeof buffer, file)) > 0;)
        str_add_bytes(svg, buffer, got);
    const char *text = str_text(svg) + start;
    const bool whole = !strncmp(text, "<?xml", 5) && strstr(text, "</svg>");
    return whole ? 0 : err_set(e, ERR_ENVIRONMENT, "gnuplot gave no picture");
}

static int draw(const char *gnuplot, FILE *script, FILE *picture, struct str *svg, struct err *e)
{
    pid_t child;
    signal(SIGCHLD, SIG_DFL); /* who started us may have ignored it: then nobody tells how a child ended */
    const int failed = start(gnuplot, script, picture, &child);
    if (failed == ENOENT)
        return err_set(e, ERR_ENVIRONMENT,
                       "gnuplot was not found (in PATH, or as CPPROF_GNUPLOT): install gnuplot-nox");
    if (failed)
        return err_set(e, ERR_ENVIRONMENT, "cannot start '%s': %s", gnuplot, strerror(failed));
    const int status = wait_for(child);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return err_set(e, ERR_ENVIRONMENT, "'%s' failed", gnuplot);
    return read_picture(picture, svg, e);
}

int chart_draw(const char *script, struct str *svg, struct err *e)
{
    const char *named = getenv("CPPROF_GNUPLOT");
    FILE *input, *picture = NULL;
    int rc = scratch_file_stream(&input, e);
    if (!rc)
        rc = scratch_file_stream(&picture, e);
    if (!rc && (fputs(script, input) < 0 || fflush(input)))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write a file for gnuplot: %s", strerror(errno));
    if (!rc) {
        rewind(input);
        rc = draw(named && *named ? named : "gnuplot", input, picture, svg, e);
    }
    if (input)
        fclose(input);
    if (picture)
        fclose(picture);
    return rc;
}
