/* What do traces of many ranks look like whose answers are known beforehand?
 *
 * A step has two phases. In each, a rank waits for its host, copies, runs kernels, and then takes part in a collective.
 * A collective begins when its last rank arrives, and ends at each rank a little after the transfer. Ranks are a grid
 * of two columns: the first collective (32 KiB) joins the ranks of a row, the second one (64 MiB, and 32 KiB in
 * every third step) those of a column; with grid=0 both join all ranks. In every step from the second on, one thing is
 * planted: a rank's host, copy or kernels take longer (with pair=N, also those of the rank N further on), or a transfer
 * does. The plan has every duration, so that others can compute what follows from it. */
#include "tests/bench/make_ranks.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PHASES = 2, KERNELS = 6, COLUMNS = 2, RANKS_MAX = 16384, LISTED_MAX = 30, PATH_BYTES = 512 };

enum option { RANKS, STEPS, GRID, FILES, NOTES, OFFSET_MS, DRIFT_PPM, LOST, SHORT_OF, AHEAD, DELAY_US, PAIR, OPTIONS };

static struct {
    const char *name;
    int64_t value;
} options[OPTIONS] = {
    [RANKS] = {"ranks", 4},    [STEPS] = {"steps", 60},        [GRID] = {"grid", 1},           [FILES] = {"files", 1},
    [NOTES] = {"notes", 1},    [OFFSET_MS] = {"offset_ms", 0}, [DRIFT_PPM] = {"drift_ppm", 0}, [LOST] = {"lost", 0},
    [SHORT_OF] = {"short", 0}, [AHEAD] = {"ahead", 0},         [DELAY_US] = {"delay_us", 400}, [PAIR] = {"pair", 0},
};

/* What a rank does before a collective. */
struct work {
    int64_t host_ns, copy_ns, kernel_ns; /* of each kernel */
};

enum plant { PLANT_HOST, PLANT_COPY, PLANT_KERNEL, PLANT_SLOW, PLANTS };
static const char *const plant_names[PLANTS] = {"host", "copy", "kernel", "slow"};

struct rank {
    FILE *to;
    int64_t now_ns; /* when its last collective ended */
    int64_t offset_ns, drift_ppm;
    int64_t correlation;
    bool has_rows;
};

struct maker {
    uint64_t seed;
    int64_t count;
    struct rank *ranks;
    struct work *work;    /* of this phase, by rank */
    int64_t *arrivals_ns; /* the same */
    int64_t *tails_ns;    /* by how much later it ends */
    FILE *all;            /* one trace for all; NULL: a trace each */
    bool failed;
};

static int64_t of(enum option option)
{
    return options[option].value;
}

static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int64_t between(struct maker *m, int64_t low, int64_t high)
{
    return low + (int64_t)(next_random(&m->seed) % (uint64_t)(high - low + 1));
}

/* ---- who meets whom ---- */

/* The first rank of the communicator, the distance of its ranks, and their number. */
static void communicator(const struct maker *m, int phase, int64_t rank, int64_t *first, int64_t *apart, int64_t *count)
{
    const bool is_row = phase == 0;
    *first = !of(GRID) ? 0 : is_row ? rank - rank % COLUMNS : rank % COLUMNS;
    *apart = of(GRID) && !is_row ? COLUMNS : 1;
    *count = !of(GRID) ? m->count : is_row ? COLUMNS : m->count / COLUMNS;
}

static bool leads(const struct maker *m, int phase, int64_t rank)
{
    int64_t first, apart, count;
    communicator(m, phase, rank, &first, &apart, &count);
    return rank == first;
}

/* ---- rows ---- */

/* Times are those of the rank's own clock. */
static int64_t own_time(const struct rank *r, int64_t time_ns)
{
    return time_ns + r->offset_ns + time_ns / 1000000 * r->drift_ppm + time_ns % 1000000 * r->drift_ppm / 1000000;
}

static bool is_lost(const struct maker *m, int64_t rank)
{
    return rank >= m->count - of(LOST);
}

static void begin_row(struct maker *m, int64_t rank, const char *category, const char *name, int64_t start_ns,
                      int64_t end_ns)
{
    struct rank *r = &m->ranks[rank];
    const int64_t start = own_time(r, start_ns), length = own_time(r, end_ns) - start;
    FILE *to = m->all ? m->all : r->to;
    bool *has_rows = m->all ? &m->ranks[0].has_rows : &r->has_rows;
    fprintf(to,
            "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%" PRId64 ",\"tid\":1,\"ts\":%" PRId64 ".%03" PRId64
            ",\"dur\":%" PRId64 ".%03" PRId64 ",\"args\":{\"rank\":%" PRId64,
            *has_rows ? ",\n" : "", category, name, rank, start / 1000, start % 1000, length / 1000, length % 1000,
            rank);
    *has_rows = true;
}

static void add_work(struct maker *m, int64_t rank, const char *category, const char *name, int stream,
                     int64_t start_ns, int64_t end_ns)
{
    FILE *to = m->all ? m->all : m->ranks[rank].to;
    if (is_lost(m, rank))
        return;
    begin_row(m, rank, category, name, start_ns, end_ns);
    fprintf(to, ",\"device\":0,\"context\":1,\"stream\":%d,\"correlation\":%" PRId64 "}}", stream,
            ++m->ranks[rank].correlation);
}

static void add_step(struct maker *m, int64_t rank, int64_t step, int64_t start_ns, int64_t end_ns)
{
    char name[64];
    snprintf(name, sizeof name, "ProfilerStep#%" PRId64, step);
    if (is_lost(m, rank))
        return;
    begin_row(m, rank, "user_annotation", name, start_ns, end_ns);
    fputs("}}", m->all ? m->all : m->ranks[rank].to);
}

static bool is_large(int phase, int64_t step)
{
    return phase && step % 3 != 0;
}

static void add_notes(struct maker *m, FILE *to, int phase, int64_t rank, int64_t step)
{
    int64_t first, apart, count;
    communicator(m, phase, rank, &first, &apart, &count);
    const int elements = is_large(phase, step) ? 16 << 20 : 8 << 10;
    fprintf(to,
            ",\"Collective name\":\"allreduce\",\"In msg nelems\":%d,\"Out msg nelems\":%d,\"dtype\":\"Float\","
            "\"Group size\":%" PRId64 ",\"Process Group Name\":\"%d\",\"Process Group Ranks\":\"[",
            elements, elements, count, phase);
    for (int64_t i = 0; i < count && (count <= LISTED_MAX || i < LISTED_MAX - 1); i++)
        fprintf(to, "%s%" PRId64, i ? ", " : "", first + i * apart);
    if (count > LISTED_MAX) /* as PyTorch does */
        fprintf(to, ", ..., %" PRId64, first + (count - 1) * apart);
    fprintf(to, "]\"");
    if (of(NOTES) > 1)
        fprintf(to, ",\"Seq\":%" PRId64, step + 1);
}

/* A trace lacks a collective of the first phase in the middle; or its first one, and the others their last one. */
static bool is_missing(int phase, int64_t rank, int64_t step)
{
    if (phase)
        return false;
    if (of(SHORT_OF) && step == of(STEPS) / 2 && rank == of(SHORT_OF) - 1)
        return true;
    return of(AHEAD) && step == (rank == of(AHEAD) - 1 ? 0 : of(STEPS) - 1);
}

static void add_collective(struct maker *m, int phase, int64_t rank, int64_t step, int64_t start_ns, int64_t end_ns)
{
    FILE *to = m->all ? m->all : m->ranks[rank].to;
    if (is_lost(m, rank) || is_missing(phase, rank, step))
        return;
    begin_row(m, rank, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", start_ns,
              end_ns);
    fprintf(to, ",\"device\":0,\"context\":1,\"stream\":%d,\"correlation\":%" PRId64 ",\"grid\":[%d,1,1]", 20 + phase,
            ++m->ranks[rank].correlation, is_large(phase, step) ? 16 : 1);
    if (of(NOTES))
        add_notes(m, to, phase, rank, step);
    fputs("}}", to);
}

/* ---- a phase ---- */

static void do_work(struct maker *m, int64_t rank)
{
    const struct work *w = &m->work[rank];
    int64_t at_ns = m->ranks[rank].now_ns + w->host_ns;
    add_work(m, rank, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 13, at_ns, at_ns + w->copy_ns);
    at_ns += w->copy_ns;
    for (int i = 0; i < KERNELS; i++, at_ns += w->kernel_ns)
        add_work(m, rank, "kernel", i % 2 ? "gelu" : "gemm", 7, at_ns, at_ns + w->kernel_ns);
    m->arrivals_ns[rank] = at_ns;
}

static void meet(struct maker *m, int phase, int64_t step, int64_t leader, int64_t transfer_ns)
{
    int64_t first, apart, count, last_ns = INT64_MIN;
    communicator(m, phase, leader, &first, &apart, &count);
    for (int64_t i = 0; i < count; i++)
        last_ns = m->arrivals_ns[first + i * apart] > last_ns ? m->arrivals_ns[first + i * apart] : last_ns;
    for (int64_t i = 0; i < count; i++) {
        const int64_t rank = first + i * apart, end_ns = last_ns + transfer_ns + m->tails_ns[rank];
        add_collective(m, phase, rank, step, m->arrivals_ns[rank], end_ns);
        m->ranks[rank].now_ns = end_ns;
    }
}

struct planted {
    enum plant what;
    int phase;
    int64_t rank, delay_ns; /* of a transfer: a rank of the communicator */
    int64_t other;          /* a rank that is as late; -1: none */
};

/* A delay of kernels is one that all of them share. */
static void plan_work(struct maker *m, int phase, const struct planted *p)
{
    for (int64_t i = 0; i < m->count; i++) {
        struct work *w = &m->work[i];
        const bool is_late = p && p->phase == phase && (p->rank == i || p->other == i);
        const int64_t delay_ns = is_late ? p->delay_ns : 0;
        w->host_ns = between(m, 5000, 5200) + (p && p->what == PLANT_HOST ? delay_ns : 0);
        w->copy_ns = between(m, 10000, 10200) + (p && p->what == PLANT_COPY ? delay_ns : 0);
        w->kernel_ns = between(m, 20000, 20050) + (p && p->what == PLANT_KERNEL ? delay_ns / KERNELS : 0);
        m->tails_ns[i] = between(m, 0, 800);
    }
}

static void print_phase(const struct maker *m, const int64_t *transfers_ns)
{
    printf("{\"ranks\":[");
    for (int64_t i = 0; i < m->count; i++)
        printf("%s[%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "]", i ? "," : "", m->work[i].host_ns,
               m->work[i].copy_ns, KERNELS * m->work[i].kernel_ns, m->tails_ns[i], transfers_ns[i]);
    printf("]}");
}

static void make_phase(struct maker *m, int phase, int64_t step, const struct planted *p, int64_t *transfers_ns)
{
    plan_work(m, phase, p);
    for (int64_t i = 0; i < m->count; i++) {
        int64_t first, apart, count;
        communicator(m, phase, i, &first, &apart, &count);
        if (i == first)
            transfers_ns[i] = is_large(phase, step) ? between(m, 120000, 124000) : between(m, 12000, 12400);
        if (i == first && p && p->what == PLANT_SLOW && p->phase == phase && p->rank >= first &&
            (p->rank - first) % apart == 0 && (p->rank - first) / apart < count)
            transfers_ns[i] += p->delay_ns;
        transfers_ns[i] = transfers_ns[first];
        do_work(m, i);
    }
    for (int64_t i = 0; i < m->count; i++)
        if (leads(m, phase, i))
            meet(m, phase, step, i, transfers_ns[i]);
    print_phase(m, transfers_ns);
}

static struct planted plant(struct maker *m)
{
    const int64_t most_ns = of(DELAY_US) * 1000;
    struct planted p = {.what = (enum plant)between(m, 0, PLANTS - 1)};
    p.phase = (int)between(m, 0, PHASES - 1);
    p.rank = between(m, 0, m->count - 1);
    p.delay_ns = between(m, most_ns / 8, most_ns) / KERNELS * KERNELS;
    p.other = of(PAIR) ? (p.rank + of(PAIR)) % m->count : -1;
    return p;
}

static void make_steps(struct maker *m, int64_t *transfers_ns, int64_t *starts_ns)
{
    printf("\"steps\":[");
    for (int64_t step = 0; step < of(STEPS); step++) {
        const struct planted p = plant(m);
        const bool is_planted = step > 0 && of(DELAY_US) > 0;
        for (int64_t i = 0; i < m->count; i++)
            starts_ns[i] = m->ranks[i].now_ns;
        printf("%s{", step ? ",\n" : "");
        if (is_planted)
            printf("\"plant\":{\"what\":\"%s\",\"phase\":%d,\"rank\":%" PRId64 ",\"other\":%" PRId64 ",\"ns\":%" PRId64
                   "},",
                   plant_names[p.what], p.phase, p.rank, p.other, p.delay_ns);
        printf("\"phases\":[");
        for (int phase = 0; phase < PHASES; phase++) {
            fputs(phase ? "," : "", stdout);
            make_phase(m, phase, step, is_planted ? &p : NULL, transfers_ns);
        }
        printf("]}");
        for (int64_t i = 0; i < m->count; i++)
            add_step(m, i, step, starts_ns[i], m->ranks[i].now_ns);
    }
    printf("]}\n");
}

/* ---- files ---- */

static FILE *open_trace(struct maker *m, const char *folder, int64_t rank)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, rank < 0 ? "%s/all.json" : "%s/rank-%" PRId64 ".json", folder, rank);
    FILE *to = fopen(path, "wb");
    m->failed |= !to;
    if (to && rank >= 0)
        fprintf(to, "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%" PRId64 ",\"world_size\":%" PRId64 "},", rank,
                m->count);
    else if (to)
        fputs("{\"schemaVersion\":1,", to);
    if (to)
        fputs("\"traceEvents\":[\n", to);
    return to;
}

static void close_trace(struct maker *m, FILE *to)
{
    if (!to)
        return;
    fputs("]}\n", to);
    m->failed |= ferror(to) != 0;
    m->failed |= fclose(to) != 0;
}

static void open_all(struct maker *m, const char *folder)
{
    if (!of(FILES))
        m->all = open_trace(m, folder, -1);
    printf("{\"ranks\":%" PRId64 ",\"grid\":%" PRId64 ",\"lost\":%" PRId64 ",\"short\":%" PRId64 ",\"clocks\":[",
           m->count, of(GRID), of(LOST), of(SHORT_OF));
    for (int64_t i = 0; i < m->count; i++) {
        struct rank *r = &m->ranks[i];
        r->now_ns = 1000000000;
        r->offset_ns = i && of(FILES) ? between(m, -of(OFFSET_MS), of(OFFSET_MS)) * 1000000 + between(m, 0, 999999) : 0;
        r->offset_ns += of(FILES) ? 20000000000 : 0; /* all times are above 0 */
        r->drift_ppm = i && of(FILES) ? between(m, -of(DRIFT_PPM), of(DRIFT_PPM)) : 0;
        if (of(FILES) && !is_lost(m, i))
            r->to = open_trace(m, folder, i);
        printf("%s[%" PRId64 ",%" PRId64 "]", i ? "," : "", r->offset_ns, r->drift_ppm);
    }
    printf("],\n");
}

static int usage(void)
{
    fputs("usage: make_trace ranks SEED FOLDER [NAME=NUMBER]...\n"
          "Writes traces of many ranks to FOLDER and the plan that they follow to stdout. Names, and their numbers:\n",
          stderr);
    for (int i = 0; i < OPTIONS; i++)
        fprintf(stderr, "  %s=%" PRId64 "\n", options[i].name, options[i].value);
    return 2;
}

static bool read_option(const char *word)
{
    for (int i = 0; i < OPTIONS; i++) {
        const size_t length = strlen(options[i].name);
        char *end;
        if (strncmp(word, options[i].name, length) != 0 || word[length] != '=')
            continue;
        options[i].value = strtoll(word + length + 1, &end, 10);
        return !*end && options[i].value >= 0;
    }
    return false;
}

int make_ranks(int argc, char **argv)
{
    bool is_good = argc >= 4;
    for (int i = 4; i < argc; i++)
        is_good &= read_option(argv[i]);
    const int64_t count = of(RANKS);
    if (!is_good || count < 2 || count > RANKS_MAX || (of(GRID) && count % COLUMNS) || of(LOST) >= count)
        return usage();
    struct maker m = {.seed = strtoull(argv[2], NULL, 10), .count = count};
    m.ranks = calloc((size_t)count, sizeof *m.ranks);
    m.work = calloc((size_t)count, sizeof *m.work);
    int64_t *room = calloc((size_t)count * 4, sizeof *room);
    m.failed = !m.ranks || !m.work || !room;
    m.arrivals_ns = room;
    m.tails_ns = room + count;
    if (!m.failed)
        open_all(&m, argv[3]);
    if (!m.failed)
        make_steps(&m, room + 2 * count, room + 3 * count);
    for (int64_t i = 0; i < count && m.ranks; i++)
        close_trace(&m, m.ranks[i].to);
    close_trace(&m, m.all);
    if (m.failed)
        fprintf(stderr, "make_trace: cannot write to '%s'\n", argv[3]);
    free(room);
    free(m.work);
    free(m.ranks);
    return m.failed ? 1 : 0;
}
