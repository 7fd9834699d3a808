/* Does a file appear whole, or not at all and without a trace? */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/byte_sink.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/test.h"

/* More than a buffer of the sink, so that some of it is written before the end. */
enum { PIECES = 100000 };
static const char piece[] = "0123456789";

static char folder[] = "/tmp/cpprof_sink_XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return files_remove_tree(folder, NULL);
}

static int count_files(void)
{
    DIR *directory = opendir(folder);
    int count = 0;
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void fill(struct byte_sink *s)
{
    for (int i = 0; i < PIECES; i++)
        byte_sink_write(s, piece, strlen(piece));
    assert_int_equal(byte_sink_bytes(s), PIECES * strlen(piece));
}

TEST(a_file_appears_when_it_is_whole)
{
    static const char *const names[] = {"plain.json", "packed.json.gz", ".gz"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct byte_sink *s;
        struct str path;
        str_init(&path);
        files_join(&path, folder, names[i]);
        assert_int_equal(byte_sink_create(&s, path.text, NULL), 0);
        fill(s);
        assert_false(files_exists(path.text));
        assert_int_equal(byte_sink_finish(s, NULL), 0);
        byte_sink_free(s);
        gzFile file = gzopen(path.text, "rb"); /* reads plain files as they are */
        char got[sizeof piece] = "";
        size_t pieces = 0;
        while (gzread(file, got, (unsigned)strlen(piece)) == (int)strlen(piece) && !strcmp(got, piece))
            pieces++;
        assert_int_equal(pieces, PIECES);
        assert_int_equal(gzdirect(file), i == 0);
        gzclose(file);
        unlink(path.text);
        str_release(&path);
    }
    assert_int_equal(count_files(), 0);
}

TEST(without_a_finish_nothing_stays)
{
    struct byte_sink *s;
    struct str path;
    str_init(&path);
    files_join(&path, folder, "given_up.json");
    assert_int_equal(byte_sink_create(&s, path.text, NULL), 0);
    fill(s);
    byte_sink_free(s);
    assert_int_equal(count_files(), 0);
    str_release(&path);
}

TEST(the_first_error_is_kept)
{
    struct err e = {0};
    struct byte_sink *s;
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(byte_sink_on(&s, fileno(full), "the disk", &e), 0);
    fill(s);
    assert_true(byte_sink_failed(s));
    assert_int_equal(byte_sink_finish(s, &e), ERR_ENVIRONMENT);
    assert_string_equal(e.text, "cannot write 'the disk': No space left on device");
    byte_sink_free(s);
    fclose(full);
    assert_int_equal(byte_sink_create(&s, "/no/such/folder/file", &e), ERR_ENVIRONMENT);
    assert_null(s);
}

/* The reader of all JSON that is not ours is as strict: jansson takes back what is written, as valid UTF-8. */
TEST(any_bytes_are_a_json_string)
{
    static const struct {
        const char *bytes, *quoted;
    } cases[] = {
        {"", "\"\""},
        {"plain", "\"plain\""},
        {"\"\\/", "\"\\\"\\\\/\""},
        {"\n\t\x1b\x7f", "\"\\u000a\\u0009\\u001b\\u007f\""},
        {"\xc3\xa9", "\"\xc3\xa9\""},
        {"\xc3", "\"\xef\xbf\xbd\""},
        {"a\xff\xc3\"b", "\"a\xef\xbf\xbd\xef\xbf\xbd\\\"b\""},
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* half of a pair is no character */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str text;
        str_init(&text);
        json_add_quoted(&text, cases[i].bytes, strlen(cases[i].bytes));
        assert_string_equal(str_text(&text), cases[i].quoted);
        json_t *value = json_loads(str_text(&text), JSON_DECODE_ANY, NULL);
        assert_true(json_is_string(value));
        json_decref(value);
        str_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_when_it_is_whole),
        cmocka_unit_test(without_a_finish_nothing_stays),
        cmocka_unit_test(the_first_error_is_kept),
        cmocka_unit_test(any_bytes_are_a_json_string),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
