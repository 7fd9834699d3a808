/* scratch_bundle.h - run directories made for a test, in a folder that is gone
 * after it. Everything here fails the test instead of returning an error. Include
 * it first. */
#ifndef CPPROF_SCRATCH_BUNDLE_H
#define CPPROF_SCRATCH_BUNDLE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mkdtemp */
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/shard_writer.h"
#include "core/bundle/bundle.h"
#include "core/bundle/bundle_write.h"
#include "tests/test.h"

struct scratch {
    char folder[64];
    char path[96]; /* of the bundle */
    json_t *manifest;
};

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        struct err e = {0};                                                                                            \
        if ((call) < 0)                                                                                                \
            fail_msg("%s: %s", #call, e.text);                                                                         \
    } while (0)

static inline void scratch_create(struct scratch *s)
{
    snprintf(s->folder, sizeof s->folder, "/tmp/cpprof-test-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->path, sizeof s->path, "%s/run.cpprof", s->folder);
    s->manifest = json_object();
    MUST(bundle_create(s->path, s->manifest, &e));
}

static inline void scratch_remove(struct scratch *s)
{
    json_decref(s->manifest);
    MUST(files_remove_tree(s->folder, &e));
}

static inline void scratch_write(const struct scratch *s, const char *name, const char *text)
{
    struct str file;
    str_init(&file);
    MUST(files_write_atomic(files_join(&file, s->path, name), text, strlen(text), &e));
    str_release(&file);
}

static inline bool scratch_has(const struct scratch *s, const char *name)
{
    struct str file;
    str_init(&file);
    const bool has = files_exists(files_join(&file, s->path, name));
    str_release(&file);
    return has;
}

/* One row of a table from "a|b||1.5": an empty cell is missing. */
static inline void scratch_row(const struct scratch *s, enum bundle_table which, const char *cells)
{
    struct table t;
    bundle_table_init(&t, which);
    struct cell *row = table_add_row(&t);
    assert_non_null(row);
    for (size_t column = 0; column < t.column_count; column++) {
        char text[512];
        const size_t length = strcspn(cells, "|");
        assert_true(length < sizeof text);
        memcpy(text, cells, length);
        text[length] = '\0';
        if (length)
            row[column] = t.columns[column].unit == UNIT_TEXT ? cell_text(&t, text) : cell_number(strtod(text, NULL));
        cells += length + (cells[length] == '|');
    }
    struct str file;
    str_init(&file);
    MUST(table_append_csv(&t, files_join(&file, s->path, bundle_table_file(which)), &e));
    str_release(&file);
    table_release(&t);
}

#endif
