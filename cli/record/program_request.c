/* Which programs are to be run as variants, and what of them is to be measured? */
#define _GNU_SOURCE
#include "cli/record/program_request.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/program_origin.h"
#include "core/base/count_of.h"
#include "core/base/nearest_word.h"
#include "core/run/kernel_choice.h"

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

int program_request_kernels(struct program_request *q, const char *text, struct err *e)
{
    if (q->kernel_count == COUNT_OF(q->kernels))
        return err_set(e, ERR_USAGE, "--kernels is given more often than there are variants");
    q->kernels[q->kernel_count++] = text;
    return 0;
}

static int check_one_of_two(const struct program_request *q, struct err *e)
{
    if (!q->kernel_count == !q->range)
        return err_set(e, ERR_USAGE, "what of the programs is to be measured? Give --kernels REGEX or --range NAME, %s",
                       q->range ? "not both" : "one of the two");
    return !q->range || (*q->range && *q->range != '@')
               ? 0
               : err_set(e, ERR_USAGE, "--range takes the name of an NVTX range, or NAME@DOMAIN");
}

static const struct program_arm *arm_at(const struct program_request *q, const char *name, size_t length)
{
    for (size_t i = 0; i < q->count; i++)
        if (strlen(q->arms[i].name) == length && !strncmp(q->arms[i].name, name, length))
            return &q->arms[i];
    return NULL;
}

/* "NAME=REGEX" is of the arm alone, and any other text of all that have none of their own. A name is said first, so an
 * '=' of the filter behind '@' begins none. */
static int take_kernels(struct program_request *q, const char *text, struct err *e)
{
    const size_t length = strcspn(text, "=@");
    const struct program_arm *named = text[length] == '=' ? arm_at(q, text, length) : NULL;
    const char *pattern = named ? text + length + 1 : text;
    struct kernel_choice choice;
    if (!named && text[length] == '=' && is_name(text, length))
        return err_set(e, ERR_USAGE,
                       "--kernels %s: '%.*s' is no --variant of this run (an expression that begins so takes brackets)",
                       text, (int)length, text);
    const int rc = kernel_choice_compile(&choice, pattern, e);
    if (rc)
        return rc;
    kernel_choice_free(&choice);
    for (size_t i = 0; i < q->count; i++) {
        struct program_arm *arm = &q->arms[i];
        if (named && arm != named)
            continue;
        if (named && arm->has_own_kernels)
            return err_set(e, ERR_USAGE, "--kernels is given twice for %s", arm->name);
        if (named || !arm->has_own_kernels)
            arm->choice.kernels = pattern;
        arm->has_own_kernels |= named != NULL;
    }
    q->kernels_of_all += !named;
    return q->kernels_of_all > 1
               ? err_set(e, ERR_USAGE, "--kernels is given twice for all variants: join them as 'ONE|OTHER'")
               : 0;
}

static int check_choice(struct program_request *q, struct err *e)
{
    int rc = check_one_of_two(q, e);
    q->kernels_of_all = 0;
    for (size_t i = 0; i < q->count; i++) {
        q->arms[i].choice = (struct work_choice){.range = q->range};
        q->arms[i].has_own_kernels = false;
    }
    for (size_t i = 0; i < q->kernel_count && !rc; i++)
        rc = take_kernels(q, q->kernels[i], e);
    for (size_t i = 0; i < q->count && !rc; i++)
        if (!q->arms[i].choice.kernels && !q->range)
            rc = err_set(e, ERR_USAGE, "which kernels of %s are to be measured? Give --kernels %s=REGEX, too",
                         q->arms[i].name, q->arms[i].name);
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

int program_request_check(struct program_request *q, struct err *e)
{
    if (q->baseline && !find_arm(q, q->baseline))
        return refuse_baseline(q, e);
    int rc = check_choice(q, e);
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
