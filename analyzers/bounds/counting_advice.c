/* What should be counted, so that a launch that another tool counted has a bound?
 *
 * A file that holds only what is missing would lack the rest: the command also has what the file has. */
#include "analyzers/bounds/counting_advice.h"

#include <math.h>
#include <string.h>

/* The page of details shows some of what a report has. */
#define RAW_PAGE                                                                                                       \
    "read the raw page of the same report, which has more: ncu --import REPORT.ncu-rep --csv --page raw; where that "  \
    "leaves it open, too, "

void counting_advice_init(struct counting_advice *c, struct arena *arena, const struct imported_launches *launches)
{
    *c = (struct counting_advice){.arena = arena, .launches = launches};
    str_init(&c->missing);
}

void counting_advice_release(struct counting_advice *c)
{
    str_release(&c->missing);
}

/* Without those that the chip lacks, and those that were counted, credible or not. */
static void add_missing(const struct bound_inputs *in, const struct bound_record *made, struct str *names)
{
    for (size_t i = 0; i < made->missing_count; i++) {
        const struct metric *m = made->missing[i];
        if (isnan(in->counters->values[counters_index(m)]) && !(in->chip && chip_lacks(in->chip, m->id)))
            str_addf(names, "%s%s", names->length ? "," : "", m->name);
    }
}

static bool any_is_incredible(const struct bound_inputs *in, const struct bound_record *made)
{
    for (size_t i = 0; i < made->missing_count; i++)
        if (counters_is_incredible(in->counters, made->missing[i]))
            return true;
    return false;
}

/* A counter may have a column without a value for this launch. */
static void add_counted(const struct counted_names *counted, const struct bound_record *made, struct str *names)
{
    for (size_t i = 0; i < counted->count; i++) {
        bool is_there = false;
        for (size_t k = 0; k < made->missing_count && !is_there; k++)
            is_there = !strcmp(made->missing[k]->name, counted->items[i]) && strstr(str_text(names), counted->items[i]);
        if (!is_there)
            str_addf(names, "%s%s", names->length ? "," : "", counted->items[i]);
    }
}

/* Sections of any set are in the set `full`. Where nothing is missing, a unit that is not known may be in it. */
static const char *advise_counting(struct counting_advice *c, const struct bound_record *made)
{
    struct str names;
    str_init(&names);
    const bool is_unknown = !c->missing.length;
    str_add(&names, str_text(&c->missing));
    add_counted(&c->launches->names, made, &names);
    const char *advice =
        names.failed ? NULL
                     : arena_printf(c->arena, "%s%s, and again what is there: ncu %s--csv --page raw%s%s PROGRAM",
                                    c->launches->has_sections ? RAW_PAGE : "",
                                    is_unknown ? "count all units that this chip has" : "count what is missing",
                                    is_unknown || c->launches->has_sections ? "--set full " : "",
                                    names.length ? " --metrics " : "", str_text(&names));
    str_release(&names);
    return advice;
}

int counting_advice_find(struct counting_advice *c, const struct bound_inputs *in, const struct bound_record *made,
                         const char **advice, struct err *e)
{
    struct str missing;
    str_init(&missing);
    add_missing(in, made, &missing);
    if (in->recorded_nothing)
        *advice = "see whether the launch fails without ncu (cudaGetLastError), then profile it again";
    else if (in->counted_nothing && !made->missing_count)
        *advice = "count again: nothing was counted";
    else if (bound_contradicts(&in->contradiction))
        *advice = "count again: the numbers of one launch must agree";
    else if (!missing.length && any_is_incredible(in, made))
        *advice = "count again: a share is a number from 0% to 100% of its peak";
    else if (!missing.length && made->missing_count)
        *advice = "nothing: this chip does not count what is missing";
    else if (c->advice && !strcmp(str_text(&missing), str_text(&c->missing)))
        *advice = c->advice;
    else {
        str_clear(&c->missing);
        str_add(&c->missing, str_text(&missing));
        *advice = c->advice = advise_counting(c, made);
    }
    const bool failed = missing.failed || c->missing.failed || !*advice;
    str_release(&missing);
    return failed ? err_memory(e) : 0;
}
