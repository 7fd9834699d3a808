/* Where in an event does a whole number go, and does it fit? */
#include "trace/readers/event_member.h"

#include <string.h>

int64_t event_member_max(struct event_member member)
{
    return member.bytes < sizeof(int64_t) ? (INT64_C(1) << (8 * member.bytes)) - 1 : INT64_MAX;
}

bool event_member_set(struct cpprof_event *event, struct event_member member, int64_t value)
{
    unsigned char *to = (unsigned char *)event + member.offset;
    uint64_t wide = (uint64_t)value;
    uint32_t middle = (uint32_t)value;
    uint16_t narrow = (uint16_t)value;
    if (value < 0 || value > event_member_max(member))
        return false;
    switch (member.bytes) {
    case sizeof narrow: memcpy(to, &narrow, sizeof narrow); break;
    case sizeof middle: memcpy(to, &middle, sizeof middle); break;
    case sizeof wide: memcpy(to, &wide, sizeof wide); break;
    }
    return true;
}
