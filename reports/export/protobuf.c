/* How is a message of Protocol Buffers written? */
#include "reports/export/protobuf.h"

#include <string.h>

enum wire_type { VARINT = 0, FIXED64 = 1, BYTES = 2 };

enum { VARINT_BYTES_MAX = 10, GROUP_BITS = 7, GROUP_MASK = 127, MORE = 128 };

/* Seven bits a byte, the lowest first. Returns the number of bytes. */
static size_t encode(char out[static VARINT_BYTES_MAX], uint64_t value)
{
    size_t count = 0;
    for (; value > GROUP_MASK; value >>= GROUP_BITS)
        out[count++] = (char)((value & GROUP_MASK) | MORE);
    out[count++] = (char)value;
    return count;
}

void protobuf_add_varint(struct str *out, uint64_t value)
{
    char bytes[VARINT_BYTES_MAX];
    str_add_bytes(out, bytes, encode(bytes, value));
}

static void add_tag(struct str *out, uint32_t field, enum wire_type type)
{
    protobuf_add_varint(out, (uint64_t)field << 3 | type);
}

void protobuf_add_whole(struct str *out, uint32_t field, uint64_t value)
{
    add_tag(out, field, VARINT);
    protobuf_add_varint(out, value);
}

void protobuf_add_signed(struct str *out, uint32_t field, int64_t value)
{
    protobuf_add_whole(out, field, (uint64_t)value);
}

void protobuf_add_fixed64(struct str *out, uint32_t field, uint64_t value)
{
    char bytes[sizeof value];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(value >> 8 * i & 255);
    add_tag(out, field, FIXED64);
    str_add_bytes(out, bytes, sizeof bytes);
}

void protobuf_add_double(struct str *out, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    protobuf_add_fixed64(out, field, bits);
}

void protobuf_add_bytes(struct str *out, uint32_t field, const char *bytes, size_t count)
{
    add_tag(out, field, BYTES);
    protobuf_add_varint(out, count);
    str_add_bytes(out, bytes, count);
}

size_t protobuf_begin(struct str *out, uint32_t field)
{
    add_tag(out, field, BYTES);
    return out->length;
}

/* The length stands before the message, and is known only now. */
void protobuf_end(struct str *out, size_t begin)
{
    char length[VARINT_BYTES_MAX];
    const size_t message = out->length - begin, count = encode(length, message);
    str_add_bytes(out, length, count);
    if (out->failed)
        return;
    memmove(out->text + begin + count, out->text + begin, message);
    memcpy(out->text + begin, length, count);
}
