/* Do the words of --metrics, and a file of them, stand for the right counters? */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/gpu/metric_choice.h"
#include "core/gpu/metric_set_file.h"
#include "core/gpu/metric_sets.h"
#include "tests/test.h"

static void add(struct metric_choice *choice, const char *word)
{
    struct err e = {0};
    if (metric_choice_add(choice, word, &e))
        fail_msg("%s", e.text);
}

static bool holds(const struct metric_choice *choice, const char *name)
{
    for (size_t i = 0; i < choice->count; i++)
        if (!strcmp(choice->items[i].name, name))
            return true;
    return false;
}

TEST(words_become_names)
{
    static const struct {
        const char *word;
        size_t count;
        const char *first;
    } cases[] = {
        {"dram_read", 2, "dram__bytes_read.sum"},
        {"dram_bytes", 4, "dram__bytes_read.sum"},
        {"tensor_cycles", 2, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
        {"tensor_fp16_ops", 3, "sm__ops_path_tensor_src_fp16.sum"}, /* one a chip */
        {"dram__bytes_read.sum", 1, "dram__bytes_read.sum"},
        {"some__other.max", 1, "some__other.max"},
        {"none", 0, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct metric_choice choice = {0};
        add(&choice, cases[i].word);
        assert_int_equal(choice.count, cases[i].count);
        if (choice.count) {
            assert_string_equal(choice.items[0].name, cases[i].first);
            assert_true(choice.items[0].asked_for);
        }
        metric_choice_release(&choice);
    }
}

TEST(sets_hold_what_is_theirs_once)
{
    struct metric_choice choice = {0};
    add(&choice, "default");
    const size_t bound = choice.count;
    add(&choice, "bound");
    assert_int_equal(choice.count, bound);
    assert_true(holds(&choice, "dram__throughput.avg.pct_of_peak_sustained_elapsed"));
    assert_false(holds(&choice, "nvlrx__bytes.sum"));
    assert_false(choice.items[0].asked_for); /* that a chip lacks it is no news */
    add(&choice, "sm_throughput");
    assert_int_equal(choice.count, bound);
    assert_true(choice.items[0].asked_for);
    metric_choice_release(&choice);
}

/* All reasons, and with the issue itself the whole. */
TEST(stalls_are_complete)
{
    size_t count, stalls = 0;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++)
        if (metrics[i].role == METRIC_STALL) {
            assert_true(metric_in_set(&metrics[i], METRIC_SET_STALLS) && metric_in_set(&metrics[i], METRIC_SET_BOUND));
            stalls++;
        }
    assert_int_equal(stalls, 18); /* of 19 that GH100 has, "selected" is none */
    assert_true(metric_in_set(metric_by_id("stall_selected"), METRIC_SET_STALLS));
    assert_true(metric_in_set(metric_by_id("warp_latency"), METRIC_SET_STALLS));
}

/* Each precision has operations and their ceiling, with what one is worth. */
TEST(operations_have_their_weight)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++) {
        const bool bytes = metrics[i].unit == UNIT_BYTES_PER_S;
        const bool weighs = metrics[i].role == METRIC_FLOP || (metrics[i].role == METRIC_PEAK && !bytes);
        assert_int_equal(metric_flop(&metrics[i]) > 0, weighs);
    }
    assert_int_equal((int)metric_flop(metric_by_id("ffma_threads")), 2);
    assert_int_equal((int)metric_flop(metric_by_id("hfma_threads")), 4);
    assert_int_equal((int)metric_flop(metric_by_id("peak_ffma")), 2);
    assert_int_equal((int)metric_flop(metric_by_id("tensor_bf16_ops")), 1);
}

TEST(links_go_apart)
{
    struct metric_choice choice = {0};
    add(&choice, "nvlink");
    assert_false(metric_choice_is_mixed(&choice));
    for (size_t i = 0; i < choice.count; i++)
        assert_int_equal(metric_choice_group(&choice, i), 1); /* the duration among them */
    add(&choice, "dram_read");
    assert_true(metric_choice_is_mixed(&choice));
    for (size_t i = 0; i < choice.count; i++) {
        const char *name = choice.items[i].name;
        const bool links = !strncmp(name, "nvl", 3) || !strncmp(name, "pcie", 4);
        assert_int_equal(metric_choice_group(&choice, i), links);
    }
    metric_choice_release(&choice);
}

TEST(near_words)
{
    static const struct {
        const char *word, *near;
    } cases[] = {
        {"stals", "stalls"},
        {"dram_shar", "dram_share, dram_read"},
        {"dram_byte", "dram_bytes"},
        {"qqqqqqqq", ""},
        {"dram__bytes_reed.sum", "dram__bytes_read.sum, dram__bytes_write.sum"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str near;
        str_init(&near);
        assert_false(metric_word_is_ours(cases[i].word));
        metric_words_near(&near, cases[i].word);
        if (strncmp(str_text(&near), cases[i].near, strlen(cases[i].near)) || (!*cases[i].near && near.length))
            fail_msg("'%s': '%s', not '%s'", cases[i].word, str_text(&near), cases[i].near);
        str_release(&near);
    }
    static const char *const ours[] = {"bound",
                                       "default",
                                       "none",
                                       "dram_bytes",
                                       "tensor_cycles",
                                       "dram_read",
                                       "dram__bytes_read.sum",
                                       "sm__ops_path_tensor_src_fp16_dst_fp32.sum"};
    for (size_t i = 0; i < COUNT_OF(ours); i++)
        assert_true(metric_word_is_ours(ours[i]));
}

/* ---- files ---- */

static char path[64];

static int make_file(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/cpprof-metrics-XXXXXX");
    const int fd = mkstemp(path);
    return fd < 0 || close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static int read_text(struct metric_words *words, const char *text, struct err *e)
{
    assert_int_equal(files_write_atomic(path, text, strlen(text), e), 0);
    return metric_set_file_read(words, path, e);
}

TEST(what_is_printed_reads_as_it_was)
{
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    struct arena arena;
    struct str text;
    struct err e = {0};
    arena_init(&arena);
    str_init(&text);
    struct metric_words words = {.arena = &arena};
    metric_set_file_begin(&text);
    for (size_t i = 0; i < count; i++)
        metric_set_file_add(&text, &metrics[i], metrics[i].name);
    metric_set_file_add_name(&text, "x__y.sum", "one of \"theirs\", with a comma");
    if (read_text(&words, str_text(&text), &e))
        fail_msg("%s", e.text);
    assert_int_equal(words.count, count + 1);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(words.items[i], metrics[i].id);
    assert_string_equal(words.items[count], "x__y.sum");
    free(words.items);
    str_release(&text);
    arena_release(&arena);
}

#define HEAD "# cpprof.metrics/1\nid,name\n"

TEST(what_is_wrong_is_said_with_its_place)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"# cpprof.metrics/2\nid,name\n", ":1: version 2 of cpprof.metrics"},
        {"# cpprof.metrics/1\nid\ndram_read\n", ":2: the header lacks the column 'name'"},
        {HEAD, "names no counter"},
        {HEAD "dram_reed,\n", ":3: no counter has the id 'dram_reed'; nearest: dram_read"},
        {HEAD "dram_read,\n,\n", ":4: neither an id nor a name"},
        {HEAD "dram_read,dram__bytes_write.sum\n",
         ":3: 'dram_read' is 'dram__bytes_read.sum', not 'dram__bytes_write.sum'"},
        {HEAD ",\"a,b\"\n", ":3: 'a,b' is no name of a counter"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct arena arena;
        arena_init(&arena);
        struct metric_words words = {.arena = &arena};
        struct err e = {0};
        assert_int_equal(read_text(&words, cases[i].text, &e), ERR_USAGE);
        if (!strstr(e.text, cases[i].said) || !strstr(e.text, path))
            fail_msg("case %zu: '%s' does not say '%s'", i, e.text, cases[i].said);
        free(words.items);
        arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_names),
        cmocka_unit_test(sets_hold_what_is_theirs_once),
        cmocka_unit_test(stalls_are_complete),
        cmocka_unit_test(operations_have_their_weight),
        cmocka_unit_test(links_go_apart),
        cmocka_unit_test(near_words),
        cmocka_unit_test_setup_teardown(what_is_printed_reads_as_it_was, make_file, remove_file),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_said_with_its_place, make_file, remove_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
