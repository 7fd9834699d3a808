/* Are all sealed files still there, unchanged? */
#define _GNU_SOURCE
#include "core/bundle/bundle_seal.h"

#include <string.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/io/packed_file.h"

/* A list of caveats has room for so many (core/base/caveat.h). */
enum { FAULTS_MAX = 64 };

static const struct table_sum *sum_of_table(const struct bundle *b, const char *name)
{
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        if (b->sums[i].is_known && !strcmp(bundle_table_file((enum bundle_table)i), name))
            return &b->sums[i];
    return NULL;
}

/* A file that was not read so far is read here. */
static bool find_sum(struct bundle *b, const char *name, uint64_t *bytes, uint32_t *crc32)
{
    const struct table_sum *table = sum_of_table(b, name);
    if (table) {
        *bytes = table->bytes;
        *crc32 = table->crc32;
        return true;
    }
    if (bundle_shard_is(name)) {
        const size_t i = bundle_shards_find(&b->shards, name);
        return i < b->shards.count && bundle_shards_sum(&b->shards, i, bytes, crc32);
    }
    struct str path;
    str_init(&path);
    const int fd = packed_file_open(files_join(&path, b->path, name), &b->caveats, NULL);
    const bool is_summed = fd >= 0 && !files_checksum_open(fd, bytes, crc32);
    if (fd >= 0)
        close(fd);
    str_release(&path);
    return is_summed;
}

/* Leaves `text` empty when the file is unchanged. */
static void compare(struct bundle *b, const char *name, const json_t *sealed, struct str *text)
{
    uint64_t bytes = 0;
    uint32_t crc32 = 0;
    const long long sealed_bytes = json_get_integer(sealed, "bytes", -1);
    if (strchr(name, '/'))
        str_addf(text, "the manifest names a file outside the bundle: '%s'", name);
    else if (!find_sum(b, name, &bytes, &crc32))
        str_addf(text, "'%s' is missing or unreadable: it was sealed with %lld bytes", name, sealed_bytes);
    else if ((long long)bytes != sealed_bytes)
        str_addf(text, "'%s' is not what was sealed: %llu bytes where %lld were", name, (unsigned long long)bytes,
                 sealed_bytes);
    else if ((long long)crc32 != json_get_integer(sealed, "crc32", -1))
        str_addf(text, "'%s' is not what was sealed: it was changed afterwards", name);
}

/* Takes ownership of the text. An untrusted manifest may list any number of missing files: only as many faults are kept
 * as can be reported. */
static int keep_fault(struct bundle *b, bool is_of_trace, struct str *text, struct err *e)
{
    size_t alike = 0;
    for (size_t i = 0; i < b->faults.count; i++)
        alike += b->faults.items[i].is_of_trace == is_of_trace;
    if (!text->failed && alike >= FAULTS_MAX) {
        str_release(text);
        return 0;
    }
    struct seal_fault *fault = text->failed ? NULL : ARRAY_PUSH(&b->faults);
    if (!fault) {
        str_release(text);
        return err_memory(e);
    }
    *fault = (struct seal_fault){str_take(text), is_of_trace};
    return 0;
}

static int check_files(struct bundle *b, const json_t *files, struct err *e)
{
    const char *name;
    json_t *sealed;
    int rc = 0;
    json_object_foreach ((json_t *)files, name, sealed) {
        struct str text;
        str_init(&text);
        if (!rc)
            compare(b, name, sealed, &text);
        if (text.length || text.failed)
            rc = keep_fault(b, bundle_shard_is(name), &text, e);
    }
    return rc;
}

int bundle_check_seal(struct bundle *b, struct err *e)
{
    const json_t *files = json_object_get(b->manifest, "files");
    int rc = bundle_shards_open(&b->shards, b->path, e);
    if (rc || !bundle_is_sealed(b->manifest) || json_is_object(files))
        return rc ? rc : check_files(b, files, e);
    struct str text;
    str_init(&text);
    str_addf(&text,
             "'%s/" BUNDLE_MANIFEST "' is marked '" BUNDLE_SEALED "' and has no list of files: nothing can be compared "
             "with what was sealed",
             b->path);
    return keep_fault(b, true, &text, e);
}

int bundle_note_seal(const struct bundle *b, enum seal_part part, struct caveat_list *caveats, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < b->faults.count && !rc; i++)
        if (part == SEAL_OF_ALL || b->faults.items[i].is_of_trace == (part == SEAL_OF_TRACES))
            rc = caveat_add(caveats, CAVEAT_TRUNCATED, e, "%s", b->faults.items[i].text);
    return rc;
}
