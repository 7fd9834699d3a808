/* Is every row that is read without libcsv the row that libcsv reads? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/trace/readers/nsys_plain_row.h"
#include "tests/test.h"
#include "tests/unit/core/trace/gpu_table.h"

enum { ROW_BYTES_MAX = 512 };

/* Tables without and with a column of which each row goes through libcsv. */
static const char *const headers[] = {
    "Start (ns),Duration (ns),CorrId,GrdX,DymSMem (MB),Bytes (MB),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n",
    "Start (s),Duration (us),Unknown,Strm,Device,Name,Bytes (B),Reg/Trd,BlkX\n", /* the name is not the last */
};
static const char odd_title[] = "Odd,", odd_cell[] = "\"\"\"\",";

static const struct {
    size_t header;
    const char *text;
} rows[] = {
    {0, "725636540,3371,1,67046,0.125,,,,NVIDIA H200 (0),1,7,\"add(const float *, int)\""},
    {0, "730178202,3445,999,,,74.782,Pageable,Pinned,NVIDIA H200 (11),1,14,[CUDA memcpy Device-to-Host]"},
    {0, "7,0,0,,,0.001,Device,Pageable,GPU (0),1,,[CUDA memcpy Unified Host-to-Device]"},
    {0, "123456789012345678,9007199254740992,4294967295,,,,,,A (1),,1,Nothing"},
    {1, "1.000000001,2.5,say,3,NVIDIA H200 (1),\"void f<int, 3>()\",12,65535,1024"},
    {1, "1,2,,,H (0),[CUDA memset],1.5,,"},
};

struct pair {
    struct gpu_table here, libcsv;
    struct nsys_plain plain;
    size_t taken, refused;
};

static void open_pair(struct pair *p, const char *header)
{
    char odd[ROW_BYTES_MAX];
    *p = (struct pair){0};
    snprintf(odd, sizeof odd, "%s%s", odd_title, header);
    gpu_table_open(&p->here, header, strlen(header));
    gpu_table_open(&p->libcsv, odd, strlen(odd));
    csv_reader_free(p->libcsv.table.csv);
    assert_int_equal(csv_reader_new(&p->libcsv.table.csv, NULL, "x.csv", NULL), 0);
    caveat_list_release(&p->libcsv.caveats); /* the odd column is not known */
    caveat_list_release(&p->here.caveats);
    assert_int_equal(nsys_plain_init(&p->plain, &p->here.table, NULL), 0);
}

static void close_pair(struct pair *p)
{
    nsys_plain_release(&p->plain);
    gpu_table_close(&p->here);
    gpu_table_close(&p->libcsv);
}

/* What libcsv and the table make of a line. */
static bool read_by_libcsv(struct pair *p, const char *line, size_t length, struct cpprof_event *event)
{
    char odd[ROW_BYTES_MAX];
    struct nsys_table *t = &p->libcsv.table;
    struct csv_row row;
    const size_t before = sizeof odd_cell - 1;
    memcpy(odd, odd_cell, before);
    memcpy(odd + before, line, length);
    gpu_table_forget_counts(t);
    return !csv_reader_give_text(t->csv, odd, before + length, NULL) && csv_reader_next(t->csv, &row, NULL) == 1 &&
           csv_reader_offset(t->csv) == before + length && row.count == t->field_count &&
           !t->layout->read_event(t, &row, event, NULL) && event->kind && !p->libcsv.caveats.count;
}

/* `line` has a newline at its end only, and a margin behind it. */
static void compare(struct pair *p, const char *line, size_t length)
{
    struct cpprof_event here, libcsv;
    if (line[0] < '0' || line[0] > '9')
        return;
    gpu_table_forget_counts(&p->here.table);
    if (!nsys_plain_read(&p->plain, line, line + length - 1, &here)) {
        const struct nsys_table none = {0};
        gpu_table_assert_same_counts(&p->here.table, &none);
        p->refused++;
        return;
    }
    p->taken++;
    if (!read_by_libcsv(p, line, length, &libcsv))
        fail_msg("a row is read here and not by libcsv: %.*s", (int)length, line);
    gpu_table_assert_alike(&p->here, &here, &p->libcsv, &libcsv);
    gpu_table_assert_same_counts(&p->here.table, &p->libcsv.table);
}

static const char bytes[] = {',', '"', ' ', '\t', '\r', '\0', '-', '.', '0', '9', '(', ')', 'N', '\xef', '['};

/* Changes a line: replaces, inserts or removes one byte. `change` counts them all. Returns the new length. */
static size_t change_line(char *line, size_t length, size_t change)
{
    const size_t at = change / (2 * sizeof bytes + 1) % length, what = change % (2 * sizeof bytes + 1);
    if (what < sizeof bytes) {
        line[at] = bytes[what];
        return length;
    }
    if (what < 2 * sizeof bytes) {
        memmove(line + at + 1, line + at, length - at);
        line[at] = bytes[what - sizeof bytes];
        return length + 1;
    }
    memmove(line + at, line + at + 1, length - at - 1);
    return length - 1;
}

/* Applies up to three changes to the row and compares. */
static void try_changes(struct pair *p, const char *row, const size_t *changes, size_t count)
{
    char line[ROW_BYTES_MAX] = "";
    size_t length = strlen(row);
    memcpy(line, row, length);
    for (size_t i = 0; i < count && length; i++)
        length = change_line(line, length, changes[i]);
    line[length++] = '\n';
    compare(p, line, length);
}

TEST(rows_that_are_taken_are_those_of_libcsv)
{
    enum { RANDOM_CHANGES = 60000 };
    uint64_t random = 26;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pair p;
        open_pair(&p, headers[rows[i].header]);
        try_changes(&p, rows[i].text, NULL, 0);
        assert_int_equal(p.taken, 1); /* the row itself is plain */
        const size_t all = strlen(rows[i].text) * (2 * sizeof bytes + 1);
        for (size_t change = 0; change < all; change++)
            try_changes(&p, rows[i].text, &change, 1);
        for (size_t k = 0; k < RANDOM_CHANGES; k++) {
            size_t changes[3];
            for (size_t c = 0; c < 3; c++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
                changes[c] = (size_t)(random >> 33) % (2 * all);
            }
            try_changes(&p, rows[i].text, changes, 2 + k % 2);
        }
        assert_true(p.taken > 1000 && p.refused > 1000);
        close_pair(&p);
    }
}

/* The same cells a second time come from what was learned of them. */
TEST(what_was_learned_does_not_make_a_row_plain)
{
    static const char *const after[] = {
        "1,2,3,,,,,,NVIDIA (0),1,7,\"f\"x",
        "1,2,3,,,,,,NVIDIA (0) ,1,7,f",
        "1,2,3,,,,,,NVIDIA (0),1,7,f ",
        "1,2,3,,,,,,NVIDIA (0),1,7,\"f",
        "1,2,3,,,,,,NVIDIA (0),1,7,f,",
        "1,2,3,,,,,,NVIDIA (0),1,7,",
        "1,2,3,,,,,,NVIDIA (0)",
        "1,2,3,,,,,,NVIDIA (0),1,7,\"",
        "1,2,3,,,,,,NVIDIA (1)(0),1,7,g,h",
    };
    struct pair p;
    open_pair(&p, headers[0]);
    try_changes(&p, "1,2,3,,,,,,NVIDIA (0),1,7,\"f\"", NULL, 0);
    try_changes(&p, "1,2,3,,,,,,NVIDIA (0),1,7,f", NULL, 0);
    try_changes(&p, "1,2,3,,,,,,NVIDIA (0),1,7,f\r", NULL, 0);
    assert_int_equal(p.taken, 3);
    for (size_t i = 0; i < COUNT_OF(after); i++)
        try_changes(&p, after[i], NULL, 0);
    assert_int_equal(p.refused, COUNT_OF(after));
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_are_taken_are_those_of_libcsv),
        cmocka_unit_test(what_was_learned_does_not_make_a_row_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
