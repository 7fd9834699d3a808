/* block.h - the inside of a document, for the renderers in this folder. */
#ifndef CPPROF_BLOCK_H
#define CPPROF_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/str.h"
#include "reports/document/span.h"

struct document;

enum block_kind { BLOCK_HEADING, BLOCK_PARAGRAPH, BLOCK_BULLET, BLOCK_TABLE, BLOCK_CODE, BLOCK_PICTURE };

struct block {
    enum block_kind kind;
    enum tier tier;
    int level;                             /* headings: 1..3 */
    const struct picture *picture;         /* pictures */
    const struct document_column *columns; /* tables */
    size_t column_count;
    size_t spare;       /* of the columns, the last ones: document_table_spare */
    size_t kept;        /* rows that no cut takes: document_table_keep */
    struct span *items; /* the words; of a table its cells, row by row; of a picture its caption */
    size_t count, capacity;
};

/* Most columns of a name or a table cell, and of any other stretch of words. */
enum { NAME_COLUMNS_MAX = 200, WORDS_COLUMNS_MAX = 2000 };

/* Rows of a table; the last one may lack cells. */
size_t block_rows(const struct block *table);
/* The cell, or an empty span where the last row lacks it. */
struct span block_cell(const struct block *table, size_t row, size_t column);

/* Appends `text` as visible, valid UTF-8 on one line; beyond `columns_max`
 * characters it is cut, and the cut says how long the text was. */
void visible_add(struct str *out, const char *text, size_t columns_max);
/* As visible_add, with the limit of a span in running words. */
void visible_add_span(struct str *out, const struct span *span);
/* Appends preformatted text: lines stay lines, nothing is cut. */
void visible_add_lines(struct str *out, const char *text, const char *indent);
/* Characters of valid UTF-8, one column each. */
size_t visible_columns(const char *text);
/* The bytes of the first so many characters. */
size_t visible_bytes(const char *text, size_t columns);

#endif
