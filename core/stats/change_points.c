/* Where does the level of a series change for good? */
#include "core/stats/change_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats/resampling.h"
#include "core/stats/statistics.h"

struct division {
    size_t at;
    double size; /* |difference of the means|, in units that do not depend on the place */
};

/* The place with the largest sum of squares between the sides, which leaves the smallest within them. */
static struct division best_division(const double *values, size_t count)
{
    struct division best = {0};
    const double n = (double)count, middle = mean(values, count);
    double sum = 0;
    for (size_t at = 1; at + CHANGE_SIDE_LEAST <= count; at++) {
        sum += values[at - 1] - middle;
        const double left = (double)at, size = fabs(sum) * sqrt(n / (left * (n - left)));
        if (at >= CHANGE_SIDE_LEAST && size > best.size)
            best = (struct division){at, size};
    }
    return best;
}

/* Fisher and Yates. */
static void shuffle(double *values, size_t count, uint64_t *state)
{
    for (size_t i = count; i > 1; i--) {
        const size_t other = resampling_draw(state, i);
        const double held = values[i - 1];
        values[i - 1] = values[other];
        values[other] = held;
    }
}

/* Rounding must not make an order that divides equally well look worse. */
static double share_of_orders(double *values, size_t count, double size)
{
    uint64_t state = resampling_seed;
    size_t as_good = 1;
    for (size_t i = 0; i < RESAMPLES; i++) {
        shuffle(values, count, &state);
        as_good += best_division(values, count).size >= size * (1 - 1e-9);
    }
    return (double)as_good / (RESAMPLES + 1);
}

/* Tests a part and, where it is divided, its parts. */
static int test_part(struct change_tests *out, const double *values, const struct change_test *part)
{
    if (part->count < CHANGE_VALUES_LEAST || out->list.count >= CHANGE_TESTS_MAX)
        return 0;
    double *copy = malloc(part->count * sizeof *copy);
    struct change_test *test = ARRAY_PUSH(&out->list);
    if (!copy || !test) {
        free(copy);
        return -1;
    }
    memcpy(copy, values + part->first, part->count * sizeof *copy);
    const struct division best = best_division(copy, part->count);
    *test = *part;
    test->at = part->first + best.at;
    test->p_value = best.size > 0 ? share_of_orders(copy, part->count, best.size) : 1;
    free(copy);
    if (!(test->p_value < CHANGE_LEVEL))
        return 0;
    const long parent = (long)out->list.count - 1;
    const struct change_test left = {.first = part->first, .count = best.at, .parent = parent};
    const struct change_test right = {.first = test->at, .count = part->count - best.at, .parent = parent};
    const int rc = test_part(out, values, &left);
    return rc ? rc : test_part(out, values, &right);
}

int change_points_test(struct change_tests *out, const double *values, size_t count)
{
    const struct change_test whole = {.count = count, .parent = -1};
    return test_part(out, values, &whole);
}

void change_tests_release(struct change_tests *tests)
{
    free(tests->list.items);
    *tests = (struct change_tests){0};
}
