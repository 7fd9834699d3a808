/* How wide is a text, before anybody draws it? */
#include <string.h>

#include "core/base/utf8.h"
#include "reports/pictures/canvas.h"

/* In em, of DejaVu Sans, which is wider than what browsers use. */
static double character_width(unsigned char c)
{
    if (strchr("ijlI'|", c))
        return 0.30;
    if (strchr("frt.,:;!()[]/\\ -", c))
        return 0.42;
    if (strchr("mMW@%", c))
        return 0.99;
    if (strchr("w<>+=~#&_^", c) || (c >= 'A' && c <= 'Z'))
        return 0.84;
    return 0.64;
}

static bool is_begin(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

double text_width(const char *text, double size)
{
    double em = 0;
    for (; *text; text++)
        em += (unsigned char)*text < 0x80 ? character_width((unsigned char)*text) : is_begin(*text) ? 1 : 0;
    return em * size;
}

void text_fit(struct str *out, const char *text, double size, double width)
{
    struct str line;
    str_init(&line);
    utf8_add_visible(&line, text, strlen(text));
    if (text_width(str_text(&line), size) > width) {
        size_t keep = 0;
        double em = 1; /* the dots */
        for (size_t i = 0; str_text(&line)[i]; i++) {
            const unsigned char c = (unsigned char)str_text(&line)[i];
            if (!is_begin((char)c))
                continue;
            if (em * size > width)
                break;
            keep = i;
            em += c < 0x80 ? character_width(c) : 1;
        }
        str_add_bytes(out, str_text(&line), keep);
        str_add(out, keep ? "\xe2\x80\xa6" : "");
    } else {
        str_add(out, str_text(&line));
    }
    out->failed |= line.failed;
    str_release(&line);
}
