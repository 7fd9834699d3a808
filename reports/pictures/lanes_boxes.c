/* What of the lanes lies on the axis? */
#include <stdlib.h>

#include "reports/pictures/lanes_picture.h"

struct lane_box *lanes_picture_box(struct lanes_picture *p, size_t lane, int64_t begin_ns, int64_t end_ns,
                                   enum lane_look look)
{
    const bool is_before = end_ns < p->begin_ns || (end_ns == p->begin_ns && begin_ns < end_ns);
    if (end_ns < begin_ns || is_before || begin_ns >= p->end_ns || lane >= p->lane_count)
        return NULL;
    if (begin_ns < p->begin_ns)
        begin_ns = p->begin_ns;
    if (end_ns > p->end_ns)
        end_ns = p->end_ns;
    struct lane_box *box = ARRAY_PUSH(&p->boxes);
    p->failed |= !box;
    if (box)
        *box = (struct lane_box){.lane = lane, .begin_ns = begin_ns, .end_ns = end_ns, .look = look};
    return box;
}

void lanes_picture_step(struct lanes_picture *p, size_t curve, double begin_ns, double end_ns, double value)
{
    const double first = (double)p->begin_ns, last = (double)p->end_ns;
    begin_ns = begin_ns < first ? first : begin_ns;
    end_ns = end_ns > last ? last : end_ns;
    if (!(begin_ns < end_ns))
        return;
    struct lane_step *step = ARRAY_PUSH(&p->curves[curve].steps);
    p->failed |= !step;
    if (step)
        *step = (struct lane_step){begin_ns, end_ns, value};
}

void lanes_picture_release(struct lanes_picture *p)
{
    free(p->boxes.items);
    for (size_t i = 0; i < LANE_CURVES_MAX; i++)
        free(p->curves[i].steps.items);
    *p = (struct lanes_picture){0};
}
