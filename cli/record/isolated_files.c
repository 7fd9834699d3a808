/* What of the files that an isolated process left goes into the bundle? */
#define _GNU_SOURCE
#include "cli/record/isolated_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/base/str.h"
#include "core/bundle/bundle_tables.h"

#define FILE_BYTES_MAX ((off_t)1 << 32)

/* ---- what is lent ---- */

static int lend_table(const char *from, const char *to, uid_t user, struct err *e)
{
    const int rc = files_exists(from) ? files_copy(from, to, e) : 0;
    if (!rc && files_exists(from) && chown(to, user, user))
        return err_set(e, ERR_ENVIRONMENT, "cannot hand over '%s': %s", to, strerror(errno));
    return rc;
}

int isolated_files_lend(const char *bundle, const char *folder, uid_t user, struct err *e)
{
    struct str from, to;
    str_init(&from);
    str_init(&to);
    int rc = 0;
    for (int i = 0; i < BUNDLE_TABLE_COUNT && !rc; i++)
        rc = lend_table(files_join(&from, bundle, bundle_table_file(i)), files_join(&to, folder, bundle_table_file(i)),
                        user, e);
    if (!rc && chown(folder, user, user))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot hand over '%s': %s", folder, strerror(errno));
    str_release(&from);
    str_release(&to);
    return rc;
}

/* ---- what is taken ---- */

/* A link leads to a file that we may read, and the process may not; a pipe has no end. */
static int open_left(const char *folder, const char *name, off_t *bytes, struct err *e)
{
    struct str path;
    struct stat st;
    str_init(&path);
    const int file = open(files_join(&path, folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    str_release(&path);
    if (file >= 0 && !fstat(file, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_size <= FILE_BYTES_MAX) {
        *bytes = st.st_size;
        return file;
    }
    if (file >= 0)
        close(file);
    return err_set(e, ERR_INPUT, "what the process left as '%.60s' is no regular file of its own", name);
}

static int read_left(const char *folder, const char *name, struct str *out, struct err *e)
{
    char path[64];
    off_t bytes;
    const int file = open_left(folder, name, &bytes, e);
    if (file < 0)
        return file;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const int rc = files_read(path, (size_t)bytes, out, e);
    close(file);
    return rc;
}

static bool was_left(const char *folder, const char *name)
{
    struct str path;
    struct stat st;
    str_init(&path);
    const bool was = !lstat(files_join(&path, folder, name), &st);
    str_release(&path);
    return was;
}

static int append(const char *path, const char *bytes, size_t count, struct err *e)
{
    FILE *file = fopen(path, "ae");
    bool failed = !file;
    if (file) {
        failed = fwrite(bytes, 1, count, file) != count;
        failed |= fclose(file) != 0;
    }
    return failed ? err_set(e, ERR_ENVIRONMENT, "cannot write '%s': %s", path, strerror(errno)) : 0;
}

/* All its old rows stand as they are; the process's may have become wrong. */
static int append_verified(const char *path, const struct str *left, size_t old_rows, struct judged_outcomes *outcomes,
                           struct err *e)
{
    struct table verify, added;
    bundle_table_init(&verify, BUNDLE_VERIFY);
    bundle_table_init(&added, BUNDLE_VERIFY);
    FILE *file = fmemopen((void *)(uintptr_t)str_text(left), left->length, "r");
    int rc = file ? table_read_csv_from(&verify, file, "verify.csv of the process", e) : err_memory(e);
    if (file)
        fclose(file);
    if (rc)
        goto end;
    struct err differs = {0};
    const int differ = judged_outcomes_compare(outcomes, &verify, old_rows, &differs);
    for (size_t row = old_rows; row < table_rows(&verify) && !rc; row++) {
        struct cell *to = table_add_row(&added);
        if (!to)
            rc = err_memory(e);
        else /* its texts are `verify`'s, which lives longer */
            memcpy(to, table_at(&verify, row, 0), verify.column_count * sizeof *to);
    }
    if (!rc && table_rows(&added))
        rc = table_append_csv(&added, path, e);
    if (!rc && differ)
        rc = err_set(e, differ, "%s", differs.text);
end:
    table_release(&added);
    table_release(&verify);
    return rc;
}

static size_t rows_of(const char *path)
{
    struct table t;
    bundle_table_init(&t, BUNDLE_VERIFY);
    const size_t rows = files_exists(path) && !table_read_csv(&t, path, NULL) ? table_rows(&t) : 0;
    table_release(&t);
    return rows;
}

static int take_table(const char *bundle, const char *folder, enum bundle_table which, struct judged_outcomes *outcomes,
                      struct err *e)
{
    const char *name = bundle_table_file(which);
    struct str path, before, left;
    str_init(&path);
    str_init(&before);
    str_init(&left);
    files_join(&path, bundle, name);
    int rc = files_exists(str_text(&path)) ? files_read(str_text(&path), FILE_BYTES_MAX, &before, e) : 0;
    if (!rc && (was_left(folder, name) || before.length))
        rc = read_left(folder, name, &left, e);
    if (!rc && (left.length < before.length || memcmp(str_text(&left), str_text(&before), before.length) != 0))
        rc = err_set(e, ERR_INPUT, "the process changed rows of %s that an earlier process had written", name);
    if (!rc && which == BUNDLE_VERIFY)
        rc = left.length ? append_verified(str_text(&path), &left, rows_of(str_text(&path)), outcomes, e)
                         : judged_outcomes_compare(outcomes, &(struct table){0}, 0, e);
    else if (!rc && left.length > before.length)
        rc = append(str_text(&path), str_text(&left) + before.length, left.length - before.length, e);
    str_release(&path);
    str_release(&before);
    str_release(&left);
    return rc;
}

static bool is_expected(const char *name, const char *role, const char *index)
{
    char report[128];
    snprintf(report, sizeof report, "process-%.40s-%.20s.json", role, index);
    return !strcmp(name, report) || !fnmatch("trace-*.bin", name, 0) ||
           (!strcmp(role, "list") && !strcmp(name, "variants.json"));
}

static int take_file(const char *bundle, const char *folder, const char *name, struct err *e)
{
    struct str path, left;
    str_init(&path);
    str_init(&left);
    int rc = read_left(folder, name, &left, e);
    if (!rc && files_exists(files_join(&path, bundle, name)))
        rc = err_set(e, ERR_INPUT, "the process left a '%.60s', which an earlier process had written", name);
    if (!rc)
        rc = files_write_atomic(str_text(&path), str_text(&left), left.length, e);
    str_release(&path);
    str_release(&left);
    return rc;
}

static int take_files(const char *bundle, const char *folder, const char *role, const char *index, struct err *e)
{
    DIR *files = opendir(folder);
    int rc = files ? 0 : err_set(e, ERR_INPUT, "cannot read the folder of the process: %s", strerror(errno));
    for (struct dirent *entry; files && !rc && (entry = readdir(files));)
        if (is_expected(entry->d_name, role, index))
            rc = take_file(bundle, folder, entry->d_name, e);
    if (files)
        closedir(files);
    return rc;
}

/* Its owner may move it, and put a link to a folder there that we may read, and the process may not. */
static bool is_folder(const char *path)
{
    struct stat st;
    return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

int isolated_files_take(const char *bundle, const char *folder, const char *role, const char *index,
                        struct judged_outcomes *outcomes, struct err *e)
{
    if (!is_folder(folder))
        return err_set(e, ERR_INPUT, "the process removed or replaced its folder");
    int rc = take_files(bundle, folder, role, index, e);
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++) {
        struct err why = {0};
        const int taken = take_table(bundle, folder, (enum bundle_table)i, outcomes, &why);
        if (taken && !rc)
            rc = err_set(e, taken, "%s", why.text);
    }
    return rc;
}
