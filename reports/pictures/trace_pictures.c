/* Which pictures does a trace have? */
#include "reports/pictures/trace_pictures.h"

#include "reports/pictures/copy_picture.h"
#include "reports/pictures/device_time_picture.h"
#include "reports/pictures/gap_picture.h"
#include "reports/pictures/rank_picture.h"

struct trace_measures trace_measures_of(const struct capture_facts *f)
{
    const bool is_measured = f->query.set_count > 0; /* capture_facts_measure */
    return (struct trace_measures){.stream = f->stream,
                                   .gaps = &f->gaps,
                                   .sets = is_measured ? &f->sets : NULL,
                                   .query = is_measured ? &f->query : NULL,
                                   .timeline = is_measured ? &f->timeline : NULL};
}

int trace_pictures_add(const struct trace_measures *m, struct document *d, struct err *e)
{
    device_time_picture_add(m, d);
    int rc = gap_picture_add(m, d, e);
    if (!rc)
        rc = copy_picture_add(m, d, e);
    return rc ? rc : rank_picture_add(m->stream, d, e);
}
