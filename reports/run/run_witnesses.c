/* Do the witnesses of each arm agree? */
#include <string.h>

#include "reports/run/run_report.h"

enum { CONTRADICTIONS_MAX = 24 };

/* That nobody checked of any arm; `kinds` stand behind each other for each arm. */
static bool is_unchecked(const struct analysis *a, size_t kind, size_t kinds)
{
    for (size_t i = kind; i < a->witnesses.count; i += kinds)
        if (a->witnesses.items[i].status != WITNESS_NOT_CHECKED)
            return false;
    return true;
}

/* "not checked: cold_bytes, flush (no cold launches)", with the reason of the first arm. */
static void write_not_checked(const struct analysis *a, size_t kinds, struct document *d)
{
    const struct witness_check *items = a->witnesses.items, *last = NULL;
    for (size_t kind = 0; kind < kinds; kind++) {
        if (!is_unchecked(a, kind, kinds))
            continue;
        if (last && strcmp(last->detail, items[kind].detail) != 0)
            document_span(d, SPAN_PLAIN, " (%s)", last->detail);
        document_span(d, SPAN_PLAIN, "%s%s", last ? ", " : "; not checked: ", items[kind].witness);
        last = &items[kind];
    }
    if (last)
        document_span(d, SPAN_PLAIN, " (%s)", last->detail);
}

static void write_contradictions(const struct analysis *a, struct document *d)
{
    size_t said = 0, found = 0;
    for (size_t i = 0; i < a->witnesses.count; i++) {
        const struct witness_check *w = &a->witnesses.items[i];
        if (w->status != WITNESS_CONTRADICTED || found++ >= CONTRADICTIONS_MAX)
            continue;
        document_span(d, SPAN_PLAIN, "; ");
        words_arm(d, w->variant, w->config);
        document_span(d, SPAN_PLAIN, ": %s (%s)", w->detail, w->witness);
        said++;
    }
    if (found > said)
        document_span(d, SPAN_PLAIN, "; and %zu more", found - said);
}

/* Arms have the same witnesses in the same order. */
void run_witnesses_add(const struct analysis *a, struct document *d)
{
    size_t kinds = 0, count[WITNESS_CONTRADICTED + 1] = {0};
    while (kinds < a->witnesses.count &&
           (!kinds || strcmp(a->witnesses.items[kinds].witness, a->witnesses.items[0].witness)))
        kinds++;
    for (size_t i = 0; i < a->witnesses.count; i++)
        count[a->witnesses.items[i].status]++;
    if (!kinds)
        return;
    document_heading(d, 2, "Witnesses");
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "%s, %zu checks agree, %zu contradicted, %zu not made",
                  count[WITNESS_CONTRADICTED] ? "contradicted"
                  : count[WITNESS_AGREES]     ? "pass"
                                              : "not checked",
                  count[WITNESS_AGREES], count[WITNESS_CONTRADICTED], count[WITNESS_NOT_CHECKED]);
    write_contradictions(a, d);
    write_not_checked(a, kinds, d);
}
