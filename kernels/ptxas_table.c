/* Build tool: what did `ptxas -v` print? Reads logs, writes ptxas_facts.c.
 *
 *   ptxas_table LOG... > ptxas_facts.c
 *
 * A kernel takes three lines in the log:
 *   ptxas info    : Compiling entry function 'SYMBOL' for 'sm_90a'
 *       N bytes stack frame, N bytes spill stores, N bytes spill loads
 *   ptxas info    : Used N registers, ...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel {
    char symbol[4096];
    int sm, stack, stores, loads;
};

static int read_log(const char *path)
{
    FILE *log = fopen(path, "r");
    if (!log) {
        perror(path);
        return 1;
    }
    struct kernel k = {0};
    char line[8192];
    int found = 0;
    while (fgets(line, sizeof line, log)) {
        const char *entry = strstr(line, "Compiling entry function '");
        const char *frame = strstr(line, "bytes stack frame");
        const char *used = strstr(line, "Used ");
        if (entry)
            sscanf(entry, "Compiling entry function '%4095[^']' for 'sm_%d", k.symbol, &k.sm);
        else if (frame)
            sscanf(line, " %d bytes stack frame, %d bytes spill stores, %d bytes spill loads", &k.stack, &k.stores,
                   &k.loads);
        else if (used && k.symbol[0]) {
            printf("    {\"%s\", %d, %d, %d, %d, %d},\n", k.symbol, k.sm, atoi(used + 5), k.stack, k.stores, k.loads);
            memset(&k, 0, sizeof k);
            found++;
        }
    }
    fclose(log);
    if (!found)
        fprintf(stderr, "%s: no kernel found: was nvcc called with -Xptxas -v?\n", path);
    return !found;
}

int main(int argc, char **argv)
{
    printf("/* Generated from ptxas -v: registers, stack and spills per kernel. */\n"
           "#include \"kernels/ptxas_facts.h\"\n\nconst struct ptxas_facts ptxas_facts_table[] = {\n");
    int failed = argc < 2;
    for (int i = 1; i < argc; i++)
        failed |= read_log(argv[i]);
    printf("};\n\nconst size_t ptxas_facts_count = sizeof ptxas_facts_table / sizeof ptxas_facts_table[0];\n");
    return failed;
}
