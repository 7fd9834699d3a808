/* What does a run directory hold? Is that complete, and does it contradict itself? */
#define _GNU_SOURCE
#include "core/bundle/bundle_open.h"

#include <string.h>

#include "core/base/files.h"
#include "core/base/str.h"
#include "core/bundle/bundle_check.h"
#include "core/bundle/bundle_complete.h"
#include "core/bundle/bundle_seal.h"
#include "core/io/packed_file.h"
#include "core/io/summed_file.h"
#include "core/io/table.h"

/* Returns the seal's list; NULL when there is none or it cannot be read. */
static const json_t *sealed_files(const struct bundle *b)
{
    const json_t *files = b->complete ? json_object_get(b->manifest, "files") : NULL;
    return json_is_object(files) ? files : NULL;
}

/* A file that was not there when the bundle was sealed was not recorded by the run. */
static int leave_out(struct bundle *b, const char *file, struct err *e)
{
    return caveat_add(&b->caveats, CAVEAT_WEAKENS, e, "'%s' is no part of what was sealed: it is left out", file);
}

/* A table that the seal lists is read to its end, even after a bad row, so that its checksum is known. */
static int read_rows(struct bundle *b, enum bundle_table which, const char *path, struct err *e)
{
    struct summed_file file;
    int rc = summed_file_open(&file, path, &b->caveats, e);
    if (rc)
        return rc;
    rc = table_read_csv_from(&b->tables[which], file.file, path, e);
    const bool is_listed = json_object_get(json_object_get(b->manifest, "files"), bundle_table_file(which)) != NULL;
    const bool is_known = is_listed && summed_file_finish(&file);
    summed_file_close(&file);
    b->sums[which] = (struct table_sum){is_known, file.bytes, file.crc32};
    return rc;
}

/* When a table breaks off or has impossible values, the rows before that place are kept, and a caveat says that the
 * bundle as a whole cannot be trusted. */
static int read_table(struct bundle *b, enum bundle_table which, const char *file, struct err *e)
{
    struct table *table = &b->tables[which];
    struct err cut = {0};
    struct str bad;
    str_init(&bad);
    const int read = read_rows(b, which, file, &cut);
    const size_t rows = table_rows(table);
    size_t good_rows = rows;
    int rc = read && read != ERR_INPUT ? err_set(e, read, "%s", cut.text) : 0;
    if (!rc)
        rc = bundle_table_check(table, which, &good_rows, &bad, e);
    if (!rc && good_rows < rows) {
        table_truncate(table, good_rows);
        rc = caveat_add(&b->caveats, CAVEAT_TRUNCATED, e, "%s: %s", file, str_text(&bad));
    } else if (!rc && read) {
        rc = caveat_add(&b->caveats, CAVEAT_TRUNCATED, e, "%s", cut.text);
    }
    if (which == BUNDLE_VERIFY && (read || good_rows < rows))
        b->lacks_checks = true;
    str_release(&bad);
    return rc;
}

static int read_tables(struct bundle *b, struct err *e)
{
    struct str file;
    str_init(&file);
    int rc = 0;
    for (int i = 0; i < BUNDLE_TABLE_COUNT && !rc; i++) {
        const char *name = bundle_table_file((enum bundle_table)i);
        files_join(&file, b->path, name);
        const bool is_there = packed_file_exists(str_text(&file)),
                   is_left_over = sealed_files(b) && !json_object_get(sealed_files(b), name);
        b->has_table[i] = is_there && !is_left_over;
        if (is_there && is_left_over)
            rc = leave_out(b, str_text(&file), e);
        else if (is_there)
            rc = read_table(b, (enum bundle_table)i, str_text(&file), e);
    }
    str_release(&file);
    return rc;
}

/* Caveats that weaken the trace of a program weaken the run, even when the trace itself is gone. */
static int caveats_of_programs(struct bundle *b, struct err *e)
{
    size_t i, k, n;
    json_t *program, *process, *caveat;
    json_array_foreach (json_object_get(b->manifest, "programs"), i, program)
        json_array_foreach (json_object_get(program, "processes"), k, process)
            json_array_foreach (json_object_get(process, "caveats"), n, caveat)
                if (json_is_string(caveat) &&
                    caveat_add(&b->caveats, CAVEAT_WEAKENS, e, "'%s', process %lld: %s",
                               json_get_text(program, "variant", ""), json_get_integer(process, "process", 0),
                               json_string_value(caveat)))
                    return ERR_MEMORY;
    return 0;
}

static int add_caveats(struct bundle *b, struct err *e)
{
    if (!b->complete) {
        int rc = caveat_add(&b->caveats, CAVEAT_WEAKENS, e, "the run did not finish: its bundle is marked '%s'",
                            json_get_text(b->manifest, "status", "nothing"));
        if (rc)
            return rc;
    }
    int rc = bundle_losses(b->manifest, &b->caveats, e);
    return rc ? rc : caveats_of_programs(b, e);
}

int bundle_open(struct bundle *b, const char *path, struct err *e)
{
    const int rc = bundle_begin(b, path, e);
    return rc ? rc : bundle_open_begun(b, e);
}

int bundle_open_begun(struct bundle *b, struct err *e)
{
    int rc = bundle_check_format(b->manifest, b->path, e);
    if (rc)
        return rc;
    b->complete = bundle_is_sealed(b->manifest);
    rc = read_tables(b, e);
    if (!rc)
        rc = bundle_check_seal(b, e);
    if (!rc)
        rc = bundle_note_seal(b, SEAL_OF_ALL, &b->caveats, e);
    if (!rc)
        rc = bundle_check_tables(b, e);
    if (!rc)
        rc = bundle_check_complete(b, e);
    return rc ? rc : add_caveats(b, e);
}
