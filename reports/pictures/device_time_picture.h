/* device_time_picture.h - where does the time of each device go? One bar of 100% for each. */
#ifndef CPPROF_DEVICE_TIME_PICTURE_H
#define CPPROF_DEVICE_TIME_PICTURE_H

#include <stdbool.h>

#include "analyzers/capture/device_time.h"
#include "reports/document/document.h"
#include "reports/pictures/trace_measures.h"

enum { DEVICE_ROWS_MAX = 8, DEVICE_LABEL_BYTES = 48 };

struct device_row {
    char label[DEVICE_LABEL_BYTES]; /* "rank 0, device 0" */
    int64_t span_ns;
    int64_t part_ns[DEVICE_PARTS]; /* they add up to the span */
};

struct device_time_picture {
    struct device_row rows[DEVICE_ROWS_MAX]; /* of the devices with most time without a kernel, by place */
    size_t count, left_out;
};

/* False without GPU work. */
bool device_time_picture_of(struct device_time_picture *out, const struct trace_measures *m);

void device_time_picture_add(const struct trace_measures *m, struct document *d);

/* ---- for tests ---- */

struct str;
struct canvas;

void device_time_picture_draw(const struct device_time_picture *p, struct canvas *c);
void device_time_picture_write(const struct device_time_picture *p, struct str *characters);
void device_time_picture_say(const struct device_time_picture *p, struct str *says);

#endif
