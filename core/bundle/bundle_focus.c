/* Which arms of a run are looked at? */
#include "core/bundle/bundle_focus.h"

#include <fnmatch.h>
#include <string.h>

#include "core/base/str.h"
#include "core/base/strtab.h"
#include "core/base/utf8.h"

bool bundle_focus_is_set(const struct bundle_focus *f)
{
    return f->variant || f->shape || f->baseline;
}

static bool is_variant(const struct bundle_focus *f, const char *variant)
{
    return !f->variant || !fnmatch(f->variant, variant, 0) || (f->baseline && !strcmp(f->baseline, variant));
}

/* The whole case, or one of its words. */
static bool is_shape(const struct bundle_focus *f, const char *shape)
{
    if (!f->shape || !strcmp(f->shape, shape))
        return true;
    const size_t length = strlen(f->shape);
    for (const char *at = shape; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && !strncmp(at, f->shape, length))
            return true;
    return false;
}

static size_t column_of(const struct table *t, const char *name)
{
    size_t column = 0;
    while (column < t->column_count && strcmp(t->columns[column].name, name) != 0)
        column++;
    return column;
}

/* Tables of other things stay whole. */
static void keep_rows(struct table *t, const struct bundle_focus *f)
{
    const size_t variant = column_of(t, "variant"), shape = column_of(t, "shape"), rows = table_rows(t);
    size_t kept = 0;
    if (variant == t->column_count)
        return;
    for (size_t row = 0; row < rows; row++) {
        if (!is_variant(f, table_text(t, row, variant)) ||
            (shape < t->column_count && !is_shape(f, table_text(t, row, shape))))
            continue;
        if (kept != row)
            memmove(&t->items[kept * t->column_count], &t->items[row * t->column_count],
                    t->column_count * sizeof *t->items);
        kept++;
    }
    table_truncate(t, kept);
}

static bool has_variant(const struct table *variants, const char *name)
{
    for (size_t row = 0; row < table_rows(variants); row++)
        if (!strcmp(table_text(variants, row, VARIANTS_VARIANT), name))
            return true;
    return false;
}

static int refuse_baseline(const struct table *variants, const char *baseline, struct err *e)
{
    enum { NAMES_BYTES_MAX = 300 };
    struct strtab told;
    struct str names;
    strtab_init(&told);
    str_init(&names);
    for (size_t row = 0; row < table_rows(variants); row++) {
        const char *name = table_text(variants, row, VARIANTS_VARIANT);
        if (strtab_find(&told, name) || !strtab_add(&told, name))
            continue;
        str_add(&names, names.length ? ", " : "");
        if (names.length + strlen(name) > NAMES_BYTES_MAX) {
            str_add(&names, "...");
            break;
        }
        utf8_add_visible(&names, name, strlen(name));
    }
    err_set(e, ERR_USAGE, "the run has no variant '%s' to be the --baseline; it has: %s", baseline, str_text(&names));
    str_release(&names);
    strtab_release(&told);
    return ERR_USAGE;
}

/* Returns whether there is such a variant. */
static bool name_baseline(struct table *variants, const char *baseline)
{
    bool found = false;
    for (size_t row = 0; row < table_rows(variants); row++) {
        const bool is_it = !strcmp(table_text(variants, row, VARIANTS_VARIANT), baseline);
        variants->items[row * variants->column_count + VARIANTS_BASELINE] =
            is_it ? cell_missing(variants, "it is the baseline") : cell_text(variants, baseline);
        found |= is_it;
    }
    return found;
}

/* Who was compared with a variant that is not among them stands alone. Returns whether there is one. */
static bool forget_absent(struct table *variants, const struct strtab *present)
{
    bool found = false;
    for (size_t row = 0; row < table_rows(variants); row++) {
        const char *baseline = table_text(variants, row, VARIANTS_BASELINE);
        if (!*baseline || strtab_find(present, baseline))
            continue;
        table_clear(variants, row, VARIANTS_BASELINE, "the baseline was not chosen");
        found = true;
    }
    return found;
}

static int forget_absent_baselines(struct table *variants, bool *found, struct err *e)
{
    struct strtab present;
    int rc = 0;
    strtab_init(&present);
    for (size_t row = 0; row < table_rows(variants) && !rc; row++)
        if (!strtab_add(&present, table_text(variants, row, VARIANTS_VARIANT)))
            rc = err_memory(e);
    *found = !rc && forget_absent(variants, &present);
    strtab_release(&present);
    return rc;
}

/* Outputs were held against those of the run's own baseline. */
static void forget_bitwise(struct table *verify)
{
    for (size_t row = 0; row < table_rows(verify); row++)
        table_clear(verify, row, VERIFY_BITWISE, "held against a baseline that is not here");
}

int bundle_focus_on(struct bundle *b, const struct bundle_focus *f, struct err *e)
{
    struct table *variants = &b->tables[BUNDLE_VARIANTS];
    const size_t all = table_rows(variants);
    if (f->baseline && !has_variant(variants, f->baseline))
        return refuse_baseline(variants, f->baseline, e);
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        keep_rows(&b->tables[i], f);
    if (!table_rows(variants))
        return err_set(e, ERR_USAGE, "the run has no arm of --variant %s at --shape %s: 'cpprof report' lists all",
                       f->variant ? f->variant : "'*'", f->shape ? f->shape : "any");
    if (f->baseline && !name_baseline(variants, f->baseline))
        return err_set(e, ERR_USAGE, "the run has no variant '%s' at --shape %s to be the --baseline", f->baseline,
                       f->shape ? f->shape : "any");
    bool is_other = f->baseline;
    const int rc = f->baseline ? 0 : forget_absent_baselines(variants, &is_other, e);
    if (rc)
        return rc;
    if (is_other)
        forget_bitwise(&b->tables[BUNDLE_VERIFY]);
    b->arms_left_out = all - table_rows(variants);
    return caveat_add(&b->caveats, CAVEAT_NOTE, e,
                      "this is about %zu of the run's %zu arms, which were chosen after it: p is of these alone",
                      table_rows(variants), all);
}
