/* Which counters can be collected, and at which thresholds do verdicts change? */
#include "cli/list/list_settings.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cli/list/list_chip.h"
#include "cli/record/runner_process.h"
#include "core/base/count_of.h"
#include "core/gpu/metric_choice.h"
#include "core/gpu/metric_set_file.h"
#include "core/gpu/metric_sets.h"
#include "core/gpu/threshold_file.h"

const struct other_format list_settings_formats[] = {{"csv", ".csv"}, {0}};

/* What a pattern lets through. */
struct filter {
    const char *pattern;    /* NULL: all */
    enum metric_set_id set; /* METRIC_SET_COUNT: none, `regex` is compiled */
    regex_t regex;
};

static int filter_open(struct filter *f, const char *pattern, struct err *e)
{
    *f = (struct filter){.pattern = pattern, .set = pattern ? metric_set_by_name(pattern) : METRIC_SET_COUNT};
    if (!pattern || f->set != METRIC_SET_COUNT)
        return 0;
    char why[128];
    const int failed = regcomp(&f->regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (!failed)
        return 0;
    regerror(failed, &f->regex, why, sizeof why);
    f->pattern = NULL; /* nothing to free */
    return err_set(e, ERR_USAGE, "'%s' is no regular expression: %s", pattern, why);
}

static void filter_close(struct filter *f)
{
    if (f->pattern && f->set == METRIC_SET_COUNT)
        regfree(&f->regex);
}

/* `ours` is NULL for a counter without an id. */
static bool passes(const struct filter *f, const struct metric *ours, const char *name)
{
    if (!f->pattern)
        return true;
    if (f->set != METRIC_SET_COUNT)
        return ours && metric_in_set(ours, f->set);
    return !regexec(&f->regex, name, 0, NULL, 0) || (ours && !regexec(&f->regex, ours->id, 0, NULL, 0));
}

/* One line of the list. */
struct counter {
    const struct metric *ours; /* NULL: without an id */
    const char *name, *kind, *meaning;
};

struct counter_list {
    const struct chip *chip; /* NULL: not asked for, or not one whose sets are known */
    const char *chip_name;   /* NULL: ours are listed */
    const char *chip_word;   /* what it was asked for by */
    struct counter *items;
    size_t count;
};

static json_t *counter_json(const struct counter *c)
{
    json_t *one = json_pack("{s:s,s:o}", "name", c->name, "meaning", json_text(c->meaning));
    json_object_set_new(one, "id", c->ours ? json_string(c->ours->id) : json_null());
    if (c->kind)
        json_object_set_new(one, "kind", json_string(c->kind));
    if (!c->ours)
        return one;
    json_t *sets = json_array();
    for (int set = 0; set < METRIC_SET_COUNT; set++)
        if (metric_in_set(c->ours, (enum metric_set_id)set))
            json_array_append_new(sets, json_string(metric_set((enum metric_set_id)set)->name));
    json_object_set_new(one, "unit", json_string(unit_name(c->ours->unit)));
    json_object_set_new(one, "side", json_string(metric_role_name(c->ours->role)));
    json_object_set_new(one, "flop", json_real(metric_flop(c->ours)));
    json_object_set_new(one, "sets", sets);
    return one;
}

static int print_json(const struct counter_list *l, struct err *e)
{
    json_t *counters = json_array(), *sets = json_array();
    for (int set = 0; set < METRIC_SET_COUNT; set++) {
        const struct metric_set *s = metric_set((enum metric_set_id)set);
        json_array_append_new(sets, json_pack("{s:s,s:s,s:o}", "name", s->name, "meaning", s->meaning, "passes",
                                              l->chip ? json_integer(l->chip->passes[set]) : json_null()));
    }
    for (size_t i = 0; i < l->count; i++)
        json_array_append_new(counters, counter_json(&l->items[i]));
    json_t *chip = l->chip_name ? json_text(l->chip_name) : json_null();
    return output_json(
        json_pack("{s:s,s:o,s:o,s:o}", "schema", "cpprof.metrics/1", "chip", chip, "sets", sets, "metrics", counters),
        NULL, false, e);
}

static int print_csv(const struct counter_list *l, struct err *e)
{
    struct str out;
    str_init(&out);
    metric_set_file_begin(&out);
    for (size_t i = 0; i < l->count; i++) {
        if (l->items[i].ours)
            metric_set_file_add(&out, l->items[i].ours, l->items[i].name);
        else
            metric_set_file_add_name(&out, l->items[i].name, l->items[i].meaning);
    }
    const int rc = out.failed ? err_memory(e) : output_write(NULL, false, str_text(&out), out.length, e);
    str_release(&out);
    return rc;
}

static void describe_sets(struct document *d, const struct counter_list *l)
{
    static const struct document_column columns[] = {{"set", false}, {"holds", false}, {"passes", true}};
    document_table(d, columns, l->chip ? 3 : 2);
    for (int set = 0; set < METRIC_SET_COUNT; set++) {
        document_cell_code(d, metric_set((enum metric_set_id)set)->name);
        document_cell(d, "%s", metric_set((enum metric_set_id)set)->meaning);
        if (l->chip)
            document_cell(d, "%d", l->chip->passes[set]);
    }
    if (l->chip && *l->chip->missing) {
        document_paragraph(d);
        document_span(d, SPAN_PLAIN, "%s lacks: %s", l->chip->name, l->chip->missing);
    }
}

static void describe_counters(struct document *d, const struct counter_list *l)
{
    static const struct document_column columns[] = {
        {"id", false}, {"CUPTI name", false}, {"sets", false}, {"meaning", false}};
    document_table(d, columns, COUNT_OF(columns));
    for (size_t i = 0; i < l->count; i++) {
        const struct counter *c = &l->items[i];
        struct str sets;
        str_init(&sets);
        if (c->ours)
            metric_add_sets(&sets, c->ours);
        document_cell_code(d, c->ours ? c->ours->id : "");
        document_cell_code(d, c->name);
        document_cell(d, "%s", str_text(&sets));
        document_cell(d, "%s", c->meaning);
        str_release(&sets);
    }
}

static int print_counters(const struct counter_list *l, const char *format, struct err *e)
{
    if (!strcmp(format, "json"))
        return print_json(l, e);
    if (!strcmp(format, "csv"))
        return print_csv(l, e);
    struct document d;
    document_init(&d);
    if (l->chip)
        list_chip_describe(&d, l->chip, l->chip_word);
    describe_sets(&d, l);
    describe_counters(&d, l);
    document_paragraph(&d);
    document_span(&d, SPAN_PLAIN,
                  l->chip_name
                      ? "Other endings than the one shown exist: .sum .avg .min .max, each alone or with .per_second, "
                        ".pct_of_peak_sustained_elapsed and the like; .ratio and .pct of ratios."
                      : "'cpprof list --metrics REGEX --chip gh100' lists all that a chip has.");
    const int rc = output_document(&d, format, NULL, false, e);
    document_release(&d);
    return rc;
}

/* Ours of the table. */
static void add_ours(struct counter_list *l, const struct filter *f)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++)
        if (passes(f, &metrics[i], metrics[i].name))
            l->items[l->count++] = (struct counter){&metrics[i], metrics[i].name, NULL, metrics[i].meaning};
}

static bool is_listed(const struct counter_list *l, const char *name)
{
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->items[i].name, name))
            return true;
    return false;
}

/* Ours under the names that the chip knows, then the others of CUPTI's list, each with its plainest ending. */
static void add_chips(struct counter_list *l, const struct filter *f, const json_t *answer)
{
    size_t count, i;
    json_t *one;
    const json_t *known = json_object_get(answer, "known");
    const struct metric *metrics = metrics_known(&count);
    for (i = 0; i < count; i++) {
        const char *name = json_get_text(known, metrics[i].id, NULL);
        if (name && passes(f, &metrics[i], name))
            l->items[l->count++] = (struct counter){&metrics[i], name, NULL, metrics[i].meaning};
    }
    json_array_foreach (json_object_get(answer, "counters"), i, one) {
        const char *name = json_get_text(one, "name", "");
        if (passes(f, NULL, name) && !is_listed(l, name))
            l->items[l->count++] =
                (struct counter){NULL, name, json_get_text(one, "kind", ""), json_get_text(one, "meaning", "")};
    }
}

static int ask_chip(const char *chip, json_t **answer, struct err *e)
{
    struct str option;
    str_init(&option);
    str_addf(&option, "--chip=%s", chip);
    char *options[] = {option.text};
    const int rc = option.failed ? err_memory(e) : runner_ask_with("metrics", options, 1, "chip.json", answer, e);
    str_release(&option);
    return rc;
}

/* Its row in docs/chips.md says so, too. */
static int refuse_closed_chip(const struct chip *chip, struct err *e)
{
    return err_set(e, ERR_USAGE, "--chip: CUPTI lists %s (%s), but opens none of its counters", chip->name,
                   chip->cards);
}

static int refuse_filter(const char *pattern, const char *chip, struct err *e)
{
    struct str near;
    str_init(&near);
    metric_words_near(&near, pattern);
    const int rc = err_set(e, ERR_USAGE, "no counter%s%s matches '%s'%s%s", chip ? " of " : "", chip ? chip : "",
                           pattern, near.length ? "; nearest: " : "", str_text(&near));
    str_release(&near);
    return rc;
}

int list_counters(const char *pattern, const char *chip, const char *format, struct err *e)
{
    struct counter_list list = {0};
    struct filter filter;
    json_t *answer = NULL;
    size_t most;
    metrics_known(&most);
    int rc = filter_open(&filter, pattern, e);
    if (!rc && chip) {
        list.chip_word = chip;
        list.chip = list_chip_find(chip);
        chip = list.chip ? list.chip->name : chip;
        rc = list.chip && !chip_has_counters(list.chip) ? refuse_closed_chip(list.chip, e) : ask_chip(chip, &answer, e);
        if (rc == ERR_USAGE && !list.chip) /* a newer CUPTI may know a chip that we do not */
            rc = list_chip_refuse(chip, e);
    }
    list.items = calloc(most + json_array_size(json_object_get(answer, "counters")), sizeof *list.items);
    if (!rc && !list.items)
        rc = err_memory(e);
    if (!rc && chip) {
        list.chip_name = json_get_text(answer, "chip", chip);
        add_chips(&list, &filter, answer);
    } else if (!rc) {
        add_ours(&list, &filter);
    }
    if (!rc && !list.count)
        rc = refuse_filter(pattern, chip ? list.chip_name : NULL, e);
    if (!rc)
        rc = print_counters(&list, format, e);
    free(list.items);
    json_decref(answer);
    filter_close(&filter);
    return rc;
}

static json_t *thresholds_json(void)
{
    json_t *rows = json_array();
    struct threshold_override row;
    for (size_t i = 0; threshold_embedded(i, &row); i++) {
        const struct threshold *t = threshold_get(row.id);
        json_array_append_new(rows, json_pack("{s:s,s:f,s:s,s:s,s:s}", "threshold", t->name, "value", row.value,
                                              "chips", row.chips, "unit", unit_name(t->unit), "meaning", t->meaning));
    }
    return json_pack("{s:s,s:o}", "schema", "cpprof.thresholds/1", "thresholds", rows);
}

static void describe_thresholds(struct document *d)
{
    static const struct document_column columns[] = {
        {"threshold", false}, {"value", true}, {"chips", false}, {"meaning", false}};
    document_table(d, columns, COUNT_OF(columns));
    struct threshold_override row;
    for (size_t i = 0; threshold_embedded(i, &row); i++) {
        document_cell_code(d, threshold_get(row.id)->name);
        document_cell_unit(d, threshold_get(row.id)->unit, row.value);
        document_cell(d, "%s", row.chips);
        document_cell(d, "%s", threshold_get(row.id)->meaning);
    }
}

int list_thresholds(const char *format, struct err *e)
{
    if (!strcmp(format, "json"))
        return output_json(thresholds_json(), NULL, false, e);
    struct str csv;
    struct document d;
    str_init(&csv);
    document_init(&d);
    int rc;
    if (!strcmp(format, "csv")) {
        threshold_file_print(&csv);
        rc = csv.failed ? err_memory(e) : output_write(NULL, false, str_text(&csv), csv.length, e);
    } else {
        describe_thresholds(&d);
        rc = output_document(&d, format, NULL, false, e);
    }
    document_release(&d);
    str_release(&csv);
    return rc;
}
