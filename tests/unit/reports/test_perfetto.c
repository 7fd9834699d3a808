/* Are messages of Protocol Buffers written as its specification says, and counters over time as their bins say? */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reports/export/perfetto_counters.h"
#include "reports/export/protobuf.h"
#include "tests/test.h"

static void assert_bytes(const struct str *text, const char *bytes, size_t count)
{
    assert_false(text->failed);
    assert_int_equal(text->length, count);
    assert_memory_equal(text->text, bytes, count);
}

#define ASSERT_BYTES(text, bytes) assert_bytes(text, bytes, sizeof(bytes) - 1)

/* 150 = 1 * 128 + 22 is 22 + 128, 1: the example of the specification. */
TEST(varints_at_borders)
{
    static const struct {
        uint64_t value;
        const char *bytes;
        size_t count;
    } cases[] = {
        {0, "\0", 1},
        {1, "\x01", 1},
        {127, "\x7f", 1},
        {128, "\x80\x01", 2},
        {150, "\x96\x01", 2},
        {16383, "\xff\x7f", 2},
        {16384, "\x80\x80\x01", 3},
        {UINT32_MAX, "\xff\xff\xff\xff\x0f", 5},
        {(uint64_t)1 << 63, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10},
        {UINT64_MAX, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str text;
        str_init(&text);
        protobuf_add_varint(&text, cases[i].value);
        assert_bytes(&text, cases[i].bytes, cases[i].count);
        str_release(&text);
    }
}

/* A tag is the field's number * 8 plus the type: 0 for a varint, 1 for 8 bytes, 2 for a length and bytes. */
TEST(fields_of_each_type)
{
    struct str text;
    str_init(&text);
    protobuf_add_whole(&text, 1, 150);
    ASSERT_BYTES(&text, "\x08\x96\x01");
    str_clear(&text);
    protobuf_add_whole(&text, 16, 0); /* 128: the first tag of two bytes */
    ASSERT_BYTES(&text, "\x80\x01\x00");
    str_clear(&text);
    protobuf_add_signed(&text, 4, -1);
    ASSERT_BYTES(&text, "\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    str_clear(&text);
    protobuf_add_signed(&text, 4, INT64_MIN);
    ASSERT_BYTES(&text, "\x20\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
    str_clear(&text);
    protobuf_add_fixed64(&text, 47, 0x0102030405060708);
    ASSERT_BYTES(&text, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01");
    str_clear(&text);
    protobuf_add_double(&text, 44, -2.0); /* 0xc000000000000000 */
    ASSERT_BYTES(&text, "\xe1\x02\0\0\0\0\0\0\0\xc0");
    str_clear(&text);
    protobuf_add_bytes(&text, 2, "testing", 7);
    protobuf_add_bytes(&text, 2, "", 0);
    ASSERT_BYTES(&text, "\x12\x07testing\x12\x00");
    str_release(&text);
}

/* The length of a message stands before it, in as many bytes as it needs. */
TEST(lengths_of_messages)
{
    static const struct {
        size_t bytes;
        const char *length;
        size_t count;
    } cases[] = {{0, "\x00", 1},       {1, "\x01", 1},         {127, "\x7f", 1},
                 {128, "\x80\x01", 2}, {16383, "\xff\x7f", 2}, {16384, "\x80\x80\x01", 3}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str text;
        str_init(&text);
        str_add(&text, "before");
        const size_t begin = protobuf_begin(&text, 3);
        for (size_t k = 0; k < cases[i].bytes; k++)
            str_add_char(&text, (char)('a' + k % 26));
        protobuf_end(&text, begin);
        str_add(&text, "behind");
        assert_int_equal(text.length, 6 + 1 + cases[i].count + cases[i].bytes + 6);
        assert_memory_equal(text.text, "before\x1a", 7);
        assert_memory_equal(text.text + 7, cases[i].length, cases[i].count);
        for (size_t k = 0; k < cases[i].bytes; k++)
            assert_int_equal(text.text[7 + cases[i].count + k], 'a' + k % 26);
        assert_memory_equal(text.text + 7 + cases[i].count + cases[i].bytes, "behind", 7);
        str_release(&text);
    }
}

/* The inner message has 1 + 1 + 126 = 128 bytes, two for its length, so the outer one has 1 + 2 + 128 + 2 = 133. */
TEST(messages_inside_of_messages)
{
    static const char bytes[126] = {0};
    struct str text;
    str_init(&text);
    const size_t outer = protobuf_begin(&text, 1), inner = protobuf_begin(&text, 2);
    protobuf_add_bytes(&text, 3, bytes, sizeof bytes);
    protobuf_end(&text, inner);
    protobuf_add_whole(&text, 5, 7);
    protobuf_end(&text, outer);
    assert_int_equal(text.length, 3 + 133);
    assert_memory_equal(text.text, "\x0a\x85\x01\x12\x80\x01\x1a\x7e\x00", 9);
    assert_memory_equal(text.text + 3 + 131, "\x28\x07", 2);
    str_release(&text);
}

/* At most 2,000 bins, of 1, 2 or 5 times a power of ten, and 1 us at least. */
TEST(bins_are_round)
{
    static const struct {
        int64_t first_ns, last_ns, bin_ns;
        size_t bins;
    } cases[] = {
        {0, 0, 1000, 0},
        {5, 5, 1000, 0},
        {5, 6, 1000, 1},
        {0, 1000, 1000, 1},
        {0, 1001, 1000, 2},
        {7, 2000007, 1000, 2000},
        {7, 2000008, 2000, 1001},
        {0, 4000000, 2000, 2000},
        {0, 4000001, 5000, 801},
        {0, 10000001, 10000, 1001},
        {-1000000000, 1000000000, 1000000, 2000},
        {0, INT64_C(1) << 61, INT64_C(2000000000000000), 1153},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct perfetto_counters c;
        perfetto_counters_init(&c, cases[i].first_ns, cases[i].last_ns);
        assert_int_equal(c.bin_ns, cases[i].bin_ns);
        assert_int_equal(c.bins, cases[i].bins);
        perfetto_counters_release(&c);
    }
}

/* Bins [0,1000), [1000,2000), [2000,2500). Two kernels overlap in [500,1500), and 3000 bytes are copied in [1500,2100):
 * 500 ns of 600 in the second bin. */
TEST(bins_share_what_lies_across)
{
    static const struct cpprof_event events[] = {
        {.start_ns = 0, .end_ns = 1200, .kind = CPPROF_EVENT_KERNEL, .rank = -1},
        {.start_ns = 500, .end_ns = 1500, .kind = CPPROF_EVENT_KERNEL, .rank = -1, .stream = 1},
        {.start_ns = 1500, .end_ns = 2100, .kind = CPPROF_EVENT_COPY, .rank = -1, .detail = 1, .size_bytes = 3000},
        {.start_ns = 2200, .end_ns = 2200, .kind = CPPROF_EVENT_COPY, .rank = -1, .detail = 2, .size_bytes = 8},
        {.start_ns = 2500, .end_ns = 2500, .kind = CPPROF_EVENT_COPY, .rank = -1, .detail = 2, .size_bytes = 8},
        {.start_ns = 2500, .end_ns = 0, .kind = CPPROF_EVENT_KERNEL, .rank = -1, .flags = CPPROF_EVENT_UNFINISHED},
    };
    struct perfetto_counters c;
    perfetto_counters_init(&c, 0, 2500);
    assert_int_equal(c.bins, 3);
    for (size_t i = 0; i < COUNT_OF(events); i++)
        assert_int_equal(perfetto_counters_add(&c, &events[i], 1, NULL), 0);
    assert_int_equal(c.count, 1);
    static const int64_t busy_ns[] = {1000, 1000, 100};
    static const int h2d[] = {0, 2500, 500}, d2h[] = {0, 0, 16};
    double *to_device = perfetto_counters_bytes(&c, c.items[0].copies[CPPROF_COPY_H2D]);
    double *to_host = perfetto_counters_bytes(&c, c.items[0].copies[CPPROF_COPY_D2H]);
    assert_true(to_device && to_host);
    for (size_t bin = 0; bin < 3; bin++) {
        assert_int_equal(c.items[0].busy_ns[bin], busy_ns[bin]);
        assert_int_equal((int)(to_device[bin] + 0.5), h2d[bin]);
        assert_int_equal((int)(to_host[bin] + 0.5), d2h[bin]);
    }
    assert_null(c.items[0].copies[CPPROF_COPY_D2D]);
    free(to_device);
    free(to_host);
    perfetto_counters_release(&c);
}

static int add_copy(struct perfetto_counters *c, int64_t start_ns, int64_t end_ns, uint64_t size_bytes)
{
    const struct cpprof_event event = {.start_ns = start_ns,
                                       .end_ns = end_ns,
                                       .kind = CPPROF_EVENT_COPY,
                                       .rank = -1,
                                       .detail = CPPROF_COPY_H2D,
                                       .size_bytes = size_bytes};
    return perfetto_counters_add(c, &event, 1, NULL);
}

/* Bins of 1000 ns. A copy of 3500 bytes in [500,4000), 1 byte/ns, one of 2^60 bytes in [1000,6000) and one of 10 bytes
 * in [1000,6000): the bins of no copy have none, however large the others were. */
TEST(bytes_are_spread_over_whole_bins)
{
    static const double huge = 1152921504606846976.0, expected[] = {500, 1002, 1002, 1002, 2, 2, 0, 0, 0, 0};
    struct perfetto_counters c;
    for (int has_huge = 0; has_huge < 2; has_huge++) {
        perfetto_counters_init(&c, 0, 10000);
        assert_int_equal(add_copy(&c, 500, 4000, 3500), 0);
        assert_int_equal(add_copy(&c, 1000, 6000, 10), 0);
        assert_int_equal(add_copy(&c, 1000, 6000, has_huge ? (uint64_t)1 << 60 : 0), 0);
        double *bytes = perfetto_counters_bytes(&c, c.items[0].copies[CPPROF_COPY_H2D]);
        assert_non_null(bytes);
        for (size_t bin = 0; bin < COUNT_OF(expected); bin++) {
            const double value = expected[bin] + (has_huge && bin >= 1 && bin < 6 ? huge / 5 : 0);
            assert_true(bytes[bin] >= value * (1 - 1e-12) && bytes[bin] <= value * (1 + 1e-12));
        }
        free(bytes);
        perfetto_counters_release(&c);
    }
}

static double seconds_of_copies(int64_t length_ns)
{
    enum { COPIES = 50000 };
    struct perfetto_counters c;
    perfetto_counters_init(&c, 0, 2000000);
    assert_int_equal(c.bins, COUNTER_BINS_MAX);
    const clock_t begin = clock();
    for (int i = 0; i < COPIES; i++)
        assert_int_equal(add_copy(&c, i, i + length_ns, 1 << 20), 0);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    perfetto_counters_release(&c);
    return seconds;
}

/* A copy over 1,901 bins against one over two at most; a visit to each bin made it some 100 times as slow. */
TEST(long_copies_cost_what_short_ones_do)
{
    const double in_short = seconds_of_copies(1000), in_long = seconds_of_copies(1900000);
    assert_true(in_long < 10 * in_short + 0.01);
}

TEST(too_many_devices_are_left_out)
{
    struct perfetto_counters c;
    perfetto_counters_init(&c, 0, 10);
    for (int device = 0; device < 2 * COUNTER_DEVICES_MAX; device++) {
        const struct cpprof_event event = {
            .start_ns = 0, .end_ns = 10, .kind = CPPROF_EVENT_KERNEL, .rank = -1, .device = (int16_t)device};
        assert_int_equal(perfetto_counters_add(&c, &event, 1, NULL), 0);
        assert_int_equal(perfetto_counters_add(&c, &event, 1, NULL), 0);
    }
    assert_int_equal(c.count, COUNTER_DEVICES_MAX);
    assert_int_equal(perfetto_counters_left_out(&c), COUNTER_DEVICES_MAX);
    perfetto_counters_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(varints_at_borders),
        cmocka_unit_test(fields_of_each_type),
        cmocka_unit_test(lengths_of_messages),
        cmocka_unit_test(messages_inside_of_messages),
        cmocka_unit_test(bins_are_round),
        cmocka_unit_test(bins_share_what_lies_across),
        cmocka_unit_test(bytes_are_spread_over_whole_bins),
        cmocka_unit_test(long_copies_cost_what_short_ones_do),
        cmocka_unit_test(too_many_devices_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
