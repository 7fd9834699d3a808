/* What does a line of a source file say, and never of another file than was compiled? */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/runner/source_text.h"
#include "core/base/files.h"
#include "tests/test.h"

enum { CHANGED_AT = 1000, BUILT_AT = 2000 };

struct place {
    char folder[64];
    struct source_texts texts;
    struct compiled_source asked;
};

static int make_place(void **state)
{
    static struct place p;
    struct err e = {0};
    p = (struct place){.folder = "/tmp/cpprof-test-XXXXXX"};
    assert_non_null(mkdtemp(p.folder));
    char deep[128];
    snprintf(deep, sizeof deep, "%s/project/src", p.folder);
    assert_int_equal(files_make_directory(deep, &e), 0);
    p.asked = (struct compiled_source){.folder = p.folder, .name = "k.cu", .built = {BUILT_AT, 5}};
    *state = &p;
    return 0;
}

static int remove_place(void **state)
{
    struct place *p = *state;
    struct err e = {0};
    assert_int_equal(chdir("/"), 0);
    source_texts_release(&p->texts);
    return files_remove_tree(p->folder, &e);
}

static void touch(const struct place *p, const char *name, long second, long nanosecond)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    const struct timespec times[] = {{second, nanosecond}, {second, nanosecond}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void write_bytes(const struct place *p, const char *name, const char *bytes, size_t count)
{
    char path[160];
    struct err e = {0};
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    assert_int_equal(files_write_atomic(path, bytes, count, &e), 0);
    touch(p, name, CHANGED_AT, 0);
}

static void write_file(const struct place *p, const char *name, const char *text)
{
    write_bytes(p, name, text, strlen(text));
}

static enum source_state state_of(struct place *p)
{
    source_texts_release(&p->texts);
    const struct source_text *t = source_texts_find(&p->texts, &p->asked);
    assert_non_null(t);
    assert_true(t->state == SOURCE_READ || !t->content.length);
    return t->state;
}

static void expect_line(struct place *p, uint32_t line, const char *says)
{
    struct str text;
    str_init(&text);
    const struct source_text *t = source_texts_find(&p->texts, &p->asked);
    assert_non_null(t);
    source_text_line(t, line, &text);
    assert_string_equal(str_text(&text), says);
    str_release(&text);
}

static void lines_end_in_any_way(void **state)
{
    struct place *p = *state;
    write_file(p, "k.cu", "first\r\n\t  x = y;\t// why \n\n\xe2\x82\xac\x1b[31m\xff\nlast");
    assert_int_equal(state_of(p), SOURCE_READ);
    expect_line(p, 0, "");
    expect_line(p, 1, "first");
    expect_line(p, 2, "x = y; // why");
    expect_line(p, 3, "");
    expect_line(p, 4, "\xe2\x82\xac\\x1b[31m\xef\xbf\xbd");
    expect_line(p, 5, "last");
    expect_line(p, 6, "");
    expect_line(p, UINT32_MAX, "");
    write_file(p, "k.cu", "one\n");
    assert_int_equal(state_of(p), SOURCE_READ);
    expect_line(p, 2, ""); /* what follows the last newline is no line with words */
    write_file(p, "k.cu", "");
    assert_int_equal(state_of(p), SOURCE_READ);
    expect_line(p, 1, "");
}

/* 300 times "ab": 197 bytes and "..." of 3 bytes. With characters of 3 bytes, 65 of them are 195 bytes. Escapes that
 * make the text longer do not make it longer than that. */
static void long_lines_are_cut_between_characters(void **state)
{
    struct place *p = *state;
    struct str line, expected;
    static const struct {
        const char *unit, *shown;
        size_t times;
    } cases[] = {{"a", "a", 197}, {"\xe2\x82\xac", "\xe2\x82\xac", 65}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str_init(&line);
        str_init(&expected);
        for (int k = 0; k < 600; k++)
            str_add(&line, cases[i].unit);
        for (size_t k = 0; k < cases[i].times; k++)
            str_add(&expected, cases[i].shown);
        str_add(&expected, "\xe2\x80\xa6");
        assert_true(expected.length <= SOURCE_LINE_BYTES_MAX);
        write_file(p, "k.cu", str_text(&line));
        assert_int_equal(state_of(p), SOURCE_READ);
        expect_line(p, 1, str_text(&expected));
        str_release(&line);
        str_release(&expected);
    }
    char bells[1000], whole[SOURCE_LINE_BYTES_MAX + 2] = "";
    struct str text;
    memset(bells, 7, sizeof bells);
    write_bytes(p, "k.cu", bells, sizeof bells);
    assert_int_equal(state_of(p), SOURCE_READ);
    str_init(&text);
    source_text_line(&p->texts.items[0], 1, &text);
    assert_true(text.length <= SOURCE_LINE_BYTES_MAX && !strncmp(str_text(&text), "\\x07\\x07", 8));
    str_release(&text);
    memset(whole, 'a', SOURCE_LINE_BYTES_MAX);
    write_file(p, "k.cu", whole);
    assert_int_equal(state_of(p), SOURCE_READ);
    expect_line(p, 1, whole);
}

static void what_changed_since_is_not_shown(void **state)
{
    struct place *p = *state;
    write_file(p, "k.cu", "x = 1;\n");
    static const struct {
        long second, nanosecond;
        uint64_t sizes[SOURCE_SIZES_MAX];
        size_t count;
        enum source_state expected;
    } cases[] = {
        {CHANGED_AT, 0, {0}, 0, SOURCE_READ},    {BUILT_AT, 5, {7}, 1, SOURCE_READ},
        {BUILT_AT, 6, {7}, 1, SOURCE_CHANGED},   {BUILT_AT + 1, 0, {0}, 0, SOURCE_CHANGED},
        {CHANGED_AT, 0, {8}, 1, SOURCE_CHANGED}, {CHANGED_AT, 0, {8, 7}, 2, SOURCE_READ},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        touch(p, "k.cu", cases[i].second, cases[i].nanosecond);
        memcpy(p->asked.sizes, cases[i].sizes, sizeof p->asked.sizes);
        p->asked.size_count = cases[i].count;
        assert_int_equal(state_of(p), cases[i].expected);
        expect_line(p, 1, cases[i].expected == SOURCE_READ ? "x = 1;" : "");
    }
}

/* The last one would keep a reader waiting for ever. */
static void only_texts_in_regular_files_are_read(void **state)
{
    struct place *p = *state;
    char path[160];
    assert_int_equal(state_of(p), SOURCE_ABSENT);
    write_bytes(p, "k.cu", "a\0b\n", 4);
    assert_int_equal(state_of(p), SOURCE_ABSENT);
    touch(p, "project", CHANGED_AT, 0);
    p->asked.name = "project";
    assert_int_equal(state_of(p), SOURCE_ABSENT);
    p->asked.name = "large";
    snprintf(path, sizeof path, "%s/large", p->folder);
    write_file(p, "large", "a\n");
    assert_int_equal(truncate(path, (16 << 20) + 1), 0);
    touch(p, "large", CHANGED_AT, 0);
    assert_int_equal(state_of(p), SOURCE_ABSENT);
    p->asked.name = "pipe";
    snprintf(path, sizeof path, "%s/pipe", p->folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    touch(p, "pipe", CHANGED_AT, 0);
    alarm(20);
    assert_int_equal(state_of(p), SOURCE_ABSENT);
    alarm(0);
}

/* The tree was built in another folder: its last folders are found under the current one, when the size is known. */
static void a_tree_may_have_moved(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *folder, *name;
        uint64_t size;
        enum source_state expected;
    } cases[] = {
        {"/no/such/place/project/src", "k.cu", 7, SOURCE_READ},
        {"/no/such/place/src", "k.cu", 7, SOURCE_READ},
        {"/no/such/place/project/src", "k.cu", 8, SOURCE_ABSENT},
        {"/no/such/place/project/src", "k.cu", 0, SOURCE_ABSENT},
        {"/no/such/place", "k.cu", 7, SOURCE_ABSENT},
        {"", "/no/such/project/src/k.cu", 7, SOURCE_READ},
        {"/no/../project/src", "k.cu", 7, SOURCE_ABSENT},
        {"src", "k.cu", 7, SOURCE_READ},
    };
    write_file(p, "k.cu", "x = 2;\n");
    write_file(p, "project/src/k.cu", "x = 1;\n");
    char project[160];
    snprintf(project, sizeof project, "%s/project", p->folder);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        /* "src/k.cu" is in one folder, "project/src/k.cu" in the one above */
        assert_int_equal(chdir(strstr(cases[i].folder, "project") || !*cases[i].folder ? p->folder : project), 0);
        p->asked = (struct compiled_source){.folder = cases[i].folder,
                                            .name = cases[i].name,
                                            .sizes = {cases[i].size},
                                            .size_count = cases[i].size > 0,
                                            .built = {BUILT_AT, 0}};
        assert_int_equal(state_of(p), cases[i].expected);
        expect_line(p, 1, cases[i].expected == SOURCE_READ ? "x = 1;" : "");
    }
    touch(p, "project/src/k.cu", BUILT_AT + 1, 0);
    assert_int_equal(chdir(p->folder), 0);
    p->asked.folder = "/no/such/place/project/src";
    assert_int_equal(state_of(p), SOURCE_CHANGED);
}

static void a_file_is_read_once(void **state)
{
    struct place *p = *state;
    write_file(p, "k.cu", "x = 1;\n");
    assert_int_equal(state_of(p), SOURCE_READ);
    write_file(p, "k.cu", "x = 2;\n");
    expect_line(p, 1, "x = 1;");
    assert_int_equal(p->texts.count, 1);
    p->asked.built.tv_sec++;
    expect_line(p, 1, "x = 2;"); /* of another program */
    assert_int_equal(p->texts.count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_end_in_any_way, make_place, remove_place),
        cmocka_unit_test_setup_teardown(long_lines_are_cut_between_characters, make_place, remove_place),
        cmocka_unit_test_setup_teardown(what_changed_since_is_not_shown, make_place, remove_place),
        cmocka_unit_test_setup_teardown(only_texts_in_regular_files_are_read, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_tree_may_have_moved, make_place, remove_place),
        cmocka_unit_test_setup_teardown(a_file_is_read_once, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
