/* Can the counters that a command line asks for be collected? */
#include "cli/metric_words.h"

#include <stdlib.h>
#include <string.h>

#include "cli/record/runner_process.h"
#include "core/base/array.h"
#include "core/gpu/metric_choice.h"
#include "core/gpu/metric_sets.h"

/* Every name of CUPTI's has an ending: what has none is meant as one of ours. */
static int refuse_word(const char *word, struct err *e)
{
    struct str near;
    str_init(&near);
    metric_words_near(&near, word);
    const int rc = err_set(e, ERR_USAGE,
                           "--metrics: no set and no counter is called '%s'%s%s; 'cpprof list --metrics' names ours, "
                           "'cpprof list --metrics REGEX --chip gh100' a chip's, with their endings (.sum)",
                           word, near.length ? "; nearest: " : "", str_text(&near));
    str_release(&near);
    return rc;
}

static int refuse_name(const char *chip, const json_t *unknown, struct err *e)
{
    struct str near;
    str_init(&near);
    size_t i;
    json_t *name;
    json_array_foreach (json_object_get(unknown, "near"), i, name)
        str_addf(&near, "%s%s", i ? ", " : "; nearest: ", json_string_value(name));
    const int rc =
        err_set(e, ERR_USAGE, "--metrics: %s has no counter '%s'%s; 'cpprof list --metrics REGEX --chip %s' lists them",
                chip, json_get_text(unknown, "name", ""), str_text(&near), chip);
    str_release(&near);
    return rc;
}

/* What only the chip can tell. Where counters cannot be had at all (no CUPTI, a chip that it does not know), a run goes
 * on without them and says why, as it does when the driver refuses them. */
static int ask_chip(const struct metric_request *q, struct runner_arguments *options, struct err *e)
{
    json_t *answer = NULL;
    int rc = runner_argument(options, e, "--device=%ld", q->device);
    if (!rc)
        rc = runner_ask_with("metrics", options->items, options->count, "chip.json", &answer, e);
    const json_t *unknown = json_array_get(json_object_get(answer, "unknown"), 0);
    if (!rc && unknown)
        rc = refuse_name(json_get_text(answer, "chip", "the chip"), unknown, e);
    json_decref(answer);
    if (rc != ERR_ENVIRONMENT)
        return rc;
    *e = (struct err){0};
    return 0;
}

static int check_known(const struct metric_request *q, struct err *e)
{
    struct runner_arguments options = {0};
    int rc = 0;
    for (size_t i = 0; i < q->count && !rc; i++) {
        if (metric_word_is_ours(q->words[i]))
            continue;
        rc = strchr(q->words[i], '.') ? runner_argument(&options, e, "--metric=%s", q->words[i])
                                      : refuse_word(q->words[i], e);
    }
    if (!rc && options.count)
        rc = ask_chip(q, &options, e);
    runner_arguments_release(&options);
    return rc;
}

/* A kernel of somebody else's is replayed once, for one configuration. */
static int check_links(const struct metric_request *q, struct err *e)
{
    struct metric_choice choice = {0};
    int rc = 0;
    for (size_t i = 0; i < q->count && !rc; i++)
        rc = metric_choice_add(&choice, q->words[i], e);
    if (!rc && q->of_programs && metric_choice_is_mixed(&choice))
        rc = err_set(e, ERR_USAGE,
                     "--metrics: counters of NVLink and PCIe are not collected together with others of a program: "
                     "use two runs");
    metric_choice_release(&choice);
    return rc;
}

int metric_words_check(const struct metric_request *q, struct err *e)
{
    for (size_t i = 0; i < q->count && q->count > 1; i++)
        if (!strcmp(q->words[i], "none"))
            return err_set(e, ERR_USAGE, "--metrics: 'none' stands alone");
    const int rc = check_known(q, e);
    return rc ? rc : check_links(q, e);
}
