/* lanes_picture.h - what happens when, in lanes above one axis of time: streams of a device, or warps of an SM. */
#ifndef CPPROF_LANES_PICTURE_H
#define CPPROF_LANES_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/err.h"

enum lane_look {
    LANE_COMPUTE,
    LANE_COMMUNICATION,
    LANE_COPY,
    LANE_OTHER,
    LANE_HOST,
    LANE_WAIT,    /* hatched */
    LANE_ARRIVAL, /* hatched: a copy that has arrived at some time in it */
    LANE_LOOKS
};

enum { LANE_ROWS_MAX = 12, LANE_CURVES_MAX = 3 };

/* Texts are not owned. */
struct lane_box {
    size_t lane;
    int64_t begin_ns, end_ns;
    enum lane_look look;
    const char *text; /* shown where it fits; NULL: none */
};

/* A part of the time with words: a gap, or a slack. On a lane, or above all. */
struct lane_bracket {
    bool is_there;
    bool has_lane;
    size_t lane;
    int64_t begin_ns, end_ns;
    const char *text;
};

/* Steps of a share, 0 to 1; NAN where it is not known. */
struct lane_step {
    double begin_ns, end_ns, value;
};

struct lane_curve {
    const char *label;
    enum lane_look look; /* its colour */
    ARRAY_OF(struct lane_step) steps;
};

struct lanes_picture {
    int64_t begin_ns, end_ns; /* of the axis */
    int64_t zero_ns;          /* what the axis counts from */
    const char *axis;         /* what it shows: "ms since 2.5 s" has no place for the unit, so: "since 2.5 s" */
    const char *labels[LANE_ROWS_MAX];
    size_t lane_count;
    ARRAY_OF(struct lane_box) boxes; /* in any order; those of a lane may overlap */
    struct lane_bracket bracket;
    struct lane_curve curves[LANE_CURVES_MAX];
    size_t curve_count;
    bool failed;                        /* memory ran out */
    const char *look_names[LANE_LOOKS]; /* for the legend; NULL: this look has no line there */
};

void lanes_picture_release(struct lanes_picture *p);

/* Adds a box; what lies outside of the axis in part is cut there, and what lies outside is left out. Memory that is out
 * is noted. NULL then, and for what is left out. */
struct lane_box *lanes_picture_box(struct lanes_picture *p, size_t lane, int64_t begin_ns, int64_t end_ns,
                                   enum lane_look look);

/* Adds a step of a curve, cut likewise. */
void lanes_picture_step(struct lanes_picture *p, size_t curve, double begin_ns, double end_ns, double value);

struct str;
struct canvas;

void lanes_picture_draw(const struct lanes_picture *p, struct canvas *c);
/* `is_short`: the first lanes, and no curves. */
void lanes_picture_write(const struct lanes_picture *p, bool is_short, struct str *characters);

#endif
