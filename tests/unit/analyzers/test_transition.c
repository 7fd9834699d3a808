/* Does one sentence say what became different, and nothing that hardly did? */
#include <math.h>
#include <string.h>

#include "analyzers/changes/transition.h"
#include "tests/test.h"
#include "tests/unit/embedded_thresholds.h"

/* An arm in numbers; stalls in cycles of a latency of 100 per instruction, so that they read as per cents. */
struct told_arm {
    enum bound_class class_;
    const char *unit;
    double compute_share, memory_share, long_scoreboard, barrier;
    double registers, shared_bytes, spill_bytes, occupancy, waves, dram_bytes, instructions, bank_conflicts;
};

struct made {
    struct bound bound;
    struct resource resource;
    struct counters counters;
};

static struct arm_traits traits_of(struct made *m, const struct told_arm *arm)
{
    *m = (struct made){
        .bound = {.class_ = arm->class_,
                  .unit = arm->unit,
                  .unit_share = fmax(arm->compute_share, arm->memory_share),
                  .compute_share = arm->compute_share,
                  .memory_share = arm->memory_share},
        .resource = {.registers = arm->registers,
                     .shared_bytes = arm->shared_bytes,
                     .spill_bytes = arm->spill_bytes,
                     .occupancy = arm->occupancy,
                     .waves = arm->waves},
    };
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    for (size_t i = 0; i < count; i++)
        m->counters.values[i] = !strcmp(metrics[i].id, "warp_latency")            ? 100
                                : !strcmp(metrics[i].id, "stall_long_scoreboard") ? arm->long_scoreboard
                                : !strcmp(metrics[i].id, "stall_barrier")         ? arm->barrier
                                                                                  : 0;
    return (struct arm_traits){&m->bound,       &m->resource,      &m->counters,
                               arm->dram_bytes, arm->instructions, arm->bank_conflicts};
}

static const struct told_arm plain = {BOUND_MEMORY, "dram", 0.30, 0.88, 46, 2, 72, 4096, 0, 0.5, 1.9, 1e9, 1e6, 0};

static void check(const struct told_arm *base, const struct told_arm *cand, const char *expected)
{
    struct made of_base, of_cand;
    const struct arm_traits before = traits_of(&of_base, base), after = traits_of(&of_cand, cand);
    struct str text;
    str_init(&text);
    transition_add(&text, embedded_thresholds(), &before, &after);
    assert_string_equal(str_text(&text), expected);
    str_release(&text);
}

TEST(what_changed_is_said)
{
    const struct told_arm tensor = {BOUND_COMPUTE, "tensor", 0.71, 0.40, 9, 2, 96, 4096, 0, 0.5, 0.97, 1e9, 1e6, 0};
    check(
        &plain, &tensor,
        "memory-bound (dram 88.0%) -> compute-bound (tensor 71.0%); long_scoreboard stalls 46.0% -> 9.0% of warp cycles; "
        "+24 registers; waves 1.9 -> 0.97, new tail risk");
    check(
        &tensor, &plain,
        "compute-bound (tensor 71.0%) -> memory-bound (dram 88.0%); long_scoreboard stalls 9.0% -> 46.0% of warp cycles; "
        "-24 registers; waves 0.97 -> 1.9, no tail risk any more");
    struct told_arm other = plain;
    other.memory_share = 0.94; /* 6 points */
    other.barrier = 12;
    other.spill_bytes = 16;
    other.occupancy = 0.25;
    other.dram_bytes = 0.8e9;
    other.bank_conflicts = 5000;
    check(&plain, &other,
          "still memory-bound (dram 88.0% -> 94.0%); barrier stalls 2.0% -> 12.0% of warp cycles; spills 0 B -> 16 B; "
          "occupancy 50.0% -> 25.0%; DRAM traffic 954 MiB -> 763 MiB; bank conflicts 0 -> 5,000");
}

TEST(what_hardly_changed_is_not)
{
    struct told_arm other = plain;
    check(&plain, &plain, "");
    other.memory_share = 0.84; /* 4 points */
    other.long_scoreboard = 42;
    other.registers = 79;      /* 7 */
    other.shared_bytes = 4400; /* 7% */
    other.occupancy = 0.46;
    other.waves = 1.8; /* 5% */
    other.dram_bytes = 1.05e9;
    other.instructions = 1.09e6;
    other.bank_conflicts = 999; /* 0.1% of the fewer ones is 1,000 */
    check(&plain, &other, "");
    other.bank_conflicts = 1000;
    check(&plain, &other, "bank conflicts 0 -> 1,000");
    struct told_arm in_l2 = plain, again = plain;
    in_l2.dram_bytes = 768;
    again.dram_bytes = 1.5e6; /* twenty readings of one kernel differ by as much */
    check(&in_l2, &again, "");
    again.dram_bytes = 2.2e6;
    check(&in_l2, &again, "DRAM traffic 768 B -> 2.10 MiB");
}

TEST(nothing_is_said_of_what_is_not_known)
{
    struct told_arm unknown = {BOUND_INCONCLUSIVE, "", NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    check(&plain, &unknown, "");
    struct made made;
    const struct arm_traits known = traits_of(&made, &plain);
    const struct arm_traits nothing = {NULL, NULL, NULL, NAN, NAN, NAN};
    struct str text;
    str_init(&text);
    transition_add(&text, embedded_thresholds(), &known, &nothing);
    transition_add(&text, embedded_thresholds(), &nothing, &known);
    assert_string_equal(str_text(&text), "");
    str_release(&text);
}

TEST(a_tail_is_a_last_wave_that_is_hardly_filled)
{
    static const struct {
        double waves;
        bool risk;
    } cases[] = {{0.97, true}, {0.125, true}, {1, false},   {1.2, true},
                 {1.6, false}, {2, false},    {2.1, false}, {NAN, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (has_tail_risk(embedded_thresholds(), cases[i].waves) != cases[i].risk)
            fail_msg("%g waves", cases[i].waves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_changed_is_said),
        cmocka_unit_test(what_hardly_changed_is_not),
        cmocka_unit_test(nothing_is_said_of_what_is_not_known),
        cmocka_unit_test(a_tail_is_a_last_wave_that_is_hardly_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
