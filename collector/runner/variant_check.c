/* Is the description of a variant complete and free of contradictions? */
#define _GNU_SOURCE
#include "collector/runner/variant_check.h"

#include <inttypes.h>
#include <math.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/str.h"
#include "core/base/utf8.h"
#include "core/bundle/bundle_tables.h"
#include "core/gpu/expected_change.h"
#include "core/gpu/metrics.h"

/* The characters of a name: it must work as a word of a command line, in a list and in a file name, and must not be a
 * pattern. */
static const char word_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";

int variant_check_name(const char *name, struct err *e)
{
    if (!name || !*name)
        return err_set(e, ERR_USAGE, "it has no name");
    const size_t length = strnlen(name, VARIANT_NAME_MAX + 1), family = strspn(name, word_letters);
    if (length > VARIANT_NAME_MAX)
        return err_set(e, ERR_USAGE, "its name '%.40s...' is longer than %d bytes", name, VARIANT_NAME_MAX);
    const size_t rest = name[family] == '/' ? strspn(name + family + 1, word_letters) : 0;
    if (!family || !rest || name[family + 1 + rest])
        return err_set(e, ERR_USAGE, "its name '%s' is not of the form family/variant, of letters, digits and '._-+'",
                       name);
    static const char *const of_builds[] = {INSIDE_RECORD, INSIDE_DELAY, INSIDE_PROGRESS, INSIDE_PARTIAL};
    for (size_t i = 0; i < sizeof of_builds / sizeof of_builds[0]; i++)
        if (strstr(name, of_builds[i]))
            return err_set(e, ERR_USAGE, "its name '%s' has '%s', as the instrumented builds of a variant have", name,
                           of_builds[i]);
    return 0;
}

/* Accepts one line without control characters. */
static int check_text(const char *what, const char *text, struct err *e)
{
    if (!text || !*text)
        return err_set(e, ERR_USAGE, "%s is %s", what, text ? "empty" : "NULL");
    if (strnlen(text, VARIANT_TEXT_MAX + 1) > VARIANT_TEXT_MAX)
        return err_set(e, ERR_USAGE, "%s is longer than %d bytes", what, VARIANT_TEXT_MAX);
    struct str visible;
    str_init(&visible);
    utf8_add_visible(&visible, text, strlen(text));
    const bool as_it_is = !strcmp(str_text(&visible), text);
    str_release(&visible);
    return as_it_is ? 0 : err_set(e, ERR_USAGE, "%s '%s' is no line of plain UTF-8", what, text);
}

static int check_word(const char *what, const char *word, struct err *e)
{
    int rc = check_text(what, word, e);
    if (!rc && word[strspn(word, word_letters)])
        rc = err_set(e, ERR_USAGE, "%s '%s' is not a word of letters, digits and '._-+'", what, word);
    return rc;
}

static int check_functions(const struct cpprof_variant *v, struct err *e)
{
    const struct {
        const char *name;
        bool is_there;
    } functions[] = {
        {"shared_bytes", v->shared_bytes != NULL},
        {"flops", v->flops != NULL},
        {"bytes", v->bytes != NULL},
        {"setup", v->setup != NULL},
        {"poison", v->poison != NULL},
        {"launch", v->launch != NULL},
        {"verify", v->verify != NULL},
        {"teardown", v->teardown != NULL},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (!functions[i].is_there)
            return err_set(e, ERR_USAGE, "'%s' is NULL: every variant has one", functions[i].name);
    return 0;
}

static int check_pattern(const char *pattern, struct err *e)
{
    regex_t regex;
    char why[128];
    int rc = check_text("kernel_pattern", pattern, e);
    if (rc)
        return rc;
    const int failed = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (!failed) {
        regfree(&regex);
        return 0;
    }
    regerror(failed, &regex, why, sizeof why);
    return err_set(e, ERR_USAGE, "kernel_pattern '%s' is no extended regular expression: %s", pattern, why);
}

/* Checks a table of `count` rows; `most` is this program's limit. */
static int check_table(const char *name, const void *rows, size_t count, size_t most, struct err *e)
{
    if (count > most)
        return err_set(e, ERR_USAGE, "it has %zu %s, at most %zu are possible", count, name, most);
    return count && !rows ? err_set(e, ERR_USAGE, "it has %zu %s, but their table is NULL", count, name) : 0;
}

static int check_axis(const struct cpprof_variant *v, size_t index, struct err *e)
{
    const struct cpprof_axis *a = &v->axes[index];
    int rc = check_word("the name of an axis", a->name, e);
    if (!rc && (rc = check_text("help", a->help, e)))
        return err_context(e, "axis '%s'", a->name);
    if (!rc && a->role != CPPROF_AXIS_SHAPE && a->role != CPPROF_AXIS_PARAMETER)
        rc = err_set(e, ERR_USAGE, "axis '%s' has the unknown role %d", a->name, (int)a->role);
    if (!rc && (a->value < a->min || a->value > a->max))
        rc = err_set(e, ERR_USAGE, "axis '%s' has the default %" PRId64 ", which is not from %" PRId64 " to %" PRId64,
                     a->name, a->value, a->min, a->max);
    for (size_t i = 0; i < index && !rc; i++)
        if (!strcmp(v->axes[i].name, a->name))
            rc = err_set(e, ERR_USAGE, "two axes are called '%s'", a->name);
    return rc;
}

static int check_shape(const struct cpprof_variant *v, size_t index, struct err *e)
{
    const struct cpprof_shape *shape = &v->shapes[index];
    int rc = check_word("the name of a shape", shape->name, e);
    for (size_t i = 0; i < index && !rc; i++)
        if (!strcmp(v->shapes[i].name, shape->name))
            rc = err_set(e, ERR_USAGE, "two shapes are called '%s'", shape->name);
    for (size_t i = 0, next = 0; i < v->axis_count && !rc; i++) {
        const struct cpprof_axis *a = &v->axes[i];
        if (a->role != CPPROF_AXIS_SHAPE)
            continue;
        const int64_t value = shape->values[next++];
        if (value < a->min || value > a->max)
            rc = err_set(e, ERR_USAGE, "shape '%s' has %s=%" PRId64 ", which is not from %" PRId64 " to %" PRId64,
                         shape->name, a->name, value, a->min, a->max);
    }
    return rc;
}

static int check_shapes(const struct cpprof_variant *v, struct err *e)
{
    if (!v->shape_count)
        return err_set(e, ERR_USAGE, "it has no shapes: the first one is what runs by default");
    int rc = check_table("shapes", v->shapes, v->shape_count, VARIANT_SHAPES_MAX, e);
    for (size_t i = 0; i < v->shape_count && !rc; i++)
        rc = check_shape(v, i, e);
    if (!rc && v->shapes[0].ragged)
        rc = err_set(e, ERR_USAGE, "its first shape '%s' is ragged: the first one is timed by default",
                     v->shapes[0].name);
    return rc;
}

static int check_expect(const struct cpprof_expect *expect, struct err *e)
{
    int rc = check_text("the metric of an expectation", expect->metric, e);
    if (!rc && !(isfinite(expect->min) && expect->min <= expect->max))
        rc = err_set(e, ERR_USAGE, "it expects '%s' from %g to %g", expect->metric, expect->min, expect->max);
    return rc;
}

static int check_expectations(const struct cpprof_expect *expect, size_t count, struct err *e)
{
    int rc = check_table("expectations", expect, count, VARIANT_EXPECT_MAX, e);
    for (size_t i = 0; i < count && !rc; i++)
        rc = check_expect(&expect[i], e);
    return rc;
}

int variant_check_declaration(const struct cpprof_declaration *d, struct err *e)
{
    int rc = check_pattern(d->kernel_pattern, e);
    if (!rc)
        rc = check_expectations(d->expect, d->expect_count, e);
    if (!rc && *d->chosen)
        rc = check_text("what it chose", d->chosen, e);
    if (!rc && *d->no_verdict)
        rc = check_text("why its times say nothing", d->no_verdict, e);
    return rc;
}

static int check_signals(const char *signals, struct err *e)
{
    int rc = *signals ? check_text("signals", signals, e) : 0;
    for (const char *at = signals; *at && !rc;) {
        struct expected_change expected_change;
        rc = expected_change_parse(&expected_change, &at, e);
        if (rc)
            return err_context(e, "signals '%s'", signals);
        expected_change_release(&expected_change);
    }
    return rc;
}

/* "memory-bound dram", "latency-bound tail", "launch-bound": the texts that a verdict can have. */
static bool is_a_bound(const char *bound)
{
    static const char *const whole[] = {"launch-bound", "latency-bound small-grid", "latency-bound tail",
                                        "compute-bound issue"}; /* issue slots are no pipe with a role of its own */
    static const char *const classes[] = {
        [METRIC_COMPUTE] = "compute-bound", [METRIC_MEMORY] = "memory-bound", [METRIC_STALL] = "latency-bound"};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (!strcmp(bound, whole[i]))
            return true;
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++) {
        char text[128];
        if (metrics[i].role != METRIC_COMPUTE && metrics[i].role != METRIC_MEMORY && metrics[i].role != METRIC_STALL)
            continue;
        snprintf(text, sizeof text, "%s %s", classes[metrics[i].role], metrics[i].group);
        if (!strcmp(text, bound))
            return true;
    }
    return false;
}

static int check_bound(const char *bound, struct err *e)
{
    int rc = *bound ? check_text("bound", bound, e) : 0;
    if (!rc && *bound && !is_a_bound(bound))
        rc = err_set(e, ERR_USAGE,
                     "bound '%s' is none that a verdict can be, such as 'memory-bound dram' (docs/bounds.md)", bound);
    return rc;
}

/* The other variant may be in a library that is loaded later, or missing. Only the form is checked. */
static int check_improves_on(const char *name, struct err *e)
{
    const int rc = *name ? variant_check_name(name, e) : 0;
    return rc ? err_context(e, "what it improves on") : 0;
}

int variant_check(const struct cpprof_variant *v, struct err *e)
{
    int rc = variant_check_name(v->name, e);
    if (!rc)
        rc = check_text("summary", v->summary, e);
    if (!rc)
        rc = check_pattern(v->kernel_pattern, e);
    if (!rc)
        rc = check_functions(v, e);
    if (!rc)
        rc = check_table("axes", v->axes, v->axis_count, CPPROF_AXES_MAX, e);
    for (size_t i = 0; i < v->axis_count && !rc; i++)
        rc = check_axis(v, i, e);
    if (!rc)
        rc = check_shapes(v, e);
    if (!rc)
        rc = check_expectations(v->expect, v->expect_count, e);
    if (!rc)
        rc = check_signals(cpprof_variant_signals(v), e);
    if (!rc)
        rc = check_bound(cpprof_variant_bound(v), e);
    return rc ? rc : check_improves_on(cpprof_variant_improves_on(v), e);
}
