/* Which times has a file that Google Benchmark wrote with --benchmark_format=json or --benchmark_out?
 *
 * An entry of run_type "iteration" is a repetition: the mean time of its iterations. Entries of run_type "aggregate"
 * are sums over them; where a file has only these (--benchmark_report_aggregates_only) their mean is all that is known.
 * Before version 1.5 no entry says its type. Then the order tells: aggregates of a benchmark stand right behind its
 * repetitions, once each, with its name and a suffix. */
#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/run/benchmarks/benchmark_results.h"

/* 0 for a unit that is not known. */
static double unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (!strcmp(units[i].name, unit))
            return units[i].ns;
    return 0;
}

static double time_of(const json_t *entry)
{
    const double time = json_get_number(entry, "real_time", NAN) * unit_ns(json_get_text(entry, "time_unit", "ns"));
    return time > 0 && isfinite(time) ? time : NAN;
}

/* Why an entry has no time; NULL when it has one. Newer files say "skipped" as well. */
static const char *failure_of(const json_t *entry)
{
    const bool failed = json_is_true(json_object_get(entry, "error_occurred")),
               skipped = json_is_true(json_object_get(entry, "skipped"));
    if (!failed && !skipped)
        return isnan(time_of(entry)) ? "its time is no time" : NULL;
    return json_get_text(entry, failed ? "error_message" : "skip_message", "without a message");
}

/* Each repetition of a benchmark has a number of its own: an entry with one that was there is another benchmark. */
static int add_repetition(struct benchmark_times *row, const json_t *entry, struct err *e)
{
    const long long index = json_get_integer(entry, "repetition_index", (long long)row->times.count);
    if (index != (long long)row->times.count)
        row->is_twice = true;
    double *slot = ARRAY_PUSH(&row->times);
    if (!slot)
        return err_memory(e);
    *slot = time_of(entry);
    return 0;
}

/* ---- entries that do not say what they are ---- */

/* The benchmark whose repetitions and aggregates are being read. */
struct family {
    const char *name;
    size_t repetitions;
    long long iterations; /* of each repetition */
};

static const char *name_of(const json_t *entry)
{
    return json_get_text(entry, "name", json_get_text(entry, "run_name", ""));
}

/* Returns the suffix of an entry called NAME_SUFFIX; NULL for any other. */
static const char *suffix_behind(const json_t *entry, const char *name, size_t bytes)
{
    const char *full = name_of(entry);
    const bool has_suffix = entry && !strncmp(full, name, bytes) && full[bytes] == '_' && full[bytes + 1];
    return has_suffix && !strchr(full + bytes, '/') ? full + bytes + 1 : NULL;
}

static bool is_known_statistic(const char *suffix)
{
    static const char *const known[] = {"mean", "median", "stddev", "cv"};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (!strcmp(suffix, known[i]))
            return true;
    return false;
}

/* Fits of a complexity have no time. */
static bool is_fit(const json_t *entry)
{
    return !json_object_get(entry, "real_time") && (json_object_get(entry, "big_o") || json_object_get(entry, "rms"));
}

/* A benchmark of its own, such as "copy_async" behind "copy", finds its own number of iterations. */
static bool has_count_of(const struct family *family, const json_t *entry)
{
    const long long count = json_get_integer(entry, "iterations", family->iterations);
    return count == family->iterations || count == (long long)family->repetitions;
}

/* Returns which statistic of the family entry `i` is; NULL when it is none. An entry that comes again is a repetition
 * of its own. */
static const char *statistic_of(const struct family *family, const json_t *entries, size_t i)
{
    const json_t *entry = json_array_get(entries, i);
    const char *suffix = suffix_behind(entry, family->name, strlen(family->name));
    if (!suffix || family->repetitions < 2 || !strcmp(name_of(entry), name_of(json_array_get(entries, i + 1))))
        return NULL;
    return is_known_statistic(suffix) || has_count_of(family, entry) ? suffix : NULL;
}

/* Is entry `i` the mean of repetitions that the file left out? Then the deviation follows, behind a median or at once,
 * with as many iterations: benchmarks that are really called so find a number each. */
static bool is_mean_alone(const struct family *before, const json_t *entries, size_t i)
{
    const json_t *entry = json_array_get(entries, i);
    const size_t length = strlen(name_of(entry)), bytes = length - strlen("_mean");
    if (length <= strlen("_mean") || strcmp(name_of(entry) + bytes, "_mean") != 0)
        return false;
    const char *median = suffix_behind(json_array_get(entries, i + 1), name_of(entry), bytes);
    const json_t *last = json_array_get(entries, median && !strcmp(median, "median") ? i + 2 : i + 1);
    const char *deviation = suffix_behind(last, name_of(entry), bytes);
    const bool is_of_the_one_before = strlen(before->name) == bytes && !strncmp(before->name, name_of(entry), bytes);
    return deviation && !strcmp(deviation, "stddev") && !is_of_the_one_before &&
           json_get_integer(entry, "iterations", -1) == json_get_integer(last, "iterations", -1);
}

static void begin_family(struct family *family, const json_t *entry, const char *name, size_t repetitions)
{
    *family = (struct family){name, repetitions, json_get_integer(entry, "iterations", -1)};
}

/* ---- entries ---- */

/* What an entry is: a repetition of `name`, or its statistic. */
struct meaning {
    const char *name, *statistic; /* NULL: a repetition */
};

static const char *without_suffix(struct arena *arena, const char *name, const char *suffix)
{
    return arena_printf(arena, "%.*s", (int)(strlen(name) - strlen(suffix) - 1), name);
}

static struct meaning untyped_meaning(struct arena *arena, struct family *family, const json_t *entries, size_t i)
{
    const json_t *entry = json_array_get(entries, i);
    const char *name = name_of(entry), *statistic = statistic_of(family, entries, i);
    if (is_fit(entry))
        return (struct meaning){name, "fit"};
    if (statistic)
        return (struct meaning){family->name, statistic};
    if (is_mean_alone(family, entries, i)) {
        begin_family(family, entry, without_suffix(arena, name, "mean"), 2);
        return (struct meaning){family->name, "mean"};
    }
    if (strcmp(name, family->name) != 0)
        begin_family(family, entry, name, 0);
    family->repetitions++;
    return (struct meaning){name, NULL};
}

/* Returns the statistic that an entry says that it is; "" when it says none. */
static const char *stated_statistic(const json_t *entry)
{
    const char *statistic = json_get_text(entry, "aggregate_name", ""), *last = strrchr(name_of(entry), '_');
    if (*statistic || strcmp(json_get_text(entry, "run_type", ""), "aggregate") != 0)
        return statistic;
    return last && last[1] ? last + 1 : "unnamed";
}

static struct meaning meaning_of(struct arena *arena, struct family *family, const json_t *entries, size_t i)
{
    const json_t *entry = json_array_get(entries, i);
    const char *statistic = stated_statistic(entry), *name = name_of(entry);
    const size_t length = strlen(name), bytes = strlen(statistic);
    if (!*statistic && !json_object_get(entry, "run_type"))
        return untyped_meaning(arena, family, entries, i);
    if (*statistic && length > bytes + 1 && !strcmp(name + length - bytes, statistic))
        name = without_suffix(arena, name, statistic);
    return (struct meaning){json_get_text(entry, "run_name", name), *statistic ? statistic : NULL};
}

static int add_entry(struct benchmark_results *out, const json_t *entry, const struct meaning *is, struct err *e)
{
    const bool is_mean = is->statistic && !strcmp(is->statistic, "mean");
    bool is_new;
    if (!*is->name || (is->statistic && !is_mean))
        return 0;
    struct benchmark_times *row = benchmark_results_row(out, is->name, &is_new);
    if (!row)
        return err_memory(e);
    const char *failure = failure_of(entry);
    if (failure)
        row->failure = arena_copy(&out->arena, failure);
    else if (is_mean)
        row->mean_ns = time_of(entry);
    else
        return add_repetition(row, entry, e);
    return 0;
}

/* The name of the host only tells hosts apart; it is not shown. */
static const char *machine_of(struct benchmark_results *out, const json_t *context)
{
    const char *host = json_get_text(context, "host_name", "");
    return *host ? arena_printf(&out->arena, "%s, %lld CPUs", host, json_get_integer(context, "num_cpus", 0)) : "";
}

/* Said once for all files of a side. */
static int note_once(struct benchmark_results *out, const char *text, struct err *e)
{
    return caveat_says(&out->caveats, text) ? 0 : caveat_add(&out->caveats, CAVEAT_NOTE, e, "%s", text);
}

static int note_context(struct benchmark_results *out, const json_t *context, struct err *e)
{
    int rc = 0;
    if (!strcmp(json_get_text(context, "library_build_type", ""), "debug"))
        rc = note_once(out, "the library of the benchmark was built for debugging: its own overhead is larger", e);
    if (!rc && json_is_true(json_object_get(context, "cpu_scaling_enabled")))
        rc = note_once(out, "the CPU changed its clock while it was timed", e);
    return rc;
}

static int read_google(const json_t *root, const char *path, struct benchmark_results *out, const char **machine,
                       struct err *e)
{
    const json_t *context = json_object_get(root, "context"), *entries = json_object_get(root, "benchmarks");
    struct family family = {.name = ""};
    int rc = note_context(out, context, e);
    (void)path;
    *machine = machine_of(out, context);
    for (size_t i = 0; i < json_array_size(entries) && !rc; i++) {
        const struct meaning is = meaning_of(&out->arena, &family, entries, i);
        rc = add_entry(out, json_array_get(entries, i), &is, e);
    }
    return rc;
}

const struct benchmark_format google_benchmark_format = {
    "Google Benchmark", "repetitions", "--benchmark_repetitions=10", {"\"context\"", "\"benchmarks\"", "\"real_time\""},
    read_google,
};
