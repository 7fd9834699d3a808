/* How do commands compare in time and memory?
 *
 *   side_by_side ROUNDS NAME COMMAND... [--vs NAME COMMAND...]...
 *
 * Runs the commands in turn, ROUNDS times, so that whatever else the machine
 * does hits all of them, and prints a Markdown table: median, fastest and
 * slowest wall time, median processor time, the largest peak memory of any run
 * (ru_maxrss), and the medians of the ratios to the first command, of wall time
 * and of processor time, taken round by round. The commands' output is thrown away; one that fails ends it all. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS_MAX = 8, ROUNDS_MAX = 99 };

struct command {
    const char *name;
    char **argv;
    double wall_s[ROUNDS_MAX], cpu_s[ROUNDS_MAX], ratio[ROUNDS_MAX], cpu_ratio[ROUNDS_MAX];
    long peak_kib;
};

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void start(char **argv)
{
    assert(argv[0]);
    int null = open("/dev/null", O_WRONLY);
    if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
        _exit(127);
    execvp(argv[0], argv);
    perror(argv[0]);
    _exit(127);
}

static int run(struct command *c, int round)
{
    const double from_s = now_s();
    pid_t child = fork();
    if (!child)
        start(c->argv);
    int status;
    struct rusage used;
    if (child < 0 || wait4(child, &status, 0, &used) != child)
        return -1;
    c->wall_s[round] = now_s() - from_s;
    c->cpu_s[round] = seconds(used.ru_utime) + seconds(used.ru_stime);
    if (used.ru_maxrss > c->peak_kib)
        c->peak_kib = used.ru_maxrss;
    /* 3: an answer that is inconclusive */
    return WIFEXITED(status) && (!WEXITSTATUS(status) || WEXITSTATUS(status) == 3) ? 0 : -1;
}

static int ascending(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Sorts in place. */
static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void print(struct command *commands, int count, int rounds)
{
    for (int c = 0; c < count; c++)
        for (int i = 0; i < rounds; i++) {
            commands[c].ratio[i] = commands[c].wall_s[i] / commands[0].wall_s[i];
            commands[c].cpu_ratio[i] = commands[c].cpu_s[i] / commands[0].cpu_s[i];
        }
    printf("| %d rounds | median s | fastest | slowest | processor s | peak MiB | ratio | of processor s |\n", rounds);
    printf("|---|---|---|---|---|---|---|---|\n");
    for (struct command *c = commands; c < commands + count; c++) {
        const double wall_s = median(c->wall_s, rounds);
        printf("| %s | %.3f | %.3f | %.3f | %.3f | %.1f | %.3f | %.3f |\n", c->name, wall_s, c->wall_s[0],
               c->wall_s[rounds - 1], median(c->cpu_s, rounds), (double)c->peak_kib / 1024, median(c->ratio, rounds),
               median(c->cpu_ratio, rounds));
    }
}

/* Splits the words at each --vs; -1 when one stands where it cannot. */
static int split(char **words, struct command *commands)
{
    int count = 0;
    while (*words) {
        if (count == COMMANDS_MAX || !words[1] || !strcmp(words[1], "--vs"))
            return -1;
        commands[count].name = words[0];
        commands[count++].argv = ++words;
        while (*words && strcmp(*words, "--vs"))
            words++;
        if (*words)
            *words++ = NULL;
    }
    return count;
}

int main(int argc, char **argv)
{
    static struct command commands[COMMANDS_MAX];
    const int rounds = argc > 3 ? atoi(argv[1]) : 0;
    const int count = rounds > 0 && rounds <= ROUNDS_MAX ? split(argv + 2, commands) : -1;
    if (count < 1) {
        fputs("usage: side_by_side ROUNDS NAME COMMAND... [--vs NAME COMMAND...]...\n", stderr);
        return 2;
    }
    for (int round = 0; round < rounds; round++)
        for (int c = 0; c < count; c++)
            if (run(&commands[c], round)) {
                fprintf(stderr, "side_by_side: '%s' failed\n", commands[c].name);
                return 1;
            }
    print(commands, count, rounds);
    return 0;
}
