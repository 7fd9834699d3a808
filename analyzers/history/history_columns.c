/* What stands in the tables of a history? */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>

#include "analyzers/columns.h"
#include "analyzers/history/history_rows.h"

#define BOTH (ROW_JSON | ROW_TABLE)

/* ---- cells ---- */

static struct row_value created_of(const void *row, const void *context, struct str *scratch)
{
    const struct history_row *r = row;
    (void)context, (void)scratch;
    return r->created_unix_s < 0 ? row_unknown() : row_integer(r->created_unix_s);
}

static void show_when(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    char text[32];
    struct tm utc;
    const time_t when = value->type == ROW_IS_INTEGER ? (time_t)value->integer : 0;
    (void)row, (void)context;
    if (value->type == ROW_IS_INTEGER && gmtime_r(&when, &utc) && strftime(text, sizeof text, "%Y-%m-%d %H:%M", &utc))
        str_add(out, text);
    else
        str_add(out, "n/a");
}

enum { COMMIT_SHOWN = 10 };

static void show_commit(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)row, (void)context;
    if (value->type != ROW_IS_TEXT)
        str_add(out, "n/a");
    else
        str_addf(out, "%.*s%s", COMMIT_SHOWN, value->text, strstr(value->text, "-dirty") ? "-dirty" : "");
}

static void add_interval(struct str *out, enum unit unit, double value, double low, double high)
{
    char texts[3][UNITS_TEXT_BYTES];
    const double values[] = {value, low, high};
    if (!row_number(value).type) {
        str_add(out, "n/a");
        return;
    }
    unit_format_apart(texts, unit, values, 3);
    str_addf(out, row_number(high).type && row_number(low).type ? "%s [%s, %s]" : "%s", texts[0], texts[1], texts[2]);
}

static void show_time(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct history_row *r = row;
    (void)value, (void)context;
    add_interval(out, UNIT_NS, r->time_ns, r->low_ns, r->high_ns);
}

static void show_comparison(struct str *out, const struct history_comparison *c)
{
    if (!*c->verdict) {
        str_add(out, "");
        return;
    }
    add_interval(out, UNIT_FACTOR, c->speedup, c->low, c->high);
    str_addf(out, " %s", c->verdict);
    if (!strcmp(c->verdict, "inconclusive") || !strcmp(c->verdict, "unusable"))
        str_addf(out, " (%s)", c->reason);
}

static void show_first(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)value, (void)context;
    show_comparison(out, &((const struct history_row *)row)->first);
}

static void show_previous(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)value, (void)context;
    show_comparison(out, &((const struct history_row *)row)->previous);
}

static void show_change(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    const struct history_change *c = row;
    (void)value, (void)context;
    add_interval(out, UNIT_FACTOR, c->ratio, c->low, c->high);
}

/* ---- the lists ---- */

#define AT(field)      ROW_AT(struct history_row, field)
#define OR_NULL(field) ROW_AT_OR_NULL(struct history_row, field)
#define COMMIT_TITLE   ROW_SHOWN("commit", show_commit)
#define FIRST_TITLE    ROW_SHOWN("speedup over the first", show_first)
#define PREVIOUS_TITLE ROW_SHOWN("over the one before", show_previous)

static const struct row_column rows[] = {
    {"number", AT(number), UNIT_NONE, BOTH, ROW_TITLE("@"), "of the reference, `NAME@number`"},
    {"created_unix_s", ROW_MADE(ROW_INTEGER, created_of), UNIT_NONE, BOTH, ROW_SHOWN("recorded (UTC)", show_when),
     "when it was recorded, seconds since 1970; `null` when the manifest does not say"},
    {"commit", OR_NULL(commit), UNIT_TEXT, BOTH, COMMIT_TITLE,
     "of the repository in which it was measured, else of the cpprof that measured; `null` unknown"},
    {"variant", AT(variant), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "the arm's variant"},
    {"config", AT(config), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "its shape and parameters"},
    {"cache", AT(cache), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "`hot`, `rotated`, `cold`, of programs `program`"},
    {"processes", AT(processes), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "that were timed"},
    {"time_ns", AT(time_ns), UNIT_NS, BOTH, ROW_SHOWN("time [95%]", show_time), "typical over the processes"},
    {"low_ns", AT(low_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "lower end of its 95% interval over the processes"},
    {"high_ns", AT(high_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "upper end"},
    {"doubt", ROW_REASON(struct history_row, doubt, arm_doubts), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "`not_selected`, `not_verified`, `wrong_result`, `contradicted`: why the arm is not proven; `null` when it is"},
    {"first_speedup", AT(first.speedup), UNIT_FACTOR, BOTH, FIRST_TITLE, "time of the first reference / this time"},
    {"first_low", AT(first.low), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE, "lower end of its 95% interval"},
    {"first_high", AT(first.high), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE, "upper end"},
    {"first_verdict", OR_NULL(first.verdict), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "as of `compare`; `null` where the first reference lacks the arm, and of the first itself"},
    {"first_reason", OR_NULL(first.reason), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "its code"},
    {"previous_speedup", AT(previous.speedup), UNIT_FACTOR, BOTH, PREVIOUS_TITLE,
     "time of the reference before / this time"},
    {"previous_low", AT(previous.low), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE, "lower end of its 95% interval"},
    {"previous_high", AT(previous.high), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE, "upper end"},
    {"previous_verdict", OR_NULL(previous.verdict), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "as of `compare`; `null` where the reference before lacks the arm"},
    {"previous_reason", OR_NULL(previous.reason), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "its code"},
    {"repeats", AT(repeats), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "is it the recording of the reference before, saved again? Then it is no point of the level"},
    {"machine", AT(machine), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "counts from 0, and grows where GPU, driver, clocks or power differ from the reference before"},
};
const struct row_columns history_columns = ROW_COLUMNS("history", struct history_row, rows);

#define OF_CHANGE(field) ROW_AT(struct history_change, field)

static const struct row_column changes[] = {
    {"variant", OF_CHANGE(variant), UNIT_TEXT, BOTH, ROW_TITLE_CODE("variant"), "the arm's variant"},
    {"config", OF_CHANGE(config), UNIT_TEXT, BOTH, ROW_TITLE("shape"), "its shape and parameters"},
    {"cache", OF_CHANGE(cache), UNIT_TEXT, BOTH, ROW_TITLE("cache"), "`hot`, `rotated`, `cold`, of programs `program`"},
    {"before", OF_CHANGE(before), UNIT_NONE, BOTH, ROW_TITLE("from @"), "the last reference at the old level"},
    {"after", OF_CHANGE(after), UNIT_NONE, BOTH, ROW_TITLE("to @"), "the first one at the new level"},
    {"commit_before", ROW_AT_OR_NULL(struct history_change, commit_before), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "of `before`"},
    {"commit_after", ROW_AT_OR_NULL(struct history_change, commit_after), UNIT_TEXT, BOTH, COMMIT_TITLE,
     "of `after`: the change is in what came between the two"},
    {"before_count", OF_CHANGE(before_count), UNIT_COUNT, BOTH, ROW_TITLE("old level"),
     "references at the old level, up to the change before"},
    {"after_count", OF_CHANGE(after_count), UNIT_COUNT, BOTH, ROW_TITLE("new level"),
     "references at the new level, up to the next change"},
    {"verdict", OF_CHANGE(verdict), UNIT_TEXT, BOTH, ROW_TITLE("verdict"), "`faster` or `slower`, beyond the margin"},
    {"ratio", OF_CHANGE(ratio), UNIT_FACTOR, BOTH, ROW_SHOWN("time becomes [95%]", show_change),
     "time of the new level / of the old level"},
    {"low", OF_CHANGE(low), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE,
     "lower end of its 95% interval, with references as replicates"},
    {"high", OF_CHANGE(high), UNIT_FACTOR, ROW_JSON, ROW_NO_TITLE, "upper end"},
    {"p_value", OF_CHANGE(p_value), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "share of orders of the same times that divide as well; at least 1/10001"},
    {"p_holm", OF_CHANGE(p_holm), UNIT_NONE, BOTH, ROW_TITLE("p (Holm)"), "adjusted for all tests of the history"},
};
const struct row_columns history_change_columns = ROW_COLUMNS("history change", struct history_change, changes);

#define OF_ARM(field) ROW_AT(struct history_arm, field)

static const struct row_column arms[] = {
    {"variant", OF_ARM(variant), UNIT_TEXT, BOTH, ROW_TITLE_CODE("variant"), "the arm's variant"},
    {"config", OF_ARM(config), UNIT_TEXT, BOTH, ROW_TITLE("shape"), "its shape and parameters"},
    {"cache", OF_ARM(cache), UNIT_TEXT, BOTH, ROW_TITLE("cache"), "`hot`, `rotated`, `cold`, of programs `program`"},
    {"references", OF_ARM(references), UNIT_COUNT, BOTH, ROW_TITLE("references"),
     "with a time, on one machine in a row: the most"},
    {"status", OF_ARM(status), UNIT_TEXT, BOTH, ROW_TITLE("level"), "`changed`, `steady` or `not decided`"},
    {"reason", OF_ARM(reason), UNIT_TEXT, BOTH, ROW_TITLE("why"), "one sentence"},
};
const struct row_columns history_arm_columns = ROW_COLUMNS("history arm", struct history_arm, arms);
