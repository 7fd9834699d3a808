/* Which processes does a run consist of, and what became of each? */
#define _GNU_SOURCE
#include "record/run_session.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "record/run_process.h"
#include "record/run_stop.h"
#include "record/runner_arguments.h"
#include "record/runner_process.h"

int run_session_init(struct run_session *s, const struct run_request *request, json_t *manifest, struct err *e)
{
    *s = (struct run_session){.request = request, .manifest = manifest, .progress = isatty(STDERR_FILENO)};
    str_init(&s->runner);
    return runner_find(&s->runner, e);
}

void run_session_release(struct run_session *s)
{
    str_release(&s->runner);
    solution_loads_release(&s->left_out);
}

static int add_each(struct runner_arguments *a, const char *option, const struct run_texts *texts, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < texts->count && !rc; i++)
        rc = runner_argument(a, e, "--%s=%s", option, texts->items[i]);
    return rc;
}

/* What only processes that measure are told. */
static int add_part(struct runner_arguments *a, const struct run_session *s, const struct run_part *part, struct err *e)
{
    const struct sampling *sampling = &s->request->sampling;
    const bool times = !strcmp(part->role, "time"), shares = times || !strcmp(part->role, "verify");
    const bool counts = !strcmp(part->role, "count");
    int rc = 0;
    if (counts && s->request->count_repeats > 1)
        rc = runner_argument(a, e, "--repeats=%ld", s->request->count_repeats);
    if (!rc && counts && sampling->cache)
        rc = runner_argument(a, e, "--cache=%s", sampling->cache);
    if (shares && s->plan.shares > 1)
        rc = runner_argument(a, e, "--share=%ld/%ld", part->share, s->plan.shares);
    if (!times || rc)
        return rc;
    rc = runner_argument(a, e, "--round=%ld", part->round);
    if (!rc && part->round % 2)
        rc = runner_argument(a, e, "--flip");
    if (!rc && sampling->cache)
        rc = runner_argument(a, e, "--cache=%s", sampling->cache);
    if (!rc && sampling->method != BATCH_AUTO)
        rc = runner_argument(a, e, "--method=%s", batch_method_name(sampling->method));
    if (!rc && sampling->schedule != SCHEDULE_ABBA)
        rc = runner_argument(a, e, "--schedule=%s", schedule_name(sampling->schedule));
    if (!rc && sampling->schedule == SCHEDULE_PROCESS)
        rc = runner_argument(a, e, "--arm=%ld", part->arm);
    return rc;
}

static int add_arguments(struct runner_arguments *a, const struct run_session *s, const struct run_part *part,
                         const char *directory, struct err *e)
{
    const struct run_request *q = s->request;
    int rc = runner_argument(a, e, "cpprof-runner");
    if (!rc)
        rc = runner_argument(a, e, "%s", part->role);
    if (!rc)
        rc = runner_argument(a, e, "--dir=%s", directory);
    if (!rc)
        rc = runner_argument(a, e, "--index=%ld", part->index);
    if (!rc)
        rc = runner_argument(a, e, "--iters=%ld", q->iterations);
    if (!rc)
        rc = runner_argument(a, e, "--warmup=%ld", q->warmup);
    if (!rc)
        rc = runner_argument(a, e, "--device=%ld", q->device);
    if (!rc && q->baseline)
        rc = runner_argument(a, e, "--baseline=%s", q->baseline);
    if (!rc)
        rc = add_part(a, s, part, e);
    if (!rc)
        rc = add_each(a, "load", &q->loads, e);
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
    if (!rc && q->inside)
        rc = runner_argument(a, e, "--inside");
    if (!rc && q->progress_seconds)
        rc = runner_argument(a, e, "--progress=%ld", q->progress_seconds);
    if (!rc)
        rc = add_each(a, "dose", &q->doses, e);
    if (!rc)
        rc = add_each(a, "phase", &q->phases, e);
    if (!rc && q->pool)
        rc = runner_argument(a, e, "--pool");
    if (!rc)
        rc = add_each(a, "plant", &q->plants, e);
    return rc;
}

int run_session_plan(struct run_session *s, const char *directory, struct err *e)
{
    struct runner_arguments words = {0};
    int rc = add_arguments(&words, s, &(struct run_part){.role = "plan"}, directory, e);
    if (!rc)
        rc = run_process_plan(s, &words, directory, e);
    runner_arguments_release(&words);
    return rc;
}

static void show_progress(struct run_session *s, const char *what)
{
    if (s->step++ == s->steps)
        s->steps++; /* nobody knew how many it would take */
    if (s->progress)
        fprintf(stderr, "\r\033[K[%zu/%zu] %s", s->step, s->steps, what);
}

int run_session_failure(struct run_session *s, const char *role, long index, const char *detail, json_t *loaded,
                        struct err *e)
{
    json_t *failures = json_object_get(s->manifest, "failures");
    if (!failures) {
        failures = json_array();
        if (json_object_set_new(s->manifest, "failures", failures))
            return err_memory(e);
    }
    json_t *failure = json_pack("{s:s,s:I,s:o}", "role", role, "index", (json_int_t)index, "detail", json_text(detail));
    json_object_update(failure, loaded);
    return json_array_append_new(failures, failure) ? err_memory(e) : 0;
}

int run_session_process(struct run_session *s, const struct run_part *part, const char *what, struct err *e)
{
    struct runner_arguments words = {0};
    if (run_stop_signal())
        return 0;
    show_progress(s, what);
    int rc = add_arguments(&words, s, part, s->directory, e);
    if (!rc)
        rc = run_process(s, part, &words, e);
    runner_arguments_release(&words);
    return rc;
}
