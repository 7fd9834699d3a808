/* bundle_text.h - removes from texts what must not be handed on with a bundle: paths on this machine, and the machine's
 * name. */
#ifndef CPPROF_BUNDLE_TEXT_H
#define CPPROF_BUNDLE_TEXT_H

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"

/* Appends a text from outside. Each absolute path in it is shortened to its last part, wherever it begins: as a word,
 * after the name of an option ("-I/usr/include", "--out=/tmp/x"), in a list ("a:/b/c"), in the URL of a file
 * ("file:///b/c"). Relative paths and other URLs stay. The name of this machine becomes "HOST". */
void bundle_add_text(struct str *out, const char *text);

/* Does the same for a machine with that name; "" when it has none. */
void bundle_add_text_of(struct str *out, const char *text, const char *host);

/* Cleans all texts of a manifest in place. The machine's name is only looked for in texts from people and programs
 * (command lines, failures), because it may be one of our own words. */
int bundle_clean_manifest(json_t *manifest, struct err *e);

#endif
