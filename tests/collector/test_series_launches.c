/* Is a launch kept only with all of its samples, and is each that lacks one counted? */
#include <string.h>

#include "collector/runner/inside/series_launches.h"
#include "tests/test.h"

enum { STEP = 1000, KEPT_MAX = 8 };

/* Two launches, of 10 and 30 us on, each 5 us long: they part at 22,500 ns. */
static const struct series_stay stays[] = {{10000, 15000}, {30000, 35000}};

struct kept {
    size_t launches;
    uint64_t begin_ns[KEPT_MAX];
    size_t samples[KEPT_MAX];
};

static int keep(void *context, const struct series_sample *samples, size_t count, struct err *e)
{
    struct kept *k = context;
    (void)e;
    assert_true(k->launches < KEPT_MAX);
    k->begin_ns[k->launches] = samples[0].begin_ns;
    k->samples[k->launches++] = count;
    return 0;
}

/* A sample each step from `from` to `to`, but none that begins in [gap, gap_end), and a single long one in their place
 * if `is_merged`. An SM is active from 500 ns after the begin of each stay to its end. */
struct stream {
    uint64_t from, to, gap, gap_end;
    int is_merged;
};

static double activity(uint64_t begin_ns, uint64_t end_ns)
{
    for (size_t i = 0; i < COUNT_OF(stays); i++)
        if (end_ns > stays[i].begin_ns + 500 && begin_ns < stays[i].end_ns)
            return 100;
    return 0;
}

static void see(struct series_launches *s, uint64_t begin_ns, uint64_t end_ns)
{
    const struct series_sample sample = {begin_ns, end_ns, {activity(begin_ns, end_ns)}};
    struct err e = {0};
    assert_int_equal(series_launches_see(s, &sample, &e), 0);
}

static struct kept read(const struct stream *stream, size_t *gapped)
{
    struct kept kept = {0};
    struct series_launches s = {
        .stays = stays, .count = COUNT_OF(stays), .step_ns = STEP, .keep = keep, .context = &kept};
    struct err e = {0};
    for (uint64_t at = stream->from; at < stream->to; at += STEP) {
        if (at < stream->gap || at >= stream->gap_end)
            see(&s, at, at + STEP);
        else if (at == stream->gap && stream->is_merged)
            see(&s, at, stream->gap_end);
    }
    assert_int_equal(series_launches_end(&s, &e), 0);
    *gapped = s.gapped;
    series_launches_release(&s);
    return kept;
}

TEST(whole_launches_are_kept)
{
    size_t gapped;
    const struct kept kept = read(&(struct stream){.from = 5000, .to = 40000}, &gapped);
    assert_int_equal(gapped, 0);
    assert_int_equal(kept.launches, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(kept.begin_ns[i], stays[i].begin_ns);
        assert_int_equal(kept.samples[i], 5); /* idle ones at both ends are none of the launch */
    }
}

TEST(a_launch_that_lacks_a_sample_is_not_kept)
{
    static const struct {
        struct stream stream;
        size_t launches, gapped;
        const char *what;
    } rows[] = {
        {{5000, 40000, 12000, 13000, 0}, 1, 1, "in the middle"},
        {{5000, 40000, 12000, 14000, 1}, 1, 1, "in the middle, as one long sample"},
        {{5000, 40000, 9000, 12000, 0}, 1, 1, "its first, with an idle one before"},
        {{5000, 40000, 14000, 17000, 0}, 1, 1, "its last, with idle ones behind"},
        {{5000, 40000, 22000, 31000, 0}, 1, 1, "the first of the second launch"},
        {{11000, 40000, 0, 0, 0}, 1, 1, "samples begin too late"},
        {{5000, 33000, 0, 0, 0}, 1, 1, "samples end too early"},
        {{5000, 20000, 0, 0, 0}, 1, 1, "the second launch has none"},
        {{5000, 12000, 0, 0, 0}, 0, 2, "nor has the first all"},
        {{5000, 40000, 10000, 15000, 0}, 1, 1, "all in which an SM is active"},
        {{5000, 40000, 17000, 27000, 0}, 2, 0, "idle ones between launches, which are of none"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t gapped;
        const struct kept kept = read(&rows[i].stream, &gapped);
        if (kept.launches != rows[i].launches || gapped != rows[i].gapped)
            fail_msg("%s: %zu launches, %zu gapped", rows[i].what, kept.launches, gapped);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_launches_are_kept),
        cmocka_unit_test(a_launch_that_lacks_a_sample_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
