/* What will this run do, and can it be done here? -> variants.csv, expect.csv */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collector/runner/runner.h"

/* In a pool the second arm is compared with the first, and an instrumented build with the variant that it is of. */
static const char *baseline_of(const struct runner *r, const struct run_case *c)
{
    if (c->build)
        return c->build->of->name;
    if (r->pool)
        return strcmp(c->name, c->variant->name) ? c->variant->name : "";
    return r->baseline && !runner_is_baseline(r, c) ? r->baseline : "";
}

/* An amount that a variant does not know is missing, never 0. */
static struct cell stated_amount(struct table *t, double amount)
{
    return isfinite(amount) && amount >= 0 ? cell_number(amount) : cell_missing(t, "the variant does not state it");
}

static int add_case_row(struct runner *r, const struct run_case *c, struct err *e)
{
    struct table *t = &r->tables[BUNDLE_VARIANTS];
    struct cell *row = table_add_row(t);
    if (!row)
        return err_memory(e);
    const struct cpprof_variant *v = c->variant;
    char refusal[160], status[200];
    struct cpprof_declaration declared;
    int rc = runner_declaration(c, &declared, e);
    if (rc)
        return rc;
    const char *why = runner_refusal(r, c, refusal, sizeof refusal);
    snprintf(status, sizeof status, why ? "not runnable: %s" : "ready", why);
    row[VARIANTS_VARIANT] = cell_text(t, c->name);
    row[VARIANTS_SHAPE] = cell_text(t, c->key);
    row[VARIANTS_BASELINE] = cell_text(t, baseline_of(r, c));
    row[VARIANTS_KERNEL_PATTERN] = cell_text(t, declared.kernel_pattern);
    row[VARIANTS_SUMMARY] = cell_text(t, v->summary);
    row[VARIANTS_SHARED_BYTES] = cell_integer((int64_t)v->shared_bytes(&c->config));
    row[VARIANTS_FLOPS] = stated_amount(t, v->flops(&c->config));
    row[VARIANTS_BYTES] = stated_amount(t, v->bytes(&c->config));
    row[VARIANTS_STATUS] = cell_text(t, status);
    const double bus_factor = cpprof_variant_bus_factor(v, &c->config);
    row[VARIANTS_BUS_FACTOR] = cell_number(bus_factor > 0 ? bus_factor : NAN);
    row[VARIANTS_SIGNALS] = cell_text(t, cpprof_variant_signals(v));
    row[VARIANTS_BOUND] = cell_text(t, cpprof_variant_bound(v));
    row[VARIANTS_IMPROVES_ON] = cell_text(t, cpprof_variant_improves_on(v));
    row[VARIANTS_CHOSEN] = cell_text(t, declared.chosen);
    row[VARIANTS_NO_VERDICT] = cell_text(t, declared.no_verdict);
    return 0;
}

static bool is_first_of_variant(const struct runner *r, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (r->cases.items[i].variant == r->cases.items[index].variant)
            return false;
    return true;
}

/* Declarations for single configs get rows with their shapes; a row without shape holds for all shapes. */
static int add_expect_rows(struct runner *r, const struct run_case *c, struct err *e)
{
    struct table *t = &r->tables[BUNDLE_EXPECT];
    struct cpprof_declaration declared;
    int rc = runner_declaration(c, &declared, e);
    for (size_t i = 0; i < declared.expect_count && !rc; i++) {
        struct cell *row = table_add_row(t);
        if (!row)
            return err_memory(e);
        row[EXPECT_VARIANT] = cell_text(t, c->variant->name);
        row[EXPECT_METRIC] = cell_text(t, declared.expect[i].metric);
        row[EXPECT_MIN] = cell_number(declared.expect[i].min);
        row[EXPECT_MAX] = cell_number(declared.expect[i].max); /* no limit: missing */
        row[EXPECT_SHAPE] = cell_text(t, cpprof_variant_declares(c->variant) ? c->key : "");
    }
    return rc;
}

int role_plan(struct runner *r, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < r->cases.count && !rc; i++) {
        rc = add_case_row(r, &r->cases.items[i], e);
        if (!rc && (cpprof_variant_declares(r->cases.items[i].variant) || is_first_of_variant(r, i)))
            rc = add_expect_rows(r, &r->cases.items[i], e);
    }
    return rc;
}
