/* document.h - a report before it has a format: blocks of plain strings. Text
 * from strangers goes in as it is; each renderer makes it inert. */
#ifndef CPPROF_DOCUMENT_H
#define CPPROF_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"
#include "core/base/strtab.h"
#include "core/base/units.h"
#include "reports/document/span.h"

struct block; /* reports/document/block.h, for the renderers */

struct document {
    struct arena arena;
    struct block *items;
    size_t count, capacity;
    enum tier tier;                      /* of the blocks that are added next; TIER_SCREEN at first */
    int lower;                           /* levels of headings */
    size_t lines_max;                    /* that people read of it without asking for more; 0: any number */
    const char *common_case, *only_case; /* reports/run/run_cases.h; NULL where cases are said in full */
    json_t *facts;                       /* what programs read of the first screen; owned, NULL: none */
    struct strtab cuts;                  /* how names that were cut are shown */
    struct {
        const char **items; /* the name of each cut */
        size_t count, capacity;
    } cut_names;
    bool failed; /* memory ran out; checked once by the renderer */
};

void document_init(struct document *d);
void document_release(struct document *d);

/* The blocks that are added next stand in this tier. A section is a heading of level 2 with what follows it: the
 * heading is shown where anything of its section is. */
void document_tier(struct document *d, enum tier tier);
/* What follows in this section is evidence, for who doubts the rest: TIER_ALL, but on a page that is one screen.
 * Returns the tier up to here. */
enum tier document_evidence(struct document *d);
/* The same where it is about so many things that nobody reads a row for each. */
enum tier document_evidence_of(struct document *d, size_t count);

/* Headings that are added next stand so many levels lower: of a page that is part of another. */
void document_lower(struct document *d, int levels);
/* Moves the words of a block behind those of another; the block that has none left is not shown. Blocks are counted in
 * the order in which they were added. */
void document_move_words(struct document *d, size_t from, size_t to);
/* The paragraph `from`, if it is one, becomes the bullet `to`: "Idle: ...". */
void document_answer(struct document *d, size_t from, size_t to, const char *question);

/* Each starts a block; spans then go to the last block begun. Level 1..3. A
 * heading may begin as "" and get its words, names among them, as spans. */
void document_heading(struct document *d, int level, const char *text);
void document_paragraph(struct document *d);
void document_bullet(struct document *d);
void document_fact(struct document *d, const char *label); /* a bullet that begins with "label: " */
void document_code(struct document *d, const char *text);  /* preformatted, may hold newlines */
void document_picture(struct document *d, const struct picture *picture);
/* Its pictures, in their order; NULL behind the last. */
const struct picture *document_picture_at(const struct document *d, size_t index);
void document_span(struct document *d, enum span_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes that a name is shown as `cut` from now on, unless another one is already. Returns the name that is. */
const char *document_cut_name(struct document *d, const char *cut, const char *name);

/* A table: columns first, then cells row by row. */
void document_table(struct document *d, const struct document_column *columns, size_t count);
/* The last columns of the table that was just begun stand in other tables as well: a terminal that has no room for them
 * goes without. */
void document_table_spare(struct document *d, size_t count);
/* The first rows of the table that was just begun are whole wherever the table is. */
void document_table_keep(struct document *d, size_t rows);
void document_cell(struct document *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
void document_cell_code(struct document *d, const char *text);             /* a name: shown as code */
void document_cell_unit(struct document *d, enum unit unit, double value); /* not finite: "n/a" */

/* What of a document is shown, and where. All zero: the first screen, as plain as it is. */
struct document_view {
    enum tier last;  /* the last tier that is shown */
    size_t rows_max; /* of a table or a list behind the first screen, which says that it was cut; 0: any */
    size_t longer_tables, longer_rows; /* the first tables and lists there, which may have these rows; 0: any */
    size_t columns;                    /* of the terminal that text is for; 0: lines are as long as they are */
    bool colours;                      /* text: the terminal understands them */
};
extern const struct document_view view_everything;

/* Each in a file of its own, with a line in reports/document/formats.c: help, messages and the endings of files follow.
 */
struct document_format {
    const char *name;   /* "md" */
    const char *ending; /* of a file: ".md" */
    int (*render)(const struct document *d, const struct document_view *view, struct str *out);
};
extern const struct document_format *const document_formats[];           /* ends with NULL */
const struct document_format *document_format_by_name(const char *name); /* NULL when unknown */

#endif
