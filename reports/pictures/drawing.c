/* How does a drawing get into a document? */
#include "reports/pictures/drawing.h"

void drawing_init(struct drawing *w)
{
    canvas_init(&w->canvas, CANVAS_WIDTH, 0);
    str_init(&w->characters);
    str_init(&w->says);
}

void drawing_add(struct drawing *w, const char *name, struct document *d)
{
    struct str svg;
    str_init(&svg);
    d->failed |= canvas_finish(&w->canvas, str_text(&w->says), &svg, NULL) || w->characters.failed || w->says.failed;
    document_picture(d, &(struct picture){name, str_text(&svg), str_text(&w->characters), str_text(&w->says)});
    str_release(&svg);
    str_release(&w->says);
    str_release(&w->characters);
    canvas_release(&w->canvas);
}
