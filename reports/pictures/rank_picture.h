/* rank_picture.h - which rank waits at which collective, and for how long? */
#ifndef CPPROF_RANK_PICTURE_H
#define CPPROF_RANK_PICTURE_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/trace/rank_meetings.h"
#include "reports/document/document.h"

enum { RANK_ROWS_MAX = 16, RANK_STEPS_MAX = 60, RANK_LABEL_BYTES = 48 };

/* One or several collectives that follow one another: of several, the one with the longest wait. */
struct rank_cell {
    int64_t waited_ns, transfer_ns;
};

struct rank_row {
    char label[RANK_LABEL_BYTES];
    int64_t waited_ns, caused_ns; /* at all collectives: what it waited, and what others waited for it */
    struct rank_cell cells[RANK_STEPS_MAX];
};

struct rank_picture {
    struct rank_row
        rows[RANK_ROWS_MAX]; /* of the rank that others wait for most, and those that wait longest, by place */
    size_t row_count, rows_left_out;
    size_t step_count, steps_each; /* a column is so many collectives */
    size_t meetings;
    int64_t transfer_ns; /* sum */
};

bool rank_picture_of(struct rank_picture *out, const struct rank_meetings *m);

/* Reads the stream. Nothing is added where there are no collectives of several ranks; where ranks do not run the same
 * ones, a sentence says so. */
int rank_picture_add(struct event_stream *stream, struct document *d, struct err *e);

/* ---- for tests ---- */

struct str;
struct canvas;

void rank_picture_draw(const struct rank_picture *p, struct canvas *c);
void rank_picture_write(const struct rank_picture *p, struct str *characters);
void rank_picture_say(const struct rank_picture *p, struct str *says);

#endif
