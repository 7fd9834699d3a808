/* What does the report of a run of programs say besides? */
#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/json.h"
#include "core/run/iterations.h"
#include "reports/run/run_report.h"

enum { PROGRAMS_MAX = 64 }; /* that a report shows */

static void cell_share(struct document *d, double part, double whole)
{
    document_cell_unit(d, UNIT_RATIO, whole > 0 ? part / whole : NAN);
}

static void add_transfers(const struct iteration_summary *s, struct document *d)
{
    char text[UNITS_TEXT_BYTES];
    if (isnan(s->memsets) && s->copies > 0)
        document_cell(d, "%s with memsets", unit_format(text, UNIT_COUNT, s->copies));
    else
        document_cell_unit(d, UNIT_COUNT, s->copies - s->memsets);
    document_cell_unit(d, UNIT_COUNT, s->memsets);
}

/* Programs whose launches are several kinds of work have an arm for each. */
static bool has_shapes(const struct arm_table *variants)
{
    for (size_t row = 0; row < table_rows(variants->table); row++)
        if (variants->arms[row]->next)
            return true;
    return false;
}

static int add_iteration(const struct arm_table *tables, const struct arm *arm, bool with_shape, struct document *d)
{
    struct iteration_summary s;
    if (iterations_summarise(&s, tables, arm, NULL))
        return ERR_MEMORY;
    document_cell_code(d, arm->variant);
    if (with_shape)
        document_cell(d, "%s", arm->config);
    document_cell_unit(d, UNIT_COUNT, (double)s.count);
    const double times[] = {s.busy_ns, s.span_ns, s.interval_ns, s.idle_ns};
    for (size_t i = 0; i < COUNT_OF(times); i++)
        document_cell_unit(d, UNIT_NS, times[i]);
    cell_share(d, s.idle_ns, s.interval_ns);
    document_cell_unit(d, UNIT_COUNT, s.kernels);
    add_transfers(&s, d);
    document_cell_unit(d, UNIT_BYTES, s.bytes);
    return 0;
}

void run_iterations_add(const struct analysis *a, struct document *d)
{
    static const struct document_column columns[] = {
        {"shape", false},      {"iterations", true},      {"GPU busy", true}, {"span", true},   {"interval", true},
        {"device idle", true}, {"of the interval", true}, {"kernels", true},  {"copies", true}, {"memsets", true},
        {"bytes", true}};
    enum { COLUMNS = COUNT_OF(columns) };
    struct document_column with_shapes[COLUMNS + 1] = {{"variant", false}};
    if (!bundle_programs(a->bundle) || !table_rows(&a->bundle->tables[BUNDLE_ITERATIONS]))
        return;
    const struct arm_table *variants = &a->run->tables[BUNDLE_VARIANTS];
    const bool shapes = has_shapes(variants);
    memcpy(&with_shapes[1], &columns[!shapes], (COLUMNS - !shapes) * sizeof *columns);
    document_heading(d, 2, "Iterations");
    document_table(d, with_shapes, COLUMNS + shapes);
    for (size_t row = 0; row < table_rows(variants->table); row++)
        d->failed |= add_iteration(a->run->tables, variants->arms[row], shapes, d) != 0;
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "Medians. Durations are those of %s, of all variants alike: GPU busy is the time in which work of the "
        "iteration runs, and what the verdict compares; span is from its first start to its last end; interval "
        "is to the start of the next iteration, and holds what recording costs the host.",
        json_get_text(a->bundle->manifest, "timing_source", "an unknown instrument"));
}

void run_iterations_compared(const struct analysis *a, struct document *d)
{
    if (!bundle_programs(a->bundle))
        return;
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "Arrays are held against the one that the baseline wrote in the same block, and the baseline's against its "
        "first one: that programs agree with each other, not with a reference of higher precision.");
}

static void add_last_words(struct document *d, const json_t *program, bool *begun)
{
    const json_t *processes = json_object_get(program, "processes");
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const char *said = json_get_text(json_array_get(processes, i), "said", "");
        if (!strchr(said, '\n')) /* the headline has the one line */
            continue;
        if (!*begun)
            document_heading(d, 3, "What the programs that failed said last");
        *begun = true;
        document_paragraph(d);
        document_span(d, SPAN_CODE, "%s", json_get_text(program, "variant", ""));
        document_code(d, said);
    }
}

void run_last_words_add(const struct analysis *a, struct document *d)
{
    const json_t *programs = bundle_programs(a->bundle);
    bool begun = false;
    for (size_t i = 0; i < json_array_size(programs) && i < PROGRAMS_MAX; i++)
        add_last_words(d, json_array_get(programs, i), &begun);
}

/* ---- provenance ---- */

static void add_words(struct document *d, const json_t *words)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        str_addf(&text, "%s%s", i ? " " : "", word ? word : "");
    }
    document_span(d, SPAN_CODE, "%s", str_text(&text));
    d->failed |= text.failed;
    str_release(&text);
}

static void add_files(struct document *d, const char *before, const json_t *files)
{
    for (size_t i = 0; i < json_array_size(files) && i < PROGRAMS_MAX; i++) {
        const json_t *file = json_array_get(files, i);
        document_span(d, SPAN_PLAIN, "%s", i ? ", " : before);
        document_span(d, SPAN_CODE, "%s", json_get_text(file, "name", "unnamed"));
        const char *as = json_get_text(file, "as", "");
        document_span(d, SPAN_PLAIN, " (%s%sCRC-32 %08llx)", as, *as ? ", " : "",
                      (unsigned long long)json_get_integer(file, "crc32", 0));
    }
}

static void add_program(struct document *d, const json_t *program)
{
    document_bullet(d);
    document_span(d, SPAN_STRONG, "Program:");
    document_span(d, SPAN_PLAIN, " ");
    document_span(d, SPAN_CODE, "%s", json_get_text(program, "variant", ""));
    document_span(d, SPAN_PLAIN, " is ");
    add_words(d, json_object_get(program, "command"));
    add_files(d, "; files: ", json_object_get(program, "files"));
    document_span(d, SPAN_PLAIN, "; the trace of its first process: ");
    document_span(d, SPAN_CODE, "%s.cpprof", json_get_text(program, "variant", ""));
}

static void add_repository(struct document *d, const json_t *manifest)
{
    const char *commit = json_get_text(json_object_get(manifest, "repository"), "commit", "");
    if (!*commit)
        return;
    document_bullet(d);
    document_span(d, SPAN_STRONG, "Repository:");
    document_span(d, SPAN_PLAIN, " commit %s", commit);
}

static void add_timing_source(struct document *d, const char *source)
{
    document_bullet(d);
    document_span(d, SPAN_STRONG, "Timed by:");
    document_span(d, SPAN_PLAIN, " %s", source);
}

void run_programs_add(const struct analysis *a, struct document *d)
{
    const json_t *programs = bundle_programs(a->bundle), *manifest = a->bundle->manifest;
    if (!programs)
        return;
    for (size_t i = 0; i < json_array_size(programs) && i < PROGRAMS_MAX; i++)
        add_program(d, json_array_get(programs, i));
    add_timing_source(d, json_get_text(manifest, "timing_source", "an unknown instrument"));
    add_repository(d, manifest);
}

static bool has_task(const json_t *libraries)
{
    for (size_t i = 0; i < json_array_size(libraries); i++)
        if (!strcmp(json_get_text(json_array_get(libraries, i), "as", ""), "task"))
            return true;
    return false;
}

void run_libraries_add(const json_t *manifest, struct document *d)
{
    const json_t *libraries = json_object_get(manifest, "libraries");
    if (!json_array_size(libraries))
        return;
    const bool is_judged = has_task(libraries);
    document_bullet(d);
    document_span(d, SPAN_STRONG, is_judged ? "Libraries:" : "Libraries of variants:");
    add_files(d, " ", libraries);
    document_bullet(d);
    document_span(d, SPAN_STRONG, "Judged by:");
    document_span(d, SPAN_PLAIN,
                  is_judged ? " the task: its inputs, its float64 reference, buffers of cpprof's own"
                            : " its own verification: each variant makes its inputs and checks its outputs itself");
    if (json_is_object(json_object_get(manifest, "isolation")))
        document_span(d, SPAN_PLAIN,
                      "; solutions ran as another user (--isolate), and no output counts as right that the judge "
                      "itself did not write down; times are the runner's own words");
    if (json_object_get(manifest, "timing_source"))
        add_timing_source(d, json_get_text(manifest, "timing_source", ""));
    add_repository(d, manifest);
}
