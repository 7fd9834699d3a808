/* text_table.h - a table in characters. */
#ifndef CPPROF_TEXT_TABLE_H
#define CPPROF_TEXT_TABLE_H

#include "core/base/str.h"
#include "reports/document/block.h"
#include "reports/document/document.h"

/* A row is a line. Where the view has fewer columns than the table, titles and sentences take several lines, then long
 * names are cut in their middle, then the table becomes several, each of which begins with what tells its rows apart.
 * No line is longer than the view. */
void text_table_add(struct str *out, const struct block *table, const struct document_view *view);

#endif
