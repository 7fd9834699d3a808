/* Which chip do people mean? */
#include "cli/list_chip.h"

#include "base/str.h"
#include "gpu/chip_words.h"

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
