/* drawing.h - what a picture is made of while it is drawn: an SVG, characters, and the sentence that it says. */
#ifndef CPPROF_DRAWING_H
#define CPPROF_DRAWING_H

#include "core/base/str.h"
#include "reports/document/document.h"
#include "reports/pictures/canvas.h"

struct drawing {
    struct canvas canvas;
    struct str characters, says;
};

void drawing_init(struct drawing *w);
/* Adds it to the document as charts/NAME.svg, and releases it. Spans that follow are its caption. */
void drawing_add(struct drawing *w, const char *name, struct document *d);

#endif
