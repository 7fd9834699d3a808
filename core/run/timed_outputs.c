/* How many outputs of a solution's timed launches were verified? */
#include "core/run/timed_outputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNTED " timed outputs"
#define SET_UP  "set up in "

static bool begins_with(const char *text, const char *word)
{
    return !strncmp(text, word, strlen(word));
}

/* Returns the number of "24 timed outputs"; NAN of another part of a hint. */
static double count_in(const char *part, struct timed_outputs *out)
{
    char *end;
    const double count = (double)strtoul(part, &end, 10);
    if (*part < '0' || *part > '9' || !begins_with(end, COUNTED))
        return NAN;
    out->without_gate |= begins_with(end + strlen(COUNTED), " without a gate");
    return count;
}

/* Returns the number of outputs that a hint tells of; NAN: it tells of none. The parts stand behind "; ". */
static double read_hint(const char *hint, struct timed_outputs *out)
{
    double count = NAN;
    for (const char *part = hint, *next; part; part = next) {
        next = strstr(part, "; ");
        next = next ? next + 2 : NULL;
        count = fmax(count, count_in(part, out)); /* fmax leaves a NAN out */
        if (begins_with(part, SET_UP))
            out->set_up_ns = fmax(out->set_up_ns, (double)strtoul(part + strlen(SET_UP), NULL, 10));
        out->judged_inside |= begins_with(part, "inside, ");
        out->judged_on_host |= begins_with(part, "on the host, ");
    }
    return count;
}

static bool is_of_timed(const char *phase)
{
    return !strcmp(phase, VERIFY_TIMED) || !strcmp(phase, VERIFY_TIMED_COLD);
}

/* An arm without a count has none where others have one. */
static bool counts_any(const struct table *verify)
{
    struct timed_outputs unused = {0};
    for (size_t row = 0; row < table_rows(verify); row++)
        if (is_of_timed(table_text(verify, row, VERIFY_PHASE)) &&
            isfinite(read_hint(table_text(verify, row, VERIFY_HINT), &unused)))
            return true;
    return false;
}

struct timed_outputs timed_outputs_of(const struct arm_table *verify, const struct arm *arm, const char *cache)
{
    const char *phase = strcmp(cache, "cold") ? VERIFY_TIMED : VERIFY_TIMED_COLD;
    const struct arm_places rows = arm_table_rows(verify, arm);
    struct timed_outputs out = {.set_up_ns = NAN};
    for (size_t i = 0; i < rows.count; i++) {
        const size_t row = rows.items[i];
        if (strcmp(table_text(verify->table, row, VERIFY_PHASE), phase) != 0)
            continue;
        const double count = read_hint(table_text(verify->table, row, VERIFY_HINT), &out);
        out.is_counted |= isfinite(count);
        if (isfinite(count) && !strcmp(table_text(verify->table, row, VERIFY_PASS), "yes"))
            out.right += count;
    }
    out.is_counted = out.is_counted || counts_any(verify->table);
    return out;
}

double timed_outputs_unseen(const struct timed_outputs *t)
{
    return t->is_counted ? fmin(3 / t->right, 1) : NAN;
}

bool timed_outputs_suffice(const struct timed_outputs *t, double least)
{
    return !t->is_counted || (!t->without_gate && least > timed_outputs_unseen(t));
}
