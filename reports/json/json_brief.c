/* What does a program read that has no time for more than the first screen? cpprof.brief/1 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "reports/document/block.h"
#include "reports/document/document.h"
#include "reports/reports.h"
#include "reports/run/run_headline.h"

enum { ALL_BYTES = 2048 };

/* Cut between two characters. */
static json_t *short_text(const char *words, size_t bytes)
{
    struct str text;
    const size_t all = strlen(words);
    size_t length = all;
    str_init(&text);
    if (length > bytes) {
        length = bytes;
        while (length && ((unsigned char)words[length] & 0xc0) == 0x80)
            length--;
    }
    str_add_bytes(&text, words, length);
    str_add(&text, length < all ? "..." : "");
    json_t *value = text.failed ? NULL : json_text(str_text(&text));
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
static void set_line(json_t *out, const struct block *bullet, size_t bytes)
{
    struct str key, words;
    str_init(&key);
    str_init(&words);
    add_key(&key, bullet->items[0].text);
    add_words(&words, bullet, 1);
    const char *rest = str_text(&words) + strspn(str_text(&words), " ");
    if (key.length && !json_object_get(out, str_text(&key)))
        json_object_set_new(out, str_text(&key), short_text(rest, bytes));
    str_release(&key);
    str_release(&words);
}

/* Names are cut as lines are. */
static json_t *short_facts(const json_t *facts, size_t bytes)
{
    json_t *out = json_object(), *value;
    const char *key;
    json_object_foreach ((json_t *)facts, key, value)
        if (json_is_string(value))
            json_object_set_new(out, key, short_text(json_string_value(value), bytes));
        else
            json_object_set(out, key, value);
    return out;
}

static json_t *brief_of(const char *path, const struct document *d, size_t bytes)
{
    json_t *out = short_facts(d->facts, bytes);
    struct str headline;
    str_init(&headline);
    for (size_t i = 0; i < d->count; i++) {
        const struct block *block = &d->items[i];
        if (block->tier != TIER_SCREEN || !block->count)
            continue;
        if (!headline.length && (block->kind == BLOCK_HEADING || block->kind == BLOCK_PARAGRAPH))
            add_words(&headline, block, 0);
        else if (block->kind == BLOCK_BULLET && block->items[0].style == SPAN_STRONG)
            set_line(out, block, bytes);
    }
    json_object_set_new(out, "headline", short_text(str_text(&headline), bytes));
    json_object_set_new(out, "schema", json_string("cpprof.brief/1"));
    json_object_set_new(out, "bundle", json_text(path));
    str_release(&headline);
    return out;
}

static bool fits(const json_t *value)
{
    char *text = json_to_text(value);
    const bool short_enough = !text || strlen(text) <= ALL_BYTES;
    free(text);
    return short_enough;
}

/* Many lines are cut shorter than few. */
json_t *json_brief(const char *path, const struct document *d)
{
    static const size_t bytes[] = {200, 120, 60, 30, 15, 5};
    json_t *out = NULL;
    for (size_t i = 0; i < COUNT_OF(bytes) && (!out || !fits(out)); i++) {
        json_decref(out);
        out = brief_of(path, d, bytes[i]);
    }
    return out;
}

/* ---- of a run ---- */

/* A launch whose warps still move may only be long. */
static const char *verdict_of_hang(const struct hang *h, const char **reason)
{
    *reason = h->moving ? "still_moving" : "";
    return h->moving ? "inconclusive" : "does_not_end";
}

static const char *verdict_of(const struct analysis *a, const char **reason)
{
    if (a->hangs.count)
        return verdict_of_hang(&a->hangs.items[0], reason);
    for (size_t i = 0; i < a->selection.count; i++)
        if (analysis_is_wrong_kernel(a, &a->selection.items[i])) {
            *reason = selection_reasons[a->selection.items[i].reason].key;
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

/* The graver the larger. */
static int gravity(const struct comparison *c)
{
    return c->verdict >= COMPARE_UNUSABLE ? 3 : c->verdict == COMPARE_SLOWER ? 2 : c->verdict == COMPARE_INCONCLUSIVE;
}

static bool is_worse(const struct comparison *c, const struct comparison *than)
{
    if (gravity(c) != gravity(than))
        return gravity(c) > gravity(than);
    return c->ratio > than->ratio || (isnan(than->ratio) && !isnan(c->ratio));
}

/* The one that decides: which cannot be used, else is slower, else is open; of these the slowest. */
static const struct comparison *deciding(const struct analysis *a)
{
    const struct comparison *worst = NULL;
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (!worst || is_worse(c, worst))
            worst = c;
    }
    return worst;
}

json_t *json_brief_facts(const struct analysis *a)
{
    const char *reason = "", *verdict = verdict_of(a, &reason);
    const struct comparison *c = deciding(a);
    json_t *out = json_object();
    const struct headline_doubt doubt = run_headline_doubt(a);
    const bool is_good = c && (c->verdict == COMPARE_FASTER || c->verdict == COMPARE_EQUIVALENT ||
                               (doubt.uncompared && c->verdict == COMPARE_SLOWER));
    if (!verdict && (doubt.damaged || (is_good && (doubt.kernel || doubt.result)))) {
        verdict = doubt.damaged ? "damaged" : "unproven";
        reason = doubt.damaged ? "bundle" : doubt.kernel ? "kernel" : "result";
    } else if (!verdict && c) {
        verdict = comparison_verdict_name(c->verdict);
        reason = comparison_reasons[c->reason].key;
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
