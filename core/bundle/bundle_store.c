/* Which bundle was kept under this name? */
#define _GNU_SOURCE
#include "core/bundle/bundle_store.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/io/packed_file.h"

enum { NAME_BYTES_MAX = 100, NUMBER_MAX = BUNDLE_STORE_NUMBER_MAX };

static const char name_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";

static int check_name(const char *name, size_t length, struct err *e)
{
    if (length && length <= NAME_BYTES_MAX && name[0] != '.' && strspn(name, name_characters) >= length)
        return 0;
    return err_set(e, ERR_USAGE,
                   "'%.*s' is no name for a saved bundle: use letters, digits, '.', '_', '-' and '+', at most %d",
                   (int)(length < NAME_BYTES_MAX ? length : NAME_BYTES_MAX), name, NAME_BYTES_MAX);
}

/* Returns 3 for "000003.cpprof"; 0 for any other name. */
static long number_of(const char *file)
{
    char *end;
    if (strspn(file, "0123456789") != 6)
        return 0;
    const long number = strtol(file, &end, 10);
    return strcmp(end, ".cpprof") ? 0 : number;
}

/* Returns 0 when nothing was saved under the name. */
static long latest_number(const char *folder)
{
    DIR *directory = opendir(folder);
    long latest = 0;
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        if (number_of(entry->d_name) > latest)
            latest = number_of(entry->d_name);
    if (directory)
        closedir(directory);
    return latest;
}

static const char *numbered(struct str *out, const char *folder, long number)
{
    str_clear(out);
    str_addf(out, "%s/%06ld.cpprof", folder, number);
    return str_text(out);
}

/* Splits "NAME@3". *number is 0 for the latest. */
static int parse_reference(const char *reference, size_t *name_length, long *number, struct err *e)
{
    const char *at = strchr(reference, '@');
    *name_length = at ? (size_t)(at - reference) : strlen(reference);
    *number = 0;
    if (at) {
        char *end;
        *number = strtol(at + 1, &end, 10);
        if (!isdigit((unsigned char)at[1]) || *end || *number < 1 || *number > NUMBER_MAX)
            return err_set(e, ERR_USAGE, "'%s': expected a number after '@', as in 'main@3'", reference);
    }
    return check_name(reference, *name_length, e);
}

static int nothing_saved(const char *store, const char *name, size_t length, struct err *e)
{
    return err_set(e, ERR_INPUT, "nothing is saved as '%.*s' in '%s'; 'cpprof compare BUNDLE --save %.*s' does it",
                   (int)length, name, store, (int)length, name);
}

int bundle_store_find(const char *store, const char *reference, struct str *path, struct err *e)
{
    size_t length;
    long number;
    struct str folder;
    str_init(&folder);
    int rc = parse_reference(reference, &length, &number, e);
    str_addf(&folder, "%s/%.*s", store, rc ? 0 : (int)length, reference);
    if (!rc && !number && !(number = latest_number(str_text(&folder))))
        rc = nothing_saved(store, reference, length, e);
    if (!rc && !bundle_is(numbered(path, str_text(&folder), number)))
        rc = err_set(e, ERR_INPUT, "there is no '%s'", str_text(path));
    str_release(&folder);
    return rc;
}

static int by_number(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

int bundle_store_numbers(const char *store, const char *name, struct bundle_numbers *out, struct err *e)
{
    struct str folder;
    const size_t before = out->count;
    str_init(&folder);
    int rc = check_name(name, strlen(name), e);
    DIR *directory = rc ? NULL : opendir(files_join(&folder, store, name));
    for (const struct dirent *entry; directory && !rc && (entry = readdir(directory));) {
        const long number = number_of(entry->d_name);
        long *slot = number ? ARRAY_PUSH(out) : NULL;
        if (slot)
            *slot = number;
        else if (number)
            rc = err_memory(e);
    }
    if (directory)
        closedir(directory);
    str_release(&folder);
    if (!rc && out->count == before)
        rc = nothing_saved(store, name, strlen(name), e);
    if (!rc)
        qsort(out->items + before, out->count - before, sizeof *out->items, by_number);
    return rc;
}

static int check_whole(const struct bundle *b, struct err *e)
{
    if (!b->complete)
        return err_set(e, ERR_INPUT, "'%s' was never finished: a reference must be whole", b->path);
    if (caveat_has(&b->caveats, CAVEAT_TRUNCATED))
        return err_set(e, ERR_INPUT, "'%s' is damaged: a reference must be whole", b->path);
    return 0;
}

static int copy_one(const char *from_folder, const char *to_folder, const char *name, struct err *e)
{
    struct str from, to;
    str_init(&from);
    str_init(&to);
    files_join(&from, from_folder, name);
    files_join(&to, to_folder, name);
    if (!files_exists(str_text(&from)) && packed_file_exists(str_text(&from))) {
        str_add(&from, PACKED_FILE_ENDING);
        str_add(&to, PACKED_FILE_ENDING);
    }
    int rc = strchr(name, '/') || name[0] == '.'
                 ? err_set(e, ERR_INPUT, "'%s' lists a file '%s' that lies elsewhere", from_folder, name)
                 : files_copy(str_text(&from), str_text(&to), e);
    str_release(&from);
    str_release(&to);
    return rc;
}

static int copy_bundle(const struct bundle *b, const char *folder, struct err *e)
{
    const char *name;
    json_t *value;
    int rc = copy_one(b->path, folder, BUNDLE_MANIFEST, e);
    json_object_foreach (json_object_get(b->manifest, "files"), name, value) {
        if (!rc)
            rc = copy_one(b->path, folder, name, e);
    }
    return rc;
}

/* Renames it to the next number that no other process takes at the same moment. */
static int move_in(const char *incoming, const char *folder, struct str *saved, struct err *e)
{
    for (long number = latest_number(folder) + 1; number <= NUMBER_MAX; number++) {
        if (!rename(incoming, numbered(saved, folder, number)))
            return 0;
        if (errno != EEXIST && errno != ENOTEMPTY)
            return err_set(e, ERR_ENVIRONMENT, "cannot make '%s': %s", str_text(saved), strerror(errno));
    }
    return err_set(e, ERR_ENVIRONMENT, "'%s' is full: %d bundles", folder, NUMBER_MAX);
}

int bundle_store_save(const char *store, const char *name, const struct bundle *b, struct str *saved, struct err *e)
{
    struct str folder, incoming;
    str_init(&folder);
    str_init(&incoming);
    int rc = check_name(name, strlen(name), e);
    if (!rc)
        rc = check_whole(b, e);
    if (!rc)
        rc = files_make_directory(files_join(&folder, store, name), e);
    files_join(&incoming, str_text(&folder), ".incoming");
    if (!rc && files_new_temporary(&incoming, true))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot write into '%s': %s", str_text(&folder), strerror(errno));
    else if (!rc) {
        rc = copy_bundle(b, str_text(&incoming), e);
        if (!rc)
            rc = files_sync_directory(str_text(&incoming), e);
        if (!rc)
            rc = move_in(str_text(&incoming), str_text(&folder), saved, e);
        if (!rc)
            rc = files_sync_directory(str_text(&folder), e);
        else
            files_remove_tree(str_text(&incoming), NULL);
    }
    str_release(&folder);
    str_release(&incoming);
    return rc;
}
