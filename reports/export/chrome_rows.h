/* chrome_rows.h - the rows of a Chrome trace, one at a time into a sink. Each is an object with members. */
#ifndef CPPROF_CHROME_ROWS_H
#define CPPROF_CHROME_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/byte_sink.h"
#include "core/base/err.h"
#include "core/base/str.h"

struct chrome_rows {
    struct byte_sink *sink;
    struct str row; /* the one that is begun */
    bool has_rows;
};

void chrome_begin_row(struct chrome_rows *r, const char *phase);
int chrome_end_row(struct chrome_rows *r, struct err *e);

/* Append a member to an object. Keys and words need no escapes; a text is anybody's. */
void chrome_add_key(struct str *row, const char *key);
void chrome_add_whole(struct str *row, const char *key, int64_t value);
void chrome_add_us(struct str *row, const char *key, int64_t ns);
void chrome_add_word(struct str *row, const char *key, const char *word);
void chrome_add_text(struct str *row, const char *key, const char *text, size_t length);
void chrome_add_line(struct str *row, int64_t process, int64_t thread);
void chrome_begin_args(struct str *row); /* an object, which '}' ends */

#endif
