/* What did a word mean that names no variant, shape or parameter? */
#include "cli/record/variant_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/record/runner_process.h"
#include "core/base/count_of.h"

/* A word that the refusal may have quoted. */
struct suspect {
    const char *unknown; /* the refusal from where it quotes what it does not know */
    char word[NEAREST_WORD_MAX + 1];
    struct nearest_word near;
};

/* What is behind `words` at the start of `text`; NULL when it starts in another way. */
static const char *behind(const char *text, const char *words)
{
    const size_t length = strlen(words);
    return strncmp(text, words, length) ? NULL : text + length;
}

/* Takes the next word, up to one of `ends`; is it the unknown one? Others are quoted as well: the variant that takes no
 * such value was typed correctly. */
static bool suspect_take(struct suspect *s, const char *text, const char *ends)
{
    char quoted[sizeof s->word + 2];
    const size_t length = strcspn(text, ends);
    if (!length || length > NEAREST_WORD_MAX)
        return false;
    snprintf(s->word, sizeof s->word, "%.*s", (int)length, text);
    snprintf(quoted, sizeof quoted, "'%s'", s->word);
    return behind(s->unknown, quoted);
}

/* "pipelin" and "pipelin/..." are meant as all of a family. */
static void offer_family(struct nearest_word *near, const char *pattern, const char *name)
{
    char family[NEAREST_WORD_MAX + 1], said[sizeof family + 2], word[sizeof family];
    snprintf(family, sizeof family, "%.*s", (int)strcspn(name, "/"), name);
    snprintf(said, sizeof said, "%s/*", family);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(pattern, "/"), pattern);
    nearest_word_offer(near, word, family, said);
}

/* Within a family that is right only the rest counts, or all of its members would look alike. */
static void offer_variant(struct nearest_word *near, const char *pattern, const char *name)
{
    const char *cut = strchr(pattern, '/'), *end = strchr(name, '/');
    const char *rest = end ? end + 1 : name;
    if (!strcmp(pattern, name))
        return;
    if (cut && end && cut - pattern == end - name && !strncmp(pattern, name, (size_t)(end - name))) {
        nearest_word_offer(near, cut + 1, rest, name);
        return;
    }
    nearest_word_offer(near, pattern, cut ? name : rest, name);
    if (end && (!cut || strpbrk(cut, "*?[")))
        offer_family(near, pattern, name);
}

struct nearest_word variant_near(const json_t *variants, const char *pattern)
{
    struct nearest_word near = {0};
    size_t i;
    const json_t *variant;
    json_array_foreach (variants, i, variant)
        offer_variant(&near, pattern, json_get_text(variant, "name", ""));
    return near;
}

/* Names of `list` ("shapes", "axes") of one variant; of axes only those of `role`. */
static void offer_names(struct suspect *s, const json_t *variant, const char *list, const char *role)
{
    size_t i;
    const json_t *item;
    json_array_foreach (json_object_get(variant, list), i, item) {
        const char *name = json_get_text(item, "name", "");
        if ((!role || !strcmp(json_get_text(item, "role", ""), role)) && strcmp(name, s->word))
            nearest_word_offer(&s->near, s->word, name, name);
    }
}

/* The variant that the refusal names, and what it says of it. */
static const json_t *refused_variant(const json_t *variants, const struct err *e, const char **says)
{
    char start[NEAREST_WORD_MAX + 16];
    size_t i;
    const json_t *variant;
    json_array_foreach (variants, i, variant) {
        snprintf(start, sizeof start, "variant '%.100s' ", json_get_text(variant, "name", ""));
        if ((*says = behind(e->text, start)))
            return variant;
    }
    return NULL;
}

static void look_at_shapes(struct suspect *s, const struct run_request *q, const json_t *variant)
{
    const struct run_texts *shapes = &q->shapes;
    for (size_t i = 0; i < shapes->count; i++)
        for (const char *text = shapes->items[i]; *text; text += strcspn(text, ","), text += *text == ',')
            if (suspect_take(s, text, ",="))
                offer_names(s, variant, strchr(shapes->items[i], '=') ? "axes" : "shapes",
                            strchr(shapes->items[i], '=') ? "shape" : NULL);
}

static void look_at_parameters(struct suspect *s, const struct run_request *q, const json_t *variant)
{
    for (size_t i = 0; i < q->sets.count; i++)
        if (suspect_take(s, q->sets.items[i], "="))
            offer_names(s, variant, "axes", "parameter");
}

static void look_at_variants(struct suspect *s, const struct run_request *q, const json_t *variants)
{
    if (q->baseline && suspect_take(s, q->baseline, ""))
        s->near = variant_near(variants, s->word);
    for (size_t i = 0; i < q->variants.count && !*s->near.found; i++)
        if (suspect_take(s, q->variants.items[i], ""))
            s->near = variant_near(variants, s->word);
}

static int known_variants(const struct run_request *q, json_t **out)
{
    struct runner_arguments options = {0};
    int rc = 0;
    for (size_t i = 0; i < q->loads.count && !rc; i++)
        rc = runner_argument(&options, NULL, "--load=%s", q->loads.items[i]);
    if (!rc)
        rc = runner_ask_with("list", options.items, options.count, "variants.json", out, NULL);
    runner_arguments_release(&options);
    return rc;
}

/* Looks for the unknown word, if the refusal is of one: of a variant, or in what a variant was asked for. */
static void look(struct suspect *s, const struct run_request *q, const json_t *variants, const struct err *e)
{
    static const char *const unknown_variant[] = {"no variant matches ", "no variant is called "};
    static const struct {
        const char *words;
        void (*look_at)(struct suspect *s, const struct run_request *q, const json_t *variant);
    } unknown_part[] = {{"has no parameter ", look_at_parameters},
                        {"has no dimension ", look_at_shapes},
                        {"has no shape ", look_at_shapes}};
    const char *says = NULL;
    const json_t *variant = refused_variant(variants, e, &says);
    for (size_t i = 0; i < COUNT_OF(unknown_variant); i++)
        if ((s->unknown = behind(e->text, unknown_variant[i])))
            look_at_variants(s, q, variants);
    for (size_t i = 0; variant && i < COUNT_OF(unknown_part); i++)
        if ((s->unknown = behind(says, unknown_part[i].words)))
            unknown_part[i].look_at(s, q, variant);
}

void variant_words_suggest(const struct run_request *q, struct err *e)
{
    json_t *variants = NULL;
    struct suspect s = {0};
    char question[NEAREST_QUESTION_BYTES];
    if (known_variants(q, &variants))
        return;
    look(&s, q, variants, e);
    json_decref(variants);
    const size_t length = strlen(e->text);
    snprintf(e->text + length, sizeof e->text - length, "%s", nearest_word_question(&s.near, question));
}
