/* What does a drawing look like as an SVG? */
#include "reports/pictures/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"

void canvas_init(struct canvas *c, double width, double height)
{
    *c = (struct canvas){.width = width, .height = height};
    str_init(&c->body);
}

void canvas_release(struct canvas *c)
{
    str_release(&c->body);
    free(c->boxes.items);
    *c = (struct canvas){0};
}

void canvas_set_height(struct canvas *c, double height)
{
    c->height = height;
}

static void note(struct canvas *c, double x, double y, double width, double height, bool is_text)
{
    struct canvas_box *box = ARRAY_PUSH(&c->boxes);
    c->failed |= !box;
    if (box)
        *box = (struct canvas_box){x, y, width, height, is_text};
}

/* Where nothing is drawn, nothing is noted. */
static bool begins(struct canvas *c, double x, double y, double width, double height, bool is_text)
{
    if (!isfinite(x) || !isfinite(y) || !(width >= 0) || !(height >= 0) || isinf(width) || isinf(height))
        return false;
    note(c, x, y, width, height, is_text);
    return true;
}

/* ---- shapes ---- */

static void add_rect(struct canvas *c, double x, double y, double width, double height)
{
    str_addf(&c->body, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", x, y, width, height);
}

void canvas_rect(struct canvas *c, double x, double y, double width, double height, enum ink ink)
{
    if (!begins(c, x, y, width, height, false))
        return;
    add_rect(c, x, y, width, height);
    str_addf(&c->body, " class=\"f%s\"/>\n", theme_letters(ink));
}

void canvas_hatch(struct canvas *c, double x, double y, double width, double height, enum ink ink)
{
    if (!begins(c, x, y, width, height, false))
        return;
    add_rect(c, x, y, width, height);
    str_addf(&c->body, " fill=\"url(#h%s)\"/>\n", theme_letters(ink));
}

void canvas_frame(struct canvas *c, double x, double y, double width, double height, enum ink ink)
{
    if (!begins(c, x, y, width, height, false))
        return;
    add_rect(c, x, y, width, height);
    str_addf(&c->body, " class=\"s%s\" stroke-width=\"1\"/>\n", theme_letters(ink));
}

static void add_line(struct canvas *c, double x1, double y1, double x2, double y2, double thick, const char *more,
                     enum ink ink)
{
    if (!begins(c, fmin(x1, x2), fmin(y1, y2), fabs(x2 - x1), fabs(y2 - y1), false))
        return;
    str_addf(&c->body,
             "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" class=\"s%s\" stroke-width=\"%.1f\"%s/>\n", x1, y1,
             x2, y2, theme_letters(ink), thick, more);
}

void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2, double thick, enum ink ink)
{
    add_line(c, x1, y1, x2, y2, thick, "", ink);
}

void canvas_dashes(struct canvas *c, double x1, double y1, double x2, double y2, enum ink ink)
{
    add_line(c, x1, y1, x2, y2, 1, " stroke-dasharray=\"3 3\"", ink);
}

static bool is_place(double x, double y)
{
    return isfinite(x) && isfinite(y);
}

/* Returns how many points from `x` and `y` on are one stretch. */
static size_t stretch_of(const double *x, const double *y, size_t count)
{
    size_t length = 0;
    while (length < count && is_place(x[length], y[length]))
        length++;
    return length;
}

static void add_stretch(struct canvas *c, const double *x, const double *y, size_t count, double thick, enum ink ink)
{
    for (size_t i = 0; i + 1 < count; i++)
        note(c, fmin(x[i], x[i + 1]), fmin(y[i], y[i + 1]), fabs(x[i + 1] - x[i]), fabs(y[i + 1] - y[i]), false);
    str_add(&c->body, "<path d=\"");
    for (size_t i = 0; i < count; i++)
        str_addf(&c->body, "%s%.2f %.2f", i ? "L" : "M", x[i], y[i]);
    str_addf(&c->body, "\" class=\"s%s\" stroke-width=\"%.1f\"/>\n", theme_letters(ink), thick);
}

void canvas_path(struct canvas *c, const double *x, const double *y, size_t count, double thick, enum ink ink)
{
    for (size_t i = 0; i < count;) {
        const size_t length = stretch_of(x + i, y + i, count - i);
        if (length > 1)
            add_stretch(c, x + i, y + i, length, thick, ink);
        i += length + 1;
    }
}

/* Each fills about the same area. */
void canvas_mark(struct canvas *c, double x, double y, enum mark mark, enum ink ink)
{
    static const char *const shapes[MARKS] = {
        [MARK_CIRCLE] = "m-4.2 0a4.2 4.2 0 1 0 8.4 0a4.2 4.2 0 1 0 -8.4 0z",
        [MARK_SQUARE] = "m-3.8 -3.8h7.6v7.6h-7.6z",
        [MARK_TRIANGLE] = "m0 -5l5 9h-10z",
        [MARK_DIAMOND] = "m0 -5l5 5l-5 5l-5 -5z",
        [MARK_CROSS] = "m-4 -4l8 8m0 -8l-8 8",
    };
    if (!begins(c, x - MARK_RADIUS, y - MARK_RADIUS, 2 * MARK_RADIUS, 2 * MARK_RADIUS, false))
        return;
    str_addf(&c->body, "<path d=\"M%.2f %.2f%s\" class=\"%s%s\"%s/>\n", x, y, shapes[mark],
             mark == MARK_CROSS ? "s" : "f", theme_letters(ink), mark == MARK_CROSS ? " stroke-width=\"2\"" : "");
}

/* ---- texts ---- */

/* U+FFFE and U+FFFF are valid UTF-8, but no characters of XML. */
static bool is_no_character(const char *text)
{
    return !strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3);
}

static void add_escaped(struct str *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '\xef':
            str_add(out, is_no_character(text) ? "\xef\xbf\xbd" : "");
            str_add_bytes(out, text, is_no_character(text) ? 0 : 1);
            text += is_no_character(text) ? 2 : 0;
            break;
        case '<': str_add(out, "&lt;"); break;
        case '>': str_add(out, "&gt;"); break;
        case '&': str_add(out, "&amp;"); break;
        case '"': str_add(out, "&quot;"); break;
        default: str_add_char(out, *text);
        }
}

static void add_visible(struct str *out, const char *text)
{
    struct str visible;
    str_init(&visible);
    utf8_add_visible(&visible, text, strlen(text));
    add_escaped(out, str_text(&visible));
    out->failed |= visible.failed;
    str_release(&visible);
}

void canvas_text(struct canvas *c, double x, double y, enum text_anchor anchor, enum ink ink, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    struct str visible;
    str_init(&visible);
    utf8_add_visible(&visible, text, strlen(text));
    const double width = text_width(str_text(&visible), TEXT_SIZE);
    if (visible.length && begins(c, x - width * (int)anchor / 2, y - TEXT_SIZE * 0.8, width, TEXT_SIZE, true)) {
        str_addf(&c->body, "<text x=\"%.2f\" y=\"%.2f\" class=\"f%s\"", x, y, theme_letters(ink));
        if (anchor != TEXT_START)
            str_addf(&c->body, " text-anchor=\"%s\"", anchors[anchor]);
        str_add_char(&c->body, '>');
        add_escaped(&c->body, str_text(&visible));
        str_add(&c->body, "</text>\n");
    }
    c->failed |= visible.failed;
    str_release(&visible);
}

void canvas_text_in(struct canvas *c, double x, double y, double width, enum text_anchor anchor, enum ink ink,
                    const char *text)
{
    struct str fitted;
    str_init(&fitted);
    text_fit(&fitted, text, TEXT_SIZE, width);
    canvas_text(c, x, y, anchor, ink, str_text(&fitted));
    c->failed |= fitted.failed;
    str_release(&fitted);
}

int canvas_finish(const struct canvas *c, const char *says, struct str *svg, struct err *e)
{
    str_addf(svg,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
             "role=\"img\">\n<title>",
             c->width, c->height, c->width, c->height);
    add_visible(svg, says);
    str_add(svg, "</title>\n");
    theme_add(svg);
    str_add(svg, str_text(&c->body));
    str_add(svg, "</svg>\n");
    return c->failed || c->body.failed || svg->failed ? err_memory(e) : 0;
}
