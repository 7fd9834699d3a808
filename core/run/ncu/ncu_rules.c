/* Which facts are in the sentence of a rule of Nsight Compute?
 *
 * Tables of fragments that are the same in all versions seen (2021 to 2025). A sentence that matches none gives no
 * facts. */
#define _GNU_SOURCE
#include "core/run/ncu/ncu_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/gpu/metrics.h"

static const struct {
    const char *fragment, *headline;
} headlines[] = {
    {"is utilizing greater than", "High Throughput"},
    {"Compute and Memory are well-balanced", "Balanced Throughput"},
    {"Compute is more heavily utilized than Memory", "High Compute Throughput"},
    {"Memory is more heavily utilized than Compute", "High Memory Throughput"},
    {"grid is too small to fill", "Small Grid"},
    {"low compute throughput and memory bandwidth utilization", "Latency Issue"},
};

/* Beginnings of names of pipes; the longer name comes first. */
static const struct {
    const char *name, *metric; /* NULL: we have no counter for it */
} pipes[] = {
    {"Tensor", METRIC_TENSOR_SHARE},
    {"FMA Heavy", METRIC_FMAHEAVY_SHARE},
    {"FMAHeavy", METRIC_FMAHEAVY_SHARE},
    {"FMA (Heavy)", METRIC_FMAHEAVY_SHARE},
    {"FMA (FP16)", NULL},
    {"FMA", METRIC_FMA_SHARE},
    {"FP64", METRIC_FP64_SHARE},
    {"XU", METRIC_XU_SHARE},
    {"ALU", METRIC_ALU_SHARE},
    {"LSU", METRIC_LSU_SHARE},
};

/* "FP64 (DMMA)" is the tensor cores' part of a pipe, though it has FP64 in its name. */
static const char *const tensor_words[] = {"DMMA", "HMMA", "IMMA"};

static const struct {
    const char *fragment, *metric;
} stalls[] = {
    {"scoreboard dependency on a L1TEX", METRIC_STALL_LONG_SCOREBOARD},
    {"scoreboard dependency on an L1TEX", METRIC_STALL_LONG_SCOREBOARD},
    {"scoreboard dependency on a MIO", METRIC_STALL_SHORT_SCOREBOARD},
    {"scoreboard dependency on an MIO", METRIC_STALL_SHORT_SCOREBOARD},
    {"for sibling warps at a CTA barrier", METRIC_STALL_BARRIER},
    {"fixed latency execution dependency", METRIC_STALL_WAIT},
    {"for the execution pipe to be available", METRIC_STALL_MATH_PIPE_THROTTLE},
    {"for the MIO (memory input/output) instruction queue", METRIC_STALL_MIO_THROTTLE},
    {"for the L1 instruction queue for local and global", METRIC_STALL_LG_THROTTLE},
};

static const char *find_headline(const char *text)
{
    for (size_t i = 0; i < COUNT_OF(headlines); i++)
        if (strstr(text, headlines[i].fragment))
            return headlines[i].headline;
    return NULL;
}

static bool starts_with(const char *text, const char *word)
{
    return !strncmp(text, word, strlen(word));
}

static const char *metric_of_pipe(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(tensor_words); i++) {
        const char *word = strstr(name, tensor_words[i]);
        if (word && word - name < 16)
            return METRIC_TENSOR_SHARE;
    }
    for (size_t i = 0; i < COUNT_OF(pipes); i++)
        if (starts_with(name, pipes[i].name))
            return pipes[i].metric;
    return NULL;
}

/* "FMA is the highest-utilized pipeline (91.2%) based on elapsed cycles"; for a pipe that is a sum of others, "It's
 * dominated by its Tensor (FP) sub-pipeline". */
static void read_pipe(const char *text, struct ncu_said *said)
{
    static const char is_highest[] = " is the highest-utilized pipeline (", dominated[] = "dominated by its ";
    const char *at = strstr(text, is_highest);
    if (!at)
        return;
    char *end;
    const double share = strtod(at + strlen(is_highest), &end) / 100;
    if (*end != '%' || !(share >= 0) || !isfinite(share))
        return;
    const char *part = strstr(text, dominated), *next = strstr(end, is_highest);
    const bool is_sum = starts_with(text, "Shared") || starts_with(text, "Tensor");
    const bool of_part = part && is_sum && (!next || part < next);
    said->has_pipe = true;
    said->pipe_share = share;
    said->pipe_over_active = !starts_with(end, "%) based on elapsed cycles");
    said->pipe = metric_of_pipe(of_part ? part + strlen(dominated) : text);
}

/* "each warp of this workload spends 295.5 cycles being stalled waiting for ..." */
static void read_stall(const char *text, struct ncu_said *said)
{
    static const char spends[] = " spends ";
    const char *at = strstr(text, spends), *reason = at ? strstr(at, "being stalled") : NULL;
    if (!reason)
        return;
    char *end;
    const double cycles = strtod(at + strlen(spends), &end);
    if (!(cycles >= 0) || !isfinite(cycles) || !starts_with(end, " cycles"))
        return;
    const size_t sentence = strcspn(reason, ".");
    for (size_t i = 0; i < COUNT_OF(stalls) && !said->stall; i++)
        if (memmem(reason, sentence, stalls[i].fragment, strlen(stalls[i].fragment)))
            said->stall = stalls[i].metric;
    said->stall_cycles = cycles;
}

static bool number_before(const char *at, const char *word, double *value)
{
    char *end;
    *value = strtod(at, &end);
    return end > at && *value >= 1 && isfinite(*value) && starts_with(end, word);
}

/* "execute only 64 blocks, which is less than the GPU's 80 multiprocessors" */
static void read_grid(const char *text, struct ncu_said *said)
{
    static const char only[] = "execute only ", less[] = "less than the GPU's ";
    const char *blocks = strstr(text, only), *sms = blocks ? strstr(blocks, less) : NULL;
    said->has_grid = sms && number_before(blocks + strlen(only), " blocks", &said->grid_blocks) &&
                     number_before(sms + strlen(less), " multiprocessors", &said->sm_count);
}

struct ncu_said ncu_rule_read(const char *rule, const char *text)
{
    struct ncu_said said = {0};
    if (starts_with(rule, "SOLBottleneck"))
        said.headline = find_headline(text);
    else if (starts_with(rule, "HighPipeUtilization"))
        read_pipe(text, &said);
    else if (starts_with(rule, "CPIStall"))
        read_stall(text, &said);
    else if (starts_with(rule, "LaunchConfiguration"))
        read_grid(text, &said);
    return said;
}
