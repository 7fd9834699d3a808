/* What is known of an arm from two sides: is it compared, and does a contradiction stop every verdict? */
#include "tests/unit/trial.h"

#define ARM   "w/fast"
#define SHAPE "mission"

/* One arm and what each witness says of it. */
struct scene {
    double timed_us; /* a launch by events */
    double calls, kernels, kernel_us,
        blocks;            /* of the launches behind the verified one, which has a kernel of 1000 blocks: traced
                              calls, kernels of them all, what each takes and its grid */
    double graph_blocks;   /* of each call in the graph that was timed; 0 there was none */
    double second_kernel;  /* 1: metrics.csv has one */
    double l2_bytes, ffma; /* counted; 0 not */
    double bytes, flops;   /* declared */
    double bad_timed;      /* share of wrong values that the timed launches left */
    double cold;           /* 1: the caches were */
    double persisting, cold_read, flush_read; /* in cold launches; NAN not seen */
    double received;                          /* over the links, of a collective; 0 it is none */
    double several;                           /* 1: GPUs were counted, and nothing on links */
    double says_nothing;                      /* 1: its times, as it declares */
    double dropped;                           /* records of kernels */
    double overlap_us;       /* of a measured kernel with the one before, as with programmatic dependent launch */
    double streams;          /* 2: every second measured kernel is on a stream of its own */
    double copied;           /* bytes that each measured call copies beside its kernel */
    double no_measured;      /* 1: how many calls were measured is not known */
    double other_thread;     /* 1: launches are made by a thread without ranges */
    double verified_us;      /* the launch that is verified */
    double cold_us;          /* a launch by events with cold caches, beside the hot ones; 0 not timed */
    double judged;           /* 1: it is a solution of a task */
    double one_stream;       /* measured kernels are on one */
    double varies;           /* blocks of measured kernels, one more and the next one less */
    double new_ns, again_ns; /* that an earlier version noted behind the timed launches; 0 it did not */
    double swaps; /* 1, 2: every second kernel has another name and a grid of 10 blocks; 1: when measured, the others */
    double tensor, int8; /* share of their time that tensor cores are busy; their operations on INT8, NAN not counted */
    double graph_copies; /* of each call in the graph that was timed, bytes and number alike; NAN nobody counted */
};

static const struct scene honest = {
    .timed_us = 100,
    .calls = 3,
    .kernels = 3,
    .kernel_us = 100,
    .blocks = 1000,
    .l2_bytes = 1e6,
    .ffma = 1000,
    .bytes = 1e6,
    .flops = 2000,
    .persisting = NAN,
    .cold_read = NAN,
    .flush_read = NAN,
    .verified_us = 100,
    .graph_copies = NAN,
    .int8 = NAN,
};

#define MEMBER(name)                                                                                                   \
    {                                                                                                                  \
#name, offsetof(struct scene, name)                                                                            \
    }
static const struct {
    const char *name;
    size_t offset;
} members[] = {MEMBER(timed_us),    MEMBER(calls),        MEMBER(kernels),       MEMBER(kernel_us),
               MEMBER(blocks),      MEMBER(graph_blocks), MEMBER(second_kernel), MEMBER(l2_bytes),
               MEMBER(ffma),        MEMBER(bytes),        MEMBER(flops),         MEMBER(bad_timed),
               MEMBER(cold),        MEMBER(persisting),   MEMBER(cold_read),     MEMBER(flush_read),
               MEMBER(received),    MEMBER(says_nothing), MEMBER(dropped),       MEMBER(overlap_us),
               MEMBER(streams),     MEMBER(copied),       MEMBER(no_measured),   MEMBER(other_thread),
               MEMBER(verified_us), MEMBER(cold_us),      MEMBER(judged),        MEMBER(graph_copies),
               MEMBER(swaps),       MEMBER(new_ns),       MEMBER(again_ns),      MEMBER(several),
               MEMBER(tensor),      MEMBER(int8),         MEMBER(varies),        MEMBER(one_stream)};

/* The honest scene but for "name=value name=value". */
static struct scene scene_of(const char *changes)
{
    struct scene out = honest;
    while (*changes) {
        const size_t length = strcspn(changes, "=");
        size_t i = 0;
        while (i < COUNT_OF(members) &&
               (strlen(members[i].name) != length || strncmp(members[i].name, changes, length)))
            i++;
        if (i == COUNT_OF(members))
            fail_msg("no member: %s", changes);
        char *end;
        *(double *)((char *)&out + members[i].offset) = strtod(changes + length + 1, &end);
        changes = end + strspn(end, " ");
    }
    return out;
}

static void add_call(struct tape *tape, const struct scene *c, enum cpprof_api_kind kind, int64_t at)
{
    struct cpprof_event call = {.kind = CPPROF_EVENT_API,
                                .detail = kind,
                                .start_ns = at,
                                .end_ns = at + 5000,
                                .rank = -1,
                                .device = -1,
                                .correlation = ++tape->correlation,
                                .thread = c->other_thread > 0 ? 777 : 42,
                                .name = shard_writer_string(&tape->shard, "call")};
    MUST(shard_writer_add(&tape->shard, &call, &e));
}

static void add_kernel(struct tape *tape, const struct scene *c, const char *name, int64_t start_ns, double us,
                       double blocks, uint32_t stream)
{
    struct cpprof_event kernel = {.kind = CPPROF_EVENT_KERNEL,
                                  .start_ns = start_ns,
                                  .end_ns = start_ns + (int64_t)(1000 * us),
                                  .rank = -1,
                                  .stream = stream,
                                  .grid = {(uint32_t)blocks, 1, 1},
                                  .name = shard_writer_string(&tape->shard, name)};
    add_call(tape, c, CPPROF_API_LAUNCH, tape->now_ns);
    kernel.correlation = tape->correlation;
    MUST(shard_writer_add(&tape->shard, &kernel, &e));
    tape->now_ns += 6000;
}

static void add_copy(struct tape *tape, const struct scene *c)
{
    add_call(tape, c, CPPROF_API_COPY, tape->now_ns);
    tape_add(tape, (struct cpprof_event){.kind = CPPROF_EVENT_COPY,
                                         .detail = CPPROF_COPY_H2D,
                                         .start_ns = tape->now_ns + 6000,
                                         .end_ns = tape->now_ns + 7000,
                                         .size_bytes = (uint64_t)c->copied,
                                         .correlation = tape->correlation});
    tape->now_ns += 8000;
}

/* Kernels behind each other, on a stream each where there are two. */
static void add_phase(struct tape *tape, const struct scene *c, const char *phase, int kernels, double us,
                      double blocks)
{
    const bool is_measured = !strcmp(phase, "measure");
    char range[64];
    snprintf(range, sizeof range, ARM " | " SHAPE " | %s", phase);
    const int64_t start_ns = tape->now_ns;
    int64_t end_ns = tape->now_ns += 1000;
    for (int i = 0; i < kernels; i++) {
        const bool is_beside = c->streams > 1 && i % 2 && !(is_measured && c->one_stream > 0);
        const int64_t begin_ns = end_ns + (is_measured && i ? -(int64_t)(1000 * c->overlap_us) : 0);
        const double varied = is_measured ? (i % 2 ? -c->varies : c->varies) : 0;
        const bool is_second = c->swaps > 0 && i % 2, is_small = is_second != (c->swaps == 1 && is_measured);
        add_kernel(tape, c, is_second ? "_Z14pipeline_sync2PKfPfi" : SYNC_SYMBOL, begin_ns, us,
                   c->swaps > 0 && is_small ? 10 : blocks + varied, is_beside ? 8 : 7);
        end_ns = begin_ns + (int64_t)(1000 * us);
        if (is_measured && c->copied > 0)
            add_copy(tape, c);
    }
    tape->now_ns = end_ns > tape->now_ns ? end_ns : tape->now_ns;
    tape->now_ns += 1000;
    tape_range(tape, range, start_ns);
    tape->now_ns += 1000;
}

static void note(const struct scratch *s, const char *place, const char *what, double value)
{
    char row[160];
    const bool of_arm = strcmp(place, WITNESS_FLUSH) != 0;
    snprintf(row, sizeof row, "%s|%s|0|%s|%s|%.17g", of_arm ? ARM : "", of_arm ? SHAPE : "", place, what, value);
    if (isfinite(value))
        scratch_row(s, BUNDLE_WITNESS, row);
}

static void count(const struct scratch *s, const char *kernel, const char *metric, const char *unit, double value)
{
    char row[200];
    snprintf(row, sizeof row, ARM "|" SHAPE "|%s|0|%s|%s|%.17g", kernel, metric, unit, value);
    if (value > 0)
        scratch_row(s, BUNDLE_METRICS, row);
}

static void write_counters(const struct scratch *s, const struct scene *c)
{
    count(s, "", "lts__t_bytes.sum", "bytes", c->l2_bytes);
    count(s, "", "dram__bytes.sum.peak_sustained_elapsed.per_second", "bytes/s", 4e12);
    count(s, "", "lts__t_bytes.sum.peak_sustained_elapsed.per_second", "bytes/s", 1e13);
    count(s, "", "gpu__time_duration.sum", "ns", 1e5);
    count(s, "", "lts__t_sectors_op_write.sum", "count", 100);
    count(s, "gpu 1", "nvlrx__bytes_data_user.sum", "bytes", c->received);
    count(s, "gpu 1", "smsp__inst_executed.sum", "count", c->several);
    if (c->second_kernel > 0)
        count(s, "kernel 2", "lts__t_bytes.sum", "bytes", c->l2_bytes);
    count(s, "", metric_by_id("tensor_share")->name, "ratio", c->tensor);
    if (isfinite(c->int8)) {
        char row[200];
        snprintf(row, sizeof row, ARM "|" SHAPE "||0|%s|count|%.17g", metric_by_id("tensor_int8_ops")->name, c->int8);
        scratch_row(s, BUNDLE_METRICS, row);
    }
    size_t metric_count;
    const struct metric *metrics = metrics_known(&metric_count);
    for (size_t i = 0; i < metric_count && c->ffma > 0; i++)
        if (metrics[i].role == METRIC_FLOP) {
            char row[200];
            snprintf(row, sizeof row, ARM "|" SHAPE "||0|%s|count|%.17g", metrics[i].name,
                     strcmp(metrics[i].id, "ffma_threads") ? 0 : c->ffma);
            scratch_row(s, BUNDLE_METRICS, row);
        }
}

static void write_trace(const struct scratch *s, const struct scene *c)
{
    struct tape tape;
    tape_open(&tape, s);
    add_phase(&tape, c, "first", 2, 500, 7); /* what a library does once is held against nothing */
    add_phase(&tape, c, "measure", (int)c->kernels, c->kernel_us, c->blocks);
    add_phase(&tape, c, "verify", c->streams > 1 ? 2 : 1, c->verified_us, 1000);
    shard_writer_dropped(&tape.shard, CPPROF_EVENT_KERNEL, (uint64_t)c->dropped);
    tape_close(&tape);
}

/* `baseline` is what the arm is compared with; "" nothing. */
static void write_scene(struct scratch *s, const struct scene *c, const char *baseline)
{
    char row[300];
    scratch_create(s);
    json_object_set_new(s->manifest, "gpu",
                        json_pack("{s:s,s:I}", "compute_capability", "9.0", "l2_bytes", (json_int_t)50000000));
    snprintf(row, sizeof row, ARM "|" SHAPE "|%s|pipeline_sync||0|%.17g|%.17g|ready|%s|||||%s", baseline, c->flops,
             c->bytes, c->received > 0 ? "1.5" : "", c->says_nothing > 0 ? "ranks share a GPU" : "");
    scratch_row(s, BUNDLE_VARIANTS, row);
    for (int process = 0; process < 3; process++) {
        snprintf(row, sizeof row, ARM "|" SHAPE "|%d|0|0|0|%s|1|1980000000|%.17g|no", process,
                 c->cold > 0 ? "cold" : "hot", 1000 * c->timed_us);
        scratch_row(s, BUNDLE_TIMING, row);
    }
    for (int process = 0; process < 3 && c->cold_us > 0; process++) {
        snprintf(row, sizeof row, ARM "|" SHAPE "|%d|0|0|0|cold|1|1980000000|%.17g|no", process, 1000 * c->cold_us);
        scratch_row(s, BUNDLE_TIMING, row);
    }
    if (c->judged > 0) {
        json_object_set_new(s->manifest, "libraries", json_pack("[{s:s,s:s}]", "name", "l.so", "as", "task"));
        scratch_row(s, BUNDLE_VERIFY, ARM "|" SHAPE "|0|0|all|0|0|100|||yes|");
    }
    write_counters(s, c);
    write_trace(s, c);
    scratch_row(s, BUNDLE_VERIFY, ARM "|" SHAPE "|0|0|before|0|0|100|||yes|");
    snprintf(row, sizeof row, ARM "|" SHAPE "|0|0|timed|0|%.17g|100|||%s|", c->bad_timed,
             c->bad_timed > 0 ? "no" : "yes");
    if (c->new_ns > 0)
        snprintf(row + strlen(row), sizeof row - strlen(row), "new %.0f ns, again %.0f ns; salt 1", c->new_ns,
                 c->again_ns);
    scratch_row(s, BUNDLE_VERIFY, row);
    note(s, WITNESS_VERIFY, WITNESS_CALLS, 1);
    note(s, WITNESS_MEASURE, WITNESS_CALLS, c->no_measured > 0 ? NAN : c->calls);
    note(s, WITNESS_GRAPH, WITNESS_CALLS, c->graph_blocks > 0 ? 50 : NAN);
    note(s, WITNESS_GRAPH, WITNESS_KERNELS, c->graph_blocks > 0 ? 50 : NAN);
    note(s, WITNESS_GRAPH, WITNESS_BLOCKS, c->graph_blocks > 0 ? 50 * c->graph_blocks : NAN);
    note(s, WITNESS_GRAPH, WITNESS_COPIES, c->graph_blocks > 0 ? 50 * c->graph_copies : NAN);
    note(s, WITNESS_GRAPH, WITNESS_MOVED, c->graph_blocks > 0 ? 50 * c->graph_copies : NAN);
    note(s, WITNESS_COLD, WITNESS_PERSISTING, c->persisting);
    note(s, "hot", "refilled_ns", c->new_ns > 0 ? 1e6 : NAN);
    note(s, WITNESS_COLD, WITNESS_DRAM_READ, c->cold_read);
    note(s, WITNESS_FLUSH, WITNESS_BYTES, isfinite(c->flush_read) ? 1e6 : NAN);
    note(s, WITNESS_FLUSH, WITNESS_DRAM_READ, c->flush_read);
}

struct witness_case {
    const char *what;
    const char *changes; /* of the honest scene */
    const char *witness;
    enum witness_status status;
    const char *detail; /* a part of it */
};

static const struct witness_case cases[] = {
    /* 100 us traced, less 15%, less 1 us: 84 us is the least that agrees */
    {"as fast as its records allow", "timed_us=84.1", "event_time", WITNESS_AGREES, ""},
    {"faster than its records", "timed_us=83.9", "event_time", WITNESS_CONTRADICTED,
     "a launch takes 83.9 us, its traced kernels take 100 us"},
    {"faster cold than its records", "timed_us=100 cold_us=83.9", "event_time", WITNESS_CONTRADICTED,
     "a launch takes 83.9 us, its traced kernels take 100 us"},
    {"as fast cold as its records allow", "timed_us=100 cold_us=84.1", "event_time", WITNESS_AGREES, ""},
    {"slower than its records", "timed_us=500", "event_time", WITNESS_AGREES, ""},
    {"nothing is timed", "timed_us=0.0179", "event_time", WITNESS_CONTRADICTED, "17.9 ns"},
    {"its times say nothing", "timed_us=1 says_nothing=1", "event_time", WITNESS_NOT_CHECKED, "its times say nothing"},
    /* each begins 40 us inside the one before: 60 us of its own */
    {"each call begins inside the one before", "timed_us=61 overlap_us=40", "event_time", WITNESS_AGREES, ""},
    {"faster than what a call adds", "timed_us=49 overlap_us=40", "event_time", WITNESS_CONTRADICTED,
     "its traced kernels take 60.0 us"},
    /* two kernels of 100 us a call, on a stream each: side by side without the trace */
    {"two streams", "timed_us=100 kernels=6 streams=2 second_kernel=1", "event_time", WITNESS_AGREES, ""},
    {"faster than one of two streams", "timed_us=80 kernels=6 streams=2 second_kernel=1", "event_time",
     WITNESS_CONTRADICTED, "take 100 us"},
    {"kernels that no number of calls divides", "timed_us=1 kernels=4", "event_time", WITNESS_NOT_CHECKED,
     "cannot be told apart"},
    /* 1e6 bytes at 4e12 a second from DRAM take 0.25 us: the least is 0.85 (x - 0.25 us) - 1 us */
    {"as long as it may take where it is verified", "verified_us=119", "verified_time", WITNESS_AGREES, ""},
    {"it works where it is verified", "verified_us=120", "verified_time", WITNESS_CONTRADICTED,
     "a launch takes 100 us, and 120 us where its output is verified"},
    {"its bytes come from DRAM where it is verified", "verified_us=218 bytes=400e6 l2_bytes=400e6", "verified_time",
     WITNESS_AGREES, ""},
    {"launches overlap", "timed_us=61 overlap_us=40", "verified_time", WITNESS_AGREES, ""},
    {"launches overlap and do nothing", "timed_us=31 overlap_us=20 kernel_us=50", "verified_time", WITNESS_CONTRADICTED,
     "a launch takes 50.0 us, and 100 us"},
    {"verified beside gaps", "verified_us=500 dropped=1", "verified_time", WITNESS_NOT_CHECKED, "not whole"},
    {"launches of another thread", "other_thread=1", "launches", WITNESS_AGREES, ""},
    {"measured calls that nobody counted", "no_measured=1 second_kernel=0", "event_time", WITNESS_NOT_CHECKED,
     "cannot be told apart"},
    {"the rest of the bytes is copied", "l2_bytes=500000 copied=500000", "least_bytes", WITNESS_AGREES, ""},
    {"fewer bytes, copies included", "l2_bytes=500000 copied=100000", "least_bytes", WITNESS_CONTRADICTED,
     "show 586 KiB"},
    {"copies that are not known", "l2_bytes=500000 no_measured=1", "least_bytes", WITNESS_NOT_CHECKED,
     "what it copies is not known"},
    {"a trace with gaps", "timed_us=1 dropped=3", "event_time", WITNESS_NOT_CHECKED, "the trace is not whole"},
    {"two kernels a call", "kernels=6 kernel_us=50", "launches", WITNESS_CONTRADICTED,
     "a call launches 1 kernel of 1,000 blocks where its output is verified, 2 kernels of 2,000 blocks in the other traced calls"},
    {"an eighth of the grid", "blocks=125", "launches", WITNESS_CONTRADICTED,
     "verified, 1 kernel of 125 blocks in the other traced calls"},
    {"only what is looked at", "kernels=0", "launches", WITNESS_CONTRADICTED,
     "verified, 0 kernels in the other traced calls"},
    {"alike in the graph", "graph_blocks=1000", "launches", WITNESS_AGREES, ""},
    {"less in the graph", "graph_blocks=125", "launches", WITNESS_CONTRADICTED,
     "1 kernel of 125 blocks in the graph that is timed"},
    {"another number of kernels counted", "second_kernel=1", "launches", WITNESS_CONTRADICTED,
     "2 kernels where it is counted"},
    /* Blocks of 1,100, 900 and 1,100; of 600, 200 and 600, which are 467 on average, fewer than half. */
    {"calls that depend on data", "judged=1 varies=100", "launches", WITNESS_AGREES, ""},
    {"calls of a variant that are not alike", "varies=100", "launches", WITNESS_CONTRADICTED,
     "in the other traced calls"},
    {"half of the work in most calls", "judged=1 blocks=400 varies=200", "launches", WITNESS_CONTRADICTED,
     "a call launches 1 kernel of 1,000 blocks where its output is verified, 1 kernel of 467 blocks"},
    /* What bundles of earlier versions say of new inputs is ignored. */
    {"slower on new inputs", "judged=1 new_ns=1500 again_ns=1000", "launches", WITNESS_AGREES, ""},
    {"launches of a trace with gaps", "blocks=1 dropped=1", "launches", WITNESS_NOT_CHECKED, "not whole"},
    {"the timed launches leave it wrong", "bad_timed=0.875", "timed_output", WITNESS_CONTRADICTED,
     "0.0% of the output is wrong behind one launch, 87.5% behind the timed ones"},
    {"the timed launches leave it right", "bad_timed=0", "timed_output", WITNESS_AGREES, ""},
    /* 1e6 bytes declared, less 5% */
    {"as many bytes as it declares", "l2_bytes=951e3", "least_bytes", WITNESS_AGREES, ""},
    {"fewer bytes", "l2_bytes=949e3", "least_bytes", WITNESS_CONTRADICTED,
     "moves 977 KiB, counters and copies show 927 KiB"},
    {"bytes without a counter", "l2_bytes=0", "least_bytes", WITNESS_NOT_CHECKED, "no counter of the L2 cache"},
    {"no bytes declared", "bytes=0", "least_bytes", WITNESS_NOT_CHECKED, "declares no bytes"},
    /* 1e6 bytes, less 10%: that links carry 1.5 for each byte is not asked where a switch may add up */
    {"a collective that receives its share", "received=0.91e6", "least_bytes", WITNESS_AGREES, ""},
    {"a collective that declares none", "several=1 l2_bytes=0", "least_bytes", WITNESS_NOT_CHECKED, "link_bytes"},
    {"a collective of which links may be missing", "received=0.89e6", "least_bytes", WITNESS_NOT_CHECKED,
     "links are missing"},
    {"more than half of them", "received=0.51e6", "least_bytes", WITNESS_NOT_CHECKED, "links are missing"},
    {"exactly half of them", "received=0.5e6", "least_bytes", WITNESS_NOT_CHECKED, "links are missing"},
    {"a collective that receives less", "received=0.49e6", "least_bytes", WITNESS_CONTRADICTED,
     "977 KiB a launch, one received 479 KiB"},
    {"as many operations as half of those declared", "ffma=510", "least_operations", WITNESS_AGREES, ""},
    {"fewer operations", "ffma=125", "least_operations", WITNESS_CONTRADICTED,
     "declares 2,000 floating-point operations a launch, counters show 250"},
    {"a solution within the tolerance", "ffma=951 judged=1", "least_operations", WITNESS_AGREES, ""},
    {"a solution with fewer than its task asks for", "ffma=949 judged=1", "least_operations", WITNESS_CONTRADICTED,
     "2,000 floating-point operations a launch, counters show 1,898"},
    {"operations without counters", "ffma=0", "least_operations", WITNESS_NOT_CHECKED, "have a counter"},
    /* Tensor cores are busy, and no floating-point counter of theirs moves. */
    {"enough in FP32, and 1.3% of tensor cores", "judged=1 tensor=0.013", "least_operations", WITNESS_AGREES, ""},
    {"not enough, and tensor cores do what nobody counted", "ffma=125 judged=1 tensor=0.013", "least_operations",
     WITNESS_NOT_CHECKED, "not all operations have a counter"},
    {"not enough, and INT8 was counted", "ffma=125 judged=1 tensor=0.013 int8=0", "least_operations",
     WITNESS_CONTRADICTED, "counters show 250"},
    {"a little useless INT8", "ffma=125 judged=1 tensor=0.02 int8=1000", "least_operations", WITNESS_CONTRADICTED,
     "counters show 250"},
    {"as much INT8 as it declares", "ffma=125 judged=1 tensor=0.5 int8=1750", "least_operations", WITNESS_NOT_CHECKED,
     "no floating-point ones"},
    {"nothing set aside", "cold=1 persisting=0", "persisting_l2", WITNESS_AGREES, ""},
    {"a part of the cache set aside", "cold=1 persisting=1048576", "persisting_l2", WITNESS_CONTRADICTED,
     "0 B of the L2 cache may keep data over a flush, 1.00 MiB were set aside"},
    {"set aside, and nothing timed cold", "persisting=1048576", "persisting_l2", WITNESS_NOT_CHECKED,
     "no cold launches"},
    /* 1e6 bytes less 3,200 that it writes, less 5% */
    {"cold launches read from DRAM", "cold=1 cold_read=950e3", "cold_bytes", WITNESS_AGREES, ""},
    {"nothing to read", "cold=1 cold_read=10 bytes=3000", "cold_bytes", WITNESS_NOT_CHECKED, "writes more"},
    {"cold launches that find their data", "cold=1 cold_read=10e3", "cold_bytes", WITNESS_CONTRADICTED,
     "has to read 973 KiB from DRAM, it read 9.77 KiB"},
    {"a flush that empties", "cold=1 flush_read=1.01e6", "flush", WITNESS_AGREES, ""},
    {"a flush that does not", "cold=1 flush_read=0.2e6", "flush", WITNESS_CONTRADICTED, "took 195 KiB from DRAM"},
    /* (450e6 - 50e6) / 4e12 B/s = 100 us, less 15% */
    {"as fast as memory allows", "bytes=450e6 l2_bytes=450e6 timed_us=86", "light_speed", WITNESS_AGREES, ""},
    {"faster than memory", "bytes=450e6 l2_bytes=450e6 timed_us=84", "light_speed", WITNESS_CONTRADICTED,
     "takes 84.0 us, but the GPU needs at least 100 us"},
    /* 10e6 / 1e13 B/s = 1 us: it fits into the cache */
    {"faster than the cache", "bytes=10e6 l2_bytes=10e6 timed_us=0.5 kernel_us=0.4", "light_speed",
     WITNESS_CONTRADICTED, "at least 1.00 us"},
};

static const struct witness_check *witness_of(const struct analysis *a, const char *code)
{
    for (size_t i = 0; i < a->witnesses.count; i++)
        if (!strcmp(a->witnesses.items[i].witness, code))
            return &a->witnesses.items[i];
    fail_msg("no witness '%s'", code);
    return NULL;
}

static void witnesses_are_held_against_each_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct witness_case *c = &cases[i];
        const struct scene scene = scene_of(c->changes);
        struct trial t;
        write_scene(&t.scratch, &scene, "");
        trial_judge(&t);
        const struct witness_check *check = witness_of(&t.analysis, c->witness);
        if (check->status != c->status || !strstr(check->detail, c->detail))
            fail_msg("%s: %s is '%s', '%s'", c->what, c->witness, witness_status_name(check->status), check->detail);
        const bool is_damaged = scene.dropped > 0;
        if (c->status == WITNESS_CONTRADICTED) {
            assert_non_null(find(&t.analysis, "contradicted"));
            assert_non_null(analysis_contradiction(&t.analysis, analysis_arm(&t.analysis, ARM, SHAPE)));
            assert_false(analysis_is_proven(&t.analysis, analysis_arm(&t.analysis, ARM, SHAPE)));
            assert_int_equal(analysis_status(&t.analysis), EXIT_CHECK_FAILED);
        } else if (!is_damaged && c->status == WITNESS_AGREES) {
            const struct witness_check *against =
                analysis_contradiction(&t.analysis, analysis_arm(&t.analysis, ARM, SHAPE));
            if (against)
                fail_msg("%s: %s: %s", c->what, against->witness, against->detail);
            assert_int_equal(analysis_status(&t.analysis), EXIT_PASS);
        }
        trial_end(&t);
    }
}

/* All of them agree in the honest scene, or say why they were not asked. */
static void an_honest_arm_is_not_accused(void **state)
{
    (void)state;
    struct trial t;
    write_scene(&t.scratch, &honest, "");
    trial_judge(&t);
    assert_int_equal(t.analysis.witnesses.count, 10);
    for (size_t i = 0; i < t.analysis.witnesses.count; i++) {
        const struct witness_check *w = &t.analysis.witnesses.items[i];
        if (w->status == WITNESS_CONTRADICTED)
            fail_msg("%s: %s", w->witness, w->detail);
        assert_true((w->status == WITNESS_NOT_CHECKED) == (w->detail[0] != '\0'));
    }
    trial_end(&t);
}

/* What is odd is told, and no more. */
static void what_is_odd_is_a_note(void **state)
{
    (void)state;
    static const struct {
        const char *changes, *id, *claim; /* NULL: there is none */
    } notes[] = {
        {"new_ns=1500 again_ns=1000", "inputs-just-before", NULL},
        {"graph_blocks=1000 graph_copies=0", "other-work", NULL},
        {"graph_blocks=1000 graph_copies=1", "other-work",
         "makes 0 copies where its output is verified, and 1 in the graph"},
        {"copied=4096", "other-work", "makes 0 copies where its output is verified, and 1 in the other traced calls"},
        {"kernels=6 streams=2 second_kernel=1", "other-work", NULL},
        {"kernels=6 kernel_us=50 streams=2 second_kernel=1 one_stream=1", "other-work",
         "has kernels on 2 streams where its output is verified, and 1 in the other traced calls"},
        {"kernels=6 streams=2 second_kernel=1 swaps=2", "other-work", NULL},
        {"kernels=6 streams=2 second_kernel=1 swaps=1", "other-work", "as many blocks"},
        {"", "other-work", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        const struct scene scene = scene_of(notes[i].changes);
        struct trial t;
        write_scene(&t.scratch, &scene, "");
        trial_judge(&t);
        const struct finding *found = find(&t.analysis, notes[i].id);
        if (!found != !notes[i].claim || (found && !strstr(found->claim, notes[i].claim)))
            fail_msg("'%s': '%s'", notes[i].changes, found ? found->claim : "");
        assert_true(!found || found->severity == SEVERITY_INFO);
        assert_int_equal(analysis_status(&t.analysis), EXIT_PASS);
        trial_end(&t);
    }
}

/* The other arm is honest; a ratio of the two would be fast and mean nothing. */
static void a_contradiction_takes_the_ratio(void **state)
{
    (void)state;
    struct trial t;
    const struct scene fast = scene_of("timed_us=1");
    write_scene(&t.scratch, &fast, "w/base");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "w/base|" SHAPE "||pipeline_sync||0||1000000|ready||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "w/other|" SHAPE "|w/base|pipeline_sync||0||1000000|ready||||||");
    for (int process = 0; process < 3; process++) {
        char row[200];
        snprintf(row, sizeof row, "w/base|" SHAPE "|%d|0|0|0|hot|1|1980000000|100000|no", process);
        scratch_row(&t.scratch, BUNDLE_TIMING, row);
    }
    trial_judge(&t);
    const struct comparison *found = NULL;
    for (size_t i = 0; i < t.analysis.comparisons.count; i++)
        if (!strcmp(t.analysis.comparisons.items[i].candidate, ARM))
            found = &t.analysis.comparisons.items[i];
    assert_non_null(found);
    assert_int_equal(found->verdict, COMPARE_CONTRADICTED);
    assert_string_equal(comparison_reasons[found->reason].key, "contradicted");
    assert_true(isnan(found->ratio));
    assert_non_null(strstr(found->detail, "a launch takes 1.00 us, its traced kernels take 100 us"));
    assert_int_equal(comparisons_status(&t.analysis, &t.analysis, &t.analysis), EXIT_CHECK_FAILED);
    trial_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(witnesses_are_held_against_each_other),
        cmocka_unit_test(an_honest_arm_is_not_accused),
        cmocka_unit_test(what_is_odd_is_a_note),
        cmocka_unit_test(a_contradiction_takes_the_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
