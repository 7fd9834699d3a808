/* Which times has a file that Google Benchmark wrote with --benchmark_format=json or --benchmark_out?
 *
 * An entry of run_type "iteration" is a repetition: the mean time of its iterations. Entries of run_type "aggregate"
 * are sums over them; where a file has only these (--benchmark_report_aggregates_only) their mean is all that is known.
 */
#include <math.h>
#include <string.h>

#include "run/benchmarks/benchmark_results.h"

/* 0 for a unit that is not known. */
static double unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
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

static int add_entry(struct benchmark_results *out, const json_t *entry, struct err *e)
{
    const char *type = json_get_text(entry, "run_type", "iteration");
    const char *name = json_get_text(entry, "run_name", json_get_text(entry, "name", ""));
    const bool is_mean = !strcmp(json_get_text(entry, "aggregate_name", ""), "mean");
    bool is_new;
    if (!*name || (strcmp(type, "iteration") != 0 && !is_mean))
        return 0;
    struct benchmark_times *row = benchmark_results_row(out, name, &is_new);
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
    const json_t *context = json_object_get(root, "context"), *entry;
    size_t i;
    int rc = note_context(out, context, e);
    (void)path;
    *machine = machine_of(out, context);
    json_array_foreach (json_object_get(root, "benchmarks"), i, entry) {
        if (!rc)
            rc = add_entry(out, entry, e);
    }
    return rc;
}

const struct benchmark_format google_benchmark_format = {
    "Google Benchmark", "repetitions", "--benchmark_repetitions=10", {"\"context\"", "\"benchmarks\"", "\"real_time\""},
    read_google,
};
