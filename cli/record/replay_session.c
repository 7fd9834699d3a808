/* What do the counters say of launches that are replayed? */
#define _GNU_SOURCE
#include "cli/record/replay_session.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzers/capture/kernel_replays.h"
#include "analyzers/capture/replay_plan.h"
#include "cli/record/messages.h"
#include "cli/record/program_capture.h"
#include "cli/record/program_counters.h"
#include "core/base/files.h"
#include "core/bundle/bundle.h"
#include "core/trace/event_stream.h"

/* A launch that waits for what is done already would wait for ever: after so many times its time, what the replays may
 * take, and this, the program is killed. */
enum { TIMES_LONGER = 5, SECONDS_MORE = 60 };

struct replay {
    const struct replay_request *request;
    const char *directory;
    struct program_arm arm;
    struct capture_scope scope;
    struct str metrics, list, bundle;
    char aside[PATH_MAX]; /* absolute, as the program may change its folder; "" before it is made */
    json_t *facts;
};

/* ---- before ---- */

static int make_plan(const struct replay *r, struct replay_plan *plan, struct err *e)
{
    struct event_stream *stream = NULL;
    int rc = event_stream_open(&stream, r->directory, e);
    if (!rc)
        rc = replay_plan_make(plan, stream, e);
    event_stream_free(stream);
    return rc;
}

/* It must be new: the program may have put something else there. */
static int make_aside(struct replay *r, struct err *e)
{
    char directory[PATH_MAX];
    struct str path;
    str_init(&path);
    int rc = realpath(r->directory, directory)
                 ? 0
                 : err_set(e, ERR_ENVIRONMENT, "cannot find the folder '%s': %s", r->directory, strerror(errno));
    if (!rc)
        files_join(&path, directory, BUNDLE_ASIDE);
    if (!rc && (path.failed || path.length >= sizeof r->aside || mkdir(str_text(&path), 0700)))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot make the folder '%s': %s", str_text(&path), strerror(errno));
    if (!rc) {
        memcpy(r->aside, str_text(&path), path.length + 1);
        files_join(&r->list, r->aside, "launches");
        files_join(&r->bundle, r->aside, "replay.cpprof");
    }
    str_release(&path);
    return rc;
}

static void say_begin(const struct replay *r, const struct replay_plan *plan)
{
    if (!r->request->is_quiet)
        message_note("running the program a second time, to replay %zu launches of %zu kernels", plan->launches,
                     plan->kernels);
}

/* ---- the second run ---- */

static int seconds_at_most(const struct replay *r)
{
    return (int)(TIMES_LONGER * (r->request->end->wall_ns / 1000000000 + 1) + r->scope.replay_ms / 1000 + SECONDS_MORE);
}

static int note_missing(const struct replay *r, const char *why, struct err *e)
{
    return program_missing(r->facts, "counters", r->arm.name, why, e);
}

static int merge(const struct replay *r, const struct program_end *end, struct err *e)
{
    static const struct program_samples no_order;
    json_t *kernels = NULL;
    int rc = program_counters_merge(str_text(&r->bundle), r->directory, r->arm.name, &no_order,
                                    end->failure.length ? str_text(&end->failure) : "no launch was replayed", r->facts,
                                    &kernels, e);
    if (!rc && (json_object_set(r->facts, "kernels", kernels) ||
                json_object_set_new(r->facts, "wall_ns", json_integer(end->how.wall_ns)) ||
                json_object_set_new(r->facts, "limit_ms", json_integer(r->request->limit_ms))))
        rc = err_memory(e);
    json_decref(kernels);
    return rc;
}

static int count(struct replay *r, const struct capture_session *session, struct err *e)
{
    struct program_end end = {0};
    const struct program_process run = {.arm = &r->arm,
                                        .directory = str_text(&r->bundle),
                                        .aside = r->aside,
                                        .scope = &r->scope,
                                        .seconds = seconds_at_most(r)};
    int rc = program_capture(session, &run, &end, e);
    if (!rc && end.how.timed_out)
        rc = note_missing(r, "with replays the program took too long, and was killed", e);
    else if (!rc)
        rc = merge(r, &end, e);
    program_end_release(&end);
    return rc;
}

static int count_planned(struct replay *r, const struct capture_session *session, const struct replay_plan *plan,
                         struct err *e)
{
    static const struct program_request counted = {.metrics = replay_metrics, .metric_count = REPLAY_METRICS};
    int rc = make_aside(r, e);
    if (!rc)
        rc = files_write_atomic(str_text(&r->list), plan->list.text, plan->list.length, e);
    if (!rc)
        rc = program_counters_names(&r->metrics, &counted, e);
    r->scope.metrics = str_text(&r->metrics);
    r->scope.launches = str_text(&r->list);
    if (!rc)
        say_begin(r, plan);
    return rc ? rc : count(r, session, e);
}

static int replay(struct replay *r, const struct capture_session *session, struct err *e)
{
    struct replay_plan plan;
    int rc = make_plan(r, &plan, e);
    if (!rc && json_object_set_new(r->facts, "launches", json_integer((json_int_t)plan.launches)))
        rc = err_memory(e);
    if (!rc)
        rc = plan.launches ? count_planned(r, session, &plan, e) : note_missing(r, plan.why, e);
    replay_plan_release(&plan);
    return rc;
}

json_t *replay_session_run(const struct capture_session *session, const struct replay_request *q, const char *directory)
{
    struct replay r = {
        .request = q,
        .directory = directory,
        .arm = {.name = (char *)q->name, .words = {.items = (char **)q->program}},
        .scope = {.range = q->scope->range, .from_start_off = q->scope->from_start_off, .replay_ms = q->limit_ms},
        .facts = json_object()};
    struct err e = {0}, unremoved = {0};
    while (q->program[r.arm.words.count])
        r.arm.words.count++;
    str_init(&r.metrics);
    str_init(&r.list);
    str_init(&r.bundle);
    if (r.facts && replay(&r, session, &e))
        note_missing(&r, e.text, &unremoved);
    if (r.aside[0] && files_remove_tree(r.aside, &unremoved))
        message_error(&unremoved);
    str_release(&r.metrics);
    str_release(&r.list);
    str_release(&r.bundle);
    return r.facts;
}
