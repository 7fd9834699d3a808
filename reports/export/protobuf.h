/* protobuf.h - the wire format of Protocol Buffers, appended to a buffer: tags, varints, fixed numbers, and messages
 * inside of messages. Field numbers are the caller's. */
#ifndef CPPROF_PROTOBUF_H
#define CPPROF_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/str.h"

void protobuf_add_varint(struct str *out, uint64_t value); /* 1 to 10 bytes */
void protobuf_add_whole(struct str *out, uint32_t field, uint64_t value);
void protobuf_add_signed(struct str *out, uint32_t field, int64_t value); /* int64, not sint64: 10 bytes below 0 */
void protobuf_add_fixed64(struct str *out, uint32_t field, uint64_t value);
void protobuf_add_double(struct str *out, uint32_t field, double value);
void protobuf_add_bytes(struct str *out, uint32_t field, const char *bytes, size_t count);

/* Begins a message in a field, and returns where. What is appended before protobuf_end belongs to it. */
size_t protobuf_begin(struct str *out, uint32_t field);
void protobuf_end(struct str *out, size_t begin);

#endif
