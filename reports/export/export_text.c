/* How are the numbers of an event written? */
#include "reports/export/export_text.h"

enum { DIGITS_MAX = 20, NS_PER_US = 1000 };

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static void add_digits(struct str *out, uint64_t value)
{
    char text[DIGITS_MAX];
    size_t at = sizeof text;
    do
        text[--at] = (char)('0' + value % 10);
    while (value /= 10);
    str_add_bytes(out, text + at, sizeof text - at);
}

void export_add_whole(struct str *out, int64_t value)
{
    if (value < 0)
        str_add_char(out, '-');
    add_digits(out, magnitude(value));
}

void export_add_us(struct str *out, int64_t ns)
{
    const uint64_t whole = magnitude(ns);
    const unsigned rest = (unsigned)(whole % NS_PER_US);
    const char fraction[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10), (char)('0' + rest % 10)};
    if (ns < 0)
        str_add_char(out, '-');
    add_digits(out, whole / NS_PER_US);
    str_add_bytes(out, fraction, sizeof fraction);
}

int64_t export_end_ns(const struct cpprof_event *event)
{
    const bool has_end = !(event->flags & CPPROF_EVENT_UNFINISHED) && event->end_ns > event->start_ns;
    return has_end ? event->end_ns : event->start_ns;
}
