/* trial.h - a bundle under judgement: traces event by event, timings, and what
 * the analyzers say of them. */
#ifndef CPPROF_TRIAL_H
#define CPPROF_TRIAL_H

#include "tests/unit/scratch_bundle.h"

#include <math.h>

#include "analyzers/analyzer.h"
#include "core/base/count_of.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_write.h"

#define COUNT(a)      COUNT_OF(a)
#define SYNC_SYMBOL   "_Z13pipeline_syncPKfPfi"           /* pipeline_sync(float const*, float*, int) */
#define ASYNC_SYMBOL  "_Z16pipeline_cpasyncILi3EEvPKfPfi" /* void pipeline_cpasync<3>(float const*, float*, int) */
#define ASYNC_PATTERN "pipeline_cpasync<3>"

static inline void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g is not within %g of %.12g", value, tolerance, expected);
}

/* ---- a trace, event by event, on a clock that each event moves on ---- */

struct tape {
    struct shard_writer shard;
    int64_t now_ns;
    uint32_t correlation;
};

static inline void tape_open(struct tape *tape, const struct scratch *s)
{
    struct str file;
    str_init(&file);
    *tape = (struct tape){.now_ns = 1000};
    MUST(shard_writer_open(&tape->shard, files_join(&file, s->path, "trace-77-0.bin"), -1, 0, &e));
    str_release(&file);
}

static inline void tape_close(struct tape *tape)
{
    MUST(shard_writer_close(&tape->shard, &e));
}

static inline void tape_add(struct tape *tape, struct cpprof_event event)
{
    if (event.kind == CPPROF_EVENT_KERNEL || event.kind == CPPROF_EVENT_COPY)
        event.stream = 7;
    else
        event.device = -1, event.thread = 42;
    event.rank = -1;
    MUST(shard_writer_add(&tape->shard, &event, &e));
}

/* A call of 5 us and, 10 us after its start, a kernel of 100 us. */
static inline void tape_launch(struct tape *tape, const char *symbol)
{
    const int64_t at = tape->now_ns;
    const uint32_t correlation = ++tape->correlation;
    tape_add(tape, (struct cpprof_event){.kind = CPPROF_EVENT_API,
                                         .detail = CPPROF_API_LAUNCH,
                                         .start_ns = at,
                                         .end_ns = at + 5000,
                                         .correlation = correlation,
                                         .name = shard_writer_string(&tape->shard, "cudaLaunchKernel")});
    if (symbol)
        tape_add(tape, (struct cpprof_event){.kind = CPPROF_EVENT_KERNEL,
                                             .start_ns = at + 10000,
                                             .end_ns = at + 110000,
                                             .correlation = correlation,
                                             .name = shard_writer_string(&tape->shard, symbol)});
    tape->now_ns = at + 200000;
}

/* A range of the runner that ends now. */
static inline void tape_range(struct tape *tape, const char *range, int64_t start_ns)
{
    tape_add(tape, (struct cpprof_event){.kind = CPPROF_EVENT_RANGE,
                                         .start_ns = start_ns,
                                         .end_ns = tape->now_ns,
                                         .name = shard_writer_string(&tape->shard, range),
                                         .detail = shard_writer_string(&tape->shard, "cpprof")});
}

/* A range around `calls` launches of the kernel (NULL: calls without a record). */
static inline void tape_phase(struct tape *tape, const char *range, const char *symbol, int calls)
{
    const int64_t start_ns = tape->now_ns;
    tape->now_ns += 1000;
    for (int i = 0; i < calls; i++)
        tape_launch(tape, symbol);
    tape->now_ns += 1000;
    tape_range(tape, range, start_ns);
    tape->now_ns += 1000;
}

/* ---- the bundle ---- */

struct trial {
    struct scratch scratch;
    struct bundle bundle;
    struct analysis analysis;
};

static inline void trial_open(struct trial *t)
{
    bundle_init(&t->bundle);
    MUST(bundle_open(&t->bundle, t->scratch.path, &e));
    analysis_init(&t->analysis, &t->bundle);
    MUST(analyzers_run(&t->analysis, QUESTIONS_ALL, &e));
}

static inline void trial_judge(struct trial *t)
{
    MUST(bundle_seal(t->scratch.path, t->scratch.manifest, &e));
    trial_open(t);
}

static inline void trial_end(struct trial *t)
{
    analysis_release(&t->analysis);
    bundle_release(&t->bundle);
    scratch_remove(&t->scratch);
}

static inline const struct finding *find(const struct analysis *a, const char *id)
{
    for (size_t i = 0; i < a->findings.count; i++)
        if (!strcmp(a->findings.items[i].id, id))
            return &a->findings.items[i];
    return NULL;
}

static inline void add_timing(const struct scratch *s, const char *variant, int process, double duration_ns)
{
    char row[256];
    for (int i = -1; i <= 1; i++) { /* three samples whose median is the duration */
        snprintf(row, sizeof row, "%s|mission|%d|0|0|%d|hot|1|1.5e9|%.17g", variant, process, i + 1, duration_ns + i);
        scratch_row(s, BUNDLE_TIMING, row);
    }
}

/* ---- two arms ---- */

struct comparison_case {
    const char *what;
    double base_ns[6], cand_ns[6]; /* medians of processes 0, 1, 2 ...; 0 ends */
    int cand_from;                 /* number of the candidate's first process */
    enum comparison_verdict verdict;
    const char *reason;
    double ratio;
    int64_t n_processes;
};

#define EACH_PAIR_0_8                                                                                                  \
    {                                                                                                                  \
        "each pair 0.8", {1000, 1100, 1200, 1300, 1400}, {800, 880, 960, 1040, 1120}, 0, COMPARE_FASTER,               \
            "interval_below_margin", 0.8, 5                                                                            \
    }

static inline void build_comparison_case(const struct comparison_case *c, struct scratch *s)
{
    scratch_create(s);
    scratch_row(s, BUNDLE_VARIANTS, "p/sync|mission||pipeline_sync|||2e6|3e3|");
    scratch_row(s, BUNDLE_VARIANTS, "p/async|mission|p/sync|" ASYNC_PATTERN "|||||");
    for (int i = 0; i < 6 && c->base_ns[i] > 0; i++)
        add_timing(s, "p/sync", i, c->base_ns[i]);
    for (int i = 0; i < 6 && c->cand_ns[i] > 0; i++)
        add_timing(s, "p/async", c->cand_from + i, c->cand_ns[i]);
}

#endif
