/* What can a rule ask about sets of events? One line per function. */
#include "rules/rule_functions.h"

#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "rules/rule_ranges.h"
#include "rules/rule_ranks.h"

static double overlap_ns(const struct rule_scope *s)
{
    return (double)s->pair->overlap_ns;
}

static double overlap(const struct rule_scope *s)
{
    return s->a->busy_ns ? (double)s->pair->overlap_ns / (double)s->a->busy_ns : NAN;
}

static double exposed(const struct rule_scope *s)
{
    return (double)(s->a->busy_ns - s->pair->overlap_ns);
}

static double busy(const struct rule_scope *s)
{
    return (double)s->a->busy_ns;
}

static double idle(const struct rule_scope *s)
{
    const int64_t span_ns = s->a->last_end_ns - s->a->first_start_ns - s->a->unrecorded_ns;
    return span_ns ? (double)(span_ns - s->a->busy_ns) / (double)span_ns : NAN; /* rounded once: 6 of 100 is 6% */
}

static double gap_max(const struct rule_scope *s)
{
    return (double)s->a->gap_max_ns;
}

static double count(const struct rule_scope *s)
{
    return (double)s->a->count;
}

static double bytes(const struct rule_scope *s)
{
    return (double)s->a->size_bytes;
}

static double concurrency(const struct rule_scope *s)
{
    return (double)s->a->concurrency_max;
}

static double alternations(const struct rule_scope *s)
{
    return (double)s->pair->alternations;
}

static double dur_p50(const struct rule_scope *s)
{
    return s->a->dur_p50_ns;
}

static double dur_p99(const struct rule_scope *s)
{
    return s->a->dur_p99_ns;
}

static double launch_p50(const struct rule_scope *s)
{
    return s->a->launch_p50_ns;
}

static double launch_p99(const struct rule_scope *s)
{
    return s->a->launch_p99_ns;
}

static double queue_p50(const struct rule_scope *s)
{
    return s->a->queue_p50_ns;
}

static double queue_p99(const struct rule_scope *s)
{
    return s->a->queue_p99_ns;
}

static double serial(const struct rule_scope *s)
{
    return (double)s->a->serial_violations;
}

/* By how much A reaches behind the first start of B. */
static double before(const struct rule_scope *s)
{
    return (double)(s->a->last_end_ns - s->b->first_start_ns);
}

static void show_hidden(const struct rule_scope *s, bool too_large, struct timeline_examples *out)
{
    *out = too_large ? s->pair->common : s->pair->exposed;
}

static void show_exposed(const struct rule_scope *s, bool too_large, struct timeline_examples *out)
{
    *out = too_large ? s->pair->exposed : s->pair->common;
}

static void show_gaps_if_large(const struct rule_scope *s, bool too_large, struct timeline_examples *out)
{
    if (too_large)
        *out = s->a->gaps;
}

static void show_gaps_if_small(const struct rule_scope *s, bool too_large, struct timeline_examples *out)
{
    if (!too_large)
        *out = s->a->gaps;
}

static void show_together(const struct rule_scope *s, bool too_large, struct timeline_examples *out)
{
    if (too_large)
        *out = s->a->together;
}

static void show_violations(const struct rule_scope *s, bool too_large, struct timeline_examples *out)
{
    (void)too_large;
    *out = s->a->violations;
}

static void show_late(const struct rule_scope *s, bool too_large, struct timeline_examples *out)
{
    (void)too_large;
    timeline_examples_offer(out, &(struct timeline_example){.start_ns = s->b->first_start_ns,
                                                            .end_ns = s->a->last_end_ns,
                                                            .name = s->a->last.name,
                                                            .stream = s->a->last.stream,
                                                            .other_name = s->b->first.name,
                                                            .other_stream = s->b->first.stream});
}

/* Serial is what each stream is by itself: streams may well run beside each other. */
static const char *serial_on(struct arena *arena, const struct rule_scope *s)
{
    const char *where = s->device && s->device->device < 0 && !s->device->events ? "thread" : "stream";
    const long long count = (long long)s->a->streams;
    return count == 1 ? arena_printf(arena, "on 1 %s", where)
                      : arena_printf(arena, "on %lld %ss, each by itself", count, where);
}

#define NO_CALL "the trace has no call that started its operand's events"

/* clang-format off */
const struct rule_function rule_functions[] = {
    {.name = "overlap", .signature = "overlap(a,b)", .operand_count = 2, .unit = UNIT_RATIO,
     .wants_pair = true, .value = overlap, .range = range_overlap, .show = show_hidden},
    {.name = "overlap_ns", .signature = "overlap_ns(a,b)", .operand_count = 2, .unit = UNIT_NS,
     .wants_pair = true, .value = overlap_ns, .range = range_overlap_ns, .show = show_hidden},
    {.name = "exposed", .signature = "exposed(a,b)", .operand_count = 2, .unit = UNIT_NS,
     .wants_pair = true, .wants_a_alone = true, .value = exposed, .range = range_exposed, .show = show_exposed},
    {.name = "busy", .signature = "busy(a)", .operand_count = 1, .unit = UNIT_NS,
     .value = busy, .range = range_busy, .show = show_gaps_if_small},
    {.name = "idle", .signature = "idle()", .operand_count = 0, .unit = UNIT_RATIO,
     .is_of_gaps = true, .value = idle, .range = range_idle, .show = show_gaps_if_large},
    {.name = "gap_max", .signature = "gap_max(a)", .operand_count = 1, .unit = UNIT_NS,
     .is_of_gaps = true, .value = gap_max, .range = range_gap_max, .show = show_gaps_if_large},
    {.name = "count", .signature = "count(a)", .operand_count = 1, .unit = UNIT_COUNT,
     .is_total = true, .value = count},
    {.name = "bytes", .signature = "bytes(a)", .operand_count = 1, .unit = UNIT_BYTES,
     .is_total = true, .value = bytes},
    {.name = "concurrency", .signature = "concurrency(a)", .operand_count = 1, .unit = UNIT_COUNT,
     .value = concurrency, .range = range_concurrency, .show = show_together},
    {.name = "alternations", .signature = "alternations(a,b)", .operand_count = 2, .unit = UNIT_COUNT,
     .wants_pair = true, .value = alternations, .range = range_alternations},
    {.name = "dur_p50", .signature = "dur_p50(a)", .operand_count = 1, .unit = UNIT_NS,
     .wants_durations = true, .value = dur_p50, .range = range_length},
    {.name = "dur_p99", .signature = "dur_p99(a)", .operand_count = 1, .unit = UNIT_NS,
     .wants_durations = true, .value = dur_p99, .range = range_length},
    {.name = "launch_p50", .signature = "launch_p50(a)", .operand_count = 1, .unit = UNIT_NS,
     .wants_launches = true, .undefined = NO_CALL, .value = launch_p50, .range = range_length},
    {.name = "launch_p99", .signature = "launch_p99(a)", .operand_count = 1, .unit = UNIT_NS,
     .wants_launches = true, .undefined = NO_CALL, .value = launch_p99, .range = range_length},
    {.name = "queue_p50", .signature = "queue_p50(a)", .operand_count = 1, .unit = UNIT_NS,
     .wants_launches = true, .undefined = NO_CALL, .value = queue_p50, .range = range_length},
    {.name = "queue_p99", .signature = "queue_p99(a)", .operand_count = 1, .unit = UNIT_NS,
     .wants_launches = true, .undefined = NO_CALL, .value = queue_p99, .range = range_length},
    {.name = "serial", .signature = "serial(a)", .operand_count = 1, .unit = UNIT_COUNT,
     .is_predicate = true, .value = serial, .range = range_serial, .show = show_violations, .remark = serial_on},
    {.name = "before", .signature = "before(a,b)", .operand_count = 2, .unit = UNIT_NS,
     .is_predicate = true, .value = before, .range = range_before, .show = show_late},
    {.name = "skew", .signature = "skew(comm)", .operand_count = 1, .unit = UNIT_NS, .takes_comm = true,
     .undefined = "there is no collective of several ranks", .of_ranks = rank_skew,
     .ranks_note = rank_skew_note,
     .open = "the clocks of the ranks are not known well enough, or collectives with fewer than five of a kind could "
             "change it"},
    {.name = "late", .signature = "late(R)", .unit = UNIT_RATIO, .takes_rank = true,
     .undefined = "there is no such rank, or it has no collective", .of_ranks = rank_late,
     .ranks_note = rank_late_note,
     .open = "the clocks of the ranks are not known well enough, or waits without an origin could change it"},
    {.name = "transfer", .signature = "transfer(comm)", .operand_count = 1, .unit = UNIT_RATIO, .takes_comm = true,
     .undefined = "no transfer is compared (sizes): ten of one communicator, kernel and recorded size are needed",
     .of_ranks = rank_transfer, .ranks_note = rank_transfer_note,
     .open = "the clocks of the ranks are not known well enough, or transfers that are not compared could change it"},
    {.name = "imbalance", .signature = "imbalance(a)", .operand_count = 1, .unit = UNIT_NONE,
     .undefined = "its operand is on fewer than two devices, or has no duration", .across = rank_imbalance_of},
    {.name = "time", .signature = "time(V)", .unit = UNIT_NS, .fact = fact_time, .interval = fact_time_interval},
    {.name = "ratio", .signature = "ratio(V)", .unit = UNIT_NONE, .fact = fact_ratio, .interval = fact_ratio_interval},
    {.name = "speedup", .signature = "speedup(V)", .unit = UNIT_FACTOR, .fact = fact_speedup,
     .interval = fact_speedup_interval},
    {.name = "gain", .signature = "gain(V)", .unit = UNIT_RATIO, .is_signed = true, .fact = fact_gain,
     .interval = fact_gain_interval},
    {.name = "registers", .signature = "registers(V)", .unit = UNIT_COUNT, .fact = fact_registers},
    {.name = "shared", .signature = "shared(V)", .unit = UNIT_BYTES, .fact = fact_shared},
    {.name = "spills", .signature = "spills(V)", .unit = UNIT_BYTES, .fact = fact_spills},
    {.name = "local", .signature = "local(V)", .unit = UNIT_BYTES, .fact = fact_local},
    {.name = "waves", .signature = "waves(V)", .unit = UNIT_NONE, .fact = fact_waves},
    {.name = "launches", .signature = "launches(V)", .unit = UNIT_COUNT, .fact = fact_launches},
    {.name = "occupancy", .signature = "occupancy(V)", .unit = UNIT_RATIO, .fact = fact_occupancy},
    {.name = "max_abs_err", .signature = "max_abs_err(V)", .unit = UNIT_NONE, .fact = fact_max_abs_err,
     .is_of_outputs = true},
    {.name = "bad_ratio", .signature = "bad_ratio(V)", .unit = UNIT_RATIO, .fact = fact_bad_ratio,
     .is_of_outputs = true},
    {.name = "metric", .signature = "metric(V,NAME)", .takes_metric = true, .fact = fact_metric},
    {.name = "exposed_wait", .signature = "exposed_wait(V)", .unit = UNIT_RATIO, .fact = fact_exposed_wait,
     .interval = fact_exposed_wait_interval},
    {.name = "savable", .signature = "savable(V)", .unit = UNIT_RATIO, .fact = fact_savable, .interval = fact_savable_interval},
    {.name = "inside_overlap", .signature = "inside_overlap(V)", .unit = UNIT_RATIO, .fact = fact_inside_overlap,
     .interval = fact_inside_overlap_interval},
    {.name = "phase", .signature = "phase(V,NAME)", .unit = UNIT_NS, .takes_phase = true, .fact = fact_phase,
     .interval = fact_phase_interval},
    {.name = "slack", .signature = "slack(V,NAME)", .unit = UNIT_NS, .takes_phase = true, .fact = fact_slack,
     .interval = fact_slack_interval},
    {.name = "critical", .signature = "critical(V,NAME)", .unit = UNIT_NONE, .is_signed = true, .takes_phase = true,
     .fact = fact_critical, .interval = fact_critical_interval},
    {.name = "class", .signature = "class(V)", .is_word = true, .fact = fact_class},
    {.name = "selection", .signature = "selection(V)", .unit = UNIT_COUNT, .is_predicate = true, .fact = fact_wrong_kernels},
    {.name = "recorded", .signature = "recorded(MEMBER)", .is_predicate = true, .takes_path = true},
};
/* clang-format on */
const size_t rule_function_count = COUNT_OF(rule_functions);

const struct rule_function *rule_function_find(const char *name, size_t length)
{
    for (size_t i = 0; i < rule_function_count; i++)
        if (strlen(rule_functions[i].name) == length && !memcmp(rule_functions[i].name, name, length))
            return &rule_functions[i];
    return NULL;
}
