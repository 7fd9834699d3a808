/* How are names from outside printed safely? */
#include "core/base/utf8.h"

#include <stdint.h>

/* Returns the length of the valid sequence at bytes[0] and puts its code point into *code; 0 when it is invalid. */
static size_t decode(const unsigned char *bytes, size_t count, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = bytes[0];
    size_t length = lead < 0x80             ? 1
                    : (lead & 0xe0) == 0xc0 ? 2
                    : (lead & 0xf0) == 0xe0 ? 3
                    : (lead & 0xf8) == 0xf0 ? 4
                                            : 0;
    if (!length || length > count)
        return 0;
    uint32_t value = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *code = value;
    return length;
}

static int is_unsafe(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
           (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static void add(struct str *out, const char *bytes, size_t count, int visible)
{
    for (size_t i = 0; i < count;) {
        uint32_t code;
        size_t length = decode((const unsigned char *)bytes + i, count - i, &code);
        if (!length) {
            str_add(out, "\xef\xbf\xbd");
            i++;
            continue;
        }
        if (visible && is_unsafe(code))
            str_addf(out, code < 0x100 ? "\\x%02x" : "\\u{%04x}", (unsigned)code);
        else
            str_add_bytes(out, bytes + i, length);
        i += length;
    }
}

void utf8_add_valid(struct str *out, const char *bytes, size_t count)
{
    add(out, bytes, count, 0);
}

void utf8_add_visible(struct str *out, const char *bytes, size_t count)
{
    add(out, bytes, count, 1);
}
