/* Does one line in a list of columns give a member of JSON and of its schema, a column of CSV, one of a table and a row
 * of the page? */
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"
#include <math.h>

#include "analyzers/columns.h"
#include "reports/rows/row_formats.h"

struct lap {
    double metres;
};

struct race {
    const char *runner;
    const char *club; /* "" none */
    double time_ns;
    int64_t place;
    bool valid;
    struct lap laps[2];
    size_t lap_count;
    const char *notes[1];
    int lane; /* -1: none */
    int64_t splits_ns[2];
};

static const struct row_column lap_list[] = {
    {"metres", ROW_AT(struct lap, metres), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "length"},
};
static const struct row_columns lap_columns = ROW_COLUMNS("lap", struct lap, lap_list);

static size_t laps_of(const void *row, const void *context, const void **items)
{
    const struct race *r = row;
    (void)context;
    *items = r->laps;
    return r->lap_count;
}

static size_t best_of(const void *row, const void *context, const void **items)
{
    return laps_of(row, context, items) ? 1 : 0;
}

static size_t notes_of(const void *row, const void *context, const void **items)
{
    (void)context;
    *items = ((const struct race *)row)->notes;
    return 1;
}

static size_t splits_of(const void *row, const void *context, const void **items)
{
    const struct race *r = row;
    (void)context;
    *items = r->splits_ns;
    return r->lap_count;
}

/* The context is the sport. */
static struct row_value say_sport(const void *row, const void *context, struct str *scratch)
{
    str_addf(scratch, "%s by %s", (const char *)context, ((const struct race *)row)->runner);
    return row_text(str_text(scratch));
}

static void show_place(struct str *out, const struct row_value *value, const void *row, const void *context)
{
    (void)context;
    str_addf(out, "no. %d%s", (int)value->integer, ((const struct race *)row)->valid ? "" : " (not valid)");
}

#define AT(field)  ROW_AT(struct race, field)
#define EVERYWHERE (ROW_JSON | ROW_CSV | ROW_TABLE)

/* The last line is what a change would add. */
#define OLD_LINES                                                                                                        \
    {"runner", AT(runner), UNIT_TEXT, EVERYWHERE, ROW_TITLE_CODE("who"), "who ran"},                                     \
        {"club", ROW_AT_OR_NULL(struct race, club), UNIT_TEXT, ROW_JSON | ROW_CSV, ROW_NO_TITLE, "for whom, or `null`"}, \
        {"valid", AT(valid), UNIT_NONE, EVERYWHERE, ROW_TITLE("valid"), "counts"},                                       \
        {"place", AT(place), UNIT_COUNT, EVERYWHERE, ROW_SHOWN("place", show_place), "from 1"},                          \
        {"sport", ROW_MADE(ROW_TEXT, say_sport), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "in words"},                         \
        {"laps", ROW_LIST_OF(laps_of, &lap_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "each"},                         \
        {"best", ROW_OBJECT_OF(best_of, &lap_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "the best one"},               \
    {                                                                                                                    \
        "notes", ROW_LIST_OF(notes_of, NULL), UNIT_NONE, ROW_JSON_MORE, ROW_NO_TITLE, "only on demand"                   \
    }
#define NEW_LINE                                                                                                       \
    {                                                                                                                  \
        "time_ns", AT(time_ns), UNIT_NS, EVERYWHERE, ROW_TITLE("time"), "from start to finish"                         \
    }

static const struct row_column old_list[] = {OLD_LINES};
static const struct row_column new_list[] = {OLD_LINES, NEW_LINE};
static const struct row_columns before = ROW_COLUMNS_ORDERED("race", struct race, old_list, {ROW_CSV, "place runner"});
static const struct row_columns after = ROW_COLUMNS_ORDERED("race", struct race, new_list, {ROW_CSV, "place runner"});

static const struct race races[] = {
    {"=Ann", "", 12300, 1, true, {{400}, {200}}, 2, {"windy"}, 4, {8000, 4300}},
    {"Bo", "TSV", NAN, 2, false, {{0}, {0}}, 0, {"late"}, -1, {0, 0}},
};
enum { RACES = COUNT_OF(races) };

static void expect_json(const struct row_columns *list, unsigned more, const char *text)
{
    json_t *rows = row_json_array(list, more, races, RACES, "run");
    char *got = json_dumps(rows, JSON_COMPACT);
    assert_string_equal(got, text);
    free(got);
    json_decref(rows);
}

static void expect_csv(const struct row_columns *list, const char *text)
{
    struct str out;
    struct err e = {0};
    str_init(&out);
    assert_int_equal(row_csv(list, races, RACES, "run", &out, &e), 0);
    assert_string_equal(str_text(&out), text);
    str_release(&out);
}

static void expect_rendered(const struct row_table *table, const void *rows, size_t count, const char *text)
{
    struct document d;
    struct str out;
    document_init(&d);
    str_init(&out);
    row_table_add(&d, table, rows, count);
    assert_int_equal(document_format_by_name("md")->render(&d, &view_everything, &out), 0);
    assert_string_equal(str_text(&out), text);
    str_release(&out);
    document_release(&d);
}

static void expect_table(const struct row_columns *list, const char *text)
{
    const struct row_table table = {.lists = {list}, .formats = {ROW_TABLE}};
    expect_rendered(&table, races, RACES, text);
}

static void expect_page(const struct row_columns *list, const char *text)
{
    struct str out;
    str_init(&out);
    row_page_add(list, &out);
    assert_string_equal(str_text(&out), text);
    str_release(&out);
}

static void expect_schema(const struct row_columns *list, const char *text)
{
    json_t *schema = row_schema(list);
    char *got = json_dumps(schema, JSON_COMPACT);
    assert_string_equal(got, text);
    free(got);
    json_decref(schema);
}

#define JSON_ANN                                                                                                       \
    "\"runner\":\"=Ann\",\"club\":null,\"valid\":true,\"place\":1,\"sport\":\"run by =Ann\","                          \
    "\"laps\":[{\"metres\":400.0},{\"metres\":200.0}],\"best\":{\"metres\":400.0}"
#define JSON_BO                                                                                                        \
    "\"runner\":\"Bo\",\"club\":\"TSV\",\"valid\":false,\"place\":2,\"sport\":\"run by Bo\",\"laps\":[],\"best\":null"

TEST(a_line_is_a_member_of_json)
{
    expect_json(&before, 0, "[{" JSON_ANN "},{" JSON_BO "}]");
    expect_json(&after, 0, "[{" JSON_ANN ",\"time_ns\":12300.0},{" JSON_BO ",\"time_ns\":null}]");
    expect_json(&before, ROW_JSON_MORE, "[{" JSON_ANN ",\"notes\":[\"windy\"]},{" JSON_BO ",\"notes\":[\"late\"]}]");
}

/* Bo has neither lane nor laps. */
TEST(a_member_that_is_not_known_is_null_or_left_out)
{
    static const struct row_column items[] = {
        {"lane", ROW_AT_OR_NULL(struct race, lane), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "where"},
        {"in_lane", ROW_AT_OR_NULL(struct race, lane), UNIT_NONE, ROW_JSON_KNOWN, ROW_NO_TITLE, "where"},
        {"best", ROW_OBJECT_OF(best_of, &lap_columns), UNIT_NONE, ROW_JSON_KNOWN, ROW_NO_TITLE, "the best one"},
        {"splits_ns", ROW_LIST_OF_INTEGERS(splits_of), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "of each lap"},
    };
    static const struct row_columns list = ROW_COLUMNS("race", struct race, items);
    expect_json(&list, 0,
                "[{\"lane\":4,\"in_lane\":4,\"best\":{\"metres\":400.0},\"splits_ns\":[8000,4300]},"
                "{\"lane\":null,\"splits_ns\":[]}]");
}

/* Two rows that nothing could be allocated for. */
static size_t rows_without_memory(const void *row, const void *context, const void **items)
{
    (void)row, (void)context;
    *items = NULL;
    return 2;
}

TEST(rows_that_could_not_be_made_are_no_empty_list)
{
    static const struct row_column items[] = {
        {"laps", ROW_LIST_OF(rows_without_memory, &lap_columns), UNIT_NONE, ROW_JSON, ROW_NO_TITLE, "each"},
    };
    static const struct row_columns list = ROW_COLUMNS("race", struct race, items);
    assert_null(row_json(&list, 0, &races[0], NULL));
}

TEST(objects_are_joined_in_their_order)
{
    json_t *joined = row_json_joined(json_pack("{si}", "a", 1), json_pack("{si}", "b", 2));
    char *got = json_dumps(joined, JSON_COMPACT);
    assert_string_equal(got, "{\"a\":1,\"b\":2}");
    free(got);
    json_decref(joined);
    assert_null(row_json_joined(json_object(), NULL));
    assert_null(row_json_joined(NULL, json_object()));
}

/* What the published order does not name stands behind it. */
TEST(a_line_is_a_column_of_csv)
{
    expect_csv(&before, "place,runner,club,valid\n1,'=Ann,,yes\n2,Bo,TSV,no\n");
    expect_csv(&after, "place,runner,club,valid,time_ns\n1,'=Ann,,yes,12300\n2,Bo,TSV,no,\n");
}

TEST(a_line_is_a_column_of_a_table)
{
    expect_table(
        &before,
        "| who | valid | place |\n|---|---|---:|\n| `=Ann` | yes | no. 1 |\n| `Bo` | no | no. 2 (not valid) |\n");
    expect_table(&after, "| who | valid | place | time |\n|---|---|---:|---:|\n| `=Ann` | yes | no. 1 | 12.3 us |\n"
                         "| `Bo` | no | no. 2 (not valid) | n/a |\n");
}

#define PAGE                                                                                                           \
    "| member | holds | is |\n|---|---|---|\n| `runner` | text | who ran |\n| `club` | text | for whom, or `null` |\n" \
    "| `valid` | boolean | counts |\n| `place` | count | from 1 |\n| `sport` | text | in words |\n"                    \
    "| `laps` | list | each |\n| `best` | object | the best one |\n| `notes` | list | only on demand |\n"

TEST(a_line_is_a_row_of_the_page)
{
    expect_page(&before, PAGE);
    expect_page(&after, PAGE "| `time_ns` | ns | from start to finish |\n");
}

/* A text of a member is never null, one that may be missing or is made may; links are left out, [unit] stands first. */
TEST(a_line_is_a_member_of_the_schema)
{
    static const struct row_column linked[] = {
        {"time_ns", AT(time_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "as [said](there.md#so) [or not"},
        {"splits_ns", ROW_LIST_OF_INTEGERS(splits_of), UNIT_NS, ROW_JSON_KNOWN, ROW_NO_TITLE, "each"},
    };
    static const struct row_columns more = ROW_COLUMNS("race and more", struct race, linked);
    expect_schema(
        &before,
        "{\"type\":\"object\",\"properties\":{\"runner\":{\"type\":\"string\",\"description\":\"who ran\"},"
        "\"club\":{\"type\":[\"string\",\"null\"],\"description\":\"for whom, or `null`\"},"
        "\"valid\":{\"type\":\"boolean\",\"description\":\"counts\"},"
        "\"place\":{\"type\":\"integer\",\"description\":\"from 1\"},"
        "\"sport\":{\"type\":[\"string\",\"null\"],\"description\":\"in words\"},"
        "\"laps\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/lap\"},\"description\":\"each\"},"
        "\"best\":{\"anyOf\":[{\"$ref\":\"#/$defs/lap\"},{\"type\":\"null\"}],\"description\":\"the best one\"},"
        "\"notes\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"only on demand\"}},"
        "\"required\":[\"runner\",\"club\",\"valid\",\"place\",\"sport\",\"laps\",\"best\"]}");
    expect_schema(
        &more,
        "{\"type\":\"object\",\"properties\":{\"time_ns\":{\"type\":[\"number\",\"null\"],"
        "\"description\":\"[ns] as said [or not\"},\"splits_ns\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"},"
        "\"description\":\"each\"}},\"required\":[\"time_ns\"]}");
    struct str name;
    str_init(&name);
    row_schema_name(&more, &name);
    assert_string_equal(str_text(&name), "race_and_more");
    str_release(&name);
}

TEST(a_cell_says_what_its_column_says_of_the_unknown)
{
    static const struct row_column items[] = {
        {"runner", AT(runner), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("who"), ""},
        {"club", ROW_AT_OR_NULL(struct race, club), UNIT_TEXT, ROW_TABLE, ROW_TITLE_OR("club", ROW_CODE, "alone"), ""},
        {"lane", ROW_AT_OR_NULL(struct race, lane), UNIT_COUNT, ROW_TABLE, ROW_TITLE_SIGNED("lane"), ""},
    };
    static const struct row_columns list = ROW_COLUMNS("race", struct race, items);
    expect_table(&list, "| who | club | lane |\n|---|---|---:|\n| `=Ann` | alone | +4 |\n| `Bo` | `TSV` | n/a |\n");
}

/* The last third stays: "a_very_long_name" in 9 columns. */
TEST(a_long_name_loses_its_middle_in_a_table_that_asks_for_it)
{
    static const struct row_column items[] = {
        {"runner", AT(runner), UNIT_TEXT, ROW_TABLE, ROW_TITLE_CODE("who"), ""},
    };
    static const struct row_columns list = ROW_COLUMNS("race", struct race, items);
    static const struct race longest = {.runner = "a_very_long_name"};
    const struct row_table table = {.lists = {&list}, .formats = {ROW_TABLE}, .code_columns = 9};
    expect_rendered(&table, &longest, 1,
                    "| who |\n|---|\n| `a_ver\xe2\x80\xa6"
                    "ame` |\n");
}

/* A lap beside its race: 400 + 200 metres. */
TEST(a_table_may_take_parts_from_two_lists)
{
    static const struct row_column metres[] = {
        {"metres", ROW_AT(struct lap, metres), UNIT_COUNT, ROW_TABLE, ROW_TITLE("metres"), ""},
    };
    static const struct row_columns laps = ROW_COLUMNS("lap", struct lap, metres);
    const struct row_table table = {.lists = {&before, &laps}, .formats = {ROW_TABLE, ROW_TABLE}};
    struct document d;
    struct str out;
    document_init(&d);
    str_init(&out);
    row_table_begin(&d, &table);
    for (size_t i = 0; i < races[0].lap_count; i++)
        row_table_row(&d, &table, &races[0], &races[0].laps[i]);
    assert_int_equal(document_format_by_name("md")->render(&d, &view_everything, &out), 0);
    assert_string_equal(str_text(&out), "| who | valid | place | metres |\n|---|---|---:|---:|\n"
                                        "| `=Ann` | yes | no. 1 | 400 |\n| `=Ann` | yes | no. 1 | 200 |\n");
    str_release(&out);
    document_release(&d);
}

/* ---- the lists that there are ---- */

static bool is_in(const struct row_choice *chosen, const char *name, size_t length)
{
    for (size_t i = 0; i < chosen->count; i++)
        if (strlen(chosen->items[i]->name) == length && !memcmp(chosen->items[i]->name, name, length))
            return true;
    return false;
}

/* A name that no column has any more would be left out in silence. */
static void expect_orders(const struct row_columns *list)
{
    for (size_t o = 0; o < ROW_ORDERS_MAX; o++) {
        struct row_choice chosen;
        row_choose(&chosen, list, list->orders[o].format);
        for (const char *name = list->orders[o].first; name && *name;) {
            const size_t length = strcspn(name, " ");
            if (!is_in(&chosen, name, length))
                fail_msg("%s: an order names '%.*s', which this format does not have", list->name, (int)length, name);
            name += length + strspn(name + length, " ");
        }
    }
}

static void expect_column(const struct row_columns *list, size_t at)
{
    const unsigned json = ROW_ALL_JSON, tables = ROW_TABLE | ROW_TABLE_2 | ROW_TABLE_3 | ROW_TABLE_4;
    const struct row_column *column = &list->items[at];
    if ((column->formats & json) && !*column->description)
        fail_msg("%s: '%s' is in JSON and has no description", list->name, column->name);
    if (!(column->formats & tables) != !column->title.text)
        fail_msg("%s: '%s' has a title or a table, and not both", list->name, column->name);
    if ((column->formats & tables) && column->source.inner && !column->title.show)
        fail_msg("%s: a table cannot show the rows inside '%s'", list->name, column->name);
    for (size_t i = 0; i < at; i++)
        if (!strcmp(list->items[i].name, column->name))
            fail_msg("%s: '%s' stands twice", list->name, column->name);
}

TEST(every_list_can_be_written)
{
    assert_true(column_list_count > 0);
    for (size_t i = 0; i < column_list_count; i++) {
        assert_true(column_lists[i]->count <= ROW_COLUMNS_MAX);
        for (size_t c = 0; c < column_lists[i]->count; c++)
            expect_column(column_lists[i], c);
        expect_orders(column_lists[i]);
    }
}

/* The gates of two questions are one table of the page. */
TEST(lists_of_one_name_say_the_same)
{
    size_t pairs = 0;
    for (size_t i = 0; i < column_list_count; i++)
        for (size_t k = 0; k < i; k++) {
            if (strcmp(column_lists[i]->name, column_lists[k]->name))
                continue;
            struct str page;
            str_init(&page);
            row_page_add(column_lists[i], &page);
            expect_page(column_lists[k], str_text(&page));
            str_release(&page);
            pairs++;
        }
    assert_int_equal(pairs, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_a_member_of_json),
        cmocka_unit_test(a_member_that_is_not_known_is_null_or_left_out),
        cmocka_unit_test(rows_that_could_not_be_made_are_no_empty_list),
        cmocka_unit_test(objects_are_joined_in_their_order),
        cmocka_unit_test(a_line_is_a_column_of_csv),
        cmocka_unit_test(a_line_is_a_column_of_a_table),
        cmocka_unit_test(a_line_is_a_row_of_the_page),
        cmocka_unit_test(a_line_is_a_member_of_the_schema),
        cmocka_unit_test(a_cell_says_what_its_column_says_of_the_unknown),
        cmocka_unit_test(a_long_name_loses_its_middle_in_a_table_that_asks_for_it),
        cmocka_unit_test(a_table_may_take_parts_from_two_lists),
        cmocka_unit_test(every_list_can_be_written),
        cmocka_unit_test(lists_of_one_name_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
