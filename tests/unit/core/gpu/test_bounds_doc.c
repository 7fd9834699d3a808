/* Do the pages about counters and bounds say what the tables say? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/files.h"
#include "core/gpu/chips.h"
#include "core/gpu/metric_set_file.h"
#include "core/gpu/metric_sets.h"
#include "core/gpu/thresholds.h"
#include "tests/test.h"

enum { PAGE_BYTES_MAX = 256 * 1024 };

static void read_page(struct str *page, const char *name)
{
    struct str path;
    struct err e = {0};
    str_init(&path);
    str_init(page);
    str_addf(&path, "%s/../../docs/%s", TEST_DATA_DIRECTORY, name);
    if (files_read(str_text(&path), PAGE_BYTES_MAX, page, &e))
        fail_msg("%s", e.text);
    str_release(&path);
}

static void assert_line(const struct str *page, const char *line)
{
    if (!strstr(str_text(page), line))
        fail_msg("the page lacks the line '%s'", line);
}

TEST(metrics_page)
{
    struct str page;
    read_page(&page, "metrics.md");
    size_t count;
    const struct metric *m = metrics_known(&count);
    for (size_t i = 0; i < count; i++) {
        struct str line;
        str_init(&line);
        str_addf(&line, "\n| `%s` | `%s` | %s | %s | ", m[i].id, m[i].name,
                 m[i].unit == UNIT_NONE ? "number" : unit_name(m[i].unit), metric_role_name(m[i].role));
        metric_add_sets(&line, &m[i]);
        str_addf(&line, " | %s |\n", m[i].meaning);
        assert_line(&page, str_text(&line));
        str_release(&line);
    }
    str_release(&page);
}

TEST(chips_page)
{
    struct str page, line;
    read_page(&page, "chips.md");
    str_init(&line);
    size_t count;
    const struct chip *chips = chips_known(&count);
    for (size_t i = 0; i < count; i++) {
        str_clear(&line);
        str_addf(&line, "\n| %s | %s | %s | %d |", chips[i].name, chips[i].cards, chips[i].capability,
                 chips[i].warps_per_sm);
        for (int set = 0; set < METRIC_SET_NONE && chip_has_counters(&chips[i]); set++)
            str_addf(&line, " %d |", chips[i].passes[set]);
        assert_line(&page, str_text(&line));
    }
    str_release(&line);
    str_release(&page);
}

TEST(bounds_page)
{
    struct str page;
    read_page(&page, "bounds.md");
    for (int i = 0; i < THRESHOLD_COUNT; i++) {
        const struct threshold *t = threshold_get((enum threshold_id)i);
        char line[512];
        snprintf(line, sizeof line, "\n| `%s` | %.10g | %s |\n", t->name, t->value, t->meaning);
        assert_line(&page, line);
    }
    struct threshold_override row;
    for (size_t i = THRESHOLD_COUNT; threshold_embedded(i, &row); i++) {
        char line[128];
        snprintf(line, sizeof line, "\n| %.10g | %s |\n", row.value, row.chips);
        assert_line(&page, line);
    }
    str_release(&page);
}

/* What chips.c says of sampling, in words. */
TEST(inside_page)
{
    struct str page;
    size_t count;
    const struct chip *chips = chips_known(&count);
    read_page(&page, "inside.md");
    assert_line(&page, "chips that sample by cycles alone (A100, and chips below 8.6)");
    for (size_t i = 0; i < count; i++)
        assert_int_equal(chips[i].sample_cycles > 0, strtod(chips[i].capability, NULL) < 8.6);
    str_release(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_page),
        cmocka_unit_test(chips_page),
        cmocka_unit_test(bounds_page),
        cmocka_unit_test(inside_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
