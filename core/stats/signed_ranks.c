/* Where is the middle of values that scatter symmetrically? (docs/statistics.md) */
#include "core/stats/signed_ranks.h"

#include <math.h>
#include <stdlib.h>

#include "core/stats/statistics.h"

/* missing[k] = 2 P(W <= k), where W is the sum of those of the ranks 1 to n that a fair coin selects. `missing` has
 * room for all sums, 0 to n (n + 1) / 2, and is zeroed. */
static void fill_missing(double *missing, size_t n)
{
    size_t most = 0;
    missing[0] = 1;
    for (size_t rank = 1; rank <= n; rank++) {
        most += rank;
        for (size_t sum = most + 1; sum-- > 0;) /* downwards: lower entries are still those without this rank */
            missing[sum] = (missing[sum] + (sum >= rank ? missing[sum - rank] : 0)) / 2;
    }
    double chance = 0;
    for (size_t sum = 0; sum <= most; sum++) {
        chance += missing[sum];
        missing[sum] = 2 * chance;
    }
}

static void fill_walsh(double *walsh, const double *values, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            walsh[count++] = values[i] / 2 + values[j] / 2;
    sort_doubles(walsh, count);
}

int signed_ranks_init(struct signed_ranks *s, const double *values, size_t count)
{
    const size_t means = count * (count + 1) / 2;
    *s = (struct signed_ranks){calloc(means, sizeof *s->walsh), calloc(means + 1, sizeof *s->missing), means};
    if (!s->walsh || !s->missing) {
        signed_ranks_release(s);
        return -1;
    }
    fill_walsh(s->walsh, values, count);
    fill_missing(s->missing, count);
    return 0;
}

void signed_ranks_release(struct signed_ranks *s)
{
    free(s->walsh);
    free(s->missing);
    *s = (struct signed_ranks){0};
}

double signed_ranks_middle(const struct signed_ranks *s)
{
    return quantile_sorted(s->walsh, s->count, 0.5);
}

/* Takes the averages of the values, or of the negated values: what holds for the lower end then holds for the upper
 * one. */
static double walsh_at(const struct signed_ranks *s, size_t k, int sign)
{
    return sign > 0 ? s->walsh[k] : -s->walsh[s->count - 1 - k];
}

static double low_end(const struct signed_ranks *s, double alpha, int sign)
{
    size_t k = 0;
    while (k + 1 < s->count && s->missing[k + 1] <= alpha)
        k++;
    const double at = walsh_at(s, k, sign);
    if (k + 1 == s->count || alpha <= s->missing[k])
        return at;
    return at + (walsh_at(s, k + 1, sign) - at) * (alpha - s->missing[k]) / (s->missing[k + 1] - s->missing[k]);
}

struct middle_interval signed_ranks_interval(const struct signed_ranks *s, double alpha)
{
    return (struct middle_interval){low_end(s, alpha, 1), -low_end(s, alpha, -1)};
}

static double reach_down(const struct signed_ranks *s, double limit, int sign)
{
    size_t below = 0; /* averages that are not above the limit */
    while (below < s->count && walsh_at(s, below, sign) <= limit)
        below++;
    if (below == 0 || below == s->count)
        return below ? 1 : s->missing[0];
    const size_t k = below - 1;
    const double at = walsh_at(s, k, sign), share = (limit - at) / (walsh_at(s, below, sign) - at);
    return fmin(1, s->missing[k] + share * (s->missing[below] - s->missing[k]));
}

double signed_ranks_reach_down(const struct signed_ranks *s, double limit)
{
    return reach_down(s, limit, 1);
}

double signed_ranks_reach_up(const struct signed_ranks *s, double limit)
{
    return reach_down(s, -limit, -1);
}
