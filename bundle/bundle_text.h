/* bundle_text.h - texts as they may stand in a bundle, which is handed on: nothing
 * in them says where on this machine a file lies, or what the machine is called. */
#ifndef CPPROF_BUNDLE_TEXT_H
#define CPPROF_BUNDLE_TEXT_H

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

/* Appends somebody's own words. Each absolute path in them is cut down to its last
 * part, wherever it begins: as a word of its own, behind an option's name
 * ("-I/usr/include", "--out=/tmp/x"), in a list ("a:/b/c"), as an URL of a file
 * ("file:///b/c"). Relative paths and other URLs stay. The name of this machine
 * becomes "HOST". */
void bundle_add_text(struct str *out, const char *text);

/* The same for a machine of that name; "" for one without. */
void bundle_add_text_of(struct str *out, const char *text, const char *host);

/* All texts of a manifest, in place. The machine's name is looked for where people
 * and programs have their say (command lines, failures), as it may be a word of ours. */
int bundle_clean_manifest(json_t *manifest, struct err *e);

#endif
