/* What do people and programs read of ranks? */
#include "analyzers/ranks/ranks_words.h"

#include <math.h>
#include <string.h>

#include "base/demangle.h"
#include "base/str.h"
#include "base/units.h"

/* ---- keys ---- */

const char *rank_verdict_key(enum rank_verdict verdict)
{
    static const char *const keys[RANK_VERDICTS] = {[RANK_INCONCLUSIVE] = "inconclusive",
                                                    [RANK_IN_TIME] = "in-time",
                                                    [RANK_LATE] = "late-arrival",
                                                    [RANK_SLOW] = "slow-transfer",
                                                    [RANK_MIXED] = "mixed"};
    return keys[verdict];
}

const char *rank_cause_key(enum rank_cause cause)
{
    static const char *const keys[RANK_CAUSES] = {
        [CAUSE_UNKNOWN] = "unknown", [CAUSE_KERNEL] = "kernel", [CAUSE_HOST] = "host", [CAUSE_COPY] = "copy"};
    return keys[cause];
}

static const struct {
    const char *key, *sentence;
} doubts[DOUBTS] = {
    [DOUBT_ROOTED] = {"rooted", "broadcasts, sends and receives do not need the data of all ranks, so a late one does "
                                "not show"},
    [DOUBT_OPERATION] = {"operation", "the names of their kernels do not say what they exchange, so who waits for whom "
                                      "is not known"},
    [DOUBT_INCOMPLETE] = {"incomplete", "the traces are not known to be those of all ranks of their communicator"},
    [DOUBT_MISMATCH] = {"mismatch", "the ranks do not run the same collectives in the same order"},
    [DOUBT_CLOCKS] = {"clocks", "the clocks of the ranks cannot be compared: there are too few small collectives, "
                                "none near, or they contradict one another"},
    [DOUBT_PRECISION] = {"precision", "the ranks arrive closer together than their clocks can tell"},
    [DOUBT_SIZES] = {"sizes", "too few transfers are alike, or their sizes are unknown"},
    [DOUBT_NO_BEFORE] = {"no_before", "nothing of the same communicator is before them"},
    [DOUBT_CAUSE] = {"cause", "no part of what the last rank did is most of its lateness"},
    [DOUBT_LOST] = {"lost", "a trace could not be read, so a rank may be missing"},
    [DOUBT_TWINS] = {"twins", "two traces say that they are of the same rank"},
};

const char *rank_doubt_key(enum rank_doubt doubt)
{
    return doubts[doubt].key;
}

const char *rank_doubt_sentence(enum rank_doubt doubt)
{
    return doubts[doubt].sentence ? doubts[doubt].sentence : "there are none";
}

const char *rank_mismatch_key(enum rank_mismatch_kind kind)
{
    static const char *const keys[] = {
        [MISMATCH_FEWER] = "fewer",     [MISMATCH_KIND] = "kind",     [MISMATCH_SIZE] = "size",
        [MISMATCH_MISSING] = "missing", [MISMATCH_APART] = "apart",   [MISMATCH_RANKS] = "ranks",
        [MISMATCH_SIZES] = "sizes",     [MISMATCH_MEMBER] = "member", [MISMATCH_NUMBER] = "number"};
    return keys[kind];
}

/* ---- names ---- */

static bool has_several_devices(const struct ranks *r, uint32_t place)
{
    const struct rank_place *p = r->arrivals.places.items;
    return (place > 0 && p[place - 1].rank == p[place].rank) ||
           (place + 1 < r->arrivals.places.count && p[place + 1].rank == p[place].rank);
}

const char *rank_place_name(const struct ranks_context *c, uint32_t place)
{
    const struct rank_place *p = &c->r->arrivals.places.items[place];
    if (p->rank < 0)
        return arena_printf(c->arena, "device %d", (int)p->device);
    if (has_several_devices(c->r, place))
        return arena_printf(c->arena, "rank %d, device %d", (int)p->rank, (int)p->device);
    return arena_printf(c->arena, "rank %d", (int)p->rank);
}

static void add_place(const struct ranks *r, struct str *text, uint32_t place)
{
    const struct rank_place *p = &r->arrivals.places.items[place];
    if (p->rank >= 0 && has_several_devices(r, place))
        str_addf(text, "%d.%d", (int)p->rank, (int)p->device);
    else
        str_addf(text, "%d", (int)(p->rank >= 0 ? p->rank : p->device));
}

/* Places whose numbers follow one another are a stretch. */
static bool is_next(const struct ranks *r, uint32_t place, uint32_t before)
{
    const struct rank_place *p = r->arrivals.places.items;
    return place == before + 1 && (p[place].rank == p[before].rank + 1 || p[place].rank == p[before].rank);
}

const char *rank_group_places(const struct ranks_context *c, const struct rank_group *g, size_t columns)
{
    const uint32_t *places = &c->r->grouped[g->first];
    struct str text;
    str_init(&text);
    for (size_t i = 0, end; i < g->count; i = end) {
        for (end = i + 1; end < g->count && is_next(c->r, places[end], places[end - 1]);)
            end++;
        if (text.length > columns) {
            str_addf(&text, ", and %zu more", g->count - i);
            break;
        }
        str_add(&text, i ? ", " : "");
        add_place(c->r, &text, places[i]);
        if (end > i + 1) {
            str_add(&text, end > i + 2 ? "-" : ", ");
            add_place(c->r, &text, places[end - 1]);
        }
    }
    const char *copy = arena_copy(c->arena, str_text(&text));
    str_release(&text);
    return copy;
}

const char *rank_communicator_name(const struct ranks_context *c, uint32_t communicator)
{
    const struct rank_communicator *x = &c->r->arrivals.communicators.items[communicator];
    return x->group ? arena_copy(c->arena, strtab_text(c->r->strings, x->group))
                    : arena_printf(c->arena, "stream %u", x->order + 1);
}

const char *rank_kernel_name(const struct ranks_context *c, uint32_t name)
{
    const char *symbol = strtab_text(c->r->strings, name);
    struct str text;
    str_init(&text);
    demangle_template(&text, symbol);
    const char *copy = arena_copy(c->arena, text.length ? str_text(&text) : symbol);
    str_release(&text);
    return copy;
}

/* ---- sentences ---- */

const char *rank_mismatch_sentence(const struct ranks_context *c, const struct rank_mismatch *x)
{
    const char *where = rank_communicator_name(c, x->communicator), *who = rank_place_name(c, x->place);
    const long long at = x->position, expected = x->expected_count, found = x->found_count;
    switch (x->kind) {
    case MISMATCH_FEWER:
        return arena_printf(c->arena, "%s has %lld collectives on %s, another rank %lld", who, found, where, expected);
    case MISMATCH_KIND:
        return arena_printf(c->arena, "collective %lld on %s is %s at %s, and %s at others", at, where,
                            rank_kernel_name(c, x->found), who, rank_kernel_name(c, x->expected));
    case MISMATCH_SIZE:
        return arena_printf(c->arena, "collective %lld on %s (%s) has %lld bytes at %s, and %lld at others", at, where,
                            rank_kernel_name(c, x->found), found, who, expected);
    case MISMATCH_MISSING:
        return arena_printf(c->arena, "%s has no collective with the number %lld on %s", who, at, where);
    case MISMATCH_APART:
        return arena_printf(c->arena,
                            "collective %lld on %s: the kernel of %s ended before that of another rank began, so they "
                            "are not the same collective",
                            at, where, who);
    case MISMATCH_SIZES:
        return arena_printf(c->arena, "%s has %lld ranks by one note, and %lld by another", where, expected, found);
    case MISMATCH_MEMBER: return arena_printf(c->arena, "%s takes part in %s, whose note does not list it", who, where);
    case MISMATCH_NUMBER:
        return arena_printf(c->arena, "collective %lld on %s has the number %lld at %s, and %lld at others", at, where,
                            found, who, expected);
    default:
        return expected < 0
                   ? arena_printf(c->arena, "%s: how many ranks it has is not recorded; %lld are in the traces", where,
                                  found)
                   : arena_printf(c->arena, "%s has %lld ranks, and %lld are in the traces", where, expected, found);
    }
}

static const char *time_text(const struct ranks_context *c, double ns)
{
    char text[UNITS_TEXT_BYTES];
    return arena_copy(c->arena, unit_format(text, UNIT_NS, ns));
}

static const char *factor_text(const struct ranks_context *c, double factor)
{
    char text[UNITS_TEXT_BYTES];
    return arena_copy(c->arena, unit_format_factor(text, factor));
}

static const char *why_kernel(const struct ranks_context *c, const struct rank_origin *o)
{
    const char *name = rank_kernel_name(c, o->kernel);
    const double often = (double)o->own_count / o->usual_count;
    const double each = (double)o->own_ns / (double)o->own_count / ((double)o->usual_ns / o->usual_count);
    if (!o->kernel)
        return "its kernels take longer";
    if (!(o->usual_count > 0) || o->usual_ns <= 0)
        return arena_printf(c->arena, "only it runs %s, for %s", name, time_text(c, (double)o->own_ns));
    if (often > 1 && often >= each)
        return arena_printf(c->arena, "it runs %s %s as often as the others", name, factor_text(c, often));
    return arena_printf(c->arena, "its %s takes %s as long as at the others", name, factor_text(c, each));
}

const char *rank_origin_why(const struct ranks_context *c, const struct rank_origin *o)
{
    switch (o->cause) {
    case CAUSE_KERNEL: return why_kernel(c, o);
    case CAUSE_HOST:
        return arena_printf(c->arena, "its GPU has nothing to do for %s, and for %s at the others: its host is late",
                            time_text(c, (double)o->own_ns), time_text(c, (double)o->usual_ns));
    case CAUSE_COPY:
        return arena_printf(c->arena, "only copies run for %s, and for %s at the others",
                            time_text(c, (double)o->own_ns), time_text(c, (double)o->usual_ns));
    default: return "why is not known";
    }
}

/* What costs so much in all; of each step where steps are known. */
static const char *cost_text(const struct ranks_context *c, int64_t sum_ns)
{
    const double each_ns = ranks_cost_per_step(c->r, sum_ns);
    return isfinite(each_ns) ? arena_printf(c->arena, "each step %s", time_text(c, each_ns))
                             : arena_printf(c->arena, "%s", time_text(c, ranks_cost(c->r, sum_ns)));
}

static const char *late_answer(const struct ranks_context *c)
{
    const struct rank_origin *o = &c->r->costs.origins.items[0];
    if (o->sum_ns * 2 > c->r->costs.late_ns)
        return arena_printf(c->arena, "%s costs %s: %s", rank_place_name(c, o->place), cost_text(c, o->sum_ns),
                            rank_origin_why(c, o));
    return arena_printf(c->arena, "late ranks cost %s, and no single one most of it; first %s: %s",
                        cost_text(c, c->r->costs.late_ns), rank_place_name(c, o->place), rank_origin_why(c, o));
}

static const char *few_answer(const struct ranks_context *c)
{
    switch (c->r->arrivals.doubt) {
    case ARRIVALS_TOO_MANY:
        return arena_printf(c->arena, "inconclusive: more than %d collectives, %d devices or %d sums of kernels",
                            RANK_ARRIVALS_MAX, RANK_PLACES_MAX, RANK_KERNELS_MAX);
    case ARRIVALS_FEW_PLACES: return "inconclusive: fewer than two devices have work in it";
    default: return "inconclusive: no rank runs a collective";
    }
}

const char *ranks_answer(const struct ranks_context *c)
{
    const struct rank_costs *costs = &c->r->costs;
    if (c->r->arrivals.doubt)
        return few_answer(c);
    switch (costs->verdict) {
    case RANK_IN_TIME: return "no rank is late and no transfer is slow, by more than 1% of the time";
    case RANK_LATE: return late_answer(c);
    case RANK_SLOW:
        return arena_printf(c->arena, "slow transfers cost %s, beyond the fastest tenth of the same",
                            cost_text(c, costs->slow_ns));
    case RANK_MIXED:
        return arena_printf(c->arena, "mixed: slow transfers cost %s; %s", cost_text(c, costs->slow_ns),
                            late_answer(c));
    default: return arena_printf(c->arena, "inconclusive: %s", rank_doubt_sentence(costs->doubt));
    }
}
