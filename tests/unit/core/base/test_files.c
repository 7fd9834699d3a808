/* Do files get in and out without harm to the process, and not before they are on disk? */
#include "tests/unit/scratch_bundle.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/byte_sink.h"
#include "core/base/count_of.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_store.h"
#include "core/bundle/bundle_write.h"
#include "core/io/scratch_file.h"

static int synced, masks_changed;

/* Instead of libc's: what is asked for is what is asked here. */
int fsync(int fd)
{
    struct stat about;
    assert_int_equal(fstat(fd, &about), 0);
    synced++;
    return 0;
}

/* Another thread may make a file while the mask is another one. */
mode_t umask(mode_t mask)
{
    (void)mask;
    masks_changed++;
    return 022;
}

static int descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static mode_t permissions(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 0777;
}

static void a_new_file_leaves_the_mask_alone(void **state)
{
    (void)state;
    struct scratch s;
    struct str path, folder;
    struct byte_sink *sink;
    str_init(&path);
    str_init(&folder);
    scratch_create(&s);
    masks_changed = 0;
    MUST(files_write_atomic(files_join(&path, s.folder, "new"), "x", 1, &e));
    FILE *plain = fopen(files_join(&folder, s.folder, "plain"), "w");
    assert_non_null(plain);
    fclose(plain);
    const mode_t expected = permissions(str_text(&folder));
    assert_int_equal(permissions(str_text(&path)), expected);
    MUST(byte_sink_create(&sink, files_join(&path, s.folder, "stream"), &e));
    MUST(byte_sink_finish(sink, &e));
    byte_sink_free(sink);
    assert_int_equal(permissions(str_text(&path)), expected);
    files_join(&folder, s.folder, "store");
    MUST(files_make_directory(str_text(&folder), &e));
    const mode_t of_folders = permissions(str_text(&folder));
    files_join(&path, s.folder, "store/.incoming");
    assert_int_equal(files_new_temporary(&path, true), 0);
    assert_int_equal(permissions(str_text(&path)), of_folders);
    assert_int_equal(masks_changed, 0);
    str_release(&path);
    str_release(&folder);
    scratch_remove(&s);
}

/* A disk that takes nothing: as many descriptors as before, and nothing is left beside the file. */
static void a_write_that_fails_leaves_nothing(void **state)
{
    (void)state;
    struct scratch s;
    struct str path;
    struct rlimit had;
    str_init(&path);
    scratch_create(&s);
    files_join(&path, s.folder, "full");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &had), 0);
    signal(SIGXFSZ, SIG_IGN);
    const int before = descriptors();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, had.rlim_max}), 0);
    struct err why = {0};
    const int rc = files_write_atomic(str_text(&path), "bytes", 5, &why);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &had), 0);
    assert_int_equal(rc, ERR_ENVIRONMENT);
    assert_non_null(strstr(why.text, "File too large"));
    assert_int_equal(descriptors(), before);
    assert_int_equal(files_write_atomic("/nowhere/at/all", "bytes", 5, &why), ERR_ENVIRONMENT);
    assert_int_equal(descriptors(), before);
    MUST(files_remove_tree(s.path, &e));
    assert_int_equal(rmdir(s.folder), 0); /* it is empty */
    json_decref(s.manifest);
    str_release(&path);
}

/* What is saved is there after a power cut: both files, their folder, and the folder that it moves into. */
static void what_is_saved_is_on_disk(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    struct str store, saved;
    str_init(&store);
    str_init(&saved);
    scratch_create(&s);
    scratch_row(&s, BUNDLE_VARIANTS, "f/a|mission||k|||||ready");
    MUST(bundle_seal(s.path, s.manifest, &e));
    bundle_init(&b);
    MUST(bundle_open(&b, s.path, &e));
    synced = 0;
    MUST(bundle_store_save(files_join(&store, s.folder, "store"), "main", &b, &saved, &e));
    assert_int_equal(synced, 4);
    bundle_release(&b);
    str_release(&store);
    str_release(&saved);
    scratch_remove(&s);
}

/* Nobody writes to these pipes: whoever opens one waits for ever. */
static void a_pipe_in_a_bundle_holds_nobody(void **state)
{
    (void)state;
    static const char *const names[] = {"timing.csv", "process-time-0.json", "trace-1-0.bin"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct scratch s;
        struct bundle b;
        struct str path;
        str_init(&path);
        scratch_create(&s);
        assert_int_equal(mkfifo(files_join(&path, s.path, names[i]), 0666), 0);
        bundle_init(&b);
        alarm(10);
        MUST(bundle_open(&b, s.path, &e));
        alarm(0);
        assert_int_equal(caveat_has(&b.caveats, CAVEAT_TRUNCATED), i == 0);
        bundle_release(&b);
        str_release(&path);
        scratch_remove(&s);
    }
}

static void a_pipe_is_no_manifest_and_no_file_to_copy(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    struct str path, to;
    struct err why = {0};
    str_init(&path);
    str_init(&to);
    scratch_create(&s);
    files_join(&path, s.path, BUNDLE_MANIFEST);
    assert_int_equal(unlink(str_text(&path)), 0);
    assert_int_equal(mkfifo(str_text(&path), 0666), 0);
    bundle_init(&b);
    alarm(10);
    assert_int_equal(bundle_open(&b, s.path, &why), ERR_INPUT);
    assert_non_null(strstr(why.text, "it is no regular file"));
    assert_int_equal(files_copy(str_text(&path), files_join(&to, s.folder, "copy"), &why), ERR_INPUT);
    alarm(0);
    bundle_release(&b);
    str_release(&path);
    str_release(&to);
    scratch_remove(&s);
}

static void scratch_folders_lie_where_they_are_asked_for(void **state)
{
    (void)state;
    struct scratch s;
    struct str path;
    struct err why = {0};
    str_init(&path);
    scratch_create(&s);
    assert_int_equal(setenv("TMPDIR", s.folder, 1), 0);
    MUST(scratch_folder_make(&path, &e));
    assert_int_equal(strncmp(str_text(&path), s.folder, strlen(s.folder)), 0);
    assert_true(files_is_directory(str_text(&path)));
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    assert_int_equal(scratch_folder_make(&path, &why), ERR_ENVIRONMENT);
    assert_non_null(strstr(why.text, "set TMPDIR"));
    assert_int_equal(unsetenv("TMPDIR"), 0);
    str_release(&path);
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_file_leaves_the_mask_alone),
        cmocka_unit_test(a_write_that_fails_leaves_nothing),
        cmocka_unit_test(what_is_saved_is_on_disk),
        cmocka_unit_test(a_pipe_in_a_bundle_holds_nobody),
        cmocka_unit_test(a_pipe_is_no_manifest_and_no_file_to_copy),
        cmocka_unit_test(scratch_folders_lie_where_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
