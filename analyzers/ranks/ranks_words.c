/* What do people and programs read of ranks? */
#include "analyzers/ranks/ranks_words.h"

#include <math.h>
#include <string.h>

#include "core/base/str.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/trace/event_stream.h"
#include "core/trace/event_work.h"
#include "core/trace/kernel_names.h"

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
        [CAUSE_UNKNOWN] = "unknown", [CAUSE_KERNEL] = "kernel", [CAUSE_HOST] = "host",
        [CAUSE_COPY] = "copy",       [CAUSE_MEMSET] = "memset", [CAUSE_MIGRATION] = "migration"};
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
                                "or they contradict one another"},
    [DOUBT_PRECISION] = {"precision", "the ranks arrive closer together than their clocks can tell"},
    [DOUBT_SIZES] = {"sizes", "too few transfers are of one size, or their sizes are not recorded"},
    [DOUBT_NO_BEFORE] = {"no_before", "nothing of the same communicator is before them"},
    [DOUBT_CAUSE] = {"cause", "what the late ranks did does not explain most of their lateness, or for several "
                              "reasons"},
    [DOUBT_UNRECORDED] = {"unrecorded", "they began before all ranks were recorded, so the wait says when recording "
                                        "began"},
    [DOUBT_TIMES] = {"times", "rows have times that cannot be, so what ranks waited for is not known"},
    [DOUBT_HIDDEN] = {"hidden", "kernels that launch kernels ran, and those are in no record, so what ranks waited for "
                                "is not known"},
    [DOUBT_LOST] = {"lost", "a trace could not be read, so a rank may be missing"},
    [DOUBT_TWINS] = {"twins", "two traces say that they are of the same rank"},
    [DOUBT_UNNOTED] = {"unnoted", "some of what NCCL said of collectives is lost"},
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
    kernel_name_alone(&text, symbol);
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

const struct rank_clocks *ranks_shown_clocks(const struct ranks *r)
{
    return r->majority.items.count ? &r->majority : &r->clocks;
}

/* Clocks that contradict others, and those that agree with the first of the rest. */
struct contradiction {
    const struct rank_clock *refused, *agreed; /* the first ones */
    size_t refused_count, agreed_count, others;
};

static struct contradiction contradiction_of(const struct rank_clocks *clocks)
{
    struct contradiction x = {0};
    for (size_t i = 0; i < clocks->items.count; i++) {
        const struct rank_clock *k = &clocks->items.items[i];
        if (k->is_refused) {
            x.refused = x.refused_count++ ? x.refused : k;
        } else if (!x.agreed || k->reference == x.agreed->reference) {
            x.agreed = x.agreed_count++ ? x.agreed : k;
        } else {
            x.others++;
        }
    }
    return x;
}

/* "rank 1 ('work/rank-1.json')". */
static const char *place_and_file(const struct ranks_context *c, uint32_t place)
{
    const char *path = event_stream_trace_path(c->r->stream, c->r->arrivals.places.items[place].rank);
    return *path ? arena_printf(c->arena, "%s ('%s')", rank_place_name(c, place), path) : rank_place_name(c, place);
}

const char *rank_clocks_contradiction(const struct ranks_context *c)
{
    const struct contradiction x = contradiction_of(ranks_shown_clocks(c->r));
    if (!x.refused || !x.agreed)
        return "";
    const char *who = place_and_file(c, x.refused->first_place);
    if (x.refused_count >= x.agreed_count)
        return arena_printf(c->arena, "the clocks of %s and %s contradict one another",
                            place_and_file(c, x.agreed->first_place), who);
    return x.refused_count == 1 ? arena_printf(c->arena, "the clock of %s contradicts the others", who)
                                : arena_printf(c->arena, "the clocks of %s and %zu more contradict the others", who,
                                               x.refused_count - 1);
}

const char *rank_doubt_reason(const struct ranks_context *c, enum rank_doubt doubt)
{
    const char *contradiction = doubt == DOUBT_CLOCKS ? rank_clocks_contradiction(c) : "";
    if ((doubt == DOUBT_TWINS || doubt == DOUBT_INCOMPLETE) && c->r->ranks_doubt && *c->r->ranks_doubt)
        return c->r->ranks_doubt;
    return *contradiction && !contradiction_of(ranks_shown_clocks(c->r)).others
               ? arena_printf(c->arena, "%s: a trace may be of another run", contradiction)
               : rank_doubt_sentence(doubt);
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

static const char *part_text(const struct ranks_context *c, double ns)
{
    char text[UNITS_TEXT_BYTES];
    return arena_copy(c->arena, unit_format(text, UNIT_RATIO, ranks_part(c->r, ns)));
}

static const char *why_kernel(const struct ranks_context *c, const struct rank_origin *o)
{
    const char *name = o->kernel ? rank_kernel_name(c, o->kernel) : "";
    const double often = o->kernel_count / o->kernel_usual_count;
    const double each = o->kernel_ns / o->kernel_count / (o->kernel_usual_ns / o->kernel_usual_count);
    if (!o->kernel)
        return arena_printf(c->arena, "it runs kernels for %s before them, and the others for %s",
                            time_text(c, o->own_ns), time_text(c, o->usual_ns));
    if (!(o->kernel_usual_ns > 0))
        return arena_printf(c->arena, "only it runs %s, for %s", name, time_text(c, o->kernel_ns));
    if (often > 1 && often >= each)
        return arena_printf(c->arena, "it runs %s %s as often as the others", name, factor_text(c, often));
    return arena_printf(c->arena, "its %s takes %s as long as at the others", name, factor_text(c, each));
}

const char *rank_origin_why(const struct ranks_context *c, const struct rank_origin *o)
{
    if (!o->present)
        return arena_printf(c->arena, "its %s made others late, that were waited for then", rank_cause_key(o->cause));
    switch (o->cause) {
    case CAUSE_KERNEL: return why_kernel(c, o);
    case CAUSE_HOST:
        return arena_printf(
            c->arena, "its GPU has nothing to do for %s, and for %s at the others: its host launches late, or waits",
            time_text(c, o->own_ns), time_text(c, o->usual_ns));
    case CAUSE_COPY:
    case CAUSE_MEMSET:
    case CAUSE_MIGRATION:
        return arena_printf(c->arena, "%s run for %s, and for %s at the others",
                            transfer_words((enum transfer_class)(o->cause - CAUSE_COPY))->only, time_text(c, o->own_ns),
                            time_text(c, o->usual_ns));
    default: return "why is not known";
    }
}

/* What a rank costs because of each cause, on all of its devices. */
static void cost_by_cause(const struct ranks *r, int rank, double costs_ns[RANK_CAUSES])
{
    for (int cause = 0; cause < RANK_CAUSES; cause++)
        costs_ns[cause] = 0;
    for (size_t i = 0; i < r->costs.origins.count; i++) {
        const struct rank_origin *o = &r->costs.origins.items[i];
        if (r->arrivals.places.items[o->place].rank == rank)
            costs_ns[o->cause] += ranks_cost(r, o->sum_ns);
    }
}

/* The parts of what a rank costs, the largest first, without those that would be 0.0%; "" where it has one alone. */
static const char *parts_text(const struct ranks_context *c, int rank)
{
    static const double shown = 0.0005;
    double costs_ns[RANK_CAUSES];
    const char *text = "";
    int parts = 0;
    cost_by_cause(c->r, rank, costs_ns);
    for (;; parts++) {
        int most = 0;
        for (int cause = 1; cause < RANK_CAUSES; cause++)
            most = costs_ns[cause] > costs_ns[most] ? cause : most;
        if (!(ranks_part(c->r, costs_ns[most]) >= shown))
            return parts > 1 ? text : "";
        text = arena_printf(c->arena, "%s%s%s %s", text, parts ? ", " : "its ", rank_cause_key((enum rank_cause)most),
                            part_text(c, costs_ns[most]));
        costs_ns[most] = 0;
    }
}

const char *rank_late_why(const struct ranks_context *c, int rank)
{
    for (size_t i = 0; i < c->r->costs.origins.count && i < RANK_ORIGINS_SHOWN; i++) {
        const struct rank_origin *o = &c->r->costs.origins.items[i];
        if (c->r->arrivals.places.items[o->place].rank != rank)
            continue;
        const char *parts = parts_text(c, rank), *why = rank_origin_why(c, o);
        return *parts ? arena_printf(c->arena, "%s; %s: %s", parts, rank_cause_key(o->cause), why) : why;
    }
    return parts_text(c, rank);
}

/* "each step 1.20 ms, 12.0% of the time"; in all where steps are unknown. */
static const char *cost_text(const struct ranks_context *c, double ns)
{
    const double each_ns = ranks_per_step(c->r, ns);
    return arena_printf(c->arena, "%s%s, %s of the time", isfinite(each_ns) ? "each step " : "",
                        time_text(c, isfinite(each_ns) ? each_ns : ns), part_text(c, ns));
}

static const char *late_answer(const struct ranks_context *c)
{
    const struct rank_origin *o = &c->r->costs.origins.items[0];
    const char *who = rank_place_name(c, o->place);
    if (o->sum_ns * 2 > c->r->costs.late_ns)
        return arena_printf(c->arena, "%s costs %s: %s", who, cost_text(c, ranks_cost(c->r, o->sum_ns)),
                            rank_origin_why(c, o));
    return arena_printf(c->arena, "late ranks cost %s, no reason of one rank most of it; the largest, %s, is of %s: %s",
                        cost_text(c, ranks_cost(c->r, c->r->costs.late_ns)), part_text(c, ranks_cost(c->r, o->sum_ns)),
                        who, rank_origin_why(c, o));
}

/* A link that others use, too, shows where copies run beside most of what is slow, and beside little else. */
static const char *beside_text(const struct ranks_context *c)
{
    const struct rank_costs *costs = &c->r->costs;
    if (!costs->copied_beside[0])
        return "";
    return arena_printf(c->arena, "; copies between GPUs run beside %lld of these %lld, and beside %lld of %lld others",
                        (long long)costs->copied_beside[0], (long long)costs->slow, (long long)costs->copied_beside[1],
                        (long long)(costs->compared - costs->slow));
}

const char *rank_slow_transfers(const struct ranks_context *c)
{
    return arena_printf(c->arena, "%lld of %lld transfers that are compared are slow", (long long)c->r->costs.slow,
                        (long long)c->r->costs.compared);
}

static const char *slow_answer(const struct ranks_context *c)
{
    return arena_printf(c->arena, "slow transfers cost %s, beyond the fastest tenth of the same in this run: %s%s",
                        cost_text(c, ranks_mean(c->r, c->r->costs.slow_ns)), rank_slow_transfers(c), beside_text(c));
}

static const char *small_answer(const struct ranks_context *c)
{
    const double late_ns = ranks_late_cost(c->r), slow_ns = ranks_slow(c->r);
    return arena_printf(c->arena, "late ranks cost %s of the time and slow transfers %s: less than 1%%",
                        part_text(c, late_ns), part_text(c, slow_ns));
}

static const char *open_answer(const struct ranks_context *c)
{
    const struct rank_costs *costs = &c->r->costs;
    const char *reason = rank_doubt_reason(c, costs->doubt);
    return costs->origins.count ? arena_printf(c->arena, "inconclusive: %s; as far as is known, late ranks cost %s",
                                               reason, cost_text(c, ranks_cost(c->r, costs->late_ns)))
                                : arena_printf(c->arena, "inconclusive: %s", reason);
}

static const char *few_answer(const struct ranks_context *c)
{
    switch (c->r->arrivals.doubt) {
    case ARRIVALS_TOO_MANY:
        return arena_printf(c->arena, "inconclusive: more than %d collectives, %d devices or %d sums of kernels",
                            RANK_ARRIVALS_MAX, RANK_PLACES_MAX, RANK_KERNELS_MAX);
    case ARRIVALS_FEW_PLACES:
        return c->r->arrivals.places.count ? "inconclusive: only one device has work in it"
                                           : "inconclusive: no device has work in it";
    default:
        return c->r->comm_pattern
                   ? arena_printf(c->arena,
                                  "inconclusive: no rank runs a collective, and no kernel matches --comm '%s'",
                                  c->r->comm_pattern)
                   : "inconclusive: no rank runs a collective";
    }
}

const char *ranks_answer(const struct ranks_context *c)
{
    const struct rank_costs *costs = &c->r->costs;
    if (c->r->arrivals.doubt)
        return few_answer(c);
    switch (costs->verdict) {
    case RANK_IN_TIME: return small_answer(c);
    case RANK_LATE: return late_answer(c);
    case RANK_SLOW: return slow_answer(c);
    case RANK_MIXED: return arena_printf(c->arena, "mixed: %s; %s", slow_answer(c), late_answer(c));
    default: return open_answer(c);
    }
}

/* Returns what the user gave, quoted for a shell. */
static const char *operand(const struct ranks_context *c)
{
    struct str text;
    if (!c->operand)
        return "TRACE";
    str_init(&text);
    words_add_quoted(&text, c->operand);
    const char *copy = arena_copy(c->arena, str_text(&text));
    str_release(&text);
    return copy;
}

struct rank_advice rank_slow_advice(const struct ranks_context *c)
{
    const struct rank_costs *costs = &c->r->costs;
    if (2 * costs->copied_beside[0] <= costs->slow)
        return (struct rank_advice){NULL, NULL};
    return (struct rank_advice){arena_printf(c->arena, "cpprof stats %s", operand(c)),
                                c->operand ? "shows the copies between GPUs: at another time they take nothing from "
                                             "the collectives"
                                           : "with the trace of a rank shows its copies between GPUs: at another time "
                                             "they take nothing from the collectives"};
}

/* ---- kernels that --comm could name ---- */

enum { NAMES_SHOWN = 5 };

/* The kernels of one name, which stand together. */
static size_t same_kernel(const struct rank_arrivals *a, size_t first)
{
    size_t end = first + 1;
    while (end < a->kernels.count && a->kernels.items[end].name == a->kernels.items[first].name)
        end++;
    return end;
}

static void add_kernel_names(const struct ranks_context *c, bool collectives, size_t *shown, struct str *text)
{
    const struct rank_arrivals *a = &c->r->arrivals;
    for (size_t i = 0, end; i < a->kernels.count; i = end) {
        const uint32_t name = a->kernels.items[i].name;
        end = same_kernel(a, i);
        if ((rank_operation_of(strtab_text(c->r->strings, name)) != RANK_UNNAMED) != collectives)
            continue;
        if (*shown < NAMES_SHOWN)
            str_addf(text, "%s%s", *shown ? ", " : "", rank_kernel_name(c, name));
        ++*shown;
    }
}

const char *rank_kernels_to_name(const struct ranks_context *c)
{
    struct str text;
    size_t shown = 0;
    str_init(&text);
    add_kernel_names(c, true, &shown, &text);
    add_kernel_names(c, false, &shown, &text);
    if (shown > NAMES_SHOWN)
        str_addf(&text, " and %zu more", shown - NAMES_SHOWN);
    const char *copy = arena_copy(c->arena, str_text(&text));
    str_release(&text);
    return copy;
}

/* ---- what to do next ---- */

struct rank_advice rank_origin_advice(const struct ranks_context *c, const struct rank_origin *o)
{
    static const struct {
        const char *command, *begin, *end;
    } advice[RANK_CAUSES] = {[CAUSE_KERNEL] = {"stats", "shows what", "runs, to compare with another rank"},
                             [CAUSE_HOST] = {"gaps", "says what the host did in each gap of", ""},
                             [CAUSE_COPY] = {"overlap", "shows which copies have no kernel at their side on", ""},
                             [CAUSE_MEMSET] = {"stats", "shows the memsets of", ""},
                             [CAUSE_MIGRATION] = {"stats", "shows the migrations of", ""}};
    const int rank = (int)c->r->arrivals.places.items[o->place].rank;
    const char *what = advice[o->cause].command;
    if (!what || rank < 0)
        return (struct rank_advice){NULL, NULL};
    return (struct rank_advice){c->operand ? arena_printf(c->arena, "cpprof %s %s --rank %d", what, operand(c), rank)
                                           : arena_printf(c->arena, "cpprof %s TRACE", what),
                                arena_printf(c->arena, "%s%s %s%s%s", c->operand ? "" : "for the trace of that rank ",
                                             advice[o->cause].begin, rank_place_name(c, o->place),
                                             *advice[o->cause].end ? " " : "", advice[o->cause].end)};
}

const char *rank_doubt_advice(const struct ranks_context *c, enum rank_doubt doubt)
{
    static const char *const advice[DOUBTS] = {
        [DOUBT_INCOMPLETE] =
            "give the traces of all ranks, as the job numbers them; the caveats name what cannot be read",
        [DOUBT_MISMATCH] = "see what does not match; record all ranks from the same step on",
        [DOUBT_CLOCKS] = "add a barrier or a small all-reduce (at most 64 KiB) to each step; eight are needed",
        [DOUBT_PRECISION] = "record more steps, or ranks of one host in one bundle: it has one clock",
        [DOUBT_SIZES] =
            "ten transfers of one size are needed: record more steps, and sizes (captures and PyTorch's traces of NCCL have them)",
        [DOUBT_NO_BEFORE] = "record more steps",
        [DOUBT_UNRECORDED] = "record more steps",
        [DOUBT_TIMES] = "see the caveats for these rows",
        [DOUBT_HIDDEN] = "see the caveats for the process",
        [DOUBT_LOST] = "see the caveats for the trace that cannot be read",
        [DOUBT_UNNOTED] = "see the caveats for the process; capture it again",
        [DOUBT_TWINS] = "leave one of the two traces out"};
    if (doubt == DOUBT_CLOCKS && *rank_clocks_contradiction(c))
        return "give traces that were recorded in one run; the table of clocks has those that contradict others";
    return advice[doubt];
}
