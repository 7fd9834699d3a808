/* What do the counters say of launches that are replayed? */
#define _GNU_SOURCE
#include "record/replay_session.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/capture/replay_plan.h"
#include "base/files.h"
#include "bundle/bundle.h"
#include "record/program_capture.h"
#include "record/program_counters.h"
#include "trace/event_stream.h"

/* A launch that waits for what is done already would wait for ever: after so many times its time, what the replays may
 * take, and this, the program is killed. */
enum { TIMES_LONGER = 5, SECONDS_MORE = 60 };

struct replay {
    struct program_arm arm;
    struct capture_scope scope;
    struct str metrics, list, bundle;
    char aside[PATH_MAX]; /* absolute: the program may change its folder */
    size_t launches;
};

static int make_plan(struct replay *r, const char *directory, const char **why, struct err *e)
{
    struct event_stream *stream = NULL;
    struct str text;
    str_init(&text);
    int rc = event_stream_open(&stream, directory, e);
    if (!rc)
        rc = replay_plan_make(&text, &r->launches, why, stream, e);
    if (!rc && r->launches)
        rc = files_write_atomic(str_text(&r->list), text.text, text.length, e);
    event_stream_free(stream);
    str_release(&text);
    return rc;
}

static int make_aside(struct replay *r, const char *directory, struct err *e)
{
    struct str path;
    str_init(&path);
    int rc = files_make_directory(files_join(&path, directory, BUNDLE_ASIDE), e);
    if (!rc && !realpath(str_text(&path), r->aside))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot find the folder '%s': %s", str_text(&path), strerror(errno));
    str_release(&path);
    files_join(&r->list, r->aside, "launches");
    files_join(&r->bundle, r->aside, "replay.cpprof");
    return rc;
}

static int count(struct replay *r, const struct capture_session *session, const struct capture_end *end,
                 const char *directory, json_t *facts, struct err *e)
{
    static const struct program_samples no_order;
    struct program_end how = {0};
    json_t *kernels = NULL;
    const struct program_process run = {
        .arm = &r->arm,
        .directory = str_text(&r->bundle),
        .aside = r->aside,
        .scope = &r->scope,
        .seconds = (int)(TIMES_LONGER * (end->wall_ns / 1000000000 + 1) + r->scope.replay_ms / 1000 + SECONDS_MORE)};
    int rc = program_capture(session, &run, &how, e);
    if (!rc && how.how.timed_out)
        rc = program_missing(facts, "counters", r->arm.name, "it took too long with replays, and was killed", e);
    else if (!rc && how.failure.length)
        rc = program_missing(facts, "counters", r->arm.name, str_text(&how.failure), e);
    if (!rc)
        rc = program_counters_merge(str_text(&r->bundle), directory, r->arm.name, &no_order, "no launch was replayed",
                                    facts, &kernels, e);
    if (!rc && (json_object_set(facts, "kernels", kernels) ||
                json_object_set_new(facts, "wall_ns", json_integer(how.how.wall_ns))))
        rc = err_memory(e);
    json_decref(kernels);
    program_end_release(&how);
    return rc;
}

static int replay(struct replay *r, const struct capture_session *session, const struct capture_end *end,
                  const char *directory, json_t *facts, struct err *e)
{
    static const struct program_request bound_set;
    const char *why = NULL;
    int rc = make_aside(r, directory, e);
    if (!rc)
        rc = make_plan(r, directory, &why, e);
    if (!rc && !r->launches)
        rc = program_missing(facts, "counters", r->arm.name, why, e);
    else if (!rc)
        rc = program_counters_names(&r->metrics, &bound_set, e);
    if (!rc && json_object_set_new(facts, "launches", json_integer((json_int_t)r->launches)))
        rc = err_memory(e);
    r->scope.metrics = str_text(&r->metrics);
    r->scope.launches = str_text(&r->list);
    return rc || !r->launches ? rc : count(r, session, end, directory, facts, e);
}

int replay_session_run(const struct capture_session *session, char *const *program, const struct capture_scope *scope,
                       long limit_ms, const struct capture_end *end, const char *name, const char *directory,
                       json_t **facts, struct err *e)
{
    struct replay r = {
        .arm = {.name = (char *)name, .words = {.items = (char **)program}},
        .scope = {.range = scope->range, .from_start_off = scope->from_start_off, .replay_ms = limit_ms}};
    while (program[r.arm.words.count])
        r.arm.words.count++;
    str_init(&r.metrics);
    str_init(&r.list);
    str_init(&r.bundle);
    *facts = json_object();
    int rc = *facts ? replay(&r, session, end, directory, *facts, e) : err_memory(e);
    struct err unremoved = {0};
    if (r.aside[0])
        files_remove_tree(r.aside, &unremoved);
    str_release(&r.metrics);
    str_release(&r.list);
    str_release(&r.bundle);
    return rc;
}
