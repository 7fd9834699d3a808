/* Is a saved bundle there, whole, and is the latest the latest? */
#include "tests/unit/scratch_bundle.h"

#include "core/base/count_of.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_store.h"
#include "core/bundle/bundle_write.h"

static void open_sealed(struct scratch *s, struct bundle *b)
{
    MUST(bundle_seal(s->path, s->manifest, &e));
    bundle_init(b);
    MUST(bundle_open(b, s->path, &e));
}

static void the_latest_and_its_history(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b, copy;
    struct str store, path;
    struct err why = {0};
    str_init(&store);
    str_init(&path);
    scratch_create(&s);
    scratch_row(&s, BUNDLE_VARIANTS, "f/a|mission||k|||||ready");
    scratch_write(&s, "report.md", "derived");
    open_sealed(&s, &b);
    const char *folder = files_join(&store, s.folder, "store");
    assert_int_equal(bundle_store_find(folder, "main", &path, &why), ERR_INPUT);
    assert_non_null(strstr(why.text, "nothing is saved as 'main'"));
    for (int i = 1; i <= 3; i++) {
        char expected[160];
        MUST(bundle_store_save(folder, "main", &b, &path, &e));
        snprintf(expected, sizeof expected, "%s/main/%06d.cpprof", folder, i);
        assert_string_equal(str_text(&path), expected);
        MUST(bundle_store_find(folder, "main", &path, &e));
        assert_string_equal(str_text(&path), expected);
    }
    MUST(bundle_store_find(folder, "main@2", &path, &e));
    assert_non_null(strstr(str_text(&path), "000002.cpprof"));
    bundle_init(&copy);
    MUST(bundle_open(&copy, str_text(&path), &e));
    assert_true(copy.complete);
    assert_int_equal(copy.caveats.count, 0); /* sizes and checksums are those of the seal */
    assert_int_equal(table_rows(&copy.tables[BUNDLE_VARIANTS]), 1);
    struct str derived;
    str_init(&derived);
    assert_false(files_exists(files_join(&derived, str_text(&path), "report.md"))); /* not sealed */
    str_release(&derived);
    bundle_release(&copy);
    struct bundle_numbers numbers = {0};
    MUST(bundle_store_numbers(folder, "main", &numbers, &e));
    assert_int_equal(numbers.count, 3);
    for (size_t i = 0; i < numbers.count; i++)
        assert_int_equal(numbers.items[i], (long)i + 1);
    assert_int_equal(bundle_store_numbers(folder, "other", &numbers, &why), ERR_INPUT);
    assert_int_equal(bundle_store_numbers(folder, "main@1", &numbers, &why), ERR_USAGE);
    free(numbers.items);
    assert_int_equal(bundle_store_find(folder, "main@4", &path, &why), ERR_INPUT);
    assert_int_equal(bundle_store_find(folder, "other", &path, &why), ERR_INPUT);
    bundle_release(&b);
    str_release(&path);
    str_release(&store);
    scratch_remove(&s);
}

static void names_that_are_none(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        ".",
                                        "..",
                                        "../up",
                                        "a/b",
                                        ".hidden",
                                        "a b",
                                        "a\n",
                                        "main@",
                                        "main@x",
                                        "main@0",
                                        "main@-1",
                                        "@1",
                                        "main@ 1",
                                        "main@+1",
                                        "main@1000000",
                                        "main@18446744073709551617"};
    struct scratch s;
    struct str path;
    str_init(&path);
    scratch_create(&s);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct err why = {0};
        if (bundle_store_find(s.folder, names[i], &path, &why) != ERR_USAGE)
            fail_msg("'%s' was taken for a name", names[i]);
    }
    str_release(&path);
    scratch_remove(&s);
}

static void what_is_not_whole_is_not_kept(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    struct str path;
    struct err why = {0};
    str_init(&path);
    scratch_create(&s);
    bundle_init(&b);
    MUST(bundle_open(&b, s.path, &e)); /* never sealed */
    assert_int_equal(bundle_store_save(s.folder, "main", &b, &path, &why), ERR_INPUT);
    assert_non_null(strstr(why.text, "never finished"));
    bundle_release(&b);
    scratch_row(&s, BUNDLE_VARIANTS, "f/a|mission||k|||||ready");
    MUST(bundle_seal(s.path, s.manifest, &e));
    scratch_write(&s, "variants.csv", "changed");
    bundle_init(&b);
    MUST(bundle_open(&b, s.path, &e));
    assert_int_equal(bundle_store_save(s.folder, "main", &b, &path, &why), ERR_INPUT);
    assert_non_null(strstr(why.text, "damaged"));
    bundle_release(&b);
    str_release(&path);
    scratch_remove(&s);
}

/* A manifest of a stranger may list files that lie elsewhere. */
static void files_from_elsewhere_are_not_copied(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    struct str path;
    struct err why = {0};
    str_init(&path);
    scratch_create(&s);
    scratch_row(&s, BUNDLE_VARIANTS, "f/a|mission||k|||||ready");
    open_sealed(&s, &b);
    json_object_set_new(json_object_get(b.manifest, "files"), "../secret", json_object());
    assert_int_equal(bundle_store_save(s.folder, "main", &b, &path, &why), ERR_INPUT);
    assert_int_equal(bundle_store_find(s.folder, "main", &path, &why), ERR_INPUT); /* nothing is left */
    bundle_release(&b);
    str_release(&path);
    scratch_remove(&s);
}

/* Who saves hears it, and what is there stays the latest. */
static void a_store_without_room_says_so(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    struct str folder, path;
    struct err why = {0};
    str_init(&folder);
    str_init(&path);
    scratch_create(&s);
    scratch_row(&s, BUNDLE_VARIANTS, "f/a|mission||k|||||ready");
    open_sealed(&s, &b);
    MUST(bundle_store_save(s.folder, "main", &b, &path, &e));
    str_addf(&folder, "%s/main/999999.cpprof", s.folder);
    assert_int_equal(rename(str_text(&path), str_text(&folder)), 0); /* as if so many had been saved */
    assert_int_equal(bundle_store_save(s.folder, "main", &b, &path, &why), ERR_ENVIRONMENT);
    assert_non_null(strstr(why.text, "is full: 999999 bundles"));
    MUST(bundle_store_find(s.folder, "main", &path, &e));
    assert_string_equal(str_text(&path), str_text(&folder));
    bundle_release(&b);
    str_release(&path);
    str_release(&folder);
    scratch_remove(&s);
}

/* Names that begin alike are as many names; a folder without a manifest is no bundle. */
static void what_strangers_left_is_not_found(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    struct str folder, path;
    struct err why = {0};
    str_init(&folder);
    str_init(&path);
    scratch_create(&s);
    scratch_row(&s, BUNDLE_VARIANTS, "f/a|mission||k|||||ready");
    open_sealed(&s, &b);
    MUST(bundle_store_save(s.folder, "main", &b, &path, &e));
    assert_int_equal(bundle_store_find(s.folder, "mai", &path, &why), ERR_INPUT);
    assert_int_equal(bundle_store_find(s.folder, "main2", &path, &why), ERR_INPUT);
    static const char *const others[] = {"main/7.cpprof", "main/0000009.cpprof", "main/000008.cpprof.old",
                                         "main/notes"};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        MUST(files_make_directory(files_join(&folder, s.folder, others[i]), &e));
    MUST(bundle_store_find(s.folder, "main", &path, &e));
    assert_non_null(strstr(str_text(&path), "/main/000001.cpprof"));
    MUST(files_make_directory(files_join(&folder, s.folder, "main/000005.cpprof"), &e));
    assert_int_equal(bundle_store_find(s.folder, "main", &path, &why), ERR_INPUT); /* and not silently an older one */
    assert_non_null(strstr(why.text, "there is no '"));
    MUST(bundle_store_save(s.folder, "main", &b, &path, &e));
    assert_non_null(strstr(str_text(&path), "/main/000006.cpprof"));
    bundle_release(&b);
    str_release(&path);
    str_release(&folder);
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_latest_and_its_history),    cmocka_unit_test(names_that_are_none),
        cmocka_unit_test(what_is_not_whole_is_not_kept), cmocka_unit_test(files_from_elsewhere_are_not_copied),
        cmocka_unit_test(a_store_without_room_says_so),  cmocka_unit_test(what_strangers_left_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
