/* How does a terminal show a bar? */
#include "reports/pictures/characters.h"

#include <math.h>
#include <string.h>

#include "core/base/utf8.h"

#define FULL "\xe2\x96\x88"
#define DOTS "\xe2\x80\xa6"

/* ---- texts ---- */

static bool is_begin(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static size_t columns_of(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += is_begin(*text);
    return columns;
}

static size_t bytes_of(const char *text, size_t columns)
{
    size_t at = 0;
    for (size_t seen = 0; text[at]; at++)
        if (is_begin(text[at]) && seen++ == columns)
            break;
    return at;
}

static void add_spaces(struct str *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        str_add_char(out, ' ');
}

static void add_filled(struct str *out, const char *text, size_t columns, bool right)
{
    struct str visible;
    str_init(&visible);
    utf8_add_visible(&visible, text, strlen(text));
    const char *line = str_text(&visible);
    const size_t own = columns_of(line);
    if (own > columns && columns) {
        str_add_bytes(out, line, bytes_of(line, columns - 1));
        str_add(out, DOTS);
    } else {
        add_spaces(out, right && own < columns ? columns - own : 0);
        str_add(out, own > columns ? "" : line);
        add_spaces(out, !right && own < columns ? columns - own : 0);
    }
    out->failed |= visible.failed;
    str_release(&visible);
}

void characters_left(struct str *out, const char *text, size_t columns)
{
    add_filled(out, text, columns, false);
}

void characters_right(struct str *out, const char *text, size_t columns)
{
    add_filled(out, text, columns, true);
}

/* ---- bars ---- */

/* From the left edge, 1 to 8 eighths. */
static void add_left(struct str *out, int eighths)
{
    const char block[] = {'\xe2', '\x96', (char)(0x90 - eighths), '\0'};
    str_add(out, block);
}

void characters_bar(struct str *out, double begin, double end, size_t columns)
{
    const bool is_there = isfinite(begin) && isfinite(end) && end > begin;
    bool seen = false;
    for (size_t i = 0; i < columns; i++) {
        const double from = fmax(begin, (double)i) - (double)i, to = fmin(end, (double)i + 1) - (double)i;
        const double part = is_there ? to - from : 0;
        const bool is_last = is_there && !seen && (end <= (double)i + 1 || i + 1 == columns) && begin < (double)i + 1;
        if (from > 0 && to >= 1 && part >= 0.25)
            str_add(out, part < 0.75 ? "\xe2\x96\x90" : FULL);
        else if (part >= 1.0 / 16 && (from <= 0 || !seen))
            add_left(out, (int)fmin(8, fmax(1, part * 8 + 0.5)));
        else if (is_last)
            add_left(out, 1);
        else {
            str_add_char(out, ' ');
            continue;
        }
        seen = true;
    }
}

void characters_height(struct str *out, double share)
{
    const int eighths = share > 0 ? (int)fmin(8, fmax(1, share * 8 + 0.5)) : 0;
    const char block[] = {'\xe2', '\x96', (char)(0x80 + eighths), '\0'};
    str_add(out, eighths ? block : " ");
}
