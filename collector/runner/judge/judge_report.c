/* What has the judge found, in its own words? */
#define _GNU_SOURCE
#include "collector/runner/judge/judge_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/runner/judge/judged.h"
#include "core/base/str.h"

enum { LOOKED = 1, ORDERED = 2, AHEAD = 4, ALL_PARTS = LOOKED | ORDERED | AHEAD };

/* One arm of the judge, since its last verification. */
struct reported_arm {
    uint32_t id;
    struct cpprof_config config;
    uint64_t seed, values;
    double max_abs_err;
    enum cpprof_draw_kind draw;
    unsigned parts; /* that were right */
    bool is_wrong;
    bool is_over; /* all parts were judged */
    struct reported_arm *next;
};

static struct reported_arm **find(struct judge_report *r, uint32_t id)
{
    struct reported_arm **at = &r->arms;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    return at;
}

static void forget(struct reported_arm **at)
{
    struct reported_arm *a = *at;
    if (a) {
        *at = a->next;
        free(a);
    }
}

void judge_report_release(struct judge_report *r)
{
    while (r->arms)
        forget(&r->arms);
}

static int begin_arm(struct judge_report *r, const struct judge_request *request, const struct judge_reply *reply)
{
    struct reported_arm *a = calloc(1, sizeof *a);
    if (!a)
        return -1;
    *a = (struct reported_arm){.id = reply->arm, .config = request->config, .seed = request->seed, .next = r->arms};
    r->arms = a;
    return 0;
}

static void begin_verification(struct reported_arm *a)
{
    a->parts = 0;
    a->values = 0;
    a->max_abs_err = 0;
    a->is_wrong = a->is_over = false;
}

/* ---- a row ---- */

static void add_dimensions(struct str *out, const struct cpprof_task *task, const struct cpprof_config *config,
                           bool only_changed)
{
    const char *before = "";
    str_add(out, ",\"");
    for (size_t i = 0; i < task->axis_count; i++) {
        if (only_changed && config->value[i] == task->axes[i].value)
            continue;
        str_addf(out, "%s%s=%" PRId64, before, task->axes[i].name, config->value[i]);
        before = ",";
    }
    str_add_char(out, '"');
}

static void add_names(struct str *out, const struct cpprof_task *task, const struct cpprof_config *config)
{
    const char *before = "";
    str_add(out, ",\"");
    for (size_t i = 0; i < task->shape_count; i++) {
        if (memcmp(task->shapes[i].values, config->value, task->axis_count * sizeof *config->value) != 0)
            continue;
        str_addf(out, "%s%s", before, task->shapes[i].name);
        before = " ";
    }
    str_add_char(out, '"');
}

static void add_hint(struct str *out, const char *hint)
{
    str_add(out, ",\"");
    for (const char *c = hint; *c; c++)
        str_add_char(out, *c == '"' ? '\'' : (unsigned char)*c < ' ' ? ' ' : *c);
    str_add(out, "\"\n");
}

static int write_row(const struct judge_report *r, const struct reported_arm *a, bool passes, const char *hint)
{
    struct str row;
    str_init(&row);
    str_addf(&row, "%s,%s", r->role, r->process);
    add_dimensions(&row, r->task, &a->config, false);
    add_names(&row, r->task, &a->config);
    add_dimensions(&row, r->task, &a->config, true);
    str_addf(&row, ",%" PRIu64 "%s%s", a->seed, a->draw == CPPROF_RANDOM ? "" : " ",
             a->draw == CPPROF_RANDOM ? "" : judged_draw_name(a->draw));
    str_addf(&row, ",%s,%" PRIu64 ",", passes ? "yes" : "no", a->values);
    if (isfinite(a->max_abs_err)) /* nothing otherwise, as in any table */
        str_addf(&row, "%.17g", a->max_abs_err);
    add_hint(&row, hint);
    ssize_t written = -1;
    if (!row.failed)
        written = write(r->descriptor, row.text, row.length);
    const bool is_whole = written == (ssize_t)row.length;
    if (written >= 0 && !is_whole)
        errno = ENOSPC;
    str_release(&row);
    return is_whole ? 0 : -1;
}

/* ---- verdicts ---- */

/* An empty shape has a value in a look alone. */
static bool is_right(const struct cpprof_verification *v, unsigned part)
{
    return (v->values || part != LOOKED) && v->bad_ratio == 0 && isfinite(v->max_abs_err);
}

static int add_wrong(const struct judge_report *r, struct reported_arm *a, const char *hint)
{
    a->is_wrong = true;
    return write_row(r, a, false, hint);
}

/* A question about no launch says nothing. */
static int add_part(const struct judge_report *r, struct reported_arm *a, unsigned part, uint64_t launched,
                    const struct judge_reply *reply)
{
    const struct cpprof_verification *v = &reply->result;
    if (part == LOOKED && !launched)
        return v->bad_ratio == 0 ? 0 : add_wrong(r, a, v->hint);
    if (part == LOOKED) {
        a->parts = 0; /* those before it are of an earlier launch */
        a->values += v->values;
        a->max_abs_err = fmax(a->max_abs_err, v->max_abs_err);
    }
    if (reply->status || !is_right(v, part))
        return add_wrong(r, a, reply->status ? reply->trouble : v->hint);
    a->parts |= part;
    return 0;
}

static int end_verification(const struct judge_report *r, struct reported_arm *a)
{
    const int failed = a->parts == ALL_PARTS && !a->is_wrong ? write_row(r, a, true, "") : 0;
    begin_verification(a);
    return failed;
}

/* What the process asks next shows that a verification is over. */
static int add_to_arm(const struct judge_report *r, struct reported_arm *a, const struct judge_request *request,
                      const struct judge_reply *reply)
{
    switch ((enum judge_wish)request->wish) {
    case JUDGE_REDRAW:
        begin_verification(a);
        if (request->draw < CPPROF_DRAW_KINDS)
            a->draw = (enum cpprof_draw_kind)request->draw;
        return 0;
    case JUDGE_LOOK: return add_part(r, a, LOOKED, request->launched, reply);
    case JUDGE_ORDER: return add_part(r, a, ORDERED, 0, reply);
    case JUDGE_AMID: return add_part(r, a, 0, 0, reply);
    case JUDGE_AHEAD: a->is_over = true; return add_part(r, a, AHEAD, 0, reply);
    default: return 0;
    }
}

int judge_report_add(struct judge_report *r, const struct judge_request *request, const struct judge_reply *reply)
{
    struct reported_arm **at = find(r, request->arm), *a = *at;
    if (r->descriptor < 0)
        return 0;
    if (request->wish == JUDGE_RESERVE)
        return reply->status ? 0 : begin_arm(r, request, reply);
    if (!a)
        return 0;
    if (a->is_over && end_verification(r, a))
        return -1;
    if (request->wish != JUDGE_END)
        return add_to_arm(r, a, request, reply);
    forget(at);
    return 0;
}
