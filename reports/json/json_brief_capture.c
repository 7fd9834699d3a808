/* What do the tables on the first screen of a capture say, for programs? Members of cpprof.brief/1. */
#include <math.h>

#include "core/base/json.h"
#include "reports/capture_report.h"
#include "reports/kernel_windows_report.h"
#include "reports/trace_words.h"

enum { BRIEF_DEVICES = 4, BRIEF_KERNELS = 5 };

/* To four digits behind the point: nobody reads more. */
static json_t *json_brief_ratio(double value)
{
    return json_number_or_null(round(1e4 * value) / 1e4);
}

/* The parts that it has, as shares of its time. */
static json_t *json_brief_time(const struct device_time *t)
{
    struct time_part parts[TIME_PARTS];
    json_t *out = json_pack("{so so sI}", "rank", json_integer_or_null(t->rank), "device",
                            json_integer_or_null(t->device), "span_ns", (json_int_t)t->span_ns);
    time_parts_of(t, parts);
    for (int part = 0; part < TIME_PARTS; part++)
        if (parts[part].ns)
            json_object_set_new(out, parts[part].key,
                                json_brief_ratio(words_ratio((double)parts[part].ns, (double)t->span_ns)));
    return out;
}

static json_t *json_brief_kernel(const struct capture_facts *f, const struct kernel_window *k, struct document *d)
{
    const bool is_known = k->class_ != BOUND_INCONCLUSIVE;
    return json_pack("{so so so so}", "kernel", json_text(kernel_windows_report_name(f, k, d)), "share",
                     json_brief_ratio(k->device_share), "class",
                     is_known ? json_string(bound_class_name(k->class_)) : json_null(), "headroom_ns",
                     json_ns(round(k->headroom_ns)));
}

json_t *json_brief_capture(const struct capture_facts *f, struct document *d)
{
    json_t *times = json_array(), *kernels = json_array();
    const struct kernel_window *k = kernel_windows_next(&f->windows, NULL);
    for (size_t i = 0; i < f->gaps.count && i < BRIEF_DEVICES; i++)
        json_array_append_new(times, json_brief_time(&f->times[i]));
    for (size_t i = 0; k && i < BRIEF_KERNELS; i++, k = kernel_windows_next(&f->windows, k))
        json_array_append_new(kernels, json_brief_kernel(f, k, d));
    return json_pack("{so so}", "time", times, "kernels", kernels);
}
