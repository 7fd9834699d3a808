/* list --chip: which cards have this chip, how is it sampled, and which commands work on it? */
#include "cli/list/list_chip.h"

#include <string.h>

#include "cli/output.h"
#include "core/base/units.h"
#include "core/gpu/chip_words.h"

const struct chip *list_chip_find(const char *word)
{
    char capability[CHIP_CAPABILITY_BYTES];
    return chip_capability_read(word, capability) ? chip_by_capability(capability) : chip_by_word(word);
}

int list_chip_refuse(const char *word, struct err *e)
{
    char capability[CHIP_CAPABILITY_BYTES];
    if (!chip_capability_read(word, capability))
        return err_set(e, ERR_USAGE,
                       "--chip: no chip and no card is called '%.60s': look it up by compute capability, as --chip 8.6",
                       word);
    struct str known;
    str_init(&known);
    chip_words_add_capabilities(&known);
    const int rc = err_set(e, ERR_USAGE, "--chip: no chip of compute capability %s is known, but of %s", capability,
                           str_text(&known));
    str_release(&known);
    return rc;
}

/* The others of its capability have the same SMs, but not always the same counters. */
static void describe_choice(struct document *d, const struct chip *chip)
{
    size_t count, others = 0;
    const struct chip *chips = chips_known(&count);
    for (size_t i = 0; i < count; i++) {
        if (&chips[i] == chip || strcmp(chips[i].capability, chip->capability) != 0)
            continue;
        if (others++) {
            document_span(d, SPAN_PLAIN, ", %s", chips[i].name);
            continue;
        }
        document_bullet(d);
        document_span(d, SPAN_PLAIN, "the first chip of %s; the others are %s", chip->capability, chips[i].name);
    }
}

static void describe_sampling(struct document *d, const struct chip *chip)
{
    const char *by = chip_sampled_by(chip);
    document_bullet(d);
    if (!strcmp(by, "time")) {
        document_span(d, SPAN_PLAIN, "sampled by time: 'cpprof profile' and 'run --inside' have samples of its units");
        return;
    }
    char cycles[UNITS_TEXT_BYTES];
    if (!strcmp(by, "nothing"))
        document_span(d, SPAN_PLAIN, "sampled by nothing");
    else
        document_span(d, SPAN_PLAIN, "sampled by cycles, %s at least",
                      unit_format(cycles, UNIT_COUNT, chip->sample_cycles));
    document_span(d, SPAN_PLAIN, ": neither 'cpprof profile' nor 'run --inside' has samples of its units");
}

void list_chip_describe(struct document *d, const struct chip *chip, const char *word)
{
    char capability[CHIP_CAPABILITY_BYTES];
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "chip %s, compute capability %s%s%s", chip->name, chip->capability,
                  *chip->cards ? "; cards: " : "", chip->cards);
    if (chip_capability_read(word, capability))
        describe_choice(d, chip);
    if (!chip_has_counters(chip)) {
        document_bullet(d);
        document_span(d, SPAN_PLAIN, "CUPTI opens none of its counters");
    }
    describe_sampling(d, chip);
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "%s",
                  chip_runs_variants(chip) ? "'cpprof run' accepts it; 'cpprof list VARIANT' says what a variant needs"
                                           : "'cpprof run' refuses it: variants need compute capability 8.0 or newer");
}

int list_chip(const char *word, const char *format, struct err *e)
{
    const struct chip *chip = list_chip_find(word);
    if (!chip)
        return list_chip_refuse(word, e);
    if (!strcmp(format, "json"))
        return err_set(e, ERR_USAGE, "--chip: only its counters are written as json: add --metrics");
    struct document d;
    document_init(&d);
    list_chip_describe(&d, chip, word);
    const int rc = output_document(&d, format, NULL, false, e);
    document_release(&d);
    return rc;
}
