/* What do reports make of counters that a GPU has, not a kernel? */
#include "tests/unit/counted_run.h"

#include <time.h>

#include "core/run/counters.h"
#include "reports/document/document.h"
#include "reports/run/run_report.h"

static void add_of_gpu(struct recorded *run, int gpu, int launch, const char *id, double value)
{
    char kernel[16];
    struct table *t = &run->bundle.tables[BUNDLE_METRICS];
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    snprintf(kernel, sizeof kernel, "gpu %d", gpu);
    row[METRICS_VARIANT] = cell_text(t, "allreduce/1stage");
    row[METRICS_SHAPE] = cell_text(t, SHAPE);
    row[METRICS_KERNEL] = cell_text(t, kernel);
    row[METRICS_LAUNCH] = cell_integer(launch);
    row[METRICS_METRIC] = cell_text(t, metric_by_id(id)->name);
    row[METRICS_VALUE] = cell_number(value);
}

static char *links_of(struct recorded *run)
{
    struct err e = {0};
    assert_int_equal(analysis_join(&run->analysis, &e), 0);
    struct document d;
    struct str text;
    document_init(&d);
    str_init(&text);
    run_links_add(&run->analysis, &d);
    assert_int_equal(document_format_by_name("md")->render(&d, &view_everything, &text), 0);
    document_release(&d);
    return str_take(&text);
}

/* A message of 1 MB on two GPUs; the second one received 1.5 and 2.5 MB of data in its two launches: 2 on average. */
static void links_have_a_row_for_each_gpu(void **state)
{
    (void)state;
    struct recorded run;
    run_start(&run);
    struct table *t = &run.bundle.tables[BUNDLE_VARIANTS];
    struct cell *variant = table_add_row(t);
    assert_non_null(variant);
    variant[VARIANTS_VARIANT] = cell_text(t, "allreduce/1stage");
    variant[VARIANTS_SHAPE] = cell_text(t, SHAPE);
    variant[VARIANTS_BYTES] = cell_number(1e6);
    variant[VARIANTS_BUS_FACTOR] = cell_number(1);
    for (int gpu = 0; gpu < 2; gpu++)
        for (int launch = 0; launch < 2; launch++) {
            add_of_gpu(&run, gpu, launch, "nvlink_received", 3e6);
            add_of_gpu(&run, gpu, launch, "nvlink_received_data", gpu ? 1.5e6 + launch * 1e6 : 1e6);
        }
    char *text = links_of(&run);
    assert_non_null(strstr(text, "| 0 | 2.86 MiB | n/a | 977 KiB | n/a | 1.000 |"));
    assert_non_null(strstr(text, "| 1 | 2.86 MiB | n/a | 1.91 MiB | n/a | 2.000 |"));
    free(text);
    run_end(&run);
}

/* Counters of kernels say nothing of links here, and those of a GPU nothing of a kernel's bound. */
static void a_gpu_is_no_kernel(void **state)
{
    (void)state;
    struct recorded run;
    struct counters_list list;
    struct err e = {0};
    run_start(&run);
    add_metric(&run, "v", SHAPE, 0, "nvlink_received", 1);
    char *text = links_of(&run);
    assert_string_equal(text, "");
    free(text);
    add_of_gpu(&run, 0, 0, "fma_share", 0.5);
    add_of_gpu(&run, 1, 0, "fma_share", 0.5);
    assert_int_equal(analysis_join(&run.analysis, &e), 0);
    counters_list_init(&list);
    assert_int_equal(counters_read(&list, &run.analysis.run->tables[BUNDLE_METRICS], &e), 0);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].variant, "v");
    counters_list_release(&list);
    run_end(&run);
}

static void a_gpu_has_a_number(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        int gpu;
    } rows[] = {{"gpu 0", 0},   {"gpu 15", 15},   {"", -1},
                {"gpu", -1},    {"gpu ", -1},     {"gpu -1", -1},
                {"gpu 1x", -1}, {"kernel 1", -1}, {"gpu 99999999999999999999", -1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(counters_gpu(rows[i].kernel), rows[i].gpu);
}

/* A table may say anything: 10,000 GPUs took a minute when each was looked for among all. */
static void many_gpus_take_no_time(void **state)
{
    (void)state;
    enum { GPUS = 10000, SECONDS_MOST = 5 };
    struct recorded run;
    run_start(&run);
    for (int gpu = GPUS; gpu--;) {
        add_of_gpu(&run, gpu, 0, "nvlink_received", 3e6);
        add_of_gpu(&run, gpu, 0, "nvlink_received_data", gpu ? 2e6 : 1e6);
    }
    const clock_t begin = clock();
    char *text = links_of(&run);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < SECONDS_MOST);
    const char *last = strstr(text, "| 9999 | 2.86 MiB"), *first = strstr(text, "| 0 | 2.86 MiB");
    assert_true(last && first && last < first); /* as they come in the table */
    assert_non_null(strstr(text, "In 1 of these launches a GPU received over 3% less data"));
    free(text);
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_have_a_row_for_each_gpu),
        cmocka_unit_test(a_gpu_is_no_kernel),
        cmocka_unit_test(a_gpu_has_a_number),
        cmocka_unit_test(many_gpus_take_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
