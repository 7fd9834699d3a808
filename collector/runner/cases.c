/* Which variants run with which shapes and parameters? */
#define _GNU_SOURCE
#include "collector/runner/cases.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/inside/inside_build.h"
#include "core/base/array.h"
#include "core/base/str.h"

struct variant_list {
    const struct catalogue_entry **items;
    size_t count, capacity;
};

static bool has_variant(const struct variant_list *list, const struct catalogue_entry *entry)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == entry)
            return true;
    return false;
}

static int add_once(struct variant_list *list, const struct catalogue_entry *entry, struct err *e)
{
    if (has_variant(list, entry))
        return 0;
    const struct catalogue_entry **slot = ARRAY_PUSH(list);
    if (!slot)
        return err_memory(e);
    *slot = entry;
    return 0;
}

static int add_builds(struct variant_list *list, const struct catalogue *catalogue,
                      const struct cpprof_variant *variant, struct err *e)
{
    size_t found = 0;
    int rc = 0;
    for (size_t i = 0; i < catalogue->count && !rc; i++)
        if (catalogue->items[i].build && catalogue->items[i].build->of == variant) {
            rc = add_once(list, &catalogue->items[i], e);
            found++;
        }
    return rc || found
               ? rc
               : err_set(
                     e, ERR_USAGE,
                     "'%s' has no build that records, waits or tells of progress: docs/inside.md says how to mark a kernel",
                     variant->name);
}

static int add_matching(struct variant_list *list, const struct case_request *request, const char *pattern,
                        struct err *e)
{
    const struct catalogue *catalogue = request->catalogue;
    size_t found = 0;
    int rc = 0;
    for (size_t i = 0; i < catalogue->count && !rc; i++) {
        const struct catalogue_entry *entry = &catalogue->items[i];
        if (entry->build || !catalogue_entry_matches(entry, pattern))
            continue;
        found++;
        rc = add_once(list, entry, e);
        if (!rc && request->with_builds)
            rc = add_builds(list, catalogue, entry->variant, e);
    }
    return rc || found ? rc : err_set(e, ERR_USAGE, "no variant matches '%s': 'cpprof list' names them", pattern);
}

static int choose_variants(struct variant_list *list, const struct case_request *request, struct err *e)
{
    int rc = 0;
    if (request->baseline && !catalogue_find(request->catalogue, request->baseline))
        return err_set(e, ERR_USAGE, "no variant is called '%s' (--baseline): 'cpprof list' names them",
                       request->baseline);
    if (request->baseline)
        rc = add_once(list, catalogue_find(request->catalogue, request->baseline), e);
    for (size_t i = 0; i < request->variant_count && !rc; i++)
        rc = add_matching(list, request, request->variants[i], e);
    return rc;
}

static int find_axis(const struct cpprof_variant *variant, const char *name, size_t length, enum cpprof_axis_role role)
{
    for (size_t i = 0; i < variant->axis_count; i++)
        if (variant->axes[i].role == role && strlen(variant->axes[i].name) == length &&
            !strncmp(variant->axes[i].name, name, length))
            return (int)i;
    return -1;
}

/* Lists a variant's axes of one role, for messages. */
static const char *axis_names(const struct cpprof_variant *variant, enum cpprof_axis_role role, struct str *out)
{
    str_clear(out);
    for (size_t i = 0; i < variant->axis_count; i++)
        if (variant->axes[i].role == role)
            str_addf(out, "%s%s", out->length ? ", " : "", variant->axes[i].name);
    return out->length ? str_text(out) : "none";
}

static int unknown_axis(const struct cpprof_variant *variant, const char *name, int length, enum cpprof_axis_role role,
                        struct err *e)
{
    struct str names;
    str_init(&names);
    const char *what = role == CPPROF_AXIS_SHAPE ? "dimension" : "parameter";
    int rc = err_set(e, ERR_USAGE, "variant '%s' has no %s '%.*s'; it has: %s", variant->name, what, length, name,
                     axis_names(variant, role, &names));
    str_release(&names);
    return rc;
}

/* Reads one integer of "a,b,c" at *text, and moves *text past it and its comma. */
static int parse_value(const struct cpprof_variant *variant, int axis, const char **text, int64_t *out, struct err *e)
{
    const struct cpprof_axis *a = &variant->axes[axis];
    char *end;
    errno = 0;
    long long value = strtoll(*text, &end, 10);
    if (end == *text || isspace((unsigned char)**text) || (*end && *end != ',') || errno)
        return err_set(e, ERR_USAGE, "'%s=%s': expected whole numbers separated by commas", a->name, *text);
    if (value < a->min || value > a->max)
        return err_set(e, ERR_USAGE, "'%s=%lld' is out of range: variant '%s' takes %" PRId64 " to %" PRId64, a->name,
                       value, variant->name, a->min, a->max);
    *out = value;
    *text = *end ? end + 1 : end;
    return 0;
}

/* Reads "n=1024" or "S=512,H=8": values of some shape axes; the others keep their defaults. */
static int custom_shape(const struct cpprof_variant *variant, const char *text, int64_t *values, struct err *e)
{
    bool given[CPPROF_AXES_MAX] = {false};
    while (*text) {
        size_t length = strcspn(text, "=");
        int axis = find_axis(variant, text, length, CPPROF_AXIS_SHAPE);
        if (axis < 0)
            return unknown_axis(variant, text, (int)length, CPPROF_AXIS_SHAPE, e);
        if (given[axis])
            return err_set(e, ERR_USAGE, "--shape: '%.*s' is given twice", (int)length, text);
        given[axis] = true;
        text += length + (text[length] == '=');
        int rc = parse_value(variant, axis, &text, &values[axis], e);
        if (rc)
            return rc;
    }
    return 0;
}

static void named_shape(const struct cpprof_variant *variant, const struct cpprof_shape *shape, int64_t *values)
{
    for (size_t i = 0, next = 0; i < variant->axis_count; i++)
        if (variant->axes[i].role == CPPROF_AXIS_SHAPE)
            values[i] = shape->values[next++];
}

static const struct cpprof_shape *find_shape(const struct cpprof_variant *variant, const char *name)
{
    for (size_t i = 0; i < variant->shape_count; i++)
        if (!strcmp(variant->shapes[i].name, name))
            return &variant->shapes[i];
    return NULL;
}

static int resolve_shape(const struct cpprof_variant *variant, const char *text, int64_t *values, struct err *e)
{
    if (strchr(text, '='))
        return custom_shape(variant, text, values, e);
    const struct cpprof_shape *shape = find_shape(variant, text);
    if (!shape)
        return err_set(e, ERR_USAGE, "variant '%s' has no shape '%s': 'cpprof list %s' names them, n=VALUE makes one",
                       variant->name, text, variant->name);
    named_shape(variant, shape, values);
    return 0;
}

bool run_case_write_key(struct run_case *c, const char *shape)
{
    const struct cpprof_variant *v = c->variant;
    int used = snprintf(c->key, sizeof c->key, "%s", shape);
    const char *last = "";
    for (;;) {
        const struct cpprof_axis *next = NULL;
        for (size_t i = 0; i < v->axis_count; i++)
            if (v->axes[i].role == CPPROF_AXIS_PARAMETER && strcmp(v->axes[i].name, last) > 0 &&
                (!next || strcmp(v->axes[i].name, next->name) < 0))
                next = &v->axes[i];
        if (used < 0 || (size_t)used >= sizeof c->key)
            return false;
        if (!next)
            return true;
        used += snprintf(c->key + used, sizeof c->key - (size_t)used, " %s=%" PRId64, next->name,
                         c->config.value[next - v->axes]);
        last = next->name;
    }
}

static void set_group(struct case_list *list, struct run_case *c)
{
    for (size_t i = 0; i + 1 < list->count; i++)
        if (!strcmp(list->items[i].key, c->key)) {
            c->group = list->items[i].group;
            return;
        }
    c->group = list->group_count++;
}

/* Is this last case also earlier in the list? */
static bool has_case(const struct case_list *list, const struct run_case *c)
{
    for (size_t i = 0; i + 1 < list->count; i++)
        if (list->items[i].variant == c->variant && !strcmp(list->items[i].key, c->key))
            return true;
    return false;
}

/* Adds a case unless the list has it already. */
static int add_case(struct case_list *list, const struct catalogue_entry *entry, const int64_t *values,
                    const char *shape, struct err *e)
{
    const struct cpprof_variant *variant = entry->variant;
    if (list->count == CASES_MAX)
        return err_set(e, ERR_USAGE, "more than %d cases: fewer variants, shapes or --set values", CASES_MAX);
    struct run_case *c = ARRAY_PUSH(list);
    if (!c)
        return err_memory(e);
    c->variant = variant;
    c->build = entry->build;
    memcpy(c->config.value, values, sizeof c->config.value);
    c->order = list->count;
    if ((size_t)snprintf(c->name, sizeof c->name, "%s", variant->name) >= sizeof c->name)
        return err_set(e, ERR_USAGE, "the name '%.40s...' of a variant is too long", variant->name);
    if (!run_case_write_key(c, shape))
        return err_set(e, ERR_USAGE, "--shape '%.40s...' is too long", shape);
    if (has_case(list, c))
        list->count--;
    else
        set_group(list, c);
    return 0;
}

/* Takes each value of each --set in turn, recursively, and then adds the case. */
static int add_parameters(struct case_list *list, const struct case_request *request, size_t set,
                          const struct catalogue_entry *entry, int64_t *values, const char *shape, struct err *e)
{
    const struct cpprof_variant *variant = entry->variant;
    if (set == request->set_count)
        return add_case(list, entry, values, shape, e);
    const char *text = request->sets[set];
    size_t length = strcspn(text, "=");
    if (!text[length] || !text[length + 1])
        return err_set(e, ERR_USAGE, "'--set %s': expected NAME=VALUE[,VALUE...]", text);
    int axis = find_axis(variant, text, length, CPPROF_AXIS_PARAMETER);
    if (axis < 0)
        return unknown_axis(variant, text, (int)length, CPPROF_AXIS_PARAMETER, e);
    int rc = 0;
    for (const char *value = text + length + 1; *value && !rc;) {
        rc = parse_value(variant, axis, &value, &values[axis], e);
        if (!rc)
            rc = add_parameters(list, request, set + 1, entry, values, shape, e);
    }
    return rc;
}

static void default_values(const struct cpprof_variant *variant, int64_t *values)
{
    memset(values, 0, CPPROF_AXES_MAX * sizeof *values);
    for (size_t i = 0; i < variant->axis_count; i++)
        values[i] = variant->axes[i].value;
}

static int add_shape(struct case_list *list, const struct case_request *request, const struct catalogue_entry *entry,
                     const char *shape, struct err *e)
{
    int64_t values[CPPROF_AXES_MAX];
    default_values(entry->variant, values);
    int rc = resolve_shape(entry->variant, shape, values, e);
    return rc ? rc : add_parameters(list, request, 0, entry, values, shape, e);
}

/* "mission,small" is two shapes, "S=512,H=8" is one. */
static int add_shapes(struct case_list *list, const struct case_request *request, const struct catalogue_entry *entry,
                      const char *text, struct err *e)
{
    if (strchr(text, '='))
        return add_shape(list, request, entry, text, e);
    if (!text[strspn(text, ",")])
        return err_set(e, ERR_USAGE, "--shape '%s': expected names with commas, or NAME=VALUE", text);
    char *copy = strdup(text), *rest = NULL;
    int rc = copy ? 0 : err_memory(e);
    for (char *name = copy ? strtok_r(copy, ",", &rest) : NULL; name && !rc; name = strtok_r(NULL, ",", &rest))
        rc = add_shape(list, request, entry, name, e);
    free(copy);
    return rc;
}

static int by_group(const void *a, const void *b)
{
    const struct run_case *left = a, *right = b;
    if (left->group != right->group)
        return left->group < right->group ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

/* With two values for one name the later one would hide the earlier one. */
static int check_sets(const struct case_request *request, struct err *e)
{
    for (size_t i = 0; i < request->set_count; i++)
        for (size_t j = 0; j < i; j++) {
            const char *name = request->sets[i];
            size_t length = strcspn(name, "=");
            if (length == strcspn(request->sets[j], "=") && !strncmp(name, request->sets[j], length))
                return err_set(e, ERR_USAGE, "--set: '%.*s' is set twice: give all its values in one list", (int)length,
                               name);
        }
    return 0;
}

int case_list_expand(struct case_list *list, const struct case_request *request, struct err *e)
{
    struct variant_list variants = {0};
    int rc = check_sets(request, e);
    if (!rc)
        rc = choose_variants(&variants, request, e);
    for (size_t v = 0; v < variants.count && !rc; v++) {
        const struct catalogue_entry *entry = variants.items[v];
        if (!request->shape_count)
            rc = add_shape(list, request, entry, entry->variant->shapes[0].name, e);
        for (size_t s = 0; s < request->shape_count && !rc; s++)
            rc = add_shapes(list, request, entry, request->shapes[s], e);
    }
    free(variants.items);
    if (!rc && list->count)
        qsort(list->items, list->count, sizeof *list->items, by_group);
    return rc;
}

void case_list_keep_share(struct case_list *list, size_t share, size_t shares)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].group % shares == share)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

static int add_ragged(struct case_list *list, const struct run_case *base, struct err *e)
{
    const struct catalogue_entry entry = {base->variant, "", base->build};
    int rc = 0;
    for (size_t i = 0; i < base->variant->shape_count && !rc; i++) {
        const struct cpprof_shape *shape = &base->variant->shapes[i];
        if (!shape->ragged)
            continue;
        int64_t values[CPPROF_AXES_MAX];
        memcpy(values, base->config.value, sizeof values);
        named_shape(base->variant, shape, values);
        rc = add_case(list, &entry, values, shape->name, e);
    }
    return rc;
}

int case_list_with_ragged(struct case_list *out, const struct case_list *from, struct err *e)
{
    *out = (struct case_list){.group_count = from->group_count};
    int rc =
        array_reserve((void **)&out->items, &out->capacity, from->count + 1, sizeof *out->items) ? err_memory(e) : 0;
    if (!rc && from->count) {
        memcpy(out->items, from->items, from->count * sizeof *out->items);
        out->count = from->count;
    }
    for (size_t i = 0; i < from->count && !rc; i++)
        rc = add_ragged(out, &from->items[i], e);
    return rc;
}

bool run_case_is_on_several(const struct run_case *c)
{
    int first;
    return cpprof_variant_devices(c->variant, &c->config, &first, 1) > 1;
}

bool run_case_shares(const struct run_case *c, int device)
{
    int devices[CASE_DEVICES_MAX];
    const int count = cpprof_variant_devices(c->variant, &c->config, devices, CASE_DEVICES_MAX);
    for (int i = 0; i < count && i < CASE_DEVICES_MAX; i++)
        if (devices[i] == device)
            return count > 1;
    return false;
}

void case_list_release(struct case_list *list)
{
    free(list->items);
    *list = (struct case_list){0};
}
