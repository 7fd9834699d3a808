/* Which processes does a run consist of, and what became of each? */
#define _GNU_SOURCE
#include "cli/run_session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/runner_process.h"

enum { PLAN_SECONDS = 60, ROLE_SECONDS = 600 };

int run_session_init(struct run_session *s, const struct run_request *request, json_t *manifest, struct err *e)
{
    *s = (struct run_session){.request = request, .manifest = manifest, .progress = isatty(STDERR_FILENO)};
    s->steps = 1 + (size_t)request->processes + (request->pool ? 0 : 1) + (request->counters ? 1 : 0);
    str_init(&s->runner);
    return runner_find(&s->runner, e);
}

void run_session_release(struct run_session *s)
{
    str_release(&s->runner);
}

static int add_each(struct runner_arguments *a, const char *option, const struct run_texts *texts, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < texts->count && !rc; i++)
        rc = runner_argument(a, e, "--%s=%s", option, texts->items[i]);
    return rc;
}

static int add_arguments(struct runner_arguments *a, const struct run_session *s, const char *role, long index,
                         const char *directory, struct err *e)
{
    const struct run_request *q = s->request;
    int rc = runner_argument(a, e, "cpprof-runner");
    if (!rc)
        rc = runner_argument(a, e, "%s", role);
    if (!rc)
        rc = runner_argument(a, e, "--dir=%s", directory);
    if (!rc)
        rc = runner_argument(a, e, "--index=%ld", index);
    if (!rc)
        rc = runner_argument(a, e, "--iters=%ld", q->iterations);
    if (!rc)
        rc = runner_argument(a, e, "--warmup=%ld", q->warmup);
    if (!rc)
        rc = runner_argument(a, e, "--device=%ld", q->device);
    if (!rc && q->baseline)
        rc = runner_argument(a, e, "--baseline=%s", q->baseline);
    if (!rc && index % 2)
        rc = runner_argument(a, e, "--flip");
    if (!rc)
        rc = add_each(a, "variant", &q->variants, e);
    if (!rc)
        rc = add_each(a, "shape", &q->shapes, e);
    if (!rc)
        rc = add_each(a, "set", &q->sets, e);
    if (!rc)
        rc = add_each(a, "seed", &q->seeds, e);
    if (!rc)
        rc = add_each(a, "metric", &q->metrics, e);
    if (!rc && q->pool)
        rc = runner_argument(a, e, "--pool");
    if (!rc)
        rc = add_each(a, "plant", &q->plants, e);
    return rc;
}

static int run_role(struct run_session *s, const char *role, long index, const char *directory, int seconds,
                    struct runner_end *end, struct err *e)
{
    struct runner_arguments arguments = {0};
    int rc = add_arguments(&arguments, s, role, index, directory, e);
    if (!rc)
        rc = runner_run(str_text(&s->runner), &arguments, seconds, end, e);
    runner_arguments_release(&arguments);
    return rc;
}

static const char *how_it_ended(const struct runner_end *end, int seconds, char *text, size_t bytes)
{
    if (end->timed_out)
        snprintf(text, bytes, "it did not end in %d s and was stopped", seconds);
    else if (end->signal)
        snprintf(text, bytes, "it was ended by signal %d (%s)%s%s", end->signal, strsignal(end->signal),
                 end->said.length ? ": " : "", str_text(&end->said));
    else
        snprintf(text, bytes, "%s", end->said.length ? str_text(&end->said) : "it gave no reason");
    return text;
}

int run_session_plan(struct run_session *s, const char *directory, struct err *e)
{
    struct runner_end end = {0};
    char why[512];
    int rc = run_role(s, "plan", 0, directory, PLAN_SECONDS, &end, e);
    if (!rc && end.exit_status != 0) {
        rc = err_set(e, end.exit_status == EXIT_USAGE ? ERR_USAGE : ERR_ENVIRONMENT, "%s",
                     how_it_ended(&end, PLAN_SECONDS, why, sizeof why));
        if (end.exit_status < 0 || !end.said.length) /* else these are its words to the user */
            err_context(e, "cpprof-runner failed to plan the run");
    }
    str_release(&end.said);
    return rc;
}

static void show_progress(struct run_session *s, const char *what)
{
    s->step++;
    if (s->progress)
        fprintf(stderr, "\r\033[K[%zu/%zu] %s", s->step, s->steps, what);
}

static int enter_failure(struct run_session *s, const char *role, long index, const char *detail, struct err *e)
{
    json_t *failures = json_object_get(s->manifest, "failures");
    if (!failures) {
        failures = json_array();
        if (json_object_set_new(s->manifest, "failures", failures))
            return err_memory(e);
    }
    json_t *failure = json_pack("{s:s,s:I,s:o}", "role", role, "index", (json_int_t)index, "detail", json_text(detail));
    return json_array_append_new(failures, failure) ? err_memory(e) : 0;
}

/* A process that left no report says nothing about what it did or did not do. */
static bool has_report(const struct run_session *s, const char *role, long index)
{
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/process-%s-%ld.json", s->directory, role, index);
    const bool has = files_exists(str_text(&path));
    str_release(&path);
    return has;
}

static int measure_with(struct run_session *s, const char *role, long index, const char *what, struct err *e)
{
    struct runner_end end = {0};
    char why[512];
    show_progress(s, what);
    int rc = run_role(s, role, index, s->directory, ROLE_SECONDS, &end, e);
    if (!rc && (end.exit_status != 0 || end.timed_out))
        rc = enter_failure(s, role, index, how_it_ended(&end, ROLE_SECONDS, why, sizeof why), e);
    else if (!rc && !has_report(s, role, index))
        rc = enter_failure(s, role, index, "it left no report", e);
    str_release(&end.said);
    return rc;
}

int run_session_measure(struct run_session *s, struct err *e)
{
    char what[64];
    int rc = measure_with(s, "verify", 0, "verifying against the float64 reference", e);
    for (long p = 0; p < s->request->processes && !rc; p++) {
        snprintf(what, sizeof what, "timing, process %ld of %ld", p + 1, s->request->processes);
        rc = measure_with(s, "time", p, what, e);
    }
    if (!rc && !s->request->pool)
        rc = measure_with(s, "trace", 0, "tracing launches", e);
    if (!rc && s->request->counters)
        rc = measure_with(s, "count", 0, "reading counters", e);
    if (s->progress)
        fputs("\r\033[K", stderr);
    return rc;
}
