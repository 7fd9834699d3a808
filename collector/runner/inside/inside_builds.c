/* Which instrumented builds of the known variants are there? */
#define _GNU_SOURCE
#include "collector/runner/inside/inside_builds.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/cases.h"
#include "collector/runner/variant_check.h"
#include "collector/runner/variant_library.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/bundle/bundle_tables.h"

#define PHASES_SYMBOL "cpprof_phases"

enum { PHASE_ROWS_MAX = 256, AHEAD_MAX = 64, PHASE_NAME_MAX = 64 };

/* ---- what a build says of itself ---- */

bool inside_phase_is_of(const struct cpprof_phase *phase, const char *variant)
{
    return !phase->variants || !fnmatch(phase->variants, variant, 0);
}

static const char *phase_is_wrong(const struct cpprof_phase *p)
{
    if (!p->role_name || !*p->role_name || !p->name || !*p->name)
        return "a name is missing";
    if (strlen(p->role_name) > PHASE_NAME_MAX || strlen(p->name) > PHASE_NAME_MAX)
        return "a name is too long";
    if (p->role < 0 || p->role >= CPPROF_ROLES_MAX || p->mark < 0 || p->mark >= CPPROF_MARKS_MAX)
        return "roles and marks go from 0 to 7";
    if (p->until < 0 || p->until >= CPPROF_MARKS_MAX || p->ahead < 0 || p->ahead > AHEAD_MAX)
        return "it ends at no mark, or belongs to a tile too far ahead";
    return p->kind < CPPROF_PHASE_OTHER || p->kind > CPPROF_PHASE_POLL ? "its kind is not known" : NULL;
}

static int check_phases(const struct cpprof_inside *inside, struct err *e)
{
    if (!inside->phases || !inside->phase_count || inside->phase_count > PHASE_ROWS_MAX)
        return err_set(e, ERR_USAGE, "its table has %zu phases: expected 1 to %d", inside->phase_count, PHASE_ROWS_MAX);
    for (size_t i = 0; i < inside->phase_count; i++) {
        const char *wrong = phase_is_wrong(&inside->phases[i]);
        if (wrong)
            return err_set(e, ERR_USAGE, "row %zu of its table of phases: %s", i, wrong);
    }
    return 0;
}

/* The file's ending, "-record", "-progress" or "-delay-1.2", must agree with what was compiled. */
static int check_ending(const struct cpprof_inside *inside, const char *path, struct err *e)
{
    char ending[32];
    if (inside->build == CPPROF_INSIDE_RECORD)
        snprintf(ending, sizeof ending, "-record.so");
    else if (inside->build == CPPROF_INSIDE_PROGRESS)
        snprintf(ending, sizeof ending, "-progress.so");
    else
        snprintf(ending, sizeof ending, "-delay-%d.%d.so", inside->delay_mark / CPPROF_MARKS_MAX,
                 inside->delay_mark % CPPROF_MARKS_MAX);
    const size_t length = strlen(path), expected = strlen(ending);
    if (length >= expected && !strcmp(path + length - expected, ending))
        return 0;
    return err_set(e, ERR_USAGE,
                   "it was compiled as ...%s: call it so, or compile it with other values of CPPROF_INSIDE and of "
                   "CPPROF_DELAY_MARK",
                   ending);
}

static bool does_something(const struct cpprof_inside *inside)
{
    switch (inside->build) {
    case CPPROF_INSIDE_DELAY: return inside->delay_mark >= 0 && inside->measure;
    case CPPROF_INSIDE_RECORD:
    case CPPROF_INSIDE_PROGRESS: return true;
    default: return false;
    }
}

static int read_inside(void *handle, const char *path, const struct cpprof_inside **out, struct err *e)
{
    const struct cpprof_inside *(*entry)(void) = NULL;
    void *symbol = dlsym(handle, PHASES_SYMBOL);
    if (!symbol)
        return err_set(e, ERR_USAGE,
                       "it does not export " PHASES_SYMBOL
                       "(): its source needs a CPPROF_PHASE_TABLE (docs/inside.md)");
    memcpy(&entry, &symbol, sizeof entry);
    const struct cpprof_inside *inside = entry();
    if (!inside || inside->struct_bytes < sizeof *inside || inside->layout != CPPROF_INSIDE_LAYOUT || !inside->set)
        return err_set(e, ERR_USAGE, "it was compiled with another cpprof/inside.h: compile it with this program's");
    if (!does_something(inside))
        return err_set(e, ERR_USAGE, "it neither records nor waits nor tells of progress");
    *out = inside;
    const int rc = check_phases(inside, e);
    return rc ? rc : check_ending(inside, path, e);
}

/* Returns what begins at the mark that waits; NULL when nothing does in this variant. */
static const struct cpprof_phase *phase_that_waits(const struct cpprof_inside *inside, const char *variant)
{
    for (size_t i = 0; i < inside->phase_count; i++)
        if (inside->phases[i].role * CPPROF_MARKS_MAX + inside->phases[i].mark == inside->delay_mark &&
            inside_phase_is_of(&inside->phases[i], variant))
            return &inside->phases[i];
    return NULL;
}

/* ---- arms of a build ---- */

struct builds {
    struct catalogue *catalogue;
    const struct inside_request *request;
    const char *library;
};

static const struct cpprof_variant *marked_variant(const struct builds *b, const char *name)
{
    const struct catalogue_entry *entry = catalogue_find(b->catalogue, name);
    return entry && !entry->build && !strcmp(entry->library, b->library) ? entry->variant : NULL;
}

/* What is stated about the variant holds for its output, its kernel and its work, and for no comparison. */
static int add_arm(const struct builds *b, const struct cpprof_variant *from, const struct inside_build *build,
                   const char *ending, const char *summary, struct err *e)
{
    char name[CASE_NAME_BYTES];
    struct cpprof_variant own;
    variant_library_copy(&own, from);
    if ((size_t)snprintf(name, sizeof name, "%s%s", from->name, ending) >= sizeof name)
        return err_set(e, ERR_USAGE, "its name is too long for an arm");
    own.summary = summary;
    own.signals = own.bound = own.improves_on = NULL;
    if (catalogue_find(b->catalogue, name))
        return err_set(e, ERR_USAGE, "another build is called '%s': remove one of them", name);
    const int rc = variant_check(&own, e);
    return rc ? rc : catalogue_add_build(b->catalogue, &own, name, b->library, build, e);
}

static bool is_asked_for(const struct inside_request *request, const struct cpprof_inside *inside, const char *variant)
{
    const struct cpprof_phase *phase = phase_that_waits(inside, variant);
    bool asked = phase && !request->phase_count;
    for (size_t i = 0; phase && i < request->phase_count && !asked; i++)
        asked = !strcmp(request->phases[i], phase->name) || !strcmp(request->phases[i], phase->role_name);
    return asked;
}

static bool is_earlier_dose(const struct inside_request *request, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (request->doses[i] == request->doses[index])
            return true;
    return false;
}

static int add_doses(const struct builds *b, const struct cpprof_variant *from, struct inside_build *build,
                     struct err *e)
{
    char ending[64];
    const int role = build->inside->delay_mark / CPPROF_MARKS_MAX, mark = build->inside->delay_mark % CPPROF_MARKS_MAX;
    int rc = 0;
    for (size_t i = 0; i <= b->request->dose_count && !rc; i++) {
        if (i && is_earlier_dose(b->request, i - 1))
            continue;
        build->delay_cycles = i ? b->request->doses[i - 1] : -1;
        if (i)
            snprintf(ending, sizeof ending, INSIDE_DELAY "%d.%d-%d", role, mark, build->delay_cycles);
        else
            snprintf(ending, sizeof ending, INSIDE_DELAY "%d.%d-none", role, mark);
        rc = add_arm(b, from, build, ending, "a mark of the kernel waits", e);
    }
    return rc;
}

static int add_variant(const struct builds *b, const struct cpprof_variant *from, const struct cpprof_inside *inside,
                       struct err *e)
{
    struct inside_build build = {marked_variant(b, from->name), inside, -1};
    int rc = 0;
    if (!build.of)
        return 0; /* of another library of this name, or of a variant that is new */
    if (inside->build == CPPROF_INSIDE_RECORD)
        rc = add_arm(b, from, &build, INSIDE_RECORD, "its phases are recorded", e);
    else if (inside->build == CPPROF_INSIDE_PROGRESS)
        rc = add_arm(b, from, &build, INSIDE_PROGRESS, "its progress can be read while it runs", e);
    else if (is_asked_for(b->request, inside, from->name))
        rc = add_doses(b, from, &build, e);
    return rc ? err_context(e, "variant '%s'", from->name) : 0;
}

static int add_library(const struct builds *b, const char *path, struct err *e)
{
    struct variant_library library;
    const struct cpprof_inside *inside = NULL;
    int rc = variant_library_open(&library, path, e);
    if (!rc)
        rc = read_inside(library.handle, path, &inside, e);
    for (size_t i = 0; !rc && i < library.table->variant_count; i++)
        rc = add_variant(b, library.table->variants[i], inside, e);
    return rc ? err_context(e, "cannot use '%s'", path) : 0;
}

/* Names that glob would take for a pattern are the user's own. */
static void add_literal(struct str *out, const char *text)
{
    for (; *text; text++)
        str_addf(out, strchr("*?[\\", *text) ? "\\%c" : "%c", *text);
}

static int add_matching(const struct builds *b, const char *pattern, struct err *e)
{
    glob_t found = {0};
    const int status = glob(pattern, 0, NULL, &found);
    int rc = status == GLOB_NOSPACE ? err_memory(e) : 0;
    for (size_t i = 0; !rc && !status && i < found.gl_pathc; i++)
        rc = add_library(b, found.gl_pathv[i], e);
    globfree(&found);
    return rc;
}

static int add_each(const struct builds *b, const char *prefix, struct err *e)
{
    const struct {
        const char *ending;
        bool is_asked_for;
    } builds[] = {{"-progress.so", b->request->progress},
                  {"-record.so", b->request->records},
                  {"-delay-[0-7].[0-7].so", b->request->dose_count > 0}};
    struct str pattern;
    str_init(&pattern);
    int rc = 0;
    for (size_t i = 0; i < sizeof builds / sizeof builds[0] && !rc; i++) {
        if (!builds[i].is_asked_for)
            continue;
        str_clear(&pattern);
        str_addf(&pattern, "%s%s", prefix, builds[i].ending);
        rc = pattern.failed ? err_memory(e) : add_matching(b, str_text(&pattern), e);
    }
    str_release(&pattern);
    return rc;
}

int inside_builds_of_library(struct catalogue *c, const char *path, const struct inside_request *request, struct err *e)
{
    const char *slash = strrchr(path, '/');
    const struct builds b = {c, request, slash ? slash + 1 : path};
    const size_t length = strlen(path), ending = strlen(".so");
    struct str prefix;
    str_init(&prefix);
    char *stem = strndup(path, length > ending && !strcmp(path + length - ending, ".so") ? length - ending : length);
    if (stem)
        add_literal(&prefix, stem);
    const int rc = stem && !prefix.failed ? add_each(&b, str_text(&prefix), e) : err_memory(e);
    free(stem);
    str_release(&prefix);
    return rc;
}

int inside_builds_of_built_in(struct catalogue *c, const struct inside_request *request, struct err *e)
{
    const struct builds b = {c, request, ""};
    struct str folder, prefix;
    str_init(&folder);
    str_init(&prefix);
    int rc = files_program_directory(&folder, e);
    if (!rc) {
        add_literal(&prefix, str_text(&folder));
        str_add(&prefix, "/inside/lib*");
        rc = prefix.failed ? err_memory(e) : add_each(&b, str_text(&prefix), e);
    }
    str_release(&folder);
    str_release(&prefix);
    return rc;
}
