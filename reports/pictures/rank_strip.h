/* rank_strip.h - which rank costs the others how much in which step? */
#ifndef CPPROF_RANK_STRIP_H
#define CPPROF_RANK_STRIP_H

#include "analyzers/ranks/ranks_words.h"
#include "reports/document/document.h"

/* Adds the strip of the ranks that cost most; nothing where none costs anything. */
void rank_strip_add(const struct ranks_context *c, struct document *d);

/* ---- for tests ---- */

struct canvas;

/* The places of the strip, those that cost most, by place; returns their number. */
size_t rank_strip_rows(const struct ranks *r, uint32_t places[RANK_STRIP_ROWS]);
void rank_strip_draw(const struct ranks_context *c, struct canvas *canvas);
void rank_strip_write(const struct ranks_context *c, struct str *characters);

#endif
