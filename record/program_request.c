/* Which programs are to be run as variants, and what of them is to be measured? */
#define _GNU_SOURCE
#include "record/program_request.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest_word.h"
#include "base/pattern.h"
#include "record/program_origin.h"

/* A name becomes a file name and a word of rules: nothing in it needs quotes. */
static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && (!strchr("._-+", text[i]) || i == 0))
            return false;
    return length > 0 && length <= PROGRAM_NAME_BYTES_MAX;
}

static const struct program_arm *find_arm(const struct program_request *q, const char *name)
{
    for (size_t i = 0; i < q->count; i++)
        if (!strcmp(q->arms[i].name, name))
            return &q->arms[i];
    return NULL;
}

int program_request_add(struct program_request *q, const char *text, struct err *e)
{
    const char *equals = strchr(text, '=');
    if (!equals || !is_name(text, (size_t)(equals - text)))
        return err_set(e, ERR_USAGE,
                       "--variant takes NAME='COMMAND LINE' with a name of letters, digits and ._-+, not '%s'", text);
    if (q->count == PROGRAM_ARMS_MAX)
        return err_set(e, ERR_USAGE, "more than %d variants in one run", PROGRAM_ARMS_MAX);
    struct program_arm *arm = &q->arms[q->count];
    *arm = (struct program_arm){.name = strndup(text, (size_t)(equals - text))};
    if (!arm->name)
        return err_memory(e);
    q->count++;
    for (size_t i = 0; i + 1 < q->count; i++)
        if (!strcmp(q->arms[i].name, arm->name))
            return err_set(e, ERR_USAGE, "two variants are called '%s'", arm->name);
    int rc = words_split(&arm->words, equals + 1, e);
    return rc ? err_context(e, "--variant %s", arm->name) : 0;
}

int program_request_tolerance(struct program_request *q, const char *text, struct err *e)
{
    char *end;
    q->tolerance = (struct array_tolerance){strtod(text, &end), 0};
    bool ok = end != text;
    if (ok && *end == ',') {
        const char *second = end + 1;
        q->tolerance.relative = strtod(second, &end);
        ok = end != second;
    }
    if (!ok || *end || !(q->tolerance.absolute >= 0) || !(q->tolerance.relative >= 0) ||
        !isfinite(q->tolerance.absolute + q->tolerance.relative))
        return err_set(e, ERR_USAGE, "--tolerance takes ABS or ABS,REL, such as 1e-3,1e-2, not '%s'", text);
    return 0;
}

static int check_choice(const struct work_choice *choice, struct err *e)
{
    regex_t compiled;
    if (!choice->kernels == !choice->range)
        return err_set(e, ERR_USAGE, "what of the programs is to be measured? Give --kernels REGEX or --range NAME, %s",
                       choice->kernels ? "not both" : "one of the two");
    if (choice->range)
        return *choice->range && *choice->range != '@'
                   ? 0
                   : err_set(e, ERR_USAGE, "--range takes the name of an NVTX range, or NAME@DOMAIN");
    if (!*choice->kernels)
        return err_set(e, ERR_USAGE, "--kernels takes a regular expression: an empty one would match every kernel");
    int rc = pattern_compile(&compiled, choice->kernels, "--kernels", e);
    if (!rc)
        regfree(&compiled);
    return rc;
}

static int refuse_baseline(const struct program_request *q, struct err *e)
{
    struct nearest_word near = {0};
    for (size_t i = 0; i < q->count; i++)
        nearest_word_offer(&near, q->baseline, q->arms[i].name, q->arms[i].name);
    char question[NEAREST_QUESTION_BYTES];
    return err_set(e, ERR_USAGE, "the baseline '%s' is no --variant of this run%s", q->baseline,
                   nearest_word_question(&near, question));
}

int program_request_check(const struct program_request *q, struct err *e)
{
    if (q->baseline && !find_arm(q, q->baseline))
        return refuse_baseline(q, e);
    int rc = check_choice(&q->choice, e);
    for (size_t i = 0; i < q->count && !rc; i++)
        if (!program_is_there(q->arms[i].words.items[0]))
            rc = err_set(e, ERR_ENVIRONMENT,
                         "the program '%s' of --variant %s cannot be started: it is not there, or no program",
                         q->arms[i].words.items[0], q->arms[i].name);
    return rc;
}

void program_request_release(struct program_request *q)
{
    for (size_t i = 0; i < q->count; i++) {
        free(q->arms[i].name);
        words_release(&q->arms[i].words);
    }
    q->count = 0;
}

static json_t *describe_arm(const struct program_arm *arm)
{
    json_t *words = json_array();
    for (size_t i = 0; i < arm->words.count; i++)
        json_array_append_new(words, json_text(arm->words.items[i]));
    return json_pack("{s:s,s:o,s:o,s:[]}", "variant", arm->name, "command", words, "files",
                     program_files(arm->words.items, arm->words.count), "processes");
}

json_t *program_request_describe(const struct program_request *q)
{
    json_t *programs = json_array();
    for (size_t i = 0; i < q->count; i++)
        json_array_append_new(programs, describe_arm(&q->arms[i]));
    return programs;
}
