/* What stands in the tables of ranks? The context of all is a struct ranks_context. */
#include "analyzers/columns.h"
#include "analyzers/ranks/ranks_words.h"

#define BOTH          (ROW_JSON | ROW_TABLE)
#define TEXT(maker)   ROW_MADE(ROW_TEXT, maker)
#define MADE(maker)   ROW_MADE(ROW_NUMBER, maker)
#define MADE_I(maker) ROW_MADE(ROW_INTEGER, maker)

/* A maker: `c` is the context, `x` the row. */
#define MAKER(name, type, value)                                                                                       \
    static struct row_value name(const void *row, const void *context, struct str *scratch)                            \
    {                                                                                                                  \
        const struct ranks_context *c = context;                                                                       \
        const type *x = row;                                                                                           \
        (void)scratch, (void)c, (void)x;                                                                               \
        return (value);                                                                                                \
    }

static struct row_value rank_of(const struct ranks_context *c, uint32_t place)
{
    return place < c->r->arrivals.places.count && c->r->arrivals.places.items[place].rank >= 0
               ? row_integer(c->r->arrivals.places.items[place].rank)
               : row_unknown();
}

static struct row_value device_of(const struct ranks_context *c, uint32_t place)
{
    return place < c->r->arrivals.places.count ? row_integer(c->r->arrivals.places.items[place].device) : row_unknown();
}

static struct row_value known(int64_t value)
{
    return value >= 0 ? row_integer(value) : row_unknown();
}

/* ---- ranks ---- */

#define SPENT_OF(name, part)                                                                                           \
    MAKER(name, struct rank_row, row_integer(c->r->arrivals.places.items[x->place].spent_ns[part]))

MAKER(row_rank, struct rank_row, rank_of(c, x->place))
MAKER(row_device, struct rank_row, device_of(c, x->place))
MAKER(row_group, struct rank_row, row_integer((int64_t)x->group + 1))
MAKER(row_cost, struct rank_row, row_number(ranks_cost(c->r, x->caused_ns)))
MAKER(row_collectives, struct rank_row, row_integer(c->r->arrivals.places.items[x->place].collectives))
MAKER(row_judged, struct rank_row, row_integer(x->judged))
MAKER(row_unmatched, struct rank_row, row_integer(c->r->arrivals.places.items[x->place].unmatched))
SPENT_OF(row_kernel_ns, SPENT_KERNEL)
SPENT_OF(row_wait_ns, SPENT_WAIT)
SPENT_OF(row_transfer_ns, SPENT_TRANSFER)
SPENT_OF(row_copy_ns, SPENT_COPY)
SPENT_OF(row_memset_ns, SPENT_MEMSET)
SPENT_OF(row_migration_ns, SPENT_MIGRATION)
SPENT_OF(row_idle_ns, SPENT_IDLE)

static const struct row_column rank_items[] = {
    {"rank", MADE_I(row_rank), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "`null` when unknown"},
    {"device", MADE_I(row_device), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "its number"},
    {"group", MADE_I(row_group), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "which of `groups` it is in, from 1"},
    {"cost_ns", MADE(row_cost), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "what others wait for it, in the mean of the others"},
    {"last", ROW_AT(struct rank_row, last), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "collectives with a late arrival at which it came last, as origin or as victim"},
    {"kernel_ns", MADE_I(row_kernel_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "a kernel runs that does not communicate. This and the six that follow add up to its "
     "time, without collectives that are `unrecorded`"},
    {"wait_ns", MADE_I(row_wait_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "without such a kernel a collective waits for its last rank"},
    {"transfer_ns", MADE_I(row_transfer_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "without both, other communication runs"},
    {"copy_ns", MADE_I(row_copy_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "only copies run"},
    {"memset_ns", MADE_I(row_memset_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "only memsets run"},
    {"migration_ns", MADE_I(row_migration_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "only migrations of managed memory run"},
    {"idle_ns", MADE_I(row_idle_ns), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "nothing runs"},
    {"collectives", MADE_I(row_collectives), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "kernels that communicate"},
    {"judged", MADE_I(row_judged), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "of them, those with a verdict"},
    {"unmatched", MADE_I(row_unmatched), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "of them, those that were not found at other ranks"},
};
const struct row_columns rank_columns = ROW_COLUMNS("rank", struct rank_row, rank_items);

/* ---- origins ---- */

MAKER(origin_name, struct rank_origin, row_text(rank_place_name(c, x->place)))
MAKER(origin_rank, struct rank_origin, rank_of(c, x->place))
MAKER(origin_device, struct rank_origin, device_of(c, x->place))
MAKER(origin_cause, struct rank_origin, row_text(rank_cause_key(x->cause)))
MAKER(origin_cost, struct rank_origin, row_number(ranks_cost(c->r, x->sum_ns)))
MAKER(origin_step, struct rank_origin, row_number(ranks_per_step(c->r, ranks_cost(c->r, x->sum_ns))))
MAKER(origin_own, struct rank_origin, x->present ? row_number(x->own_ns) : row_unknown())
MAKER(origin_usual, struct rank_origin, x->present ? row_number(x->usual_ns) : row_unknown())
MAKER(origin_share, struct rank_origin, row_ratio((double)x->sum_ns, (double)c->r->costs.late_ns))
MAKER(origin_why, struct rank_origin, row_text(rank_origin_why(c, x)))
MAKER(origin_kernel, struct rank_origin, row_text(x->kernel ? rank_kernel_name(c, x->kernel) : NULL))

static const struct row_column origin_items[] = {
    {"name", TEXT(origin_name), UNIT_TEXT, ROW_TABLE, ROW_TITLE("late"), ""},
    {"rank", MADE_I(origin_rank), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "`null` when unknown"},
    {"device", MADE_I(origin_device), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "its number"},
    {"cause", TEXT(origin_cause), UNIT_TEXT, BOTH, ROW_TITLE("because of"),
     "`kernel`, `host`, `copy`, `memset` or `migration`"},
    {"cost_ns", MADE(origin_cost), UNIT_NS, BOTH, ROW_TITLE("cost"),
     "what others wait for it without a kernel at their side, in the mean of the others"},
    {"step_ns", MADE(origin_step), UNIT_NS, ROW_JSON | RANKS_STEPS, ROW_TITLE("each step"),
     "the same for each step; `null` without steps"},
    {"share", MADE(origin_share), UNIT_RATIO, BOTH, ROW_TITLE("of lateness"), "of what all late ranks cost"},
    {"collectives", ROW_AT(struct rank_origin, collectives), UNIT_COUNT, BOTH, ROW_TITLE("collectives"),
     "that it made late, alone or with others"},
    {"victims", ROW_AT(struct rank_origin, victims), UNIT_COUNT, BOTH, ROW_TITLE("through others"),
     "of them, those at which another rank came last, because it had waited for this one before"},
    {"kernel", TEXT(origin_kernel), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "that takes most of what it runs longer than the others; `null` when no single one does, and behind the ten most "
     "expensive"},
    {"own_ns", MADE(origin_own), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "before those of the collectives that it took part in: its time in kernels, without work, or with copies, memsets or migrations, by "
     "the cause; `null` when it took part in none"},
    {"usual_ns", MADE(origin_usual), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "the mean of the others, the same"},
    {"why", TEXT(origin_why), UNIT_TEXT, BOTH, ROW_TITLE("why"), "the same in words"},
};
const struct row_columns rank_origin_columns = ROW_COLUMNS("rank origin", struct rank_origin, origin_items);

/* ---- groups ---- */

enum { GROUP_COLUMNS = 24, GROUP_COLUMNS_JSON = 1 << 20 };

MAKER(group_ranks, struct rank_group, row_text(rank_group_places(c, x, GROUP_COLUMNS_JSON)))
MAKER(group_shown, struct rank_group, row_text(rank_group_places(c, x, GROUP_COLUMNS)))
MAKER(group_count, struct rank_group, row_integer((int64_t)x->count))
MAKER(group_kernel, struct rank_group, row_integer(x->mean_ns[SPENT_KERNEL]))
MAKER(group_wait, struct rank_group, row_integer(x->mean_ns[SPENT_WAIT]))
MAKER(group_transfer, struct rank_group, row_integer(x->mean_ns[SPENT_TRANSFER]))
MAKER(group_copy, struct rank_group, row_integer(x->mean_ns[SPENT_COPY]))
MAKER(group_memset, struct rank_group, row_integer(x->mean_ns[SPENT_MEMSET]))
MAKER(group_migration, struct rank_group, row_integer(x->mean_ns[SPENT_MIGRATION]))
MAKER(group_idle, struct rank_group, row_integer(x->mean_ns[SPENT_IDLE]))

static const struct row_column group_items[] = {
    {"shown", TEXT(group_shown), UNIT_TEXT, ROW_TABLE, ROW_TITLE("ranks"), ""},
    {"ranks", TEXT(group_ranks), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "their numbers, `0-2, 4`; `RANK.DEVICE` where a rank has several devices, and devices where there are no ranks"},
    {"count", MADE_I(group_count), UNIT_COUNT, BOTH, ROW_TITLE("how many"), "how many they are"},
    {"kernel_ns", MADE_I(group_kernel), UNIT_NS, BOTH, ROW_TITLE("kernels"), "means of the group, as in `ranks`"},
    {"wait_ns", MADE_I(group_wait), UNIT_NS, BOTH, ROW_TITLE("wait"), "the same"},
    {"transfer_ns", MADE_I(group_transfer), UNIT_NS, BOTH, ROW_TITLE("transfer"), "the same"},
    {"copy_ns", MADE_I(group_copy), UNIT_NS, BOTH, ROW_TITLE("copies"), "the same"},
    {"memset_ns", MADE_I(group_memset), UNIT_NS, BOTH, ROW_TITLE("memsets"), "the same"},
    {"migration_ns", MADE_I(group_migration), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "the same"},
    {"idle_ns", MADE_I(group_idle), UNIT_NS, BOTH, ROW_TITLE("idle"), "the same"},
};
const struct row_columns rank_group_columns = ROW_COLUMNS("rank group", struct rank_group, group_items);

/* ---- collectives ---- */

static struct row_value timed(const struct rank_meeting *x, int64_t ns)
{
    return rank_meeting_is_timed(x) ? row_integer(ns) : row_unknown();
}

MAKER(meeting_communicator, struct rank_meeting, row_text(rank_communicator_name(c, x->communicator)))
MAKER(meeting_kernel, struct rank_meeting, row_text(rank_kernel_name(c, x->name)))
MAKER(meeting_bytes, struct rank_meeting, known(x->bytes))
MAKER(meeting_count, struct rank_meeting, row_integer((int64_t)x->count))
MAKER(meeting_verdict, struct rank_meeting, row_text(rank_verdict_key((enum rank_verdict)x->verdict)))
MAKER(meeting_reason, struct rank_meeting, row_text(rank_doubt_key((enum rank_doubt)x->doubt)))
MAKER(meeting_last, struct rank_meeting, rank_meeting_is_timed(x) ? rank_of(c, x->last) : row_unknown())
MAKER(meeting_last_device, struct rank_meeting, rank_meeting_is_timed(x) ? device_of(c, x->last) : row_unknown())
MAKER(meeting_skew, struct rank_meeting, timed(x, x->skew_ns))
MAKER(meeting_uncertain, struct rank_meeting, timed(x, x->uncertain_ns))
MAKER(meeting_transfer, struct rank_meeting, timed(x, x->transfer_ns))
MAKER(meeting_late, struct rank_meeting, timed(x, x->late_ns))
MAKER(meeting_slow, struct rank_meeting, x->expected_ns >= 0 ? timed(x, x->slow_ns) : row_unknown())
MAKER(meeting_origin, struct rank_meeting, rank_of(c, x->origin))
MAKER(meeting_origin_device, struct rank_meeting, device_of(c, x->origin))
MAKER(meeting_cause, struct rank_meeting,
      row_text(x->origin < RANK_PLACES_MAX ? rank_cause_key((enum rank_cause)x->cause) : NULL))
MAKER(meeting_expected, struct rank_meeting, known(x->expected_ns))

static const struct row_column meeting_items[] = {
    {"communicator", TEXT(meeting_communicator), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "its name and ranks as noted, or which stream with collectives it is"},
    {"position", ROW_AT(struct rank_meeting, position), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "its number as noted, or its place among those of the communicator, from 1"},
    {"kernel", TEXT(meeting_kernel), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "its name"},
    {"bytes", MADE_I(meeting_bytes), UNIT_BYTES, ROW_JSON, ROW_NO_TITLE, "`null` when unknown"},
    {"ranks", MADE_I(meeting_count), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "how many take part"},
    {"verdict", TEXT(meeting_verdict), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "`late-arrival`, `slow-transfer`, `mixed`, `in-time` or `inconclusive`"},
    {"reason", TEXT(meeting_reason), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "of `inconclusive`; else `null`"},
    {"last_rank", MADE_I(meeting_last), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "that arrives last. This and the times are `null` where arrivals are not compared"},
    {"last_device", MADE_I(meeting_last_device), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "the same"},
    {"origin_rank", MADE_I(meeting_origin), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "whose lateness it is, for more than half; `null` where several share it"},
    {"origin_device", MADE_I(meeting_origin_device), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "the same"},
    {"cause", TEXT(meeting_cause), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "`kernel`, `host` or `copy`; else `null`"},
    {"skew_ns", MADE_I(meeting_skew), UNIT_NS, ROW_JSON, ROW_NO_TITLE, "from the first arrival to the last"},
    {"uncertain_ns", MADE_I(meeting_uncertain), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "by how much the difference of two arrivals may be off"},
    {"transfer_ns", MADE_I(meeting_transfer), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "from the last arrival to the end of its kernel"},
    {"expected_ns", MADE_I(meeting_expected), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "the fastest tenth of the same; `null` when it is not known"},
    {"late_ns", MADE_I(meeting_late), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "exposed wait, in the mean of the ranks that are not last"},
    {"slow_ns", MADE_I(meeting_slow), UNIT_NS, ROW_JSON, ROW_NO_TITLE,
     "exposed transfer beyond what was expected, in the mean of the ranks; 0 up to a quarter more"},
    {"beside_copy", ROW_AT(struct rank_meeting, is_beside_copy), UNIT_NONE, ROW_JSON, ROW_NO_TITLE,
     "whether a copy between GPUs ran meanwhile on a device of it"},
};
const struct row_columns rank_collective_columns = ROW_COLUMNS("rank collective", struct rank_meeting, meeting_items);

/* ---- what does not match ---- */

MAKER(mismatch_kind, struct rank_mismatch, row_text(rank_mismatch_key(x->kind)))
MAKER(mismatch_rank, struct rank_mismatch,
      x->kind == MISMATCH_RANKS || x->kind == MISMATCH_SIZES ? row_unknown() : rank_of(c, x->place))
MAKER(mismatch_communicator, struct rank_mismatch, row_text(rank_communicator_name(c, x->communicator)))
MAKER(mismatch_position, struct rank_mismatch, x->position > 0 ? row_integer(x->position) : row_unknown())
MAKER(mismatch_text, struct rank_mismatch, row_text(rank_mismatch_sentence(c, x)))

static const struct row_column mismatch_items[] = {
    {"kind", TEXT(mismatch_kind), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE,
     "`fewer`, `kind`, `size`, `number`, `missing`, `apart`, `ranks`, `sizes` or `member`"},
    {"rank", MADE_I(mismatch_rank), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "that differs; `null` of `ranks` and `sizes`"},
    {"communicator", TEXT(mismatch_communicator), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "as in `collectives`"},
    {"position", MADE_I(mismatch_position), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE,
     "the same; `null` of `ranks`, `sizes` and `member`"},
    {"text", TEXT(mismatch_text), UNIT_TEXT, ROW_JSON, ROW_NO_TITLE, "a sentence"},
};
const struct row_columns rank_mismatch_columns = ROW_COLUMNS("rank mismatch", struct rank_mismatch, mismatch_items);

/* ---- clocks ---- */

MAKER(clock_rank, struct rank_clock, rank_of(c, x->first_place))
MAKER(clock_name, struct rank_clock, row_text(rank_place_name(c, x->first_place)))
MAKER(clock_places, struct rank_clock, row_integer((int64_t)x->places))
MAKER(clock_state, struct rank_clock, row_text(x->is_refused ? "refused" : x->is_reference ? "reference" : "compared"))
MAKER(clock_ahead, struct rank_clock,
      x->is_known && !x->is_reference ? row_number(rank_clock_ahead(x, x->knots.items[0].from_ns)) : row_unknown())
MAKER(clock_drift, struct rank_clock, x->is_refused || !x->is_reference ? row_number(x->slope * 1e6) : row_unknown())
MAKER(clock_anchors, struct rank_clock, row_integer((int64_t)x->anchors))
MAKER(clock_uncertain, struct rank_clock, x->is_known ? row_integer(x->uncertain_ns) : row_unknown())

static const struct row_column clock_items[] = {
    {"name", TEXT(clock_name), UNIT_TEXT, ROW_TABLE, ROW_TITLE("clock of"), ""},
    {"rank", MADE_I(clock_rank), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "the first that has it"},
    {"devices", MADE_I(clock_places), UNIT_COUNT, BOTH, ROW_TITLE("devices"), "how many have it"},
    {"state", TEXT(clock_state), UNIT_TEXT, BOTH, ROW_TITLE("state"),
     "`reference`: others are compared with it, and a second one has no collective with the first; `compared`; or "
     "`refused`: it would gain more than 1000 millionths, or its uncertainty reaches a minute"},
    {"ahead_ns", MADE(clock_ahead), UNIT_NS, BOTH, ROW_TITLE("ahead"), "of its reference, at its first anchor"},
    {"drift_ppm", MADE(clock_drift), UNIT_NONE, BOTH, ROW_TITLE("drift (ppm)"), "millionths that it gains"},
    {"anchors", MADE_I(clock_anchors), UNIT_COUNT, BOTH, ROW_TITLE("anchors"),
     "small collectives that it was compared at"},
    {"uncertain_ns", MADE_I(clock_uncertain), UNIT_NS, BOTH, ROW_TITLE("uncertain"),
     "what 95 in 100 anchors are off, and a step of the ring; more the further a time lies from the next anchor"},
};
const struct row_columns rank_clock_columns = ROW_COLUMNS("rank clock", struct rank_clock, clock_items);

/* ---- kernels ---- */

MAKER(kernel_name, struct rank_imbalance, row_text(rank_kernel_name(c, x->name)))
MAKER(kernel_places, struct rank_imbalance, row_integer((int64_t)x->places))
MAKER(kernel_worst, struct rank_imbalance, rank_of(c, x->worst))
MAKER(kernel_worst_name, struct rank_imbalance, row_text(rank_place_name(c, x->worst)))

static const struct row_column kernel_items[] = {
    {"kernel", TEXT(kernel_name), UNIT_TEXT, BOTH, ROW_TITLE_CODE("kernel"), "its name"},
    {"ranks", MADE_I(kernel_places), UNIT_COUNT, BOTH, ROW_TITLE("ranks"), "that run it"},
    {"mean_ns", ROW_AT(struct rank_imbalance, mean_ns), UNIT_NS, BOTH, ROW_TITLE("mean"),
     "of its time at each of them"},
    {"most_ns", ROW_AT(struct rank_imbalance, worst_ns), UNIT_NS, BOTH, ROW_TITLE("most"), "at the slowest"},
    {"ratio", ROW_AT(struct rank_imbalance, ratio), UNIT_FACTOR, BOTH, ROW_TITLE("most / mean"),
     "the one over the other"},
    {"most_rank", MADE_I(kernel_worst), UNIT_COUNT, ROW_JSON, ROW_NO_TITLE, "which rank that is"},
    {"most_name", TEXT(kernel_worst_name), UNIT_TEXT, ROW_TABLE, ROW_TITLE("at"), ""},
};
const struct row_columns rank_kernel_columns = ROW_COLUMNS("rank kernel", struct rank_imbalance, kernel_items);

/* ---- transfers of communicators ---- */

MAKER(link_communicator, struct rank_link, row_text(rank_communicator_name(c, x->communicator)))
MAKER(link_kernel, struct rank_link, row_text(rank_kernel_name(c, x->name)))
MAKER(link_ranks, struct rank_link, row_integer((int64_t)x->ranks))
MAKER(link_others, struct rank_link, row_integer((int64_t)x->others))

static const struct row_column link_items[] = {
    {"communicator", TEXT(link_communicator), UNIT_TEXT, BOTH, ROW_TITLE_CODE("communicator"), "as in `collectives`"},
    {"kernel", TEXT(link_kernel), UNIT_TEXT, BOTH, ROW_TITLE_CODE("kernel"), "its name"},
    {"bytes", ROW_AT(struct rank_link, bytes), UNIT_BYTES, BOTH, ROW_TITLE("bytes"), "of each"},
    {"ranks", MADE_I(link_ranks), UNIT_COUNT, BOTH, ROW_TITLE("ranks"), "how many take part"},
    {"expected_ns", ROW_AT(struct rank_link, expected_ns), UNIT_NS, BOTH, ROW_TITLE("fastest tenth"),
     "the transfer that its fastest tenth stays below"},
    {"usual_ns", ROW_AT(struct rank_link, usual_ns), UNIT_NS, BOTH, ROW_TITLE("at others"),
     "the median of that at the others"},
    {"ratio", ROW_AT(struct rank_link, ratio), UNIT_FACTOR, BOTH, ROW_TITLE("ratio"), "the one over the other"},
    {"others", MADE_I(link_others), UNIT_COUNT, BOTH, ROW_TITLE("others"),
     "communicators with the same kernel, bytes and number of ranks"},
};
const struct row_columns rank_link_columns = ROW_COLUMNS("rank link", struct rank_link, link_items);
