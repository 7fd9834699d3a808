/* gpu_table.h - a gpu trace of nsys whose header was read, from text. */
#ifndef CPPROF_TEST_GPU_TABLE_H
#define CPPROF_TEST_GPU_TABLE_H

#include <stdio.h>
#include <string.h>

#include "core/trace/readers/nsys_layouts.h"

struct gpu_table {
    FILE *file;
    struct strtab strings;
    struct caveat_list caveats;
    struct reader_sink sink;
    struct nsys_table table;
};

static inline void gpu_table_open(struct gpu_table *t, const char *text, size_t length)
{
    *t = (struct gpu_table){.file = tmpfile()};
    assert_non_null(t->file);
    assert_int_equal(fwrite(text, 1, length, t->file), length);
    rewind(t->file);
    strtab_init(&t->strings);
    caveat_list_init(&t->caveats);
    assert_int_equal(event_spool_new(&t->sink.events, NULL), 0);
    t->sink.strings = &t->strings;
    t->sink.caveats = &t->caveats;
    t->sink.rank = -1;
    t->table = (struct nsys_table){.layout = &nsys_gpu_layout, .path = "x.csv", .sink = &t->sink};
    assert_int_equal(csv_reader_new(&t->table.csv, t->file, "x.csv", NULL), 0);
    assert_int_equal(nsys_table_read_header(&t->table, NULL), 0);
}

static inline void gpu_table_close(struct gpu_table *t)
{
    csv_reader_free(t->table.csv);
    nsys_table_release(&t->table);
    event_spool_free(t->sink.events);
    strtab_release(&t->strings);
    caveat_list_release(&t->caveats);
    fclose(t->file);
}

/* Do two tables give the same event? Each has its own numbers of names. */
static inline void gpu_table_assert_alike(const struct gpu_table *a, const struct cpprof_event *left,
                                          const struct gpu_table *b, const struct cpprof_event *right)
{
    struct cpprof_event of_left = *left, of_right = *right;
    const size_t length = strtab_length(&a->strings, left->name);
    assert_int_equal(length, strtab_length(&b->strings, right->name));
    assert_memory_equal(strtab_text(&a->strings, left->name), strtab_text(&b->strings, right->name), length);
    of_left.name = of_right.name = 0;
    assert_memory_equal(&of_left, &of_right, sizeof of_left);
}

static inline void gpu_table_assert_same_counts(const struct nsys_table *a, const struct nsys_table *b)
{
    assert_int_equal(a->unplaced, b->unplaced);
    assert_int_equal(a->has_sizes, b->has_sizes);
    assert_memory_equal(a->fraction_digits, b->fraction_digits, sizeof a->fraction_digits);
}

static inline void gpu_table_forget_counts(struct nsys_table *t)
{
    t->unplaced = 0;
    t->has_sizes = false;
    memset(t->fraction_digits, 0, sizeof t->fraction_digits);
}

#endif
