/* Which waits of which ranks are shown? */
#include <stdio.h>

#include "core/base/count_sum.h"
#include "reports/pictures/rank_picture.h"

/* The rank that the others wait for most. */
static size_t latest_of(const struct rank_meetings *m)
{
    size_t latest = 0;
    for (size_t i = 1; i < m->ranks.count; i++)
        if (m->ranks.items[i].caused_ns > m->ranks.items[latest].caused_ns)
            latest = i;
    return latest;
}

/* The latest rank mostly waits least, and is shown nevertheless: it is the one to look at. */
static bool is_shown(const struct rank_meetings *m, size_t at, size_t latest)
{
    size_t before = 0;
    for (size_t i = 0; i < m->ranks.count; i++)
        before += i == latest || m->ranks.items[i].waited_ns > m->ranks.items[at].waited_ns ||
                  (m->ranks.items[i].waited_ns == m->ranks.items[at].waited_ns && i < at);
    return at == latest || before < RANK_ROWS_MAX;
}

static void fill_row(struct rank_row *row, const struct rank_picture *p, const struct rank_meetings *m, size_t rank)
{
    const struct meeting_rank *r = &m->ranks.items[rank];
    row->waited_ns = r->waited_ns;
    row->caused_ns = r->caused_ns;
    if (r->rank >= 0)
        snprintf(row->label, sizeof row->label, "rank %d", (int)r->rank);
    else if (r->device >= 0)
        snprintf(row->label, sizeof row->label, "device %d", (int)r->device);
    else
        snprintf(row->label, sizeof row->label, "unknown device");
    for (size_t i = 0; i < m->meetings.count; i++) {
        struct rank_cell *cell = &row->cells[i / p->steps_each];
        const int64_t waited_ns = rank_meetings_waited_ns(m, i, rank);
        if (i % p->steps_each == 0 || waited_ns > cell->waited_ns)
            *cell = (struct rank_cell){waited_ns, m->meetings.items[i].transfer_ns};
    }
}

/* Two devices of a rank are told apart. */
static void name_devices(struct rank_picture *p, const struct rank_meetings *m, size_t latest)
{
    bool is_needed = false;
    for (size_t i = 1; i < m->ranks.count; i++)
        is_needed |= m->ranks.items[i].rank >= 0 && m->ranks.items[i].rank == m->ranks.items[i - 1].rank;
    for (size_t i = 0, row = 0; i < m->ranks.count && is_needed; i++)
        if (is_shown(m, i, latest))
            snprintf(p->rows[row++].label, sizeof p->rows[0].label, "rank %d, device %d", (int)m->ranks.items[i].rank,
                     (int)m->ranks.items[i].device);
}

bool rank_picture_of(struct rank_picture *out, const struct rank_meetings *m)
{
    *out = (struct rank_picture){.meetings = m->meetings.count};
    if (m->doubt || !m->meetings.count)
        return false;
    out->steps_each = (m->meetings.count + RANK_STEPS_MAX - 1) / RANK_STEPS_MAX;
    out->step_count = (m->meetings.count + out->steps_each - 1) / out->steps_each;
    for (size_t i = 0; i < m->meetings.count; i++)
        count_add(&out->transfer_ns, m->meetings.items[i].transfer_ns);
    const size_t latest = latest_of(m);
    for (size_t i = 0; i < m->ranks.count; i++)
        if (is_shown(m, i, latest))
            fill_row(&out->rows[out->row_count++], out, m, i);
        else
            out->rows_left_out++;
    name_devices(out, m, latest);
    return true;
}
