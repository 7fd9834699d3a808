/* Between which values does the answer of a function lie when times are rounded? */
#include "rules/rule_ranges.h"

#include <math.h>

void range_overlap_ns(const struct rule_motion *m, double *low, double *high)
{
    *low = (double)m->narrow->pair->overlap_ns;
    *high = (double)m->wide->pair->overlap_ns;
}

/* |A \ B| is least for the shortest A and the longest B. */
void range_exposed(const struct rule_motion *m, double *low, double *high)
{
    *low = fmax(0, (double)(m->narrow->a->busy_ns - m->wide->pair->overlap_ns));
    *high = (double)(m->wide->a->busy_ns - m->narrow->pair->overlap_ns);
}

static double share(double part, double rest)
{
    return part + rest > 0 ? part / (part + rest) : 0;
}

/* |A n B| / |A| = |A n B| / (|A n B| + |A \ B|): it grows with the one and falls with the other. */
void range_overlap(const struct rule_motion *m, double *low, double *high)
{
    double least, most, least_exposed, most_exposed;
    range_overlap_ns(m, &least, &most);
    range_exposed(m, &least_exposed, &most_exposed);
    *low = share(least, most_exposed);
    *high = share(most, least_exposed);
}

void range_busy(const struct rule_motion *m, double *low, double *high)
{
    *low = (double)m->narrow->a->busy_ns;
    *high = (double)m->wide->a->busy_ns;
}

/* The span moves by its first start and its last end. */
void range_idle(const struct rule_motion *m, double *low, double *high)
{
    const double span_ns = (double)(m->told->a->last_end_ns - m->told->a->first_start_ns - m->told->a->unrecorded_ns);
    const double shortest_ns = span_ns - 2 * m->time_error_ns, longest_ns = span_ns + 2 * m->time_error_ns;
    *low = shortest_ns > 0 ? fmax(0, (shortest_ns - (double)m->wide->a->busy_ns) / shortest_ns) : 0;
    *high = fmax(0, (longest_ns - (double)m->narrow->a->busy_ns) / longest_ns);
}

/* The longest of the gaps among the longest events that has something before and behind it, whatever is empty: what is
 * told to have a length has one. */
static double surest_gap(const struct timeline_set *told, const struct timeline_set *wide)
{
    for (size_t i = 0; told->busy_ns && i < wide->gaps.count; i++) {
        const struct timeline_example *gap = &wide->gaps.items[i];
        if (told->first_on_ns < gap->start_ns && told->last_off_ns > gap->end_ns)
            return (double)timeline_example_ns(gap);
    }
    return 0;
}

/* What is told to be empty may have a length or have none. Inside of the union it makes gaps shorter; before its first
 * start and behind its last end it makes one. */
static double longest_gap(const struct timeline_set *told)
{
    if (!told->busy_ns)
        return (double)(told->last_end_ns - told->first_start_ns);
    const double lead_ns = (double)(told->first_on_ns - told->first_start_ns);
    const double tail_ns = (double)(told->last_end_ns - told->last_off_ns);
    return fmax((double)told->gap_max_ns, fmax(lead_ns, tail_ns));
}

/* Both sides of a gap move. */
void range_gap_max(const struct rule_motion *m, double *low, double *high)
{
    const bool is_alone = m->told->a->count - m->told->a->unfinished < 2;
    *low = surest_gap(m->told->a, m->wide->a);
    *high = is_alone ? 0 : longest_gap(m->told->a) + 2 * m->time_error_ns;
}

void range_concurrency(const struct rule_motion *m, double *low, double *high)
{
    *low = fmax((double)m->narrow->a->concurrency_max, fmin(1, (double)m->told->a->concurrency_max));
    *high = (double)m->wide->a->concurrency_max;
}

/* To move one start past another changes two switches at most. */
void range_alternations(const struct rule_motion *m, double *low, double *high)
{
    const double told = (double)m->told->pair->alternations, unsure = 2 * (double)m->told->pair->close_starts;
    *low = fmax(0, told - unsure);
    *high = told + unsure;
}

void range_serial(const struct rule_motion *m, double *low, double *high)
{
    *low = (double)m->narrow->a->serial_violations;
    *high = (double)m->wide->a->serial_violations;
}

static double told_before(const struct rule_motion *m)
{
    return (double)(m->told->a->last_end_ns - m->told->b->first_start_ns);
}

void range_before(const struct rule_motion *m, double *low, double *high)
{
    *low = told_before(m) - 2 * m->time_error_ns;
    *high = told_before(m) + 2 * m->time_error_ns;
}

/* Both ends of a length move. Its own value is put in by the caller. */
void range_length(const struct rule_motion *m, double *low, double *high)
{
    *low = fmax(0, *low - 2 * m->time_error_ns);
    *high += 2 * m->time_error_ns;
}
