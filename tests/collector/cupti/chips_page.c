/* What does the installed CUPTI know of each chip, and do core/gpu/chips.c and docs/chips.md say the same? No GPU is
 * needed: its host library has the counters of all chips. usage: chips_page [--refresh] PAGE      --refresh writes the
 * tables of the page anew
 *
 * Exit 0: both agree; 1: not, each difference is said; 77: there is no CUPTI. The tables stand between the lines
 * `<!-- chips -->` and `<!-- end of chips -->`. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/profiler/counter_host.h"
#include "core/base/files.h"
#include "core/gpu/chips.h"
#include "core/gpu/metric_sets.h"
#include "core/gpu/sampled_units.h"
#include "tests/docs/page_difference.h"

enum { SKIPPED = 77, PAGE_BYTES_MAX = 1024 * 1024, CHIPS_MAX = 64, METRICS_MAX = 128, FIRST_MAJOR_WITH_ALL = 8 };

static const char begin_mark[] = "<!-- chips -->\n", end_mark[] = "<!-- end of chips -->\n";

/* What CUPTI says of one chip. */
struct answers {
    const struct chip *chip;
    bool opens;                     /* does CUPTI open its counters? */
    const char *names[METRICS_MAX]; /* of each metric; NULL: it has none */
    size_t passes[METRIC_SET_COUNT];
    const char *samples[SAMPLED_UNIT_COUNT]; /* of each unit the counter that can be sampled; NULL: none */
    bool is_sampled[SAMPLED_UNIT_COUNT];     /* and does it fit into one pass with those before it? */
};

static struct cupti_api api;
static struct answers answers[CHIPS_MAX];
static size_t answer_count;
static int differences;

#define DIFFERS(...) (fprintf(stderr, "chips_page: " __VA_ARGS__), fputc('\n', stderr), differences++)

/* ---- asking ---- */

/* The first of its names that the chip knows. It must be the only one: all names of a metric are asked for at once. */
static const char *known_name(const struct counter_host *host, const char *chip, const struct metric *metric)
{
    const char *name, *known = NULL;
    for (size_t i = 0; (name = metric_name(metric, i)); i++) {
        if (!counter_host_knows(host, name))
            continue;
        if (known)
            DIFFERS("%s knows '%s' by two names: %s, %s", chip, metric->id, known, name);
        known = known ? known : name;
    }
    return known;
}

/* A host takes one configuration. 0: it has none of these names, or refuses them together. */
static size_t passes_of(const char *chip, enum counter_reading reading, const char *const *names, size_t count)
{
    struct counter_host host;
    struct counter_config config = {0};
    struct err e = {0};
    if (!count || counter_host_open(&host, &api, chip, reading, NULL, &e))
        return 0;
    const int rc = counter_host_configure(&host, names, count, &config, &e);
    counter_host_close(&host);
    free(config.image);
    return rc ? 0 : config.passes;
}

static void ask_ranges(struct answers *a)
{
    struct counter_host host;
    struct err e = {0};
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    a->opens = !counter_host_open(&host, &api, a->chip->name, COUNTERS_OF_RANGES, NULL, &e);
    if (!a->opens)
        return;
    for (size_t i = 0; i < count; i++)
        a->names[i] = known_name(&host, a->chip->name, &metrics[i]);
    counter_host_close(&host);
    for (int set = 0; set < METRIC_SET_COUNT; set++) {
        const char *names[METRICS_MAX];
        size_t known = 0;
        for (size_t i = 0; i < count; i++)
            if (metric_in_set(&metrics[i], (enum metric_set_id)set) && a->names[i])
                names[known++] = a->names[i];
        a->passes[set] = passes_of(a->chip->name, COUNTERS_OF_RANGES, names, known);
    }
}

/* As pm_sampler.c chooses: the first name that the chip knows, and what fits into the pass of those before. */
static void ask_samples(struct answers *a)
{
    struct counter_host host;
    struct err e = {0};
    const char *together[SAMPLED_UNIT_COUNT];
    size_t count = 0;
    if (counter_host_open(&host, &api, a->chip->name, COUNTERS_OF_SAMPLES, NULL, &e))
        return;
    for (int i = 0; i < SAMPLED_UNIT_COUNT; i++) {
        const struct sampled_unit *unit = sampled_unit((enum sampled_unit_id)i);
        const bool is_left_out = sampled_unit_misses_work((enum sampled_unit_id)i, a->chip);
        for (size_t k = 0; !is_left_out && unit->names[k] && !a->samples[i]; k++)
            if (counter_host_knows(&host, unit->names[k]))
                a->samples[i] = unit->names[k];
    }
    counter_host_close(&host);
    for (int i = 0; i < SAMPLED_UNIT_COUNT; i++) {
        together[count] = a->samples[i];
        a->is_sampled[i] = a->samples[i] && passes_of(a->chip->name, COUNTERS_OF_SAMPLES, together, count + 1) == 1;
        count += a->is_sampled[i];
    }
}

static void ask_all(void)
{
    size_t count;
    const struct chip *chips = chips_known(&count);
    for (size_t i = 0; i < count && i < CHIPS_MAX; i++) {
        answers[i].chip = &chips[i];
        ask_ranges(&answers[i]);
        ask_samples(&answers[i]);
    }
    answer_count = count < CHIPS_MAX ? count : CHIPS_MAX;
}

/* ---- comparing ---- */

static void compare_lists(void)
{
    CUpti_Profiler_Host_GetSupportedChips_Params p = {.structSize =
                                                          CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
    if (api.cuptiProfilerHostGetSupportedChips(&p)) {
        DIFFERS("CUPTI does not list its chips");
        return;
    }
    for (size_t i = 0; i < p.numChips; i++)
        if (!chip_by_name(p.ppChipNames[i]))
            DIFFERS("CUPTI knows the chip %s, and core/gpu/chips.c does not", p.ppChipNames[i]);
    if (p.numChips != answer_count)
        DIFFERS("CUPTI knows %zu chips, and core/gpu/chips.c has %zu", p.numChips, answer_count);
}

static void compare_counters(const struct answers *a)
{
    size_t count, lacking = 0, declared = 0;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++) {
        if (!a->names[i] != chip_lacks(a->chip, metrics[i].id))
            DIFFERS("%s %s '%s' (%s), and core/gpu/chips.c says otherwise", a->chip->name,
                    a->names[i] ? "has" : "lacks", metrics[i].id, metrics[i].name);
        lacking += !a->names[i];
    }
    for (const char *c = a->chip->missing; *c; c++)
        declared += *c == ' ';
    if (lacking != declared)
        DIFFERS("core/gpu/chips.c lists %zu counters that %s lacks, of which %zu have an id", declared, a->chip->name,
                lacking);
}

/* From 8.0 on a bound needs a counter of each unit; what has no memory of its own has no counter of it. */
static void compare_units(const struct answers *a)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    if (strtol(a->chip->capability, NULL, 10) < FIRST_MAJOR_WITH_ALL)
        return;
    for (size_t i = 0; i < count; i++) {
        bool has_unit = strcmp(metrics[i].group, "dram") == 0 || strcmp(metrics[i].group, "tmem") == 0;
        for (size_t k = 0; k < count; k++)
            has_unit |=
                a->names[k] && metrics[k].role == metrics[i].role && !strcmp(metrics[k].group, metrics[i].group);
        if ((metrics[i].role == METRIC_COMPUTE || metrics[i].role == METRIC_MEMORY) && !has_unit)
            DIFFERS("%s has no counter of the unit '%s'", a->chip->name, metrics[i].group);
    }
}

static size_t sampled_together(const struct answers *a)
{
    size_t sampled = 0;
    for (int k = 0; k < SAMPLED_UNIT_COUNT; k++)
        sampled += a->is_sampled[k];
    return sampled;
}

static void compare(const struct answers *a)
{
    if (a->opens != chip_has_counters(a->chip))
        DIFFERS("CUPTI %s the counters of %s", a->opens ? "opens" : "does not open", a->chip->name);
    if (!sampled_together(a) != a->chip->lacks_samples)
        DIFFERS("CUPTI samples %zu units of %s, and core/gpu/chips.c says otherwise", sampled_together(a),
                a->chip->name);
    if (!a->opens)
        return;
    compare_counters(a);
    compare_units(a);
    for (int set = 0; set < METRIC_SET_COUNT; set++)
        if (a->passes[set] != (size_t)a->chip->passes[set])
            DIFFERS("%s takes %zu passes for '%s', and core/gpu/chips.c says %d", a->chip->name, a->passes[set],
                    metric_set((enum metric_set_id)set)->name, a->chip->passes[set]);
}

/* ---- the page ---- */

/* Appends the chips for which `is` holds: all of one capability by their pattern. */
static void add_chips(struct str *out, bool (*is)(const struct answers *, size_t), size_t what)
{
    const size_t before = out->length;
    for (size_t i = 0; i < answer_count; i++) {
        const char *capability = answers[i].chip->capability;
        size_t of_kind = 0, alike = 0, first = i;
        for (size_t k = 0; k < answer_count; k++) {
            if (strcmp(answers[k].chip->capability, capability) != 0)
                continue;
            first = k < first ? k : first;
            of_kind++;
            alike += is(&answers[k], what);
        }
        const char *name = alike == of_kind ? (first == i ? answers[i].chip->alike : NULL) : answers[i].chip->name;
        if (is(&answers[i], what) && name)
            str_addf(out, "%s%s", out->length > before ? " " : "", name);
    }
}

static void add_chip_rows(struct str *out)
{
    str_add(out, "| chip | cards | capability | warps | bound | stalls | memory | flops | nvlink | sampled by | units "
                 "sampled together |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < answer_count; i++) {
        const struct answers *a = &answers[i];
        str_addf(out, "| %s | %s | %s | %d |", a->chip->name, a->chip->cards, a->chip->capability,
                 a->chip->warps_per_sm);
        for (int set = 0; set < METRIC_SET_NONE; set++)
            a->opens ? str_addf(out, " %zu |", a->passes[set]) : str_add(out, " refused |");
        str_addf(out, " %s | %zu |\n", chip_sampled_by(a->chip), sampled_together(a));
    }
}

static bool lacks(const struct answers *a, size_t metric)
{
    return a->opens && !a->names[metric];
}

static bool is_unit(const struct metric *m)
{
    return m->role == METRIC_COMPUTE || m->role == METRIC_MEMORY || !strcmp(m->id, "issue_share");
}

static void add_metric_rows(struct str *out, const char *head, bool (*wanted)(const struct metric *))
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    str_addf(out, "\n%s\n| --- | --- | --- | --- |\n", head);
    for (size_t i = 0; i < count; i++) {
        size_t without = 0;
        for (size_t k = 0; k < answer_count; k++)
            without += lacks(&answers[k], i);
        if (!wanted(&metrics[i]) || (!without && !is_unit(&metrics[i])))
            continue;
        const char *dot = strchr(metrics[i].name, '.');
        str_addf(out, "| %s | `%s` | `%.*s` | ", metrics[i].group, metrics[i].id,
                 (int)(dot ? dot - metrics[i].name : (long)strlen(metrics[i].name)), metrics[i].name);
        add_chips(out, lacks, i);
        str_add(out, " |\n");
    }
}

static bool is_no_unit(const struct metric *m)
{
    return !is_unit(m);
}

static const char *wanted_name;

static bool calls_it_so(const struct answers *a, size_t metric)
{
    return a->names[metric] == wanted_name;
}

static void add_renames(struct str *out)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    str_add(out, "\n| counter | CUPTI's name | on |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; metric_name(&metrics[i], 1) && (wanted_name = metric_name(&metrics[i], k)); k++) {
            str_addf(out, "| `%s` | `%s` | ", metrics[i].id, wanted_name);
            add_chips(out, calls_it_so, i);
            str_add(out, " |\n");
        }
}

static bool samples_it_so(const struct answers *a, size_t unit)
{
    return a->samples[unit] == wanted_name && a->is_sampled[unit];
}

static bool has_no_room(const struct answers *a, size_t unit)
{
    return a->samples[unit] == wanted_name && !a->is_sampled[unit];
}

/* A name that is the first known of no chip has no row: an earlier one of its unit is known wherever it is. */
static bool is_used(size_t unit)
{
    size_t users = 0;
    for (size_t i = 0; i < answer_count; i++)
        users += answers[i].samples[unit] == wanted_name;
    return users > 0;
}

static void add_samples(struct str *out)
{
    str_add(out, "\n| unit | sampled as | on | no room in the pass of |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < SAMPLED_UNIT_COUNT; i++) {
        const struct sampled_unit *unit = sampled_unit((enum sampled_unit_id)i);
        for (size_t k = 0; (wanted_name = unit->names[k]); k++) {
            if (!is_used(i))
                continue;
            str_addf(out, "| %s | `%s` | ", unit->id, wanted_name);
            add_chips(out, samples_it_so, i);
            str_add(out, " | ");
            add_chips(out, has_no_room, i);
            str_add(out, " |\n");
        }
    }
}

static void add_tables(struct str *out)
{
    str_addf(out, "\nCUPTI's API version %u; %zu chips.\n\n", (unsigned)api.version, answer_count);
    add_chip_rows(out);
    add_metric_rows(out, "| unit | counter | CUPTI's name | not on |", is_unit);
    add_metric_rows(out, "| of | other counter | CUPTI's name | not on |", is_no_unit);
    add_renames(out);
    add_samples(out);
    str_add(out, "\n");
}

static int write_page(const char *page, struct str *out)
{
    const char *begin = strstr(page, begin_mark), *end = begin ? strstr(begin, end_mark) : NULL;
    if (!end) {
        fprintf(stderr, "chips_page: the page has no lines '<!-- chips -->' and '<!-- end of chips -->'\n");
        return 1;
    }
    str_add_bytes(out, page, (size_t)(begin - page) + strlen(begin_mark));
    add_tables(out);
    str_add(out, end);
    return out->failed;
}

int main(int argc, char **argv)
{
    const bool refresh = argc == 3 && !strcmp(argv[1], "--refresh");
    struct str page, made;
    struct err e = {0};
    if (argc != 2 && !refresh) {
        fprintf(stderr, "usage: chips_page [--refresh] PAGE\n");
        return 2;
    }
    if (cupti_api_load_pm(&api, &e)) {
        fprintf(stderr, "skipped: %s\n", e.text);
        return SKIPPED;
    }
    ask_all();
    compare_lists();
    for (size_t i = 0; i < answer_count; i++)
        compare(&answers[i]);
    str_init(&page);
    str_init(&made);
    int status = files_read(argv[argc - 1], PAGE_BYTES_MAX, &page, &e) ? 1 : write_page(str_text(&page), &made);
    if (!status && refresh)
        status = files_write_atomic(argv[argc - 1], str_text(&made), made.length, &e) ? 1 : 0;
    else if (!status)
        status = page_difference(argv[argc - 1], str_text(&page), str_text(&made), "refresh_chips");
    if (e.code)
        fprintf(stderr, "chips_page: %s\n", e.text);
    str_release(&page);
    str_release(&made);
    return status || differences ? 1 : 0;
}
