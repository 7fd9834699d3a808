/* Is a saved bundle there, whole, and is the latest the latest? */
#include "scratch_bundle.h"

#include "bundle/bundle_open.h"
#include "bundle/bundle_store.h"
#include "bundle/bundle_write.h"

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
    static const char *const names[] = {"", ".", "..", "../up", "a/b", ".hidden", "a b", "a\n", "main@", "main@x", "main@0",
                                        "main@-1", "@1"};
    struct scratch s;
    struct str path;
    str_init(&path);
    scratch_create(&s);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_latest_and_its_history),
        cmocka_unit_test(names_that_are_none),
        cmocka_unit_test(what_is_not_whole_is_not_kept),
        cmocka_unit_test(files_from_elsewhere_are_not_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
