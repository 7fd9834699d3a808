/* Where does a long line break? */
#include "reports/document/wrap.h"

#include <string.h>

/* ESC [ ... m */
static size_t escape_length(const char *text)
{
    if (text[0] != '\x1b' || text[1] != '[')
        return 0;
    const size_t length = 2 + strspn(text + 2, "0123456789;");
    return text[length] ? length + 1 : length;
}

/* The bytes of the longest beginning of `text` that fits, up to a space where a line may end; all of it where it fits,
 * and up to the first such space where nothing does. */
static size_t fitting(const char *text, size_t columns, bool (*may_begin)(const char *text))
{
    size_t used = 0, end = 0;
    for (size_t at = 0; text[at];) {
        const size_t escape = escape_length(text + at);
        if (escape) {
            at += escape;
            continue;
        }
        if (text[at] == ' ' && at && text[at + 1] != ' ' && (!may_begin || may_begin(text + at + 1))) {
            if (used > columns)
                return end ? end : at;
            end = at;
        }
        used += ((unsigned char)text[at] & 0xc0) != 0x80;
        at++;
    }
    return used <= columns || !end ? strlen(text) : end;
}

void wrap_add(struct str *out, const char *line, size_t columns, const char *indent,
              bool (*may_begin)(const char *text))
{
    const size_t indented = strlen(indent);
    size_t room = columns;
    while (columns && *line) {
        const size_t length = fitting(line, room, may_begin);
        str_add_bytes(out, line, length);
        line += length;
        if (!*line)
            break;
        line++; /* the space */
        str_addf(out, "\n%s", indent);
        room = columns > indented ? columns - indented : 1;
    }
    str_addf(out, "%s\n", columns ? "" : line);
}

/* As fitting, but no more than fits: of a word that is longer its beginning. No line ends before `from`. */
static size_t fitting_broken(const char *text, size_t columns, size_t from)
{
    size_t used = 0, end = 0;
    for (size_t at = 0; text[at];) {
        const size_t escape = escape_length(text + at);
        if (escape) {
            at += escape;
            continue;
        }
        const bool begins = ((unsigned char)text[at] & 0xc0) != 0x80;
        if (text[at] == ' ' && used <= columns && at >= from)
            end = at;
        else if (begins && used >= columns)
            return end ? end : at;
        used += begins;
        at++;
    }
    return used <= columns || !end ? strlen(text) : end;
}

void wrap_add_broken(struct str *out, const char *line, size_t columns, const char *indent)
{
    const size_t indented = strlen(indent);
    size_t room = columns, from = indented ? indented : 1;
    while (*line) {
        const size_t length = fitting_broken(line, room, from);
        size_t shown = length;
        while (shown && line[shown - 1] == ' ')
            shown--;
        str_add_bytes(out, line, shown);
        line += length;
        line += strspn(line, " ");
        if (*line)
            str_addf(out, "\n%s", indent);
        room = columns > indented ? columns - indented : 1;
        from = 1;
    }
    str_add_char(out, '\n');
}
