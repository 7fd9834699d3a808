/* What is a rule, and does an error say where the text stops being one? */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/files.h"
#include "rules/rule_functions.h"
#include "rules/rules.h"
#include "tests/test.h"

#define FUNCTIONS                                                                                                      \
    " overlap(a,b) overlap_ns(a,b) exposed(a,b) busy(a) idle() gap_max(a) count(a) bytes(a) concurrency(a) "           \
    "alternations(a,b) dur_p50(a) dur_p99(a) launch_p50(a) launch_p99(a) queue_p50(a) queue_p99(a) serial(a) "         \
    "before(a,b) skew(comm) late(R) transfer(comm) imbalance(a) "                                                      \
    "time(V) ratio(V) speedup(V) gain(V) registers(V) shared(V) spills(V) local(V) waves(V) launches(V) "              \
    "occupancy(V) max_abs_err(V) bad_ratio(V) metric(V,NAME) exposed_wait(V) savable(V) inside_overlap(V) phase(V,NAME) slack(V,NAME) critical(V,NAME) class(V) selection(V) recorded(MEMBER); V is a variant's name, A or B"

TEST(good_rules_parse)
{
    static const char *const rules[] = {
        "overlap(h2d, kernel) >= 80%",
        "overlap(h2d,kernel)>=0.8",
        "  overlap ( h2d , kernel )\t>= 80 %  ",
        "overlap_ns(h2d, kernel) >= 0.5 * busy(h2d)",
        "0.5*busy(h2d) <= overlap_ns(h2d, kernel)",
        "2 * count(copy) == count(kernel)",
        "80% <= overlap(copy, kernel)",
        "exposed(copy[stream=7], kernel[name=~gemm|tile]) < 1.5 ms",
        "overlap(copy[name=\"a),b] >= 1\"], kernel) > 0",
        "idle() < 5%",
        "gap_max(any) <= 20us",
        "count(memset) == 0",
        "bytes(h2d) <= 16 MiB",
        "bytes(h2d) == 0",
        "concurrency(kernel) != 1",
        "alternations(copy, kernel) <= 3",
        "dur_p50(kernel) < dur_p99(kernel)",
        "serial(kernel)",
        "before(copy, kernel)",
        "time(B) <= 0.97 * time(A)",
        "time(sdpa/stage1-sync) < 5.5 us",
        "registers(\"my, own\") == registers(A)",
        "shared(B) <= 48 KiB",
        "spills(B) == 0",
        "occupancy(B) >= 50%",
        "max_abs_err(B) <= 1e-3",
        "bad_ratio(B) == 0",
        "metric(B, dram_share) >= 60%",
        "metric(B, smsp__inst_executed_op_ldgsts.sum) > 0",
        "class(B) == memory-bound",
        "class(A) != class(B)",
        "gain(B) >= 10%",
        "gain(f/x) >= -5%",
        "0.9 >= ratio(B)",
        "speedup(B) >= 1.1",
        "launches(B) == launches(A)",
        "selection(\"f/fast\")",
        "recorded(cpprof.commit)",
        "recorded( \"gpu.uuid\" )",
        "expect tensor_cycles up; sm_throughput up 5%; dram_bytes flat 3%",
        "  expect\tdram_bytes flat;",
    };
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        struct rule_list *list;
        struct err e = {0};
        assert_int_equal(rule_list_new(&list, &e), 0);
        if (rule_list_add(list, rules[i], "--assert", &e))
            fail_msg("%s: %s", rules[i], e.text);
        rule_list_free(list);
    }
}

TEST(bad_rules_say_where)
{
    static const struct {
        const char *rule, *message;
    } cases[] = {
        {"", "r:1: expected a function or a value; functions:" FUNCTIONS},
        {"overlapp(h2d, kernel) >= 80%", "r:1: unknown function 'overlapp'; known:" FUNCTIONS},
        {"time(B) < 5", "r:11: time is a time: write the value with ns, us, ms or s"},
        {"time() < 5us", "r:6: expected a variant: its name, A (the baseline) or B"},
        {"time(A, B) < 5us", "r:7: expected ')': it is time(V)"},
        {"metric(A) < 5", "r:9: expected ',': it is metric(V,NAME)"},
        {"phase(A) < 5 ns", "r:8: expected ',': it is phase(V,NAME)"},
        {"phase(A,) < 5 ns", "r:9: expected the name of a phase"},
        {"phase(A,wait) < 5", "r:17: phase is a time: write the value with ns, us, ms or s"},
        {"slack(A) >= 5 ns", "r:8: expected ',': it is slack(V,NAME)"},
        {"slack(A,wait) >= 5", "r:18: slack is a time: write the value with ns, us, ms or s"},
        {"metric(A,) < 5", "r:10: expected the name of a counter"},
        {"metric(A, dram_shar) < 5%", "r:11: unknown counter 'dram_shar'; did you mean 'dram_share'?"},
        {"metric(A, dram_share) < 5us", "r:25: metric is a share: write the value with % or as a number from 0 to 1"},
        {"time(B) < busy(kernel)",
         "r:11: busy(a) is of a trace and time(V) of a run's variant: they cannot be compared"},
        {"registers(B) <= time(A)", "r:17: registers and time have different units"},
        {"class(A) == fast",
         "r:13: class(V) is a word: inconclusive compute-bound memory-bound latency-bound launch-bound copy-bound other-work-bound balanced"},
        {"class(A) == 3",
         "r:13: class(V) is a word: inconclusive compute-bound memory-bound latency-bound launch-bound copy-bound other-work-bound balanced"},
        {"class(A) >= memory-bound", "r:1: a class is equal to another one or not: compare with == or !="},
        {"count(kernel) == memory-bound", "r:18: count(a) is no word: compare it with a number"},
        {"time(\"A) < 5us", "r:6: the quote is never closed"},
        {"count(kernel) == many", "r:18: unknown function 'many'; known:" FUNCTIONS},
        {"3 == 3", "r:1: a rule that compares two values asks nothing; functions:" FUNCTIONS},
        {"overlap(h2d) >= 80%", "r:12: expected ',': it is overlap(a,b)"},
        {"busy(h2d, kernel) >= 8us", "r:9: expected ')': it is busy(a)"},
        {"idle(kernel) < 5%", "r:6: expected ')': it is idle()"},
        {"count kernel == 3", "r:7: expected '(': it is count(a)"},
        {"overlap(h2d, kernels) >= 80%",
         "r:14: unknown class 'kernels'; known: kernel copy h2d d2h d2d p2p memset migration comm compute api sync "
         "nvtx any"},
        {"count(kernel[nme=x]) == 1", "r:14: unknown filter key 'nme'; known: name stream device nvtx rank"},
        {"count(kernel[name=~\"(\"]) == 1",
         "r:20: name pattern '(' is no extended regular expression: Unmatched ( or \\("},
        {"count(kernel[nvtx=a, nvtx=b]) == 1", "r:27: a selector takes one nvtx filter"},
        {"count(kernel[nvtx=~\"(\"]) == 1",
         "r:20: range pattern '(' is no extended regular expression: Unmatched ( or \\("},
        {"count(kernel)", "r:14: expected one of >= <= > < == !="},
        {"count(kernel) = 3", "r:15: expected one of >= <= > < == !="},
        {"count(kernel) =< 3", "r:15: expected one of >= <= > < == !="},
        {"count(kernel) ==", "r:17: expected a function or a value; functions:" FUNCTIONS},
        {"count(kernel) == 3 4", "r:20: '4' stands behind the end of the rule"},
        {"serial(kernel) == 1", "r:16: '== 1' stands behind the end of the rule"},
        {"2 * serial(kernel)", "r:1: serial takes no factor"},
        {"1 == serial(kernel)", "r:6: serial(a) stands alone in a rule"},
        {"count(kernel) <= serial(kernel)", "r:18: serial(a) stands alone in a rule"},
        {"2 * class(A) == class(B)", "r:1: a class takes no factor"},
        {"class(A) != 0.5 * class(B)", "r:1: a class takes no factor"},
        {"expect dram_bytes\tup\x01", "r:21: the rule holds a control character"},
        {"2us * busy(kernel) > 1us", "r:1: the factor before '*' has a unit; write a plain number"},
        {"busy(kernel) > 100", "r:16: busy is a time: write the value with ns, us, ms or s"},
        {"100 < busy(kernel)", "r:1: busy is a time: write the value with ns, us, ms or s"},
        {"busy(kernel) > 80%", "r:16: busy is a time: write the value with ns, us, ms or s"},
        {"overlap(h2d, kernel) >= 80",
         "r:25: overlap is a share: the value is not within 0% and 100% (a percentage needs its sign)"},
        {"overlap(h2d, kernel) >= 120%", "r:25: overlap is a share: the value is not within 0% and 100%"},
        {"overlap(h2d, kernel) >= -0.1",
         "r:25: overlap is a share: the value is not within 0% and 100% (a percentage needs its sign)"},
        {"overlap(h2d, kernel) >= 5us", "r:25: overlap is a share: write the value with % or as a number from 0 to 1"},
        {"count(kernel) == 3us", "r:18: count is a plain number: write the value without a unit"},
        {"count(kernel) == 30%", "r:18: count is a plain number: write the value without a unit"},
        {"bytes(h2d) == 3us", "r:15: bytes is a size: write the value with B KB KiB MB MiB GB GiB or none"},
        {"busy(h2d) > 5 parsecs", "r:13: '5' is no number with a unit of % ns us ms s B KB KiB MB MiB GB GiB"},
        {"busy(h2d) > 0x10ns", "r:13: '0x10ns' is no number with a unit of % ns us ms s B KB KiB MB MiB GB GiB"},
        {"busy(h2d) > count(h2d)", "r:13: busy and count have different units"},
        {"gain(B) >= 10", "r:12: gain is a share: the value is not 100% or less (a percentage needs its sign)"},
        {"speedup(B) >= 110%", "r:15: speedup is a plain number: write the value without a unit"},
        {"selection(V) == 0", "r:14: '== 0' stands behind the end of the rule"},
        {"recorded()", "r:10: expected a member of the manifest, such as gpu.uuid"},
        {"recorded(gpu.uuid) == 1", "r:20: '== 1' stands behind the end of the rule"},
        {"expect", "r:7: expected a signal, such as 'sm_throughput up' or 'dram_bytes flat 3%'"},
        {"expect dram_bytes", "r:18: expected up, down or flat behind 'dram_bytes'"},
        {"expect bank_conflict down", "r:8: unknown counter 'bank_conflict'; did you mean 'bank_conflicts'?"},
        {"expect  tensor_cycle up", "r:9: unknown counter 'tensor_cycle'; did you mean 'tensor_cycles'?"},
        {"expect dram_bytes level", "r:19: expected up, down or flat behind 'dram_bytes'"},
        {"expect dram_bytes flat 3", "r:24: expected per cent, as in 'flat 3%', or ';'"},
        {"expect a up, b down", "r:10: expected up, down or flat behind 'a'"},
        {"expect a up b down", "r:13: expected per cent, as in 'flat 3%', or ';'"},
        {"expect a flat 3% b", "r:18: expected ';' before the next signal"},
        {"expected(kernel)", "r:1: unknown function 'expected'; known:" FUNCTIONS},
        {"count(kernel)\n== 3", "r:14: the rule holds a control character"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rule_list *list;
        struct err e = {0};
        assert_int_equal(rule_list_new(&list, &e), 0);
        assert_int_equal(rule_list_add(list, cases[i].rule, "r", &e), ERR_USAGE);
        assert_string_equal(e.text, cases[i].message);
        assert_int_equal(rule_list_count(list), 0);
        rule_list_free(list);
    }
}

TEST(a_rule_has_a_greatest_length)
{
    char rule[1100];
    memset(rule, ' ', sizeof rule);
    memcpy(rule, "serial(kernel)", 14);
    struct rule_list *list;
    struct err e = {0};
    assert_int_equal(rule_list_new(&list, &e), 0);
    rule[1000] = '\0';
    assert_int_equal(rule_list_add(list, rule, "r", &e), 0);
    rule[1000] = ' ';
    rule[1001] = '\0';
    assert_int_equal(rule_list_add(list, rule, "r", &e), ERR_USAGE);
    assert_string_equal(e.text, "r:1001: the rule is longer than 1000 bytes");
    rule_list_free(list);
}

TEST(too_many_selectors_are_refused)
{
    struct rule_list *list;
    struct timeline_query query = {0};
    struct err e = {0};
    assert_int_equal(rule_list_new(&list, &e), 0);
    for (int i = 0; i < TIMELINE_SETS_MAX + 1; i++) {
        char rule[64];
        snprintf(rule, sizeof rule, "count(kernel[stream=%d]) == 1", i);
        assert_int_equal(rule_list_add(list, rule, "r", &e), 0);
        assert_int_equal(rule_list_add(list, rule, "r", &e), 0); /* the same selector counts once */
    }
    assert_int_equal(rule_list_query(list, &query, &e), ERR_USAGE);
    assert_string_equal(e.text, "the rules name more than 64 different selectors; check them in two calls");
    rule_list_free(list);
}

static void write_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Ten selectors, all pairs of them: 100. The selectors alone would do. */
TEST(too_many_pairs_are_refused)
{
    enum { SELECTORS = 10 };
    struct rule_list *list;
    struct timeline_query query = {.set_count = 0};
    struct err e = {0};
    assert_int_equal(rule_list_new(&list, &e), 0);
    for (int i = 0; i < SELECTORS * SELECTORS; i++) {
        char rule[100];
        snprintf(rule, sizeof rule, "overlap(kernel[stream=%d], kernel[stream=%d]) >= 0", i / SELECTORS, i % SELECTORS);
        assert_int_equal(rule_list_add(list, rule, "r", &e), 0);
    }
    assert_int_equal(rule_list_query(list, &query, &e), ERR_USAGE);
    assert_string_equal(e.text, "the rules name more than 64 different pairs of selectors; check them in two calls");
    rule_list_free(list);
}

static int make_scratch_file(void **state)
{
    static char path[4096];
    const char *folder = getenv("TMPDIR");
    const int length = snprintf(path, sizeof path, "%s/rules_XXXXXX", folder && *folder ? folder : "/tmp");
    const int fd = length < (int)sizeof path ? mkstemp(path) : -1;
    *state = path;
    return fd < 0 ? -1 : close(fd);
}

/* Also behind a test that failed; one that passed has removed it. */
static int remove_scratch_file(void **state)
{
    unlink(*state);
    return 0;
}

static void rules_files(void **state)
{
    const char *path = *state;
    static const struct {
        const char *text;
        int code;
        size_t count;
        const char *message; /* behind the path */
    } cases[] = {
        {"# gates\n\nserial(kernel)\r\n  count(kernel) == 3  \n   # more\nidle() < 5%", 0, 3, ""},
        {"serial(kernel)\n\ncount(kernel) == x\n", ERR_USAGE, 1, ":3:18: unknown function 'x'; known:" FUNCTIONS},
        {"\xef\xbb\xbfserial(kernel)\r\n\r\n# comment\r\ncount(kernel) == 3\r\n", 0, 2, ""}, /* as Windows writes */
        {"\xef\xbb\xbf# comment\nserial(kernel)", 0, 1, ""},
        {"\xef\xbb\xbfserial(kernels)\n", ERR_USAGE, 0,
         ":1:8: unknown class 'kernels'; known: kernel copy h2d d2h d2d p2p memset migration comm compute api sync nvtx any"},
        {"serial(kernel)\n\xef\xbb\xbfidle() < 5%", ERR_USAGE, 1,
         ":2:1: expected a function or a value; functions:" FUNCTIONS}, /* only the first bytes of a file are a mark */
        {"\xef\xbb\xbf", ERR_USAGE, 0, "': write one a line"},
        {"# nothing\n\n", ERR_USAGE, 0, "': write one a line"},
        {"", ERR_USAGE, 0, "': write one a line"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        write_file(path, cases[i].text, strlen(cases[i].text));
        struct rule_list *list;
        struct err e = {0};
        assert_int_equal(rule_list_new(&list, &e), 0);
        assert_int_equal(rule_list_read(list, path, &e), cases[i].code);
        assert_int_equal(rule_list_count(list), cases[i].count);
        const char *behind = strstr(e.text, path);
        assert_string_equal(behind ? behind + strlen(path) : "", cases[i].message);
        rule_list_free(list);
    }
    write_file(path, "serial(kernel)\0 == 3", 20);
    struct rule_list *list;
    struct err e = {0};
    assert_int_equal(rule_list_new(&list, &e), 0);
    assert_int_equal(rule_list_read(list, path, &e), ERR_USAGE);
    enum { LARGE = 2 << 20 };
    char *large = malloc(LARGE);
    assert_non_null(large);
    memset(large, '#', LARGE);
    write_file(path, large, LARGE);
    free(large);
    assert_int_equal(rule_list_read(list, path, &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "is larger than the 1048576 bytes allowed for such a file"));
    unlink(path);
    assert_int_equal(rule_list_read(list, path, &e), ERR_USAGE);
    assert_memory_equal(e.text, "cannot read the rules file '", 28);
    assert_non_null(strstr(e.text, "No such file"));
    rule_list_free(list);
}

TEST(the_manual_has_every_function_and_class)
{
    struct str manual;
    struct err e = {0};
    str_init(&manual);
    assert_int_equal(files_read(TEST_DATA_DIRECTORY "/../../docs/rules.md", 1 << 20, &manual, &e), 0);
    for (size_t i = 0; i < rule_function_count; i++) {
        char entry[64];
        snprintf(entry, sizeof entry, "`%s(", rule_functions[i].name);
        if (!strstr(str_text(&manual), entry))
            fail_msg("docs/rules.md does not explain %s", rule_functions[i].name);
    }
    char classes[256] = "    class   :=";
    for (int c = 0; c < CLASS_COUNT; c++)
        strcat(strcat(classes, " "), event_class_name((enum event_class)c));
    assert_non_null(strstr(str_text(&manual), classes));
    str_release(&manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_rules_parse),
        cmocka_unit_test(bad_rules_say_where),
        cmocka_unit_test(a_rule_has_a_greatest_length),
        cmocka_unit_test(too_many_selectors_are_refused),
        cmocka_unit_test(too_many_pairs_are_refused),
        cmocka_unit_test_setup_teardown(rules_files, make_scratch_file, remove_scratch_file),
        cmocka_unit_test(the_manual_has_every_function_and_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
