/* drawn_canvas.h - what must hold for any picture: nothing outside, no two texts on each other, well-formed. */
#ifndef CPPROF_DRAWN_CANVAS_H
#define CPPROF_DRAWN_CANVAS_H

#include <stdio.h>
#include <string.h>

#include "reports/document/document.h"
#include "reports/pictures/canvas.h"
#include "reports/pictures/characters.h"
#include "tests/test.h"

static inline bool boxes_touch(const struct canvas_box *a, const struct canvas_box *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height && b->y < a->y + a->height;
}

static inline void assert_nothing_outside(const struct canvas *c)
{
    for (size_t i = 0; i < c->boxes.count; i++) {
        const struct canvas_box *b = &c->boxes.items[i];
        if (b->x < -0.01 || b->y < -0.01 || b->x + b->width > c->width + 0.01 || b->y + b->height > c->height + 0.01)
            fail_msg("a box of %.1f x %.1f at %.1f, %.1f is outside of %.1f x %.1f", b->width, b->height, b->x, b->y,
                     c->width, c->height);
    }
}

static inline void assert_no_texts_overlap(const struct canvas *c)
{
    for (size_t i = 0; i < c->boxes.count; i++)
        for (size_t k = 0; k < i; k++) {
            const struct canvas_box *a = &c->boxes.items[i], *b = &c->boxes.items[k];
            if (a->is_text && b->is_text && boxes_touch(a, b))
                fail_msg("texts overlap at %.1f, %.1f (%.1f wide) and %.1f, %.1f (%.1f wide)", a->x, a->y, a->width,
                         b->x, b->y, b->width);
        }
}

/* Tags are balanced, and nothing but what we write looks like one: what a parser of XML asks of such a file. */
static inline void assert_well_formed(const char *svg)
{
    int depth = 0;
    for (const char *at = svg; *at; at++) {
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        if (*at == '&')
            assert_true(!strncmp(at, "&lt;", 4) || !strncmp(at, "&gt;", 4) || !strncmp(at, "&amp;", 5) ||
                        !strncmp(at, "&quot;", 6));
        if (*at != '<')
            continue;
        const char *end = strchr(at, '>');
        assert_non_null(end);
        assert_true(strspn(at + 1, "/abcdefghijklmnopqrstuvwxyz") >= 1);
        depth += at[1] == '/' ? -1 : end[-1] == '/' ? 0 : 1;
        assert_true(depth >= 0);
        at = end;
    }
    assert_int_equal(depth, 0);
}

/* On a screen of 400 px a text has at least 8 px. */
static inline void assert_good_canvas(const struct canvas *c)
{
    struct str svg;
    struct err e = {0};
    str_init(&svg);
    assert_true(c->width <= 720 && TEXT_SIZE * 400 / c->width >= 8);
    assert_nothing_outside(c);
    assert_no_texts_overlap(c);
    assert_int_equal(canvas_finish(c, "what it <says> & \"shows\"", &svg, &e), 0);
    assert_well_formed(str_text(&svg));
    str_release(&svg);
}

static inline void assert_good_characters(const char *text)
{
    size_t columns = 0;
    for (; *text; text++) {
        assert_true((unsigned char)*text >= 0x20 || *text == '\n');
        columns = *text == '\n' ? 0 : columns + (((unsigned char)*text & 0xc0) != 0x80);
        assert_true(columns <= CHARACTER_COLUMNS);
    }
}

/* The caller frees it. */
static inline char *document_text(const struct document *d, const char *format)
{
    struct str text;
    str_init(&text);
    assert_int_equal(document_format_by_name(format)->render(d, &view_everything, &text), 0);
    return str_take(&text);
}

#endif
