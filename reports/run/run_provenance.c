/* Where, with what and how was it measured, and how is it measured again? The
 * manifest comes from a file: every member may be absent or of another type. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/base/count_of.h"
#include "core/base/json.h"
#include "core/base/words.h"
#include "core/run/instrumented_arm.h"
#include "reports/run/provenance.h"
#include "reports/run/run_report.h"

#define MORE_ARE_LEFT_OUT "%zu more are left out."

enum {
    LIST_MAX = 64,       /* members of a manifest list that a report shows */
    COMMAND_COLUMNS = 80 /* of a line, from which on the next word begins another */
};

/* "name_ns" and its like carry their unit; other numbers are as they are. */
static enum unit unit_of_key(const char *key)
{
    static const struct {
        const char *ending;
        enum unit unit;
    } endings[] = {{"_ns", UNIT_NS}, {"_hz", UNIT_HZ}, {"_bytes", UNIT_BYTES}, {"_ratio", UNIT_RATIO}};
    size_t length = strlen(key);
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        size_t ending = strlen(endings[i].ending);
        if (length > ending && !strcmp(key + length - ending, endings[i].ending))
            return endings[i].unit;
    }
    return UNIT_NONE;
}

static void add_scalar(struct str *out, const char *key, const json_t *value)
{
    char text[UNITS_TEXT_BYTES];
    enum unit unit = unit_of_key(key);
    if (json_is_string(value))
        str_add(out, json_string_value(value));
    else if (json_is_integer(value) && unit == UNIT_NONE)
        str_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_number(value))
        str_add(out, unit_format(text, unit, json_number_value(value)));
    else if (json_is_boolean(value))
        str_add(out, json_is_true(value) ? "yes" : "no");
    else
        str_add(out, "not given");
}

/* "sm_clock_hz 1.98 GHz, before.temperature 41": one level of nesting is enough for what we write. */
static void add_members(struct str *out, const char *prefix, json_t *object, int depth)
{
    const char *key;
    json_t *value;
    json_object_foreach (object, key, value) {
        struct str path;
        str_init(&path);
        str_addf(&path, "%s%s", prefix, key);
        if (json_is_object(value) && depth > 0) {
            str_add_char(&path, '.');
            add_members(out, str_text(&path), value, depth - 1);
        } else if (!json_is_object(value) && !json_is_array(value)) {
            str_addf(out, "%s%s ", out->length ? ", " : "", str_text(&path));
            add_scalar(out, key, value);
        }
        str_release(&path);
    }
}

static void fact_members(struct document *d, const char *label, json_t *object)
{
    struct str text;
    str_init(&text);
    if (json_is_object(object))
        add_members(&text, "", object, 1);
    if (text.length) {
        document_fact(d, label);
        document_span(d, SPAN_PLAIN, "%s", str_text(&text));
    }
    str_release(&text);
}

static void fact_gpu(struct document *d, const json_t *manifest)
{
    const json_t *gpu = json_object_get(manifest, "gpu");
    if (!json_is_object(gpu))
        return;
    document_fact(d, "GPU");
    document_span(d, SPAN_PLAIN, "%s, compute capability %s, %lld SMs, ", json_get_text(gpu, "name", "unknown"),
                  json_get_text(gpu, "compute_capability", "unknown"), json_get_integer(gpu, "sm_count", 0));
    words_unit(d, UNIT_BYTES, json_get_number(gpu, "memory_bytes", NAN));
    document_span(d, SPAN_PLAIN, " memory, ");
    words_unit(d, UNIT_BYTES, json_get_number(gpu, "l2_bytes", NAN));
    document_span(d, SPAN_PLAIN, " L2, ");
    document_span(d, SPAN_CODE, "%s", json_get_text(gpu, "uuid", "no UUID"));
    size_t i;
    const json_t *other;
    json_array_foreach (json_object_get(manifest, "other_gpus"), i, other) {
        if (!json_is_object(other))
            continue;
        document_span(d, SPAN_PLAIN, "; with it GPU %lld, %s, ", json_get_integer(other, "ordinal", -1),
                      json_get_text(other, "name", "unknown"));
        document_span(d, SPAN_CODE, "%s", json_get_text(other, "uuid", "no UUID"));
    }
}

/* CUDA counts 13000 for 13.0. */
static void write_cuda_version(struct document *d, const char *what, const json_t *version)
{
    if (json_is_integer(version))
        document_span(d, SPAN_PLAIN, "%s %d.%d", what, (int)(json_integer_value(version) / 1000),
                      (int)(json_integer_value(version) % 1000 / 10));
    else
        document_span(d, SPAN_PLAIN, "%s %s", what, json_is_string(version) ? json_string_value(version) : "unknown");
}

static void fact_cuda(struct document *d, const json_t *cuda)
{
    if (!json_is_object(cuda))
        return;
    document_fact(d, "CUDA");
    write_cuda_version(d, "runtime", json_object_get(cuda, "runtime"));
    write_cuda_version(d, ", driver supports", json_object_get(cuda, "driver_api"));
    const json_t *code = json_object_get(cuda, "code");
    const long long source = json_get_integer(code, "source", 0);
    if (json_is_true(json_object_get(code, "made_by_jit")))
        document_span(d, SPAN_PLAIN, "; the driver made the code of cpprof's kernels, from PTX for %lld.%lld",
                      source / 10, source % 10);
}

static void fact_time(struct document *d, const json_t *manifest)
{
    long long seconds = json_get_integer(manifest, "created_unix_s", -1);
    time_t when = (time_t)seconds;
    struct tm utc;
    char text[32];
    if (seconds < 0 || !gmtime_r(&when, &utc) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc))
        return;
    document_fact(d, "Recorded");
    document_span(d, SPAN_PLAIN, "%s", text);
}

static void fact_list(struct document *d, const char *label, const json_t *list)
{
    size_t count = json_array_size(list);
    if (!count)
        return;
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < count && i < LIST_MAX; i++) {
        str_add(&text, i ? ", " : "");
        add_scalar(&text, "", json_array_get(list, i));
    }
    document_fact(d, label);
    document_span(d, SPAN_PLAIN, "%s", str_text(&text));
    str_release(&text);
}

/* "1.98 GHz to 1.75 GHz", or one value when both are the same; -1 is not known. */
static void cell_before_after(struct document *d, const json_t *clocks, const char *key, enum unit unit, double scale)
{
    char before[UNITS_TEXT_BYTES], after[UNITS_TEXT_BYTES];
    double first = json_get_number(json_object_get(clocks, "before"), key, -1);
    double last = json_get_number(json_object_get(clocks, "after"), key, -1);
    unit_format(before, unit, first < 0 ? NAN : first * scale);
    unit_format(after, unit, last < 0 ? NAN : last * scale);
    document_cell(d, strcmp(before, after) ? "%s to %s" : "%s", before, after);
}

static void add_process(struct document *d, const json_t *process)
{
    const json_t *clocks = json_object_get(process, "clocks");
    const char *variant = json_get_text(process, "variant", "");
    document_cell(d, *variant ? "%s %lld, %s" : "%s %lld%s", json_get_text(process, "role", "unknown"),
                  json_get_integer(process, "index", 0), variant);
    document_cell_unit(d, UNIT_NS, json_get_number(process, "wall_ns", NAN));
    cell_before_after(d, clocks, "sm_clock_mhz", UNIT_HZ, 1e6);
    cell_before_after(d, clocks, "memory_clock_mhz", UNIT_HZ, 1e6);
    cell_before_after(d, clocks, "temperature_c", UNIT_NONE, 1);
    cell_before_after(d, clocks, "power_mw", UNIT_NONE, 1e-3);
    cell_before_after(d, clocks, "compute_processes", UNIT_COUNT, 1);
    document_cell(d, "%s", json_get_text(json_object_get(clocks, "after"), "throttle_reasons", "n/a"));
}

static void add_processes(struct document *d, const json_t *list, bool is_first_of_gpus)
{
    static const struct document_column columns[] = {{"process", false},
                                                     {"wall time", true},
                                                     {"SM clock", true},
                                                     {"memory clock", true},
                                                     {"degrees C", true},
                                                     {"watts", true},
                                                     {"processes on the GPU", true},
                                                     {"throttled by", false}};
    bool begun = false;
    for (size_t i = 0; i < json_array_size(list) && i < LIST_MAX; i++) {
        if (!json_is_object(json_array_get(list, i)))
            continue;
        if (!begun) {
            document_heading(d, 3,
                             is_first_of_gpus ? "Processes, and the first GPU before and after each"
                                              : "Processes, and the GPU before and after each");
            document_table(d, columns, COUNT_OF(columns));
        }
        begun = true;
        add_process(d, json_array_get(list, i));
    }
    if (!begun || json_array_size(list) <= LIST_MAX)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, MORE_ARE_LEFT_OUT, json_array_size(list) - LIST_MAX);
}

void run_caveats_each(const struct analysis *a, struct document *d,
                      void (*write_one)(struct document *d, const struct caveat *caveat))
{
    const struct caveat_list *lists[] = {&a->bundle->caveats,
                                         analysis_stream(a) ? event_stream_caveats(analysis_stream(a)) : NULL};
    for (size_t i = 0; i < COUNT_OF(lists); i++)
        for (size_t k = 0; lists[i] && k < lists[i]->count; k++)
            if (!i || !caveat_says(lists[0], lists[i]->items[k].text))
                write_one(d, &lists[i]->items[k]);
}

static void write_caveat(struct document *d, const struct caveat *caveat)
{
    static const char *const kinds[] = {[CAVEAT_NOTE] = "Note",
                                        [CAVEAT_RANGES] = "Makes what asks about ranges inconclusive",
                                        [CAVEAT_HIDDEN] = "Makes what more kernels could change inconclusive",
                                        [CAVEAT_TIMES] = "Makes what its rows could change inconclusive",
                                        [CAVEAT_WEAKENS] = "Makes every pass inconclusive",
                                        [CAVEAT_TRUNCATED] = "Unreadable from here on"};
    document_fact(d, kinds[caveat->kind]);
    document_span(d, SPAN_PLAIN, "%s", caveat->text);
}

static void write_missing(struct document *d, const char *what, const char *why)
{
    document_fact(d, "Missing");
    document_span(d, SPAN_PLAIN, "%s: missing because %s", what, why);
}

void run_refused_each(const struct analysis *a, struct document *d)
{
    const struct table *variants = &a->bundle->tables[BUNDLE_VARIANTS];
    for (size_t row = 0; row < table_rows(variants); row++) {
        const char *status = table_text(variants, row, VARIANTS_STATUS);
        if (!*status || !strcmp(status, "ready") || variant_is_altered(table_text(variants, row, VARIANTS_VARIANT)))
            continue;
        document_bullet(d);
        words_arm(d, table_text(variants, row, VARIANTS_VARIANT), table_text(variants, row, VARIANTS_SHAPE));
        document_span(d, SPAN_PLAIN, ": %s", status);
    }
}

/* What was not measured, and what makes the rest doubtful. */
static void add_caveats(const struct analysis *a, struct document *d)
{
    document_heading(d, 2, "Caveats");
    run_refused_each(a, d);
    const size_t left_out = run_missing_each(a, d, write_missing);
    if (left_out) {
        document_fact(d, "Missing");
        document_span(d, SPAN_PLAIN, MORE_ARE_LEFT_OUT, left_out);
    }
    run_caveats_each(a, d, write_caveat);
}

static void add_command(struct document *d, const json_t *words)
{
    if (!json_array_size(words))
        return;
    struct str command;
    str_init(&command);
    size_t line = 0;
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        const size_t before = command.length;
        if (i && line > COMMAND_COLUMNS)
            line = 0;
        str_add(&command, !i ? "" : line ? " " : " \\\n    ");
        words_add_quoted(&command, word ? word : "");
        line += command.length - before;
    }
    document_heading(d, 2, "Reproduce");
    document_code(d, str_text(&command));
    d->failed |= command.failed;
    str_release(&command);
}

typedef void missing_writer(struct document *d, const char *what, const char *why);

/* Five processes miss the same thing for the same reason: once is enough. */
static bool is_repeated(const json_t *said, const json_t *missing)
{
    for (size_t i = 0; i < json_array_size(said); i++)
        if (json_equal(json_array_get(said, i), missing))
            return true;
    return false;
}

/* Returns how many were not written: LIST_MAX are said already. */
static size_t write_missing_of(const json_t *list, json_t *said, struct document *d, missing_writer *write_one)
{
    size_t left_out = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *missing = json_array_get(list, i);
        if (!json_is_object(missing) || is_repeated(said, missing))
            continue;
        if (json_array_size(said) >= LIST_MAX) {
            left_out++;
            continue;
        }
        json_array_append(said, missing);
        write_one(d, json_get_text(missing, "what", "something"),
                  json_get_text(missing, "why", "no reason was recorded"));
    }
    return left_out;
}

size_t run_missing_each(const struct analysis *a, struct document *d, missing_writer *write_one)
{
    const json_t *processes = json_object_get(a->bundle->manifest, "processes");
    json_t *said = json_array();
    size_t left_out = write_missing_of(json_object_get(a->bundle->manifest, "missing"), said, d, write_one);
    for (size_t i = 0; i < json_array_size(processes); i++)
        left_out += write_missing_of(json_object_get(json_array_get(processes, i), "missing"), said, d, write_one);
    d->failed |= !said;
    json_decref(said);
    return left_out;
}

static void write_plain_missing(struct document *d, const char *what, const char *why)
{
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "%s: missing because %s", what, why);
}

static void write_plain_caveat(struct document *d, const struct caveat *caveat)
{
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "%s", caveat->text);
}

void run_notes_add(const struct analysis *a, struct document *d)
{
    const size_t left_out = run_missing_each(a, d, write_plain_missing);
    if (left_out) {
        document_bullet(d);
        document_span(d, SPAN_PLAIN, "missing: " MORE_ARE_LEFT_OUT, left_out);
    }
    run_caveats_each(a, d, write_plain_caveat);
}

/* What tracing itself cost, of each process that did. */
static void facts_collector(struct document *d, const json_t *processes)
{
    for (size_t i = 0; i < json_array_size(processes) && i < LIST_MAX; i++)
        fact_members(d, "Cost of tracing", json_object_get(json_array_get(processes, i), "collector"));
}

static void add_to(json_t *sum, const char *key, const json_t *value)
{
    json_int_t total;
    if (json_is_integer(value) &&
        !__builtin_add_overflow((json_int_t)json_get_integer(sum, key, 0), json_integer_value(value), &total))
        json_object_set_new(sum, key, json_integer(total));
}

/* All processes of programs together: there are many. */
static void facts_collectors_together(struct document *d, const json_t *processes)
{
    json_t *sum = json_object();
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const char *key;
        json_t *value;
        json_object_foreach (json_object_get(json_array_get(processes, i), "collector"), key, value)
            add_to(sum, key, value);
    }
    fact_members(d, "Cost of tracing, all processes together", sum);
    d->failed |= !sum;
    json_decref(sum);
}

/* With what it was measured. */
static void add_tools(struct document *d, const json_t *manifest)
{
    fact_gpu(d, manifest);
    fact_members(d, "Driver", json_object_get(manifest, "driver"));
    fact_cuda(d, json_object_get(manifest, "cuda"));
    fact_members(d, "CUPTI", json_object_get(manifest, "cupti"));
    fact_members(d, "cpprof", json_object_get(manifest, "cpprof"));
}

void provenance_capture_add(struct document *d, const json_t *manifest)
{
    document_heading(d, 2, "Provenance");
    add_tools(d, manifest);
    fact_members(d, "Asked for", json_object_get(json_object_get(manifest, "capture"), "scope"));
    fact_members(d, "Dropped records", json_object_get(manifest, "dropped"));
    fact_time(d, manifest);
    add_command(d, json_object_get(manifest, "command"));
}

void run_provenance_add(const struct analysis *a, struct document *d)
{
    const json_t *manifest = a->bundle->manifest;
    add_caveats(a, d);
    document_heading(d, 2, "Provenance");
    add_tools(d, manifest);
    const enum tier tier = document_evidence(d);
    fact_list(d, "Seeds", json_object_get(manifest, "seeds"));
    fact_members(d, "Dropped records", json_object_get(manifest, "dropped"));
    if (bundle_programs(a->bundle))
        facts_collectors_together(d, json_object_get(manifest, "processes"));
    else
        facts_collector(d, json_object_get(manifest, "processes"));
    run_programs_add(a, d);
    run_libraries_add(manifest, d);
    fact_time(d, manifest);
    run_stop_add(manifest, d);
    add_processes(d, json_object_get(manifest, "processes"), json_object_get(manifest, "other_gpus"));
    document_tier(d, tier);
    add_command(d, json_object_get(manifest, "command"));
}
