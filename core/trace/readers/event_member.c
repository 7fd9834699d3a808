/* Where in an event does a whole number go, and does it fit? */
#include "core/trace/readers/event_member.h"

#include <string.h>

bool event_member_set(struct cpprof_event *event, struct event_member member, int64_t value)
{
    unsigned char *to = (unsigned char *)event + member.offset;
    uint64_t wide = (uint64_t)value;
    uint32_t middle = (uint32_t)value;
    uint16_t narrow = (uint16_t)value;
    if (value < 0 || value > member.max)
        return false;
    switch (member.bytes) {
    case sizeof narrow: memcpy(to, &narrow, sizeof narrow); break;
    case sizeof middle: memcpy(to, &middle, sizeof middle); break;
    case sizeof wide: memcpy(to, &wide, sizeof wide); break;
    }
    return true;
}
