/* Which kernel of a shard gets a note of what NCCL said, and which copies communicate? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/collective_row.h"
#include "core/base/files.h"
#include "core/base/shard_chunk.h"
#include "core/trace/collective_notes.h"
#include "core/trace/event_spool.h"
#include "core/trace/event_stream.h"
#include "tests/test.h"

static char folder[64], path[128];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/cpprof-test-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return files_remove_tree(folder, NULL);
}

/* A launch by a thread at a time, and the kernel with the same number, or the copy between GPUs. */
struct launch {
    int64_t call_ns;
    uint32_t thread, number;
    const char *kernel; /* COPY: a copy; NULL: neither */
};
static const char COPY[] = "[CUDA memcpy Peer-to-Peer]";

static void write_shard(const struct launch *launches, size_t count, const struct collective_row *rows,
                        size_t row_count, const char *type)
{
    struct shard_writer w;
    snprintf(path, sizeof path, "%s/trace-1-0.bin", folder);
    remove(path);
    assert_int_equal(shard_writer_open(&w, path, 3, 0, NULL), 0);
    for (size_t i = 0; i < count; i++) {
        const struct launch *l = &launches[i];
        const struct cpprof_event call = {.start_ns = l->call_ns,
                                          .end_ns = l->call_ns + 1,
                                          .kind = CPPROF_EVENT_API,
                                          .detail = l->kernel == COPY ? CPPROF_API_COPY : CPPROF_API_LAUNCH,
                                          .device = -1,
                                          .thread = l->thread,
                                          .correlation = l->number};
        const struct cpprof_event kernel = {.start_ns = 1000 + 10 * (int64_t)l->number,
                                            .end_ns = 1005 + 10 * (int64_t)l->number,
                                            .kind = l->kernel == COPY ? CPPROF_EVENT_COPY : CPPROF_EVENT_KERNEL,
                                            .detail = l->kernel == COPY ? CPPROF_COPY_P2P : 0,
                                            .name = l->kernel ? shard_writer_string(&w, l->kernel) : 0,
                                            .device = 2,
                                            .stream = 5,
                                            .correlation = l->number};
        assert_int_equal(shard_writer_add(&w, &call, NULL), 0);
        if (l->kernel)
            assert_int_equal(shard_writer_add(&w, &kernel, NULL), 0);
    }
    struct collective_row *own = calloc(row_count, sizeof *own);
    memcpy(own, rows, row_count * sizeof *own);
    for (size_t i = 0; i < row_count; i++) {
        own[i].operation = shard_writer_string(&w, "AllReduce");
        own[i].type = shard_writer_string(&w, type);
    }
    assert_int_equal(shard_chunk_append(&w, SHARD_CHUNK_COLLECTIVES, own, row_count * sizeof *own, NULL), 0);
    free(own);
    assert_int_equal(shard_writer_close(&w, NULL), 0);
}

static struct event_stream *open_notes(void)
{
    struct event_stream *s;
    struct err e = {0};
    const char *paths[] = {path};
    if (event_stream_open_as(&s, paths, 1, &(struct event_stream_wish){.notes = true}, &e))
        fail_msg("%s", e.text);
    assert_int_equal(event_stream_caveats(s)->count, 0);
    assert_int_equal(event_stream_rewind_notes(s, &e), 0);
    return s;
}

/* Windows, calls and kernels; the position of the note that each kernel gets, 0 for none. */
TEST(a_row_has_the_kernel_that_was_launched_then)
{
    static const struct {
        const char *why;
        struct launch launches[3];
        struct collective_row rows[2];
        size_t row_count;
        int64_t sequences[3]; /* in the order of kernels */
    } cases[] = {
        {"the only one", {{10, 7, 1, "ncclDevKernel_A"}}, {{5, 15, .position = 4, .thread = 7}}, 1, {4}},
        {"at its edges",
         {{5, 7, 1, "ncclDevKernel_A"}, {15, 8, 2, "ncclDevKernel_A"}},
         {{5, 15, .position = 1, .thread = 7}, {5, 15, .position = 2, .thread = 8}},
         2,
         {1, 2}},
        {"another thread", {{10, 8, 1, "ncclDevKernel_A"}}, {{5, 15, .position = 4, .thread = 7}}, 1, {0}},
        {"too late", {{16, 7, 1, "ncclDevKernel_A"}}, {{5, 15, .position = 4, .thread = 7}}, 1, {0}},
        {"too early", {{4, 7, 1, "ncclDevKernel_A"}}, {{5, 15, .position = 4, .thread = 7}}, 1, {0}},
        {"not NCCL's", {{10, 7, 1, "gemm"}}, {{5, 15, .position = 4, .thread = 7}}, 1, {0}},
        {"two of them",
         {{10, 7, 1, "ncclDevKernel_A"}, {11, 7, 2, "ncclDevKernel_A"}},
         {{5, 15, .position = 4, .thread = 7}},
         1,
         {0, 0}},
        {"beside another",
         {{10, 7, 1, "gemm"}, {11, 7, 2, "ncclDevKernel_A"}},
         {{5, 15, .position = 4, .thread = 7}},
         1,
         {0, 4}},
        {"the later window",
         {{20, 7, 1, "ncclDevKernel_A"}},
         {{5, 15, .position = 4, .thread = 7}, {16, 25, .position = 5, .thread = 7}},
         2,
         {5}},
        {"without a kernel", {{10, 7, 1, NULL}}, {{5, 15, .position = 4, .thread = 7}}, 1, {0}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct collective_note note;
        size_t count = 0;
        while (count < 3 && cases[i].launches[count].number)
            count++;
        write_shard(cases[i].launches, count, cases[i].rows, cases[i].row_count, "ncclFloat32");
        struct event_stream *s = open_notes();
        for (size_t k = 0; k < count; k++) {
            if (!cases[i].sequences[k])
                continue;
            if (event_stream_next_note(s, &note, NULL) != 1)
                fail_msg("%s: no note", cases[i].why);
            assert_int_equal(note.start_ns, 1000 + 10 * (int64_t)(k + 1));
            assert_int_equal(note.sequence, cases[i].sequences[k]);
            assert_true(note.rank == 3 && note.device == 2 && note.stream == 5);
        }
        if (event_stream_next_note(s, &note, NULL) != 0)
            fail_msg("%s: a note too many", cases[i].why);
        event_stream_free(s);
    }
}

/* 10 elements each; a type that is not known has no size, and neither has what is more than fits. */
TEST(types_have_sizes)
{
    static const struct {
        const char *type;
        uint64_t count;
        int64_t bytes;
    } cases[] = {{"ncclInt8", 10, 10},
                 {"ncclFloat8e5m2", 10, 10},
                 {"ncclBfloat16", 10, 20},
                 {"ncclFloat32", 10, 40},
                 {"ncclUint64", 10, 80},
                 {"Unknown", 10, -1},
                 {"ncclFloat64", 1ULL << 60, -1},
                 {"ncclInt8", UINT64_MAX, -1}};
    const struct launch one = {10, 7, 1, "ncclDevKernel_A"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct collective_row row = {5, 15, .position = 1, .thread = 7, .count = cases[i].count};
        struct collective_note note;
        write_shard(&one, 1, &row, 1, cases[i].type);
        struct event_stream *s = open_notes();
        assert_int_equal(event_stream_next_note(s, &note, NULL), 1);
        assert_int_equal(note.bytes, cases[i].bytes);
        event_stream_free(s);
    }
}

/* Whether notes are asked for or not. NCCL before 2.28 tells windows that touch, with all that happened in between. */
TEST(copies_that_were_launched_then_communicate)
{
    static const struct {
        const char *why;
        struct launch launches[3];
        struct collective_row rows[2];
        size_t row_count;
        bool communicate[3];
    } cases[] = {
        {"all of a collective without a kernel",
         {{10, 7, 1, COPY}, {11, 7, 2, COPY}, {30, 7, 3, COPY}},
         {{5, 15, .position = 1, .thread = 7}},
         1,
         {true, true, false}},
        {"beside its kernel",
         {{10, 7, 1, "ncclDevKernel_A"}, {11, 7, 2, COPY}},
         {{5, 15, .position = 1, .thread = 7}},
         1,
         {false, true}},
        {"another thread", {{10, 8, 1, COPY}}, {{5, 15, .position = 1, .thread = 7}}, 1, {false}},
        {"windows apart",
         {{10, 7, 1, COPY}, {20, 7, 2, COPY}},
         {{5, 15, .position = 1, .thread = 7}, {16, 25, .position = 2, .thread = 7}},
         2,
         {true, true}},
        {"windows that touch",
         {{10, 7, 1, COPY}, {20, 7, 2, COPY}},
         {{5, 15, .position = 1, .thread = 7}, {15, 25, .position = 2, .thread = 7}},
         2,
         {false, false}},
        {"one launch of two collectives",
         {{10, 7, 1, COPY}},
         {{5, 15, .position = 1, .thread = 7}, {5, 15, .position = 2, .thread = 7}},
         2,
         {true}},
    };
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        struct cpprof_event event;
        struct event_stream *s;
        size_t count = 0;
        while (count < 3 && cases[i / 2].launches[count].number)
            count++;
        write_shard(cases[i / 2].launches, count, cases[i / 2].rows, cases[i / 2].row_count, "ncclFloat32");
        const char *paths[] = {path};
        assert_int_equal(event_stream_open_as(&s, paths, 1, &(struct event_stream_wish){.notes = i % 2}, NULL), 0);
        while (event_stream_next(s, &event, NULL) == 1) {
            const bool communicates = event.flags & EVENT_COMMUNICATES;
            if (communicates != (event.kind != CPPROF_EVENT_API && cases[i / 2].communicate[event.correlation - 1]))
                fail_msg("%s: %u", cases[i / 2].why, event.correlation);
        }
        event_stream_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_the_kernel_that_was_launched_then),
        cmocka_unit_test(types_have_sizes),
        cmocka_unit_test(copies_that_were_launched_then_communicate),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
