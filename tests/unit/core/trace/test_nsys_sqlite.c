/* Are SQLite exports of nsys read to the nanosecond, whatever their version?
 *
 * The samples were written by hand from public descriptions of the schema
 * (tests/data/nsys_*.sql); exports by nsys itself are checked in
 * tests/cli/overlap_real.sh where they are there. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"
#include "tests/unit/sample.h"

/* The GPU work is that of nsys_21_columns.csv. */
static const struct sample_event of_2022[] = {
    {{.start_ns = 800, .end_ns = 1990, .kind = CPPROF_EVENT_RANGE, .device = -1, .rank = -1, .thread = 99}, "step", ""},
    {{.start_ns = 850, .end_ns = 860, .kind = CPPROF_EVENT_RANGE, .device = -1, .rank = -1, .thread = 99},
     "load",
     "my domain"},
    {{.start_ns = 900,
      .end_ns = 950,
      .kind = CPPROF_EVENT_API,
      .flags = CPPROF_EVENT_DRIVER_API,
      .device = -1,
      .rank = -1,
      .correlation = 11,
      .thread = 99,
      .detail = CPPROF_API_COPY},
     "cuMemcpyAsync",
     NULL},
    {{.start_ns = 1000,
      .end_ns = 1200,
      .size_bytes = 1500000,
      .kind = CPPROF_EVENT_COPY,
      .flags = CPPROF_EVENT_SRC_PAGEABLE,
      .rank = -1,
      .context = 1,
      .stream = 7,
      .correlation = 11,
      .detail = CPPROF_COPY_H2D},
     "[CUDA memcpy Host-to-Device]",
     NULL},
    {{.start_ns = 1050,
      .end_ns = 1090,
      .kind = CPPROF_EVENT_API,
      .device = -1,
      .rank = -1,
      .correlation = 12,
      .thread = 99,
      .detail = CPPROF_API_LAUNCH},
     "cudaLaunchKernel",
     NULL},
    {{.start_ns = 1100,
      .end_ns = 1400,
      .kind = CPPROF_EVENT_KERNEL,
      .rank = -1,
      .context = 1,
      .stream = 13,
      .correlation = 12,
      .grid = {8, 4, 2},
      .block = {128, 2, 1},
      .registers = 32,
      .shared_static_bytes = 1000,
      .shared_dynamic_bytes = 48000},
     "void tile<3, float>(const float *, \"quoted\")",
     NULL},
    {{.start_ns = 1400,
      .end_ns = 1450,
      .size_bytes = 4000,
      .kind = CPPROF_EVENT_MEMSET,
      .rank = -1,
      .context = 1,
      .stream = 13,
      .correlation = 13},
     "[CUDA memset]",
     NULL},
    {{.start_ns = 1500,
      .end_ns = 1560,
      .size_bytes = 2000000,
      .kind = CPPROF_EVENT_COPY,
      .device = 1,
      .rank = -1,
      .context = 2,
      .stream = 9,
      .correlation = 14,
      .detail = CPPROF_COPY_D2H},
     "[CUDA memcpy Device-to-Host]",
     NULL},
    {{.start_ns = 1600,
      .end_ns = 1610,
      .size_bytes = 1000,
      .kind = CPPROF_EVENT_COPY,
      .rank = -1,
      .context = 1,
      .stream = 7,
      .correlation = 15,
      .detail = CPPROF_COPY_D2D},
     "[CUDA memcpy Device-to-Device]",
     NULL},
    {{.start_ns = 1700,
      .end_ns = 1710,
      .size_bytes = 1000,
      .kind = CPPROF_EVENT_COPY,
      .rank = -1,
      .context = 1,
      .stream = 7,
      .correlation = 16,
      .detail = CPPROF_COPY_P2P},
     "[CUDA memcpy Peer-to-Peer]",
     NULL},
    {{.start_ns = 1800,
      .end_ns = 1810,
      .size_bytes = 65000,
      .kind = CPPROF_EVENT_MIGRATION,
      .rank = -1,
      .detail = CPPROF_COPY_H2D},
     "[CUDA memcpy Unified Host-to-Device]",
     NULL},
    {{.start_ns = 1900,
      .end_ns = 1950,
      .kind = CPPROF_EVENT_API,
      .device = -1,
      .rank = -1,
      .correlation = 20,
      .thread = 99,
      .detail = CPPROF_API_SYNC},
     "cudaDeviceSynchronize",
     NULL},
    {{.start_ns = 1901,
      .end_ns = 1949,
      .kind = CPPROF_EVENT_SYNC,
      .device = -1,
      .rank = -1,
      .context = 1,
      .stream = UINT32_MAX,
      .correlation = 20},
     "",
     NULL},
    {{.start_ns = 1980,
      .end_ns = 1980,
      .kind = CPPROF_EVENT_RANGE,
      .flags = CPPROF_EVENT_UNFINISHED,
      .device = -1,
      .rank = -1,
      .thread = 99},
     "open",
     ""},
};

/* Two processes are two ranks; labels count, not numbers. */
static const struct sample_event of_2025[] = {
    {{.start_ns = 40, .end_ns = 500, .kind = CPPROF_EVENT_RANGE, .device = -1, .rank = 1, .thread = 99}, "epoch", ""},
    {{.start_ns = 50,
      .end_ns = 60,
      .kind = CPPROF_EVENT_API,
      .device = -1,
      .rank = 0,
      .correlation = 1,
      .thread = 99,
      .detail = CPPROF_API_LAUNCH},
     "cudaLaunchKernel",
     NULL},
    {{.start_ns = 70,
      .end_ns = 80,
      .kind = CPPROF_EVENT_API,
      .device = -1,
      .rank = 1,
      .correlation = 1,
      .thread = 99,
      .detail = CPPROF_API_LAUNCH},
     "cudaGraphLaunch",
     NULL},
    {{.start_ns = 100,
      .end_ns = 300,
      .kind = CPPROF_EVENT_KERNEL,
      .rank = 0,
      .context = 1,
      .stream = 7,
      .correlation = 1,
      .grid = {1, 1, 1},
      .block = {32, 1, 1},
      .registers = 16,
      .local_bytes = 8},
     "gemm",
     NULL},
    {{.start_ns = 150,
      .end_ns = 250,
      .size_bytes = 4096,
      .kind = CPPROF_EVENT_COPY,
      .flags = CPPROF_EVENT_SRC_PAGEABLE,
      .rank = 0,
      .context = 1,
      .stream = 8,
      .correlation = 2,
      .detail = CPPROF_COPY_H2D},
     "[CUDA memcpy Host-to-Device]",
     NULL},
    {{.start_ns = 200,
      .end_ns = 300,
      .kind = CPPROF_EVENT_KERNEL,
      .rank = 1,
      .context = 1,
      .stream = 7,
      .correlation = 1,
      .grid = {1, 1, 1},
      .block = {32, 1, 1},
      .registers = 16,
      .local_bytes = 8,
      .graph_node = 77},
     "gemm",
     NULL},
    {{.start_ns = 400, .end_ns = 410, .kind = CPPROF_EVENT_OVERHEAD, .device = -1, .rank = 0, .thread = 99},
     "Buffer Flush",
     NULL},
};

TEST(an_export_of_2022)
{
    struct event_stream *s = sample_open("nsys_2022.sqlite");
    assert_int_equal(event_stream_caveats(s)->count, 0);
    sample_assert(s, of_2022, COUNT_OF(of_2022));
}

TEST(an_export_of_2025_with_two_processes)
{
    struct event_stream *s = sample_open("nsys_2025.sqlite");
    const struct caveat_list *caveats = event_stream_caveats(s);
    int16_t rank = 1, device = 0;
    assert_int_equal(caveats->count, 3);
    assert_non_null(strstr(caveats->items[0].text, "2 processes used the GPU; they are shown as ranks"));
    assert_non_null(strstr(caveats->items[1].text, "several processes use one GPU"));
    event_stream_gpu_of(s, &rank, &device); /* the machine has no other */
    assert_int_equal(rank, 0);
    assert_int_equal(device, 0);
    assert_non_null(strstr(caveats->items[2].text, "1 calls of processes without work on the GPU are left out"));
    assert_false(caveat_has(caveats, CAVEAT_WEAKENS));
    sample_assert(s, of_2025, COUNT_OF(of_2025));
}

/* Kernel i starts at 10 * i and is named after it. */
TEST(more_names_than_are_first_expected)
{
    struct event_stream *s = sample_open("nsys_many_names.sqlite");
    struct cpprof_event event;
    assert_int_equal(event_stream_count(s), 1000);
    for (int i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "kernel_%d", i);
        assert_int_equal(event_stream_next(s, &event, NULL), 1);
        assert_int_equal(event.start_ns, 10 * i);
        assert_int_equal(event.device, -1); /* the table does not say */
        assert_string_equal(strtab_text(event_stream_strings(s), event.name), name);
    }
    event_stream_free(s);
}

/* Whatever is left of a database that was cut is right, and said to be a part. */
TEST(a_database_cut_anywhere_never_lies)
{
    struct str bytes;
    char path[] = "/tmp/cpprof-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    str_init(&bytes);
    assert_int_equal(files_read(TEST_DATA_DIRECTORY "/nsys_2022.sqlite", 1 << 20, &bytes, NULL), 0);
    for (size_t length = 0; length < bytes.length; length += 73) {
        struct event_stream *s;
        struct err e = {0};
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, str_text(&bytes), length, 0), length);
        if (event_stream_open(&s, path, &e)) {
            assert_int_equal(e.code, ERR_INPUT);
            continue;
        }
        assert_true(caveat_has(event_stream_caveats(s), CAVEAT_TRUNCATED));
        struct cpprof_event got;
        while (event_stream_next(s, &got, NULL) == 1) {
            size_t i = 0;
            while (i < COUNT_OF(of_2022) &&
                   (of_2022[i].event.start_ns != got.start_ns || of_2022[i].event.end_ns != got.end_ns ||
                    of_2022[i].event.kind != got.kind))
                i++;
            assert_true(i < COUNT_OF(of_2022));
        }
        event_stream_free(s);
    }
    close(fd);
    unlink(path);
    str_release(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_export_of_2022),
        cmocka_unit_test(an_export_of_2025_with_two_processes),
        cmocka_unit_test(more_names_than_are_first_expected),
        cmocka_unit_test(a_database_cut_anywhere_never_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
