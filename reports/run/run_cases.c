/* What must be said of a case where most of it is the same throughout the report? */
#include "reports/run/run_cases.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"

/* ---- words of a case: "mission", "ctas_per_sm=1" ---- */

static bool has_word(const char *words, const char *word, size_t length)
{
    for (const char *at = words; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && !strncmp(at, word, length))
            return true;
    return false;
}

/* The words of `words` that `others` has, too (or has not). */
static const char *choose_words(struct document *d, const char *words, const char *others, bool shared)
{
    struct str chosen;
    str_init(&chosen);
    for (const char *at = words; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (has_word(others, at, length) == shared) {
            str_add(&chosen, chosen.length ? " " : "");
            str_add_bytes(&chosen, at, length);
        }
        at += length;
    }
    const char *kept = arena_copy(&d->arena, str_text(&chosen));
    d->failed |= chosen.failed;
    str_release(&chosen);
    return kept;
}

/* ---- what is in common ---- */

static const char *common_words(const struct analysis *a, struct document *d)
{
    const char *common = NULL;
    if (!a->run) /* not joined */
        return "";
    for (size_t i = 0; i < a->run->arms.list.count; i++) {
        const char *config = a->run->arms.list.items[i]->config;
        if (*config)
            common = common ? choose_words(d, common, config, true) : config;
    }
    return common ? arena_copy(&d->arena, common) : "";
}

/* The case of all that was timed, where there is one. */
static const char *only_case(const struct analysis *a, struct document *d)
{
    const char *only = NULL;
    for (size_t i = 0; i < a->timings.count; i++) {
        const char *config = a->timings.items[i].config;
        if (only && strcmp(only, config) != 0)
            return NULL;
        only = config;
    }
    return only ? arena_copy(&d->arena, only) : NULL;
}

void cases_begin(const struct analysis *a, struct document *d)
{
    d->common_case = common_words(a, d);
    d->only_case = only_case(a, d);
}

const char *cases_common(struct document *d)
{
    return d->only_case ? d->only_case : d->common_case ? d->common_case : "";
}

/* ---- short ---- */

bool case_bytes(const char *word, size_t length, double *bytes)
{
    static const struct {
        const char *begins;
        double bytes;
    } kinds[] = {{"bytes=", 1}, {"kib", 1024}, {"mib", 1024 * 1024}, {"gib", 1024 * 1024 * 1024}};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const size_t begins = strlen(kinds[i].begins);
        if (length <= begins || length > begins + 15 || strncmp(word, kinds[i].begins, begins) != 0 ||
            strspn(word + begins, "0123456789") != length - begins)
            continue;
        *bytes = strtod(word + begins, NULL) * kinds[i].bytes;
        return true;
    }
    return false;
}

static void add_words(struct str *out, const char *words)
{
    for (const char *at = words; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        str_add(out, out->length ? " " : "");
        double bytes;
        char text[UNITS_TEXT_BYTES];
        if (case_bytes(at, length, &bytes))
            str_add(out, unit_format(text, UNIT_BYTES, bytes));
        else
            str_add_bytes(out, at, length);
        at += length;
    }
}

const char *case_short(struct document *d, const char *text)
{
    if (!d->common_case)
        return text;
    const char *comma = strstr(text, ", ");
    struct str head, out;
    str_init(&head);
    str_init(&out);
    str_add_bytes(&head, text, comma ? (size_t)(comma - text) : strlen(text));
    const bool is_only = d->only_case && !strcmp(d->only_case, str_text(&head));
    if (!is_only)
        add_words(&out, choose_words(d, str_text(&head), d->common_case, false));
    if (comma)
        str_add(&out, out.length ? comma : comma + 2);
    const char *words = arena_copy(&d->arena, str_text(&out));
    d->failed |= head.failed || out.failed;
    str_release(&head);
    str_release(&out);
    return words;
}
