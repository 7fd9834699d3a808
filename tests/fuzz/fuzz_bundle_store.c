/* Is what was saved found again, and nothing else, whatever the names and whatever lies in the store?
 *
 * A line is a step: "sNAME" and "SNAME" save the one and the other bundle, "fREFERENCE" looks for one, "jFILE" puts a
 * folder and "kFILE" a file of a stranger under the name that was saved to last, "lFILE" saves a bundle whose seal
 * lists this file too. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_store.h"
#include "core/bundle/bundle_write.h"

enum { STEPS_MAX = 12, NAME_BYTES_MAX = 100, LINE_BYTES_MAX = 160, KEPT_MAX = 2 * STEPS_MAX };

static char folder[32], store[64];
static struct bundle sources[2];

/* What must be in the store: a bundle, or something of a stranger. */
static struct kept {
    char name[LINE_BYTES_MAX];
    long number;
    int source; /* -1 of a stranger */
} kept[KEPT_MAX];
static size_t kept_count;

/* ---- once ---- */

static void remove_folder(void)
{
    for (int i = 0; i < 2; i++)
        bundle_release(&sources[i]);
    files_remove_tree(folder, NULL);
}

static void make_source(int which)
{
    static const char *const tables[] = {"variants.csv", "timing.csv"};
    static const char *const texts[] = {
        "variant,shape,baseline,kernel_pattern,summary,shared_bytes,flops,bytes,status\nf/a,s,,,,,,,ready\n",
        "variant,shape,process,block,order,iteration,cache,batch,sm_clock_hz,duration_ns\nf/a,s,0,0,0,0,hot,1,,100\n"};
    char path[64];
    struct str file;
    struct err e = {0};
    str_init(&file);
    snprintf(path, sizeof path, "%s/%d.cpprof", folder, which);
    json_t *manifest = json_pack("{s:s,s:i}", "kind", "capture", "which", which);
    REQUIRE(!bundle_create(path, manifest, &e));
    for (int i = 0; i <= which; i++)
        REQUIRE(!files_write_atomic(files_join(&file, path, tables[i]), texts[i], strlen(texts[i]), &e));
    REQUIRE(!bundle_seal(path, manifest, &e));
    bundle_init(&sources[which]);
    REQUIRE(!bundle_open(&sources[which], path, &e) && !sources[which].caveats.count);
    json_decref(manifest);
    str_release(&file);
}

/* In memory where there is such a folder: copies go to the disk. */
static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/dev/shm/cpprof-fuzz-XXXXXX");
    if (!mkdtemp(folder)) {
        snprintf(folder, sizeof folder, "/tmp/cpprof-fuzz-XXXXXX");
        REQUIRE(mkdtemp(folder));
    }
    snprintf(store, sizeof store, "%s/store", folder);
    make_source(0);
    make_source(1);
    atexit(remove_folder);
}

/* ---- what is expected ---- */

static bool is_in(char c, const char *set)
{
    return c && strchr(set, c);
}

static bool is_name(const char *text, size_t length)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
    bool is = length >= 1 && length <= NAME_BYTES_MAX && *text != '.';
    for (size_t i = 0; i < length; i++)
        is &= is_in(text[i], good);
    return is;
}

/* Digits alone; 0 for what is none, or is too large. */
static long number_in(const char *text, size_t length)
{
    long number = 0;
    for (size_t i = 0; i < length; i++) {
        if (!is_in(text[i], "0123456789"))
            return 0;
        number = number > 999999 ? number : 10 * number + (text[i] - '0');
    }
    return number > 999999 ? 0 : number;
}

/* The last one of them is what was kept as that number. */
static const struct kept *kept_as(const char *name, size_t length, long number)
{
    const struct kept *found = NULL;
    for (size_t i = 0; i < kept_count; i++)
        if (strlen(kept[i].name) == length && !memcmp(kept[i].name, name, length) &&
            (number ? kept[i].number == number : !found || kept[i].number > found->number))
            found = &kept[i];
    return found;
}

static void keep(const char *name, long number, int source)
{
    if (number && !kept_as(name, strlen(name), number)) {
        REQUIRE(kept_count < KEPT_MAX);
        kept[kept_count].number = number;
        kept[kept_count].source = source;
        snprintf(kept[kept_count++].name, sizeof kept[0].name, "%s", name);
    }
}

/* ---- steps ---- */

static void check_path(const char *path, const char *name, size_t length, long number)
{
    char expected[2 * LINE_BYTES_MAX + 64];
    snprintf(expected, sizeof expected, "%s/%.*s/%06ld.cpprof", store, (int)length, name, number);
    REQUIRE(!strcmp(path, expected));
}

static void check_copy(const char *path, int source)
{
    struct bundle b;
    struct err e = {0};
    bundle_init(&b);
    REQUIRE(!bundle_open(&b, path, &e) && b.complete && !b.caveats.count);
    REQUIRE(json_equal(b.manifest, sources[source].manifest));
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        REQUIRE(table_rows(&b.tables[i]) == table_rows(&sources[source].tables[i]));
    bundle_release(&b);
}

static void save(const char *name, int source)
{
    struct str path;
    struct err e = {0};
    str_init(&path);
    const struct kept *latest = kept_as(name, strlen(name), 0);
    const long number = (latest ? latest->number : 0) + 1;
    const int rc = bundle_store_save(store, name, &sources[source], &path, &e);
    const int expected = !is_name(name, strlen(name)) ? ERR_USAGE : number > 999999 ? ERR_ENVIRONMENT : 0;
    REQUIRE(rc == expected && (!rc || *e.text));
    if (!rc) {
        check_path(str_text(&path), name, strlen(name), number);
        check_copy(str_text(&path), source);
        keep(name, number, source);
    }
    str_release(&path);
}

static void find(const char *reference)
{
    struct str path;
    struct err e = {0};
    str_init(&path);
    const char *at = strchr(reference, '@');
    const size_t length = at ? (size_t)(at - reference) : strlen(reference);
    const long number = at ? number_in(at + 1, strlen(at + 1)) : 0;
    const struct kept *expected = kept_as(reference, length, number);
    const int rc = bundle_store_find(store, reference, &path, &e);
    if (!is_name(reference, length) || (at && !number))
        REQUIRE(rc == ERR_USAGE && *e.text);
    else if (!expected || expected->source < 0)
        REQUIRE(rc == ERR_INPUT && *e.text);
    else {
        REQUIRE(rc == 0);
        check_path(str_text(&path), reference, length, expected->number);
        check_copy(str_text(&path), expected->source);
    }
    str_release(&path);
}

/* Only what has the form of a saved bundle takes a number. */
static void put(const char *name, const char *file, bool is_folder)
{
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/%s/%s", store, name, file);
    const bool is_plain = *file && !strchr(file, '/') && *file != '.' && *name;
    if (is_plain && !files_exists(str_text(&path))) {
        FILE *made = is_folder ? NULL : fopen(str_text(&path), "wb");
        REQUIRE(is_folder ? !files_make_directory(str_text(&path), NULL) : made && !fclose(made));
        if (strlen(file) == strlen("000001.cpprof") && !strcmp(file + 6, ".cpprof"))
            keep(name, number_in(file, 6), -1);
    }
    str_release(&path);
}

/* A bundle that lists what it does not have is not saved, not even in part. */
static void save_with_more(const char *file)
{
    struct str path;
    struct err e = {0};
    json_t *files = json_object_get(sources[0].manifest, "files"), *more = json_text(file);
    const char *name = json_string_value(more); /* as UTF-8 */
    str_init(&path);
    if (!json_object_get(files, name)) {
        json_object_set_new(files, name, json_object());
        REQUIRE(bundle_store_save(store, "more", &sources[0], &path, &e) < 0 && *e.text);
        json_object_del(files, name);
    }
    json_decref(more);
    str_release(&path);
}

static void step(const char *line, char *last)
{
    const char *name = line + 1;
    switch (*line) {
    case 's':
    case 'S':
        save(name, *line == 'S');
        if (is_name(name, strlen(name)))
            snprintf(last, LINE_BYTES_MAX, "%s", name);
        break;
    case 'f': find(name); break;
    case 'j':
    case 'k': put(last, name, *line == 'j'); break;
    case 'l': save_with_more(name); break;
    default: break;
    }
}

/* ---- afterwards ---- */

static size_t entries_of(const char *path, const char *pattern)
{
    size_t count = 0;
    DIR *directory = opendir(path);
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        count += !strncmp(entry->d_name, pattern, strlen(pattern));
    if (directory)
        closedir(directory);
    return count;
}

/* Nothing lies outside the store, and in it nothing half done. */
static void check_store(void)
{
    struct str path;
    str_init(&path);
    REQUIRE(entries_of(folder, "") == 4 + (size_t)files_exists(store)); /* ".", ".." and two bundles */
    for (size_t i = 0; i < kept_count; i++)
        REQUIRE(!entries_of(files_join(&path, store, kept[i].name), ".incoming."));
    REQUIRE(!entries_of(files_join(&path, store, "more"), "0") || kept_as("more", 4, 0));
    str_release(&path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char last[LINE_BYTES_MAX] = "";
    if (!*folder)
        make_folder();
    kept_count = 0;
    for (size_t at = 0, steps = 0; at < size && steps < STEPS_MAX; steps++) {
        const uint8_t *end = memchr(data + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - data) - at : size - at;
        char line[LINE_BYTES_MAX] = "";
        if (length < sizeof line)
            memcpy(line, data + at, length);
        step(line, last);
        at += length + 1;
    }
    check_store();
    REQUIRE(!files_remove_tree(store, NULL));
    return 0;
}
