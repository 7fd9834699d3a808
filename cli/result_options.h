/* result_options.h - in which format does the result go where? The options of
 * every command that shows what it measured. */
#ifndef CPPROF_RESULT_OPTIONS_H
#define CPPROF_RESULT_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "cli/output.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "reports/document/document.h"
#include "reports/json/json_csv.h"

struct result_options {
    const char *format; /* NULL until the command line is read: as `output` is called, else text */
    const char *output;
    bool force;
    const struct other_format *others; /* that the command knows besides; NULL: none */
};

/* As a child of a command's argp; its input is the struct above, begun as
 * zeros but for `others`. */
extern const struct argp result_argp;

bool result_is_json(const struct result_options *o);

/* CSV, of commands whose `others` this is. */
extern const struct other_format result_csv[];
bool result_is_data(const struct result_options *o); /* JSON or CSV */

/* What is wrong with the command line is said before anything is measured: an unknown format, a file that
 * exists. */
int result_options_check(const struct result_options *o, struct err *e);

/* Writes the JSON (whose reference it takes) or the document, as asked. */
int result_write_json(const struct result_options *o, json_t *value, struct err *e);
/* The same, or its rows as CSV. */
int result_write_data(const struct result_options *o, json_t *value, const struct json_rows *rows, struct err *e);
int result_write_document(const struct result_options *o, const struct document *d, struct err *e);

#endif
