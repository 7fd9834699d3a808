/* solver_scene.h - a bundle of solutions of one task under judgement. */
#ifndef CPPROF_SOLVER_SCENE_H
#define CPPROF_SOLVER_SCENE_H

#include "tests/unit/trial.h"

#define SHAPE "s"

enum { PROCESSES = 3 };

/* One solution of the scene. */
struct solver {
    const char *name;
    double time_us; /* 0: it was not timed */
    double bad;     /* share of wrong values */
    const char *hint, *kernel;
    bool is_uncounted;
    const char *verified;   /* the kernel that runs where its output is verified; NULL: the same one */
    double cold_us;         /* with cold caches, too; 0: it was not timed so */
    const char *timed_hint; /* of its timed outputs, in each of the processes; NULL: `hint`, of one */
    int untimed;            /* of the processes, the last ones, whose samples have no duration */
};

static inline void scene_add_times(const struct scratch *s, const struct solver *v, const char *cache, double us)
{
    char row[300];
    for (int process = 0; process < PROCESSES && us > 0; process++) {
        char ns[32] = "";
        if (process < PROCESSES - v->untimed) /* no copy of another process */
            snprintf(ns, sizeof ns, "%.17g", 1000 * us + (strcmp(cache, "hot") ? process : 0));
        snprintf(row, sizeof row, "t/%s|" SHAPE "|%d|0|0|0|%s|1|1980000000|%s|no", v->name, process, cache, ns);
        scratch_row(s, BUNDLE_TIMING, row);
    }
}

static inline void scene_add_solver(const struct scratch *s, const struct solver *v)
{
    char row[300];
    snprintf(row, sizeof row, "t/%s|" SHAPE "|%s|pipeline_sync||0|2000|1000000|ready||||||", v->name,
             strcmp(v->name, "v1") ? "t/v1" : "");
    scratch_row(s, BUNDLE_VARIANTS, row);
    scene_add_times(s, v, "hot", v->time_us);
    scene_add_times(s, v, "cold", v->cold_us);
    static const char *const phases[] = {"all", "before", "timed"};
    for (int process = 0; process < PROCESSES && v->timed_hint; process++) {
        snprintf(row, sizeof row, "t/%s|" SHAPE "|%d|7|timed|0|0|100|||yes|%s", v->name, process, v->timed_hint);
        scratch_row(s, BUNDLE_VERIFY, row);
    }
    for (size_t i = 0; i < COUNT_OF(phases) - (v->timed_hint != NULL); i++) {
        snprintf(row, sizeof row, "t/%s|" SHAPE "|0|7|%s|0|%.17g|100|||%s|%s", v->name, phases[i], v->bad,
                 v->bad > 0 ? "no" : "yes", v->hint);
        scratch_row(s, BUNDLE_VERIFY, row);
    }
}

static inline void scene_add_counter(const struct scratch *s, const struct solver *v, const char *metric,
                                     const char *unit, double value)
{
    char row[200];
    snprintf(row, sizeof row, "t/%s|" SHAPE "||0|%s|%s|%.17g", v->name, metric, unit, value);
    scratch_row(s, BUNDLE_METRICS, row);
}

static inline void scene_add_counters(const struct scratch *s, const struct solver *v)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    scene_add_counter(s, v, "lts__t_bytes.sum", "bytes", 1e6);
    scene_add_counter(s, v, "lts__t_bytes.sum.peak_sustained_elapsed.per_second", "bytes/s", 1e12);
    scene_add_counter(s, v, "gpu__time_duration.sum", "ns", 1e5);
    for (size_t i = 0; i < count; i++)
        if (metrics[i].role == METRIC_FLOP)
            scene_add_counter(s, v, metrics[i].name, "count", strcmp(metrics[i].id, "ffma_threads") ? 0 : 1000);
}

static inline void scene_write_trace(const struct scratch *s, const struct solver *solvers, size_t count)
{
    static const char *const phases[] = {"first", "measure", "verify"};
    struct tape tape;
    tape_open(&tape, s);
    for (size_t i = 0; i < count; i++)
        for (size_t phase = 0; phase < COUNT_OF(phases); phase++) {
            char range[64];
            snprintf(range, sizeof range, "t/%s | " SHAPE " | %s", solvers[i].name, phases[phase]);
            const bool is_other = !strcmp(phases[phase], "verify") && solvers[i].verified;
            tape_phase(&tape, range, is_other ? solvers[i].verified : solvers[i].kernel, 1);
        }
    tape_close(&tape);
}

static inline void scene_judge(struct trial *t, const struct solver *solvers, size_t count, const char *as)
{
    scratch_create(&t->scratch);
    json_object_set_new(t->scratch.manifest, "libraries", json_pack("[{s:s,s:s}]", "name", "libtask.so", "as", as));
    for (size_t i = 0; i < count; i++) {
        scene_add_solver(&t->scratch, &solvers[i]);
        if (!solvers[i].is_uncounted)
            scene_add_counters(&t->scratch, &solvers[i]);
    }
    scene_write_trace(&t->scratch, solvers, count);
    trial_judge(t);
}

#endif
