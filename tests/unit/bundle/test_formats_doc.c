/* Does docs/formats.md still describe the bytes and columns that the code has? */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/shard_writer.h"
#include "base/str.h"
#include "bundle/bundle_tables.h"
#include "cpprof/event.h"
#include "cpprof/shard.h"

enum { PAGE_BYTES_MAX = 256 * 1024 };

static int load_page(void **state)
{
    static struct str page;
    struct err e = {0};
    str_init(&page);
    *state = &page;
    if (files_read(SOURCE_DIRECTORY "/docs/formats.md", PAGE_BYTES_MAX, &page, &e))
        fail_msg("%s", e.text);
    return 0;
}

static int release_page(void **state)
{
    str_release(*state);
    return 0;
}

/* Where the text of the section begins that has this heading line; fails when there is none. */
static const char *section(const struct str *page, const char *heading)
{
    const char *at = strstr(str_text(page), heading);
    if (!at)
        fail_msg("docs/formats.md has no section '%s'", heading);
    return at + strlen(heading);
}

/* The next line that begins with `| ` behind the table's head, or NULL at the end of the table. */
static const char *next_row(const char *line)
{
    line = strchr(line, '\n');
    return line && !strncmp(line + 1, "| ", 2) ? line + 1 : NULL;
}

static const char *table_head(const char *text)
{
    const char *rule = strstr(text, "\n|---|");
    if (!rule)
        fail_msg("no table behind '%.40s'", text);
    return rule + 1;
}

static void expect_row(const char *row, const char *begins)
{
    if (!row)
        fail_msg("docs/formats.md: the row '%s' is missing", begins);
    else if (strncmp(row, begins, strlen(begins)))
        fail_msg("docs/formats.md: expected '%s', found '%.60s'", begins, row);
}

static void tables_have_the_columns_of_the_page(void **state)
{
    for (int which = 0; which < BUNDLE_TABLE_COUNT; which++) {
        struct table table;
        bundle_table_init(&table, (enum bundle_table)which);
        char text[128];
        snprintf(text, sizeof text, "\n### `%s`\n", bundle_table_file((enum bundle_table)which));
        const char *row = table_head(section(*state, text));
        for (size_t c = 0; c < table.column_count; c++) {
            const struct column *column = &table.columns[c];
            struct str begins;
            str_init(&begins);
            str_addf(&begins, "| `%s` | %s | ", column->name, unit_name(column->unit));
            column_rule_words(column, &begins);
            str_add(&begins, " |");
            row = next_row(row);
            expect_row(row, str_text(&begins));
            str_release(&begins);
        }
        assert_null(next_row(row));
        table_release(&table);
    }
}

struct field {
    const char *name;
    size_t offset, bytes;
};

#define FIELD(type, member)                                                                                            \
    {                                                                                                                  \
#member, offsetof(struct type, member), sizeof((struct type *)0)->member                                       \
    }

static void expect_layout(const struct str *page, const char *heading, const struct field *fields, size_t count)
{
    const char *row = table_head(section(page, heading));
    for (size_t i = 0; i < count; i++) {
        char text[128];
        snprintf(text, sizeof text, "| %zu | %zu | `%s` |", fields[i].offset, fields[i].bytes, fields[i].name);
        row = next_row(row);
        expect_row(row, text);
    }
    assert_null(next_row(row));
}

static void records_have_the_bytes_of_the_page(void **state)
{
    static const struct field header[] = {
        FIELD(cpprof_shard_header, magic),         FIELD(cpprof_shard_header, version),
        FIELD(cpprof_shard_header, header_bytes),  FIELD(cpprof_shard_header, record_bytes),
        FIELD(cpprof_shard_header, process),       FIELD(cpprof_shard_header, rank),
        FIELD(cpprof_shard_header, reserved),      FIELD(cpprof_shard_header, start_ns),
        FIELD(cpprof_shard_header, start_unix_ns),
    };
    static const struct field chunk[] = {
        FIELD(cpprof_chunk_header, type),
        FIELD(cpprof_chunk_header, checksum),
        FIELD(cpprof_chunk_header, payload_bytes),
    };
    static const struct field event[] = {
        FIELD(cpprof_event, start_ns),
        FIELD(cpprof_event, end_ns),
        FIELD(cpprof_event, size_bytes),
        FIELD(cpprof_event, kind),
        FIELD(cpprof_event, flags),
        FIELD(cpprof_event, name),
        FIELD(cpprof_event, device),
        FIELD(cpprof_event, rank),
        FIELD(cpprof_event, context),
        FIELD(cpprof_event, stream),
        FIELD(cpprof_event, correlation),
        FIELD(cpprof_event, thread),
        FIELD(cpprof_event, grid),
        FIELD(cpprof_event, block),
        FIELD(cpprof_event, registers),
        FIELD(cpprof_event, shared_static_bytes),
        FIELD(cpprof_event, shared_dynamic_bytes),
        FIELD(cpprof_event, local_bytes),
        FIELD(cpprof_event, detail),
        FIELD(cpprof_event, graph_node),
    };
    expect_layout(*state, "\n### Header\n", header, sizeof header / sizeof header[0]);
    expect_layout(*state, "\n### Chunk header\n", chunk, sizeof chunk / sizeof chunk[0]);
    expect_layout(*state, "\n### Event record\n", event, sizeof event / sizeof event[0]);
}

/* The next byte of the example: 0 to 255, -1 for dots, -2 at the end. Behind `;` stand words. */
static int example_byte(const char **at)
{
    const char *p = *at;
    while (*p == ' ')
        p++;
    if (*p == ';') {
        p = strchr(p, '\n');
        if (!p || strncmp(p, "\n    ", 5))
            return -2;
        p += 5 + strlen("0000 ");
        while (*p == ' ')
            p++;
    }
    *at = p + 2;
    return *p == '.' ? -1 : (int)strtol((char[3]){p[0], p[1], 0}, NULL, 16);
}

static void write_example(const char *path)
{
    struct err e = {0};
    struct shard_writer w;
    assert_int_equal(shard_writer_open(&w, path, 0, 1000, &e), 0);
    const struct cpprof_event kernel = {
        .start_ns = 2000,
        .end_ns = 3500,
        .kind = CPPROF_EVENT_KERNEL,
        .name = shard_writer_string(&w, "tile"),
        .rank = -1,
        .context = 1,
        .stream = 7,
        .correlation = 42,
        .grid = {132, 1, 1},
        .block = {256, 1, 1},
        .registers = 40,
        .shared_static_bytes = 4096,
    };
    assert_int_equal(shard_writer_add(&w, &kernel, &e), 0);
    shard_writer_dropped(&w, CPPROF_EVENT_API, 3);
    assert_int_equal(shard_writer_close(&w, &e), 0);
}

static void the_writer_makes_the_bytes_of_the_example(void **state)
{
    char directory[] = "/tmp/cpprof-formats-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/trace-1-0.bin", directory);
    write_example(path);
    struct str shard;
    struct err e = {0};
    str_init(&shard);
    assert_int_equal(files_read(path, 4096, &shard, &e), 0);
    assert_int_equal(files_remove_tree(directory, &e), 0);

    const char *at = strstr(section(*state, "\n### Example\n"), "\n    0000  ") + strlen("\n    0000  ");
    size_t i = 0;
    for (int byte; (byte = example_byte(&at)) != -2; i++) {
        assert_true(i < shard.length);
        if (byte >= 0 && byte != (unsigned char)shard.text[i])
            fail_msg("docs/formats.md: the example has %02x at offset %zu, the writer %02x", (unsigned)byte, i,
                     (unsigned char)shard.text[i]);
    }
    assert_int_equal(i, shard.length);
    str_release(&shard);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_have_the_columns_of_the_page),
        cmocka_unit_test(records_have_the_bytes_of_the_page),
        cmocka_unit_test(the_writer_makes_the_bytes_of_the_example),
    };
    return cmocka_run_group_tests(tests, load_page, release_page);
}
