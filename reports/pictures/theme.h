/* theme.h - the colours and the font of all pictures. */
#ifndef CPPROF_THEME_H
#define CPPROF_THEME_H

#include "core/base/str.h"

enum { TEXT_SIZE = 13 };

enum ink {
    INK_TEXT,
    INK_FAINT, /* text that is less important, axes */
    INK_GRID,
    INK_ON, /* text on any of the fills below */
    INK_BLUE,
    INK_GREEN,
    INK_ORANGE,
    INK_PURPLE,
    INK_GREY,
    INK_PALE, /* a fill behind others */
    INKS
};

/* The style sheet and the hatch patterns, as the begin of an SVG has them. */
void theme_add(struct str *svg);

/* The letters of an ink: class "f" and "s" with them fill and stroke, "url(#h" and them is the hatch. */
const char *theme_letters(enum ink ink);

#endif
