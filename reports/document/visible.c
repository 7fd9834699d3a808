/* How does a stranger's text stay on one line, and of bounded length? */
#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"
#include "reports/document/block.h"
#include "reports/document/document.h"

/* The bytes of valid UTF-8 that begin a character. */
static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

size_t visible_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += begins_character(*text);
    return columns;
}

size_t visible_bytes(const char *text, size_t columns)
{
    size_t at = 0;
    for (size_t seen = 0; text[at]; at++)
        if (begins_character(text[at]) && seen++ == columns)
            break;
    return at;
}

void visible_add(struct str *out, const char *text, size_t columns_max)
{
    struct str line;
    str_init(&line);
    utf8_add_visible(&line, text, strlen(text));
    if (visible_columns(str_text(&line)) <= columns_max) {
        str_add(out, str_text(&line));
    } else {
        char note[64];
        snprintf(note, sizeof note, "\xe2\x80\xa6 (%zu bytes)", strlen(text));
        str_add_bytes(out, str_text(&line), visible_bytes(str_text(&line), columns_max - visible_columns(note)));
        str_add(out, note);
    }
    out->failed |= line.failed;
    str_release(&line);
}

void visible_add_span(struct str *out, const struct span *span)
{
    visible_add(out, span->text, span->style == SPAN_CODE ? NAME_COLUMNS_MAX : WORDS_COLUMNS_MAX);
}

void visible_add_lines(struct str *out, const char *text, const char *indent)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        str_add(out, indent);
        utf8_add_visible(out, text, length);
        str_add_char(out, '\n');
        text += length + (text[length] == '\n');
    }
}
