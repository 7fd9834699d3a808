/* Does docs/formats.md still describe the bytes and columns that the code has? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/files.h"
#include "core/base/shard_writer.h"
#include "core/base/str.h"
#include "core/bundle/bundle_tables.h"
#include "cpprof/event.h"
#include "cpprof/shard.h"
#include "tests/test.h"
#include "tests/unit/page_tables.h"

static int load_page(void **state)
{
    static struct page page;
    page_load(&page, "docs/formats.md");
    *state = &page;
    return 0;
}

static int release_page(void **state)
{
    page_release(*state);
    return 0;
}

static void tables_have_the_columns_of_the_page(void **state)
{
    for (int which = 0; which < BUNDLE_TABLE_COUNT; which++) {
        struct table table;
        bundle_table_init(&table, (enum bundle_table)which);
        char text[128];
        snprintf(text, sizeof text, "\n### `%s`\n", bundle_table_file((enum bundle_table)which));
        const char *row = page_table(*state, text);
        for (size_t c = 0; c < table.column_count; c++) {
            const struct column *column = &table.columns[c];
            struct str begins;
            str_init(&begins);
            str_addf(&begins, "| `%s` | %s | ", column->name, unit_name(column->unit));
            column_rule_words(column, &begins);
            str_add(&begins, " |");
            row = page_row(row);
            page_expect_row(*state, row, str_text(&begins));
            str_release(&begins);
        }
        assert_null(page_row(row));
        table_release(&table);
    }
}

static void records_have_the_bytes_of_the_page(void **state)
{
    static const struct page_field header[] = {
        PAGE_FIELD(cpprof_shard_header, magic),         PAGE_FIELD(cpprof_shard_header, version),
        PAGE_FIELD(cpprof_shard_header, header_bytes),  PAGE_FIELD(cpprof_shard_header, record_bytes),
        PAGE_FIELD(cpprof_shard_header, process),       PAGE_FIELD(cpprof_shard_header, rank),
        PAGE_FIELD(cpprof_shard_header, reserved),      PAGE_FIELD(cpprof_shard_header, start_ns),
        PAGE_FIELD(cpprof_shard_header, start_unix_ns),
    };
    static const struct page_field chunk[] = {
        PAGE_FIELD(cpprof_chunk_header, type),
        PAGE_FIELD(cpprof_chunk_header, checksum),
        PAGE_FIELD(cpprof_chunk_header, payload_bytes),
    };
    static const struct page_field samples[] = {
        PAGE_FIELD(cpprof_samples, begin_ns),
        PAGE_FIELD(cpprof_samples, count),
        PAGE_FIELD(cpprof_samples, device),
        PAGE_FIELD(cpprof_samples, units),
    };
    static const struct page_field event[] = {
        PAGE_FIELD(cpprof_event, start_ns),
        PAGE_FIELD(cpprof_event, end_ns),
        PAGE_FIELD(cpprof_event, size_bytes),
        PAGE_FIELD(cpprof_event, kind),
        PAGE_FIELD(cpprof_event, flags),
        PAGE_FIELD(cpprof_event, name),
        PAGE_FIELD(cpprof_event, device),
        PAGE_FIELD(cpprof_event, rank),
        PAGE_FIELD(cpprof_event, context),
        PAGE_FIELD(cpprof_event, stream),
        PAGE_FIELD(cpprof_event, correlation),
        PAGE_FIELD(cpprof_event, thread),
        PAGE_FIELD(cpprof_event, grid),
        PAGE_FIELD(cpprof_event, block),
        PAGE_FIELD(cpprof_event, registers),
        PAGE_FIELD(cpprof_event, shared_static_bytes),
        PAGE_FIELD(cpprof_event, shared_dynamic_bytes),
        PAGE_FIELD(cpprof_event, local_bytes),
        PAGE_FIELD(cpprof_event, detail),
        PAGE_FIELD(cpprof_event, graph_node),
    };
    page_expect_layout(*state, "\n### Header\n", header, COUNT_OF(header));
    page_expect_layout(*state, "\n### Chunk header\n", chunk, COUNT_OF(chunk));
    page_expect_layout(*state, "\n### Samples\n", samples, COUNT_OF(samples));
    page_expect_layout(*state, "\n### Event record\n", event, COUNT_OF(event));
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

    const char *at = strstr(page_section(*state, "\n### Example\n"), "\n    0000  ") + strlen("\n    0000  ");
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
