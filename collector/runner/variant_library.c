/* What is in a user's own library of variants, and can it run? Only this file reads the tables of the library; all
 * other code sees variants of our full length. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/catalogue.h"
#include "collector/runner/described/described_solution.h"
#include "collector/runner/judge/judged.h"
#include "collector/runner/judge/task_library.h"
#include "collector/runner/python/python_solution.h"
#include "collector/runner/variant_check.h"
#include "collector/runner/variant_library.h"
#include "core/base/array.h"
#include "core/base/words.h"

#define LIBRARY_SYMBOL  "cpprof_variants"
#define TASK_SYMBOL     "cpprof_export_task"
#define SOLUTION_SYMBOL "cpprof_export_solution"

/* A larger value is not the size of a struct but arbitrary memory. */
enum { STRUCT_BYTES_MAX = 4096 };

typedef const struct cpprof_variant_library *(*library_entry)(void);
typedef const struct cpprof_task *(*task_entry)(void);
typedef const struct cpprof_solution *(*solution_entry)(void);

/* Is all of this member inside of what the stranger says is there? */
#define COVERS(variant, member)                                                                                        \
    ((variant)->struct_bytes >= offsetof(struct cpprof_variant, member) + sizeof(variant)->member)

/* Whoever adds a member adds its line to variant_library_copy. */
_Static_assert(sizeof(struct cpprof_variant) == offsetof(struct cpprof_variant, declare) + sizeof(void (*)(void)),
               "a member of struct cpprof_variant that variant_library_copy does not know");

/* Copies a variant of any age into one of ours. */
void variant_library_copy(struct cpprof_variant *out, const struct cpprof_variant *from)
{
    memset(out, 0, sizeof *out);
    memcpy(out, from, offsetof(struct cpprof_variant, signals));
    out->struct_bytes = sizeof *out;
    if (COVERS(from, signals))
        out->signals = from->signals;
    if (COVERS(from, bus_factor))
        out->bus_factor = from->bus_factor;
    if (COVERS(from, bound))
        out->bound = from->bound;
    if (COVERS(from, improves_on))
        out->improves_on = from->improves_on;
    if (COVERS(from, fork))
        out->fork = from->fork;
    if (COVERS(from, join))
        out->join = from->join;
    if (COVERS(from, devices))
        out->devices = from->devices;
    if (COVERS(from, declare))
        out->declare = from->declare;
}

static int check_size(uint32_t bytes, size_t least, const char *type, struct err *e)
{
    if (bytes >= least && bytes <= STRUCT_BYTES_MAX)
        return 0;
    return err_set(e, ERR_USAGE, "its struct_bytes is %u: set it to sizeof(struct %s)", bytes, type);
}

/* Names are unique, so that a name on the command line means one variant. */
static int check_is_new(const struct catalogue *c, const char *name, struct err *e)
{
    const struct catalogue_entry *have = catalogue_find(c, name);
    if (!have)
        return 0;
    return *have->library
               ? err_set(e, ERR_USAGE, "'%s' has one of this name already: give it another one", have->library)
               : err_set(e, ERR_USAGE, "a built-in variant has this name: give it another one");
}

static int add_copy(struct catalogue *c, const struct cpprof_variant *from, const char *library, struct err *e)
{
    if (c->count >= CATALOGUE_VARIANTS_MAX)
        return err_set(e, ERR_USAGE, "more than %d variants in all", CATALOGUE_VARIANTS_MAX);
    struct cpprof_variant *copy = malloc(sizeof *copy);
    char *name = strdup(library);
    struct catalogue_entry *slot = copy && name ? ARRAY_PUSH(c) : NULL;
    if (!slot) {
        free(copy);
        free(name);
        return err_memory(e);
    }
    variant_library_copy(copy, from);
    *slot = (struct catalogue_entry){copy, name, NULL};
    return 0;
}

static int add_variant(struct catalogue *c, const struct cpprof_variant *from, const char *library, struct err *e)
{
    struct cpprof_variant own;
    variant_library_copy(&own, from);
    int rc = check_is_new(c, own.name, e);
    if (!rc)
        rc = variant_check(&own, e);
    if (!rc)
        rc = add_copy(c, from, library, e);
    return rc ? err_context(e, "variant '%s'", own.name) : 0;
}

static int check_library(const struct cpprof_variant_library *library, struct err *e)
{
    if (!library)
        return err_set(e, ERR_USAGE, LIBRARY_SYMBOL "() returned NULL");
    int rc = check_size(library->struct_bytes, sizeof *library, "cpprof_variant_library", e);
    if (rc)
        return rc;
    if (library->abi != CPPROF_VARIANT_ABI)
        return err_set(e, ERR_USAGE,
                       "it is of ABI %u, this program of %u: compile it with this program's cpprof/variant.h",
                       library->abi, CPPROF_VARIANT_ABI);
    if (!library->variants || !library->variant_count)
        return err_set(e, ERR_USAGE, "it has no variants");
    if (library->variant_count > LIBRARY_VARIANTS_MAX)
        return err_set(e, ERR_USAGE, "it says that it has %zu variants, at most %d are possible",
                       library->variant_count, LIBRARY_VARIANTS_MAX);
    return 0;
}

/* Opens the library by its full path, since dlopen searches elsewhere for a name without a slash. With RTLD_NOW a
 * missing function is reported here and not in the middle of a run. */
static int open_file(const char *path, void **opened, struct err *e)
{
    char *full = realpath(path, NULL);
    if (!full)
        return err_set(e, ERR_USAGE, "%s", strerror(errno));
    *opened = dlopen(full, RTLD_NOW | RTLD_LOCAL);
    free(full);
    return *opened ? 0 : err_set(e, ERR_USAGE, "%s", dlerror());
}

static int open_library(const char *path, library_entry *entry, void **opened, struct err *e)
{
    int rc = open_file(path, opened, e);
    void *symbol = rc ? NULL : dlsym(*opened, LIBRARY_SYMBOL);
    if (!rc && !symbol)
        rc = err_set(e, ERR_USAGE,
                     "it does not export " LIBRARY_SYMBOL "(), which names its variants (docs/variants.md)");
    memcpy(entry, &symbol, sizeof *entry); /* ISO C has no cast from one to the other */
    return rc;
}

int variant_library_open(struct variant_library *out, const char *path, struct err *e)
{
    library_entry entry = NULL;
    *out = (struct variant_library){0};
    int rc = open_library(path, &entry, &out->handle, e);
    if (!rc)
        rc = check_library(out->table = entry(), e);
    for (size_t i = 0; !rc && i < out->table->variant_count; i++) {
        const struct cpprof_variant *from = out->table->variants[i];
        rc = from ? check_size(from->struct_bytes, offsetof(struct cpprof_variant, signals), "cpprof_variant", e)
                  : err_set(e, ERR_USAGE, "its pointer is NULL");
        if (!rc)
            rc = variant_check_name(from->name, e);
        if (rc)
            return err_context(e, "variant %zu", i);
    }
    return rc;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int load_variants(struct catalogue *c, const char *path, struct err *e)
{
    const size_t before = c->count;
    struct variant_library library;
    int rc = variant_library_open(&library, path, e);
    for (size_t i = 0; !rc && i < library.table->variant_count; i++)
        rc = add_variant(c, library.table->variants[i], file_name(path), e);
    if (rc)
        catalogue_cut(c, before);
    return rc;
}

/* ---- a task and its solutions ---- */

/* Returns whether the library exports a task and no variants; a fault is that of load_variants. */
static bool exports_task(const char *path, task_entry *entry)
{
    void *handle = NULL, *symbol = NULL;
    struct err unused = {0};
    if (!open_file(path, &handle, &unused) && !dlsym(handle, LIBRARY_SYMBOL))
        symbol = dlsym(handle, TASK_SYMBOL);
    memcpy(entry, &symbol, sizeof *entry);
    return symbol != NULL;
}

static int take_task(struct catalogue *c, task_entry entry, struct err *e)
{
    if (c->task)
        return err_set(e, ERR_USAGE, "a run has one task, and this is the second");
    struct cpprof_task *own = malloc(sizeof *own);
    const int rc = own ? task_take(own, entry(), e) : err_memory(e);
    if (rc)
        free(own);
    else
        c->task = own;
    return rc;
}

static int add_judged(struct catalogue *c, const struct judged *j, const char *library, struct err *e)
{
    int rc = check_is_new(c, j->name, e);
    if (!rc)
        rc = variant_check(&j->variant, e);
    if (!rc && c->count >= CATALOGUE_VARIANTS_MAX)
        rc = err_set(e, ERR_USAGE, "more than %d variants in all", CATALOGUE_VARIANTS_MAX);
    char *own = rc ? NULL : strdup(library);
    struct catalogue_entry *slot = own ? ARRAY_PUSH(c) : NULL;
    if (slot)
        *slot = (struct catalogue_entry){&j->variant, own, NULL};
    else
        free(own);
    return rc || slot ? rc : err_memory(e);
}

static int load_function(struct catalogue *c, const char *text, size_t length, struct err *e)
{
    struct python_function *function = NULL;
    struct judged *j = NULL;
    int rc = python_solution_open(&function, c->task, text + length + 1, e);
    if (rc)
        return rc;
    rc = judged_make(&j, c->task, python_solution(function), text, length, e);
    if (!rc) {
        j->given = function;
        j->try_out = python_solution_try;
        rc = add_judged(c, j, file_name(text + length + 1), e);
    }
    if (rc) {
        free(j);
        python_solution_free(function);
    }
    return rc;
}

static int load_described(struct catalogue *c, const char *text, size_t length, struct err *e)
{
    struct described_solution *solution = NULL;
    struct judged *j = NULL;
    int rc = described_solution_open(&solution, c->task, text + length + 1, e);
    if (rc)
        return rc;
    rc = judged_make(&j, c->task, described_solution_functions(solution), text, length, e);
    if (!rc) {
        j->given = solution;
        rc = add_judged(c, j, file_name(text + length + 1), e);
    }
    if (rc) {
        free(j);
        described_solution_free(solution);
    }
    return rc;
}

static bool is_python_file(const char *path)
{
    const char *suffix = strstr(path, ".py");
    return suffix && (!suffix[3] || suffix[3] == ':');
}

static int load_solution(struct catalogue *c, const char *text, struct err *e)
{
    const size_t length = words_name_length(text);
    const char *path = text + length + 1;
    void *handle = NULL, *symbol = NULL;
    solution_entry entry = NULL;
    struct judged *j = NULL;
    if (!c->task)
        return err_set(e, ERR_USAGE, "a solution needs its task: name the library of one with --task");
    if (words_python_length(path))
        return load_function(c, text, length, e);
    if (described_solution_is(path))
        return load_described(c, text, length, e);
    if (is_python_file(path))
        return err_set(e, ERR_USAGE, "a function of a Python file is named FILE.py:FUNCTION (docs/tasks.md)");
    int rc = open_file(path, &handle, e);
    if (!rc && !(symbol = dlsym(handle, SOLUTION_SYMBOL)))
        rc = err_set(e, ERR_USAGE, "it does not export " SOLUTION_SYMBOL "(), as a solution does (docs/tasks.md)");
    memcpy(&entry, &symbol, sizeof entry);
    if (!rc)
        rc = judged_make(&j, c->task, entry(), text, length, e);
    if (!rc && (rc = add_judged(c, j, file_name(path), e)))
        free(j);
    return rc;
}

int catalogue_load(struct catalogue *c, const char *text, struct err *e)
{
    task_entry task;
    int rc;
    if (words_name_length(text))
        rc = load_solution(c, text, e);
    else if (exports_task(text, &task))
        rc = take_task(c, task, e);
    else
        rc = load_variants(c, text, e);
    return rc ? err_context(e, "cannot load '%s'", text) : 0;
}
