/* What does a program read that has no time for more than the first screen? cpprof.brief/1 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "reports/document/block.h"
#include "reports/document/document.h"
#include "reports/reports.h"

enum { TEXT_BYTES = 200 }; /* of a line: all of them together are at most 2 KiB */

/* Cut between two characters. */
static json_t *short_text(const struct str *words)
{
    struct str text;
    size_t length = words->length;
    str_init(&text);
    if (length > TEXT_BYTES) {
        length = TEXT_BYTES;
        while (length && ((unsigned char)words->text[length] & 0xc0) == 0x80)
            length--;
    }
    str_add_bytes(&text, str_text(words), length);
    str_add(&text, length < words->length ? "..." : "");
    json_t *value = text.failed || words->failed ? NULL : json_text(str_text(&text));
    str_release(&text);
    return value;
}

static void add_words(struct str *out, const struct block *block, size_t first)
{
    for (size_t i = first; i < block->count; i++)
        str_add(out, block->items[i].text);
}

/* "To try:" is the member "to_try". */
static void add_key(struct str *out, const char *question)
{
    for (; *question && *question != ':'; question++)
        str_add_char(out, isalnum((unsigned char)*question) ? (char)tolower((unsigned char)*question) : '_');
}

/* A bullet that begins with its question. Of several with one question the first. */
static void set_line(json_t *out, const struct block *bullet)
{
    struct str key, words;
    str_init(&key);
    str_init(&words);
    add_key(&key, bullet->items[0].text);
    add_words(&words, bullet, 1);
    size_t blanks = strspn(str_text(&words), " ");
    struct str rest;
    str_init(&rest);
    str_add(&rest, str_text(&words) + blanks);
    if (key.length && !json_object_get(out, str_text(&key)))
        json_object_set_new(out, str_text(&key), short_text(&rest));
    str_release(&key);
    str_release(&words);
    str_release(&rest);
}

json_t *json_brief(const char *path, const struct document *d)
{
    json_t *out = d->facts ? json_deep_copy(d->facts) : json_object();
    struct str headline;
    str_init(&headline);
    json_object_set_new(out, "schema", json_string("cpprof.brief/1"));
    json_object_set_new(out, "bundle", json_text(path));
    for (size_t i = 0; i < d->count; i++) {
        const struct block *block = &d->items[i];
        if (block->tier != TIER_SCREEN || !block->count)
            continue;
        if (!headline.length && (block->kind == BLOCK_HEADING || block->kind == BLOCK_PARAGRAPH))
            add_words(&headline, block, 0);
        else if (block->kind == BLOCK_BULLET && block->items[0].style == SPAN_STRONG)
            set_line(out, block);
    }
    json_object_set_new(out, "headline", short_text(&headline));
    str_release(&headline);
    return out;
}

/* ---- of a run ---- */

static const char *verdict_of(const struct analysis *a, const char **reason)
{
    for (size_t i = 0; i < a->selection.count; i++)
        if (analysis_is_wrong_kernel(a, &a->selection.items[i])) {
            *reason = a->selection.items[i].reason;
            return "wrong_kernel";
        }
    *reason = "";
    if (analysis_is_contradicted(a))
        return "contradicted";
    for (size_t i = 0; i < a->correctness.count; i++)
        if (a->correctness.items[i].status == VERDICT_FAIL)
            return "wrong_result";
    return NULL;
}

/* The one that decides: which is slowest, or cannot be used. */
static const struct comparison *deciding(const struct analysis *a)
{
    const struct comparison *worst = NULL;
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (!worst || c->verdict >= COMPARE_UNUSABLE || (worst->verdict < COMPARE_UNUSABLE && c->ratio > worst->ratio))
            worst = c;
    }
    return worst;
}

json_t *json_brief_facts(const struct analysis *a)
{
    const char *reason = "", *verdict = verdict_of(a, &reason);
    const struct comparison *c = deciding(a);
    json_t *out = json_object();
    if (!verdict && c) {
        verdict = comparison_verdict_name(c->verdict);
        reason = c->reason;
    }
    json_object_set_new(out, "verdict", verdict ? json_string(verdict) : json_null());
    json_object_set_new(out, "reason", *reason ? json_text(reason) : json_null());
    if (!c)
        return out;
    json_object_set_new(out, "candidate", json_text(c->candidate));
    json_object_set_new(out, "baseline", json_text(c->baseline));
    json_object_set_new(out, "shape", json_text(c->config));
    json_object_set_new(out, "speedup", json_number_or_null(c->speedup));
    json_object_set_new(out, "speedup_low", json_number_or_null(1 / c->ci_high));
    json_object_set_new(out, "speedup_high", json_number_or_null(1 / c->ci_low));
    json_object_set_new(out, "candidate_ns", json_number_or_null(c->candidate_ns));
    json_object_set_new(out, "baseline_ns", json_number_or_null(c->baseline_ns));
    json_object_set_new(out, "comparisons", json_integer((json_int_t)a->comparisons.count));
    return out;
}
