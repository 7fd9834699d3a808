/* Which iterations of a program are alike? */
#define _GNU_SOURCE
#include "core/run/sample_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_sum.h"
#include "core/base/demangle.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/run/launch_form.h"
#include "core/run/launch_groups.h"
#include "core/run/matched_launches.h"

enum { FIRST_LAUNCHES = 4 }; /* of a kernel: the guest counts three, and one more of the very first kernel */

/* ---- one group ---- */

static void add_extents(struct str *out, const uint32_t extent[3])
{
    str_addf(out, "%u", extent[0]);
    for (int i = 1; i < 3 && (extent[1] > 1 || extent[2] > 1); i++)
        if (i == 1 || extent[2] > 1)
            str_addf(out, "x%u", extent[i]);
}

/* No blanks: they separate the words of a shape. */
static void add_kernel(struct str *out, const char *symbol)
{
    struct str name;
    str_init(&name);
    demangle_template(&name, symbol);
    for (const char *c = str_text(&name); *c; c++)
        if ((unsigned char)*c > ' ')
            str_add_bytes(out, c, 1);
    str_release(&name);
}

static void add_trait(struct str *out, enum launch_trait trait, const struct launch_form *form)
{
    switch (trait) {
    case TRAIT_KERNEL: add_kernel(out, form->key.kernel); break;
    case TRAIT_GRID: add_extents(out, form->key.grid); break;
    case TRAIT_BLOCK: add_extents(out, form->key.block); break;
    case TRAIT_SHARED: str_addf(out, "%llu", (unsigned long long)form->shared_bytes); break;
    case TRAIT_PLACE:
    case TRAIT_COUNT: break;
    }
}

/* "64+128"; once where all launches have the same. */
static const char *join_trait(struct arena *arena, enum launch_trait trait, const struct sample_group *group)
{
    struct str all, one, first;
    bool differ = false;
    str_init(&all);
    str_init(&one);
    str_init(&first);
    for (size_t i = 0; i < group->form_count; i++) {
        struct launch_form form;
        str_clear(&one);
        if (launch_form_read(&form, group->forms[i]))
            add_trait(&one, trait, &form);
        if (!i)
            str_add(&first, str_text(&one));
        differ |= strcmp(str_text(&one), str_text(&first)) != 0;
        str_addf(&all, "%s%s", i ? "+" : "", str_text(&one));
    }
    const char *out = arena_copy(arena, str_text(differ ? &all : &first));
    str_release(&all);
    str_release(&one);
    str_release(&first);
    return out;
}

static void add_sizes(struct sample_group *group)
{
    for (size_t i = 0; i < group->form_count; i++) {
        struct launch_form form;
        if (!launch_form_read(&form, group->forms[i]))
            continue;
        const double blocks = (double)form.key.grid[0] * form.key.grid[1] * form.key.grid[2];
        const double threads = (double)form.key.block[0] * form.key.block[1] * form.key.block[2];
        group->sizes[0] += blocks;
        group->sizes[1] += threads;
        group->sizes[2] += blocks * threads;
    }
}

static const char *key_of(struct arena *arena, const char *const *forms, size_t count, size_t place)
{
    struct str key;
    str_init(&key);
    for (size_t i = 0; i < count; i++)
        str_addf(&key, "%s\n", forms[i]);
    str_addf(&key, "%zu", place);
    const char *out = arena_copy(arena, str_text(&key));
    str_release(&key);
    return out;
}

/* Finds or adds the group; SIZE_MAX without memory. `forms` is kept. */
static size_t group_named(struct arm_groups *out, struct arena *arena, const char *const *forms, size_t count,
                          size_t place)
{
    const char *key = key_of(arena, forms, count, place);
    for (size_t i = 0; i < out->groups.count; i++)
        if (!strcmp(out->groups.items[i].key, key))
            return i;
    struct sample_group *group = ARRAY_PUSH(&out->groups);
    if (!group)
        return SIZE_MAX;
    *group = (struct sample_group){.key = key, .forms = forms, .form_count = count, .config = "", .problem = ""};
    for (enum launch_trait trait = 0; trait < TRAIT_PLACE; trait++)
        group->traits[trait] = join_trait(arena, trait, group);
    group->traits[TRAIT_PLACE] = arena_printf(arena, "%zu", place);
    add_sizes(group);
    return out->groups.count - 1;
}

static int add_row(struct arm_groups *out, double process, double iteration, size_t group, struct err *e)
{
    struct grouped_row *row = ARRAY_PUSH(&out->rows);
    if (!row)
        return err_memory(e);
    *row = (struct grouped_row){process, iteration, group};
    if (group == SIZE_MAX)
        out->set_up++;
    else
        out->groups.items[group].samples++;
    return 0;
}

/* ---- as it was recorded ---- */

/* The groups of one process by their numbers there; NULL and 0 when the manifest has none. */
struct recorded {
    size_t *groups;
    size_t count;
};

static int read_recorded(struct recorded *out, struct arm_groups *arm, const json_t *process, struct arena *arena,
                         struct err *e)
{
    const json_t *list = json_object_get(process, "groups");
    out->count = json_array_size(list) < LAUNCH_GROUPS_MAX ? json_array_size(list) : LAUNCH_GROUPS_MAX;
    out->groups = calloc(out->count + 1, sizeof *out->groups);
    if (!out->groups)
        return err_memory(e);
    for (size_t i = 0; i < out->count; i++) {
        out->groups[i] = SIZE_MAX;
        if (arm->groups.count == LAUNCH_GROUPS_MAX)
            return err_set(e, ERR_INPUT, "%s has more than %d groups of launches", arm->variant, LAUNCH_GROUPS_MAX);
        const json_t *one = json_array_get(list, i), *launches = json_object_get(one, "launches");
        const size_t count = json_array_size(launches);
        const char **forms = arena_alloc(arena, (count + 1) * sizeof *forms);
        if (!forms)
            return err_memory(e);
        for (size_t k = 0; k < count; k++) {
            const char *form = json_string_value(json_array_get(launches, k));
            forms[k] = form ? form : "";
        }
        const int64_t place = json_get_integer(one, "place", 0);
        out->groups[i] = group_named(arm, arena, forms, count, place > 0 ? (size_t)place : 0);
        if (out->groups[i] == SIZE_MAX)
            return err_memory(e);
    }
    return 0;
}

static int add_recorded_rows(struct arm_groups *arm, const struct table *t, double process,
                             const struct recorded *recorded, struct err *e)
{
    bool has[LAUNCH_GROUPS_MAX] = {false};
    int rc = 0;
    for (size_t row = 0; row < table_rows(t) && !rc; row++) {
        if (table_number(t, row, TIMING_PROCESS) != process ||
            strcmp(table_text(t, row, TIMING_VARIANT), arm->variant) != 0)
            continue;
        const double number = table_number(t, row, TIMING_BLOCK);
        const bool is_known = number >= 0 && number < (double)recorded->count;
        const size_t group = is_known ? recorded->groups[(size_t)number] : SIZE_MAX;
        if (is_known && !has[(size_t)number]) {
            has[(size_t)number] = true;
            arm->groups.items[group].processes++;
        }
        rc = add_row(arm, process, table_number(t, row, TIMING_ITERATION), group, e);
    }
    return rc;
}

static int read_recorded_process(struct arm_groups *arm, const struct bundle *b, const json_t *process,
                                 struct arena *arena, struct err *e)
{
    struct recorded recorded = {0};
    int rc = read_recorded(&recorded, arm, process, arena, e);
    if (!rc)
        rc = add_recorded_rows(arm, &b->tables[BUNDLE_TIMING], json_get_number(process, "process", NAN), &recorded, e);
    for (size_t i = 0; i < recorded.count && !arm->counted_count; i++)
        arm->counted[i] = recorded.groups[i];
    arm->counted_count = arm->counted_count ? arm->counted_count : recorded.count;
    count_add(&arm->left_out, json_get_integer(process, "cut_off", 0));
    free(recorded.groups);
    return rc;
}

/* ---- as the trace of its first process has it ---- */

/* The iterations of one process, in the rows of iterations.csv. */
struct iteration_rows {
    size_t *rows;
    size_t count;
    double process;
    size_t kernels; /* of each iteration; 0: they differ */
};

static int find_iterations(struct iteration_rows *out, const struct table *t, const char *variant, double process,
                           struct err *e)
{
    *out = (struct iteration_rows){calloc(table_rows(t) + 1, sizeof *out->rows), 0, process, 0};
    if (!out->rows)
        return err_memory(e);
    for (size_t row = 0; row < table_rows(t); row++) {
        if (strcmp(table_text(t, row, ITERATIONS_VARIANT), variant) != 0 ||
            table_number(t, row, ITERATIONS_PROCESS) != process)
            continue;
        const double kernels = table_number(t, row, ITERATIONS_KERNELS);
        const bool is_like = kernels >= 1 && kernels < LAUNCH_PERIOD_MAX && (!out->count || kernels == out->kernels);
        out->kernels = is_like ? (size_t)kernels : 0;
        out->rows[out->count++] = row;
    }
    return 0;
}

/* Begins iteration i when launch number (skipped + i) * kernels does? */
static bool are_launches(const struct iteration_rows *iterations, const struct table *t,
                         const struct matched_launches *launches, size_t skipped)
{
    const size_t kernels = iterations->kernels;
    if (!kernels || !iterations->count || launches->count / kernels != iterations->count + skipped)
        return false;
    const int64_t zero_ns = launches->items[skipped * kernels].start_ns;
    for (size_t i = 0; i < iterations->count; i++) {
        const double start_ns = table_number(t, iterations->rows[i], ITERATIONS_START);
        if (start_ns != (double)(launches->items[(skipped + i) * kernels].start_ns - zero_ns))
            return false;
    }
    return true;
}

/* Each sample of the old kind is one launch here: its form is that of all its launches. */
static int group_samples(struct launch_groups *out, const struct matched_launches *launches, size_t kernels,
                         struct err *e)
{
    const size_t count = launches->count / kernels;
    struct ordered_launch *samples = calloc(count + 1, sizeof *samples);
    struct strtab words;
    struct str word;
    strtab_init(&words);
    str_init(&word);
    bool ok = samples != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        str_clear(&word);
        for (size_t k = 0; k < kernels; k++)
            str_addf(&word, "%u ", launches->items[i * kernels + k].form);
        samples[i].token = strtab_add(&words, str_text(&word));
        ok = samples[i].token != 0;
    }
    const int rc = ok ? launch_groups_find(out, samples, count, e) : err_memory(e);
    strtab_release(&words);
    str_release(&word);
    free(samples);
    return rc;
}

static int name_groups(size_t *named, struct arm_groups *arm, const struct matched_launches *launches, size_t kernels,
                       const struct launch_groups *groups, struct arena *arena, struct err *e)
{
    for (size_t i = 0; i < groups->count; i++) {
        const char **forms = arena_alloc(arena, kernels * sizeof *forms);
        if (!forms)
            return err_memory(e);
        for (size_t k = 0; k < kernels; k++)
            forms[k] = arena_copy(
                arena, strtab_text(&launches->forms, launches->items[groups->items[i].first * kernels + k].form));
        named[i] =
            groups->items[i].is_set_up ? SIZE_MAX : group_named(arm, arena, forms, kernels, groups->items[i].place);
        if (named[i] == SIZE_MAX && !groups->items[i].is_set_up)
            return err_memory(e);
        if (named[i] != SIZE_MAX)
            arm->groups.items[named[i]].processes = arm->processes;
    }
    return 0;
}

/* To which groups do the launches belong that the counters were read of? */
static int note_counted(struct arm_groups *arm, const struct matched_launches *launches, size_t kernels,
                        const struct launch_groups *groups, const size_t *named, struct arena *arena, struct err *e)
{
    const size_t names = strtab_count(&launches->kernels) + 1;
    size_t *seen = calloc(names, sizeof *seen);
    if (!seen)
        return err_memory(e);
    int rc = 0;
    for (size_t i = 0; i < launches->count / kernels * kernels && !rc; i++) {
        const uint32_t kernel = launches->items[i].kernel, group = groups->places[i / kernels].group;
        if (seen[kernel] == FIRST_LAUNCHES)
            continue;
        struct kernel_launch_group *slot = ARRAY_PUSH(&arm->launches);
        if (!slot)
            rc = err_memory(e);
        else
            *slot = (struct kernel_launch_group){arena_copy(arena, strtab_text(&launches->kernels, kernel)),
                                                 seen[kernel]++, group == LAUNCH_NO_GROUP ? SIZE_MAX : named[group]};
    }
    free(seen);
    return rc;
}

/* A process of which nobody kept the trace does what the first one did, if it did as much. */
static int add_traced_rows(struct arm_groups *arm, const struct table *t, const struct iteration_rows *first,
                           const struct launch_groups *groups, const size_t *named, size_t skipped, struct err *e)
{
    int rc = 0;
    size_t at = 0;
    double process = NAN;
    for (size_t row = 0; row < table_rows(t) && !rc; row++) {
        if (strcmp(table_text(t, row, ITERATIONS_VARIANT), arm->variant) != 0)
            continue;
        const double its = table_number(t, row, ITERATIONS_PROCESS);
        at = its == process ? at + 1 : 0;
        process = its;
        const uint32_t group = at < first->count ? groups->places[skipped + at].group : LAUNCH_NO_GROUP;
        rc = add_row(arm, its, table_number(t, row, ITERATIONS_ITERATION),
                     group == LAUNCH_NO_GROUP ? SIZE_MAX : named[group], e);
    }
    return rc;
}

static bool are_as_many(const json_t *processes, int64_t samples)
{
    for (size_t i = 0; i < json_array_size(processes); i++) {
        const json_t *process = json_array_get(processes, i);
        if (json_object_get(process, "samples") && json_get_integer(process, "samples", 0) != samples)
            return false;
    }
    return true;
}

static int take_traced(struct arm_groups *arm, const struct table *t, const struct iteration_rows *first,
                       const struct matched_launches *launches, size_t skipped, struct arena *arena, struct err *e)
{
    size_t named[LAUNCH_GROUPS_MAX];
    struct launch_groups groups = {0};
    int rc = group_samples(&groups, launches, first->kernels, e);
    if (!rc)
        rc = name_groups(named, arm, launches, first->kernels, &groups, arena, e);
    if (!rc)
        rc = note_counted(arm, launches, first->kernels, &groups, named, arena, e);
    if (!rc)
        rc = add_traced_rows(arm, t, first, &groups, named, skipped, e);
    launch_groups_release(&groups);
    return rc;
}

/* Resources say of a kernel whose launches differ neither grid nor block. */
static bool launches_differ(const struct bundle *b, const char *variant)
{
    const struct table *t = &b->tables[BUNDLE_RESOURCES];
    for (size_t row = 0; row < table_rows(t); row++)
        if (!strcmp(table_text(t, row, RESOURCES_VARIANT), variant) &&
            (isnan(table_number(t, row, RESOURCES_GRID)) || isnan(table_number(t, row, RESOURCES_BLOCK)) ||
             isnan(table_number(t, row, RESOURCES_SHARED))))
            return true;
    return false;
}

static int open_launches(struct matched_launches *out, const struct bundle *b, const char *variant, const char *kernels,
                         struct err *e)
{
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/%s.cpprof", b->path ? b->path : "", variant);
    const int rc = !b->path || strchr(variant, '/') || !bundle_has_trace(str_text(&path))
                       ? err_set(e, ERR_INPUT, "the trace of its first process is not there")
                       : matched_launches_read(out, str_text(&path), kernels, e);
    str_release(&path);
    return rc;
}

static int read_traced(struct arm_groups *arm, const struct bundle *b, const json_t *processes, const char *kernels,
                       struct arena *arena, struct err *e)
{
    const struct table *t = &b->tables[BUNDLE_ITERATIONS];
    const json_t *process = json_array_get(processes, 0);
    struct matched_launches launches = {0};
    struct iteration_rows first;
    struct err why = {0};
    int rc = find_iterations(&first, t, arm->variant, json_get_number(process, "process", NAN), e);
    if (rc)
        return rc;
    const int64_t skipped = json_get_integer(process, "warmup", 0);
    int read = open_launches(&launches, b, arm->variant, kernels, &why);
    if (!read && !(skipped >= 0 && are_launches(&first, t, &launches, (size_t)skipped)))
        read = err_set(&why, ERR_INPUT, "the trace of its first process has other launches");
    if (!read && !are_as_many(processes, (int64_t)first.count))
        read = err_set(&why, ERR_INPUT, "its processes have different numbers of launches");
    if (!read)
        read = take_traced(arm, t, &first, &launches, (size_t)skipped, arena, &why);
    if (read == ERR_INPUT || read == ERR_USAGE) {
        arm->groups.count = arm->rows.count = 0;
        if (launches_differ(b, arm->variant))
            arm->unknown = arena_printf(arena,
                                        "its launches differ in their grid, block or shared memory, and which "
                                        "sample is of which launch is not known: %s",
                                        why.text);
    } else if (read)
        rc = err_set(e, read, "%s", why.text);
    matched_launches_release(&launches);
    free(first.rows);
    return rc;
}

/* ---- all together ---- */

static const json_t *processes_of(const struct bundle *b, const char *variant)
{
    const json_t *programs = bundle_programs(b);
    for (size_t i = 0; i < json_array_size(programs); i++)
        if (!strcmp(json_get_text(json_array_get(programs, i), "variant", ""), variant))
            return json_object_get(json_array_get(programs, i), "processes");
    return NULL;
}

const char *sample_groups_kernels(const struct bundle *b, const char *variant)
{
    const struct table *t = &b->tables[BUNDLE_VARIANTS];
    for (size_t row = 0; row < table_rows(t); row++)
        if (!strcmp(table_text(t, row, VARIANTS_VARIANT), variant))
            return table_text(t, row, VARIANTS_KERNEL_PATTERN);
    return "";
}

static bool has_recorded(const json_t *processes)
{
    for (size_t i = 0; i < json_array_size(processes); i++)
        if (json_object_get(json_array_get(processes, i), "groups"))
            return true;
    return false;
}

static int by_process(const void *left, const void *right)
{
    const struct grouped_row *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return (a->iteration > b->iteration) - (a->iteration < b->iteration);
}

int sample_groups_read(struct arm_groups *out, const struct bundle *b, const char *variant, struct arena *arena,
                       struct err *e)
{
    const json_t *processes = processes_of(b, variant);
    const char *kernels = sample_groups_kernels(b, variant);
    *out = (struct arm_groups){.variant = variant, .unknown = ""};
    int rc = 0;
    for (size_t i = 0; i < json_array_size(processes); i++)
        out->processes += json_get_integer(json_array_get(processes, i), "samples", 0) > 0;
    if (has_recorded(processes))
        for (size_t i = 0; i < json_array_size(processes) && !rc; i++)
            rc = read_recorded_process(out, b, json_array_get(processes, i), arena, e);
    else if (*kernels && out->processes)
        rc = read_traced(out, b, processes, kernels, arena, e);
    if (out->rows.count)
        qsort(out->rows.items, out->rows.count, sizeof *out->rows.items, by_process);
    return rc;
}

void sample_groups_release(struct arm_groups *groups)
{
    free(groups->groups.items);
    free(groups->rows.items);
    free(groups->launches.items);
    *groups = (struct arm_groups){0};
}

size_t sample_groups_of(const struct arm_groups *groups, double process, double iteration)
{
    const struct grouped_row key = {process, iteration, 0};
    const struct grouped_row *row = groups->rows.count ? bsearch(&key, groups->rows.items, groups->rows.count,
                                                                 sizeof *groups->rows.items, by_process)
                                                       : NULL;
    return row ? row->group : SIZE_MAX;
}
