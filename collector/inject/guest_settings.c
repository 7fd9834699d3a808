/* What is this process asked to record, and which rank is it? */
#define _GNU_SOURCE
#include "collector/inject/guest_settings.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    FLUSH_MS = 1000,
    FLUSH_MS_MAX = 3600000,
    MEMORY_MB = 512,
    MEMORY_MB_MAX = 1 << 20,
    PATIENCE_MS = 5000,
    TOUCH_MS = 1000,
    REPLAY_MS_MAX = 3600000,
    SAMPLE_NS_MAX = 1000000
};

static const int64_t ns_per_ms = 1000000;

/* Copies a variable, because the program may change its environment. */
static char *text_of(const char *name)
{
    const char *value = secure_getenv(name);
    return value && *value ? strdup(value) : NULL;
}

static int number_of(const char *name, long long absent, long long max, long long *out, struct err *e)
{
    const char *value = secure_getenv(name);
    *out = absent;
    if (!value || !*value)
        return 0;
    char *end;
    errno = 0;
    *out = strtoll(value, &end, 10);
    if (errno || *end || *out < 0 || *out > max)
        return err_set(e, ERR_USAGE, "%s is '%.64s', no number from 0 to %lld", name, value, max);
    return 0;
}

/* Sets whether the variable has the second word instead of the first. An absent variable means the first. */
static int choice_of(const char *name, const char *first, const char *second, bool *is_second, struct err *e)
{
    const char *value = secure_getenv(name);
    *is_second = value && !strcmp(value, second);
    if (value && *value && !*is_second && strcmp(value, first))
        return err_set(e, ERR_USAGE, "%s is '%.64s', neither '%s' nor '%s'", name, value, first, second);
    return 0;
}

/* Splits "name" or "name@domain". */
static void split_range(struct guest_settings *s)
{
    char *at = s->range ? strrchr(s->range, '@') : NULL;
    if (!at)
        return;
    *at = '\0';
    s->range_domain = at + 1;
}

/* The innermost launcher comes first: torchrun inside processes of Slurm or MPI numbers its own. A shell under Slurm
 * has SLURM_PROCID without being one of several processes. */
static void find_rank(struct guest_settings *s)
{
    static const struct {
        const char *rank;
        const char *beside; /* another variable that must be set, too */
    } sources[] = {
        {"RANK", "WORLD_SIZE"}, {"OMPI_COMM_WORLD_RANK", NULL},    {"PMI_RANK", NULL},
        {"PMIX_RANK", NULL},    {"SLURM_PROCID", "SLURM_STEP_ID"},
    };
    s->rank = -1;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        long long rank;
        if ((sources[i].beside && !secure_getenv(sources[i].beside)) ||
            number_of(sources[i].rank, -1, INT16_MAX, &rank, NULL) || rank < 0)
            continue;
        s->rank = (int)rank;
        s->rank_source = sources[i].rank;
        return;
    }
}

static int read_times(struct guest_settings *s, struct err *e)
{
    long long flush_ms, delay_ms, duration_ms, memory_mb, patience_ms, sample_ns, replay_ms;
    int rc = number_of("CPPROF_CAPTURE_FLUSH_MS", FLUSH_MS, FLUSH_MS_MAX, &flush_ms, e);
    if (!rc)
        rc = number_of("CPPROF_CAPTURE_DELAY_MS", 0, LLONG_MAX / ns_per_ms / 2, &delay_ms, e);
    if (!rc)
        rc = number_of("CPPROF_CAPTURE_DURATION_MS", 0, LLONG_MAX / ns_per_ms / 4, &duration_ms, e);
    if (!rc)
        rc = number_of("CPPROF_CAPTURE_MEMORY_MB", MEMORY_MB, MEMORY_MB_MAX, &memory_mb, e);
    if (!rc)
        rc = number_of("CPPROF_CAPTURE_PATIENCE_MS", PATIENCE_MS, PATIENCE_MS, &patience_ms, e);
    if (!rc)
        rc = number_of("CPPROF_CAPTURE_SAMPLE_NS", 0, SAMPLE_NS_MAX, &sample_ns, e);
    if (!rc)
        rc = number_of("CPPROF_CAPTURE_REPLAY_MS", 0, REPLAY_MS_MAX, &replay_ms, e);
    if (rc)
        return rc;
    s->sample_ns = sample_ns;
    s->replay_ns = replay_ms * ns_per_ms;
    s->flush_ns = (flush_ms ? flush_ms : FLUSH_MS) * ns_per_ms;
    s->delay_ns = delay_ms * ns_per_ms;
    s->duration_ns = duration_ms * ns_per_ms;
    s->patience_ns = (patience_ms ? patience_ms : PATIENCE_MS) * ns_per_ms;
    s->memory_bytes = (size_t)(memory_mb ? memory_mb : MEMORY_MB) << 20;
    return 0;
}

static int read_trigger(struct guest_settings *s, struct err *e)
{
    int rc = trigger_rule_read(s->when, &s->trigger, e);
    if (rc)
        return err_context(e, "CPPROF_CAPTURE_WHEN"), rc;
    if (trigger_rule_counts(&s->trigger) && !s->range)
        return err_set(e, ERR_USAGE, "CPPROF_CAPTURE_WHEN is about a range, and CPPROF_CAPTURE_RANGE names none");
    if (s->trigger.kind == TRIGGER_FILE_APPEARS && !s->duration_ns)
        s->duration_ns = TOUCH_MS * ns_per_ms;
    return 0;
}

int guest_settings_read(struct guest_settings *s, struct err *e)
{
    bool off = false;
    *s = (struct guest_settings){
        .patience_ns = PATIENCE_MS * ns_per_ms,
        .directory = text_of("CPPROF_CAPTURE_DIR"),
        .log = secure_getenv("CPPROF_CAPTURE_LOG") && !strcmp(secure_getenv("CPPROF_CAPTURE_LOG"), "1"),
        .range = text_of("CPPROF_CAPTURE_RANGE"),
        .when = text_of("CPPROF_CAPTURE_WHEN"),
        .kernels = text_of("CPPROF_CAPTURE_KERNELS"),
        .metrics = text_of("CPPROF_METRICS"),
        .launches = text_of("CPPROF_CAPTURE_LAUNCHES"),
        .causal = text_of("CPPROF_CAPTURE_CAUSAL"),
        .doses = text_of("CPPROF_CAPTURE_DOSES"),
    };
    split_range(s);
    find_rank(s);
    int rc = choice_of("CPPROF_CAPTURE_TRACE", "launch", "api", &s->all_calls, e);
    if (!rc)
        rc = choice_of("CPPROF_CAPTURE_GRAPHS", "node", "graph", &s->whole_graphs, e);
    if (!rc)
        rc = choice_of("CPPROF_CAPTURE_FROM_START", "on", "off", &off, e);
    s->from_start = !off;
    if (!rc)
        rc = choice_of("CPPROF_CAPTURE_MIGRATIONS", "off", "on", &s->migrations, e);
    if (!rc)
        rc = read_times(s, e);
    return rc ? rc : read_trigger(s, e);
}
