/* chip_words.h - which chips do people mean? A chip has a name, and cards that have it: "GH100", "H100". */
#ifndef CPPROF_CHIP_WORDS_H
#define CPPROF_CHIP_WORDS_H

#include "core/base/err.h"
#include "core/base/str.h"
#include "core/gpu/chips.h"

enum { CHIP_CAPABILITY_BYTES = 8 };

/* Returns the chip that is called so, or that a card of this name has; NULL when there is none. Case, blanks, '-' and
 * '_' do not matter: "rtx4090" is the RTX 4090. Names may be as tools print them: "NVIDIA A100-SXM4-80GB". */
const struct chip *chip_by_word(const char *word);

/* Gives the compute capability that a word states: "10.0" for "10.0", "sm_100", "sm_100a" and "compute_100". Returns
 * false when the word states none. */
bool chip_capability_read(const char *word, char capability[static CHIP_CAPABILITY_BYTES]);

/* Appends each compute capability that a chip has, once: "9.0, 10.0". */
void chip_words_add_capabilities(struct str *out);

/* Reads patterns of chips and names of cards, separated by blanks, as patterns of chips: "ad10? RTX 3090" becomes
 * "AD10? GA102", and "*" stays. Returns ERR_USAGE for a word that is no card and matches no chip. */
int chip_words_read(struct str *out, const char *text, struct err *e);

#endif
