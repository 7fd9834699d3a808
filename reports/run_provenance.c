/* Where, with what and how was it measured, and how is it measured again? The
 * manifest comes from a file: every member may be absent or of another type. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "reports/run_report.h"

enum { LIST_MAX = 64 }; /* members of a manifest list that a report shows */

static void begin_fact(struct document *d, const char *label)
{
    document_bullet(d);
    document_span(d, SPAN_STRONG, "%s:", label);
    document_span(d, SPAN_PLAIN, " ");
}

/* "name_ns" and its like carry their unit; other numbers are as they are. */
static enum unit unit_of_key(const char *key)
{
    static const struct {
        const char *ending;
        enum unit unit;
    } endings[] = {{"_ns", UNIT_NS}, {"_hz", UNIT_HZ}, {"_bytes", UNIT_BYTES}, {"_ratio", UNIT_RATIO}};
    size_t length = strlen(key);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
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
        str_add(out, "unknown");
}

/* "sm_clock_hz 1.98 GHz, before.temperature 41": one level of nesting is enough for what we write. */
static void add_members(struct str *out, const char *prefix, json_t *object, int depth)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
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
        begin_fact(d, label);
        document_span(d, SPAN_PLAIN, "%s", str_text(&text));
    }
    str_release(&text);
}

static void fact_gpu(struct document *d, const json_t *manifest)
{
    const json_t *gpu = json_object_get(manifest, "gpu");
    if (!json_is_object(gpu))
        return;
    begin_fact(d, "GPU");
    document_span(d, SPAN_PLAIN, "%s, compute capability %s, %lld SMs, ", json_get_text(gpu, "name", "unknown"),
                  json_get_text(gpu, "compute_capability", "unknown"), json_get_integer(gpu, "sm_count", 0));
    words_unit(d, UNIT_BYTES, json_get_number(gpu, "memory_bytes", NAN));
    document_span(d, SPAN_PLAIN, " memory, ");
    words_unit(d, UNIT_BYTES, json_get_number(gpu, "l2_bytes", NAN));
    document_span(d, SPAN_PLAIN, " L2, ");
    document_span(d, SPAN_CODE, "%s", json_get_text(gpu, "uuid", "no UUID"));
}

static void fact_time(struct document *d, const json_t *manifest)
{
    long long seconds = json_get_integer(manifest, "created_unix_s", -1);
    time_t when = (time_t)seconds;
    struct tm utc;
    char text[32];
    if (seconds < 0 || !gmtime_r(&when, &utc) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc))
        return;
    begin_fact(d, "Recorded");
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
    begin_fact(d, label);
    document_span(d, SPAN_PLAIN, "%s", str_text(&text));
    str_release(&text);
}

static void add_processes(struct document *d, const json_t *list)
{
    static const struct document_column columns[] = {
        {"process", false}, {"number", true}, {"wall time", true}, {"clocks and state of the GPU", false}};
    size_t count = json_array_size(list);
    if (!count)
        return;
    document_heading(d, 3, "Processes");
    document_table(d, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < count && i < LIST_MAX; i++) {
        const json_t *process = json_array_get(list, i);
        if (!json_is_object(process))
            continue;
        json_t *clocks = json_object_get(process, "clocks");
        struct str text;
        str_init(&text);
        if (json_is_object(clocks))
            add_members(&text, "", clocks, 1);
        document_cell(d, "%s", json_get_text(process, "role", "unknown"));
        document_cell_unit(d, UNIT_COUNT, json_get_number(process, "index", NAN));
        document_cell_unit(d, UNIT_NS, json_get_number(process, "wall_ns", NAN));
        document_cell(d, "%s", text.length ? str_text(&text) : "not recorded");
        str_release(&text);
    }
}

void run_caveats_each(const struct analysis *a, struct document *d,
                      void (*say)(struct document *d, const struct caveat *caveat))
{
    const struct caveat_list *lists[] = {&a->bundle->caveats, a->stream ? event_stream_caveats(a->stream) : NULL};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (size_t k = 0; lists[i] && k < lists[i]->count; k++)
            say(d, &lists[i]->items[k]);
}

static void say_caveat(struct document *d, const struct caveat *caveat)
{
    static const char *const kinds[] = {[CAVEAT_NOTE] = "Note", [CAVEAT_WEAKENS] = "Makes every pass inconclusive",
                                        [CAVEAT_TRUNCATED] = "Unreadable from here on"};
    begin_fact(d, kinds[caveat->kind]);
    document_span(d, SPAN_PLAIN, "%s", caveat->text);
}

static bool has_caveats(const struct analysis *a)
{
    return a->bundle->caveats.count || (a->stream && event_stream_caveats(a->stream)->count);
}

static void add_caveats(const struct analysis *a, struct document *d)
{
    if (!has_caveats(a))
        return;
    document_heading(d, 2, "Caveats");
    run_caveats_each(a, d, say_caveat);
}

static bool is_safe_word(const char *word)
{
    if (!*word)
        return false;
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && !strchr("-_=/.,:@%+", *word))
            return false;
    return true;
}

/* In single quotes unless the shell would take the word as it is. */
static void add_shell_word(struct str *out, const char *word)
{
    if (is_safe_word(word)) {
        str_add(out, word);
        return;
    }
    str_add_char(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            str_add(out, "'\\''");
        else
            str_add_char(out, *word);
    str_add_char(out, '\'');
}

static void add_command(struct document *d, const json_t *words)
{
    if (!json_array_size(words))
        return;
    struct str command;
    str_init(&command);
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        str_add(&command, i ? " " : "");
        add_shell_word(&command, word ? word : "");
    }
    document_heading(d, 2, "Reproduce");
    document_code(d, str_text(&command));
    d->failed |= command.failed;
    str_release(&command);
}

void run_missing_each(const struct analysis *a, struct document *d,
                      void (*say)(struct document *d, const char *what, const char *why))
{
    const json_t *list = json_object_get(a->bundle->manifest, "missing");
    for (size_t i = 0; i < json_array_size(list) && i < LIST_MAX; i++) {
        const json_t *missing = json_array_get(list, i);
        if (!json_is_object(missing))
            continue;
        say(d, json_get_text(missing, "what", "something"), json_get_text(missing, "why", "no reason was recorded"));
    }
}

void run_provenance_add(const struct analysis *a, struct document *d)
{
    const json_t *manifest = a->bundle->manifest;
    add_caveats(a, d);
    document_heading(d, 2, "Provenance");
    fact_gpu(d, manifest);
    fact_members(d, "Driver", json_object_get(manifest, "driver"));
    fact_members(d, "CUDA", json_object_get(manifest, "cuda"));
    fact_members(d, "CUPTI", json_object_get(manifest, "cupti"));
    fact_members(d, "cpprof", json_object_get(manifest, "cpprof"));
    fact_list(d, "Seeds", json_object_get(manifest, "seeds"));
    fact_members(d, "Dropped records", json_object_get(manifest, "dropped"));
    fact_time(d, manifest);
    add_processes(d, json_object_get(manifest, "processes"));
    add_command(d, json_object_get(manifest, "command"));
}
