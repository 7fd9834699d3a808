/* Which processes does a run consist of, and what became of each? */
#define _GNU_SOURCE
#include "cli/record/run_session.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/record/python_runner.h"
#include "cli/record/runner_arguments.h"
#include "cli/record/runner_process.h"
#include "cli/record/solution_alone.h"
#include "cli/record/stop_signal.h"
#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/words.h"
#include "core/io/scratch_file.h"

enum { PLAN_SECONDS = 300, ROLE_SECONDS = 600, WHY_BYTES = 512 };

struct outcome {
    bool failed;
    bool crashed; /* without a word of the runner: a signal, a time limit, an exit in the middle */
    bool is_dishonest;
    int exit_status;
    char why[WHY_BYTES];
};

/* ---- one process ---- */

static void say_end(const struct runner_end *end, int seconds, char *text, size_t bytes)
{
    const char *said = str_text(&end->said);
    if (end->timed_out)
        snprintf(text, bytes, "it did not end in %d s and was stopped", seconds);
    else if (end->signal)
        snprintf(text, bytes, "it was ended by signal %d (%s)%s%s", end->signal, strsignal(end->signal),
                 *said ? ": " : "", said);
    else if (!end->exit_status)
        snprintf(text, bytes, "it left no report: it ended early, with exit status 0");
    else if (*said)
        snprintf(text, bytes, "%s", said);
    else
        snprintf(text, bytes, "it gave no reason: it ended with exit status %d", end->exit_status);
}

/* A process that left no report says nothing about what it did or did not do. */
static bool has_report(const char *directory, const struct run_part *part)
{
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/process-%s-%ld.json", directory, part->role, part->index);
    const bool has = files_exists(str_text(&path));
    str_release(&path);
    return has;
}

static int run_words(const struct run_session *s, const struct run_part *part, const struct runner_arguments *words,
                     const char *directory, struct outcome *out, struct err *e)
{
    const bool plans = !strcmp(part->role, "plan");
    const int seconds = plans ? PLAN_SECONDS : ROLE_SECONDS + (int)s->request->progress_seconds;
    struct runner_end end = {0};
    *out = (struct outcome){0};
    const int rc = runner_run(str_text(&s->runner), words, seconds, &end, e);
    if (!rc) {
        const bool broke_off = end.exit_status != 0 || end.timed_out;
        out->failed = broke_off || (!plans && !has_report(directory, part));
        out->crashed = out->failed && (end.exit_status <= 0 || end.timed_out || !end.said.length);
        out->exit_status = end.exit_status;
        out->is_dishonest = end.is_dishonest;
        say_end(&end, seconds, out->why, sizeof out->why);
    }
    str_release(&end.said);
    return rc;
}

/* ---- what a process leaves ---- */

/* The sizes of all files of a folder. */
static json_t *files_of(const char *folder)
{
    json_t *all = json_object();
    DIR *open = opendir(folder);
    struct dirent *entry;
    struct stat now;
    while (open && (entry = readdir(open)))
        if (!fstatat(dirfd(open), entry->d_name, &now, AT_SYMLINK_NOFOLLOW) && S_ISREG(now.st_mode))
            json_object_set_new(all, entry->d_name, json_integer(now.st_size));
    if (open)
        closedir(open);
    return all;
}

/* A folder as it was: what comes from a process that is run again would be there twice. */
static int take_back(const char *folder, const json_t *before, struct err *e)
{
    json_t *now = files_of(folder), *size;
    const char *name;
    struct str path;
    int rc = 0;
    str_init(&path);
    json_object_foreach (now, name, size) {
        const json_t *was = json_object_get(before, name);
        files_join(&path, folder, name);
        if (rc || (was && json_integer_value(was) >= json_integer_value(size)))
            continue;
        if (was ? truncate(str_text(&path), json_integer_value(was)) : unlink(str_text(&path)))
            rc = err_set(e, ERR_ENVIRONMENT, "cannot take back what a process left in '%s'", str_text(&path));
    }
    str_release(&path);
    json_decref(now);
    return rc;
}

/* ---- failures ---- */

/* `solutions` where nothing else ran, else `loaded`, which has the files of libraries, too. */
static json_t *loaded_by(const struct runner_arguments *words)
{
    json_t *names = json_array();
    const bool has_task = solution_alone_can(words);
    for (size_t i = 0; i < words->count; i++) {
        const char *load = runner_argument_value(words->items[i], "--load=");
        const size_t length = load ? words_name_length(load) : 0;
        if (length)
            json_array_append_new(names, json_stringn(load, length));
        else if (load && !has_task)
            json_array_append_new(names, json_text(files_name(load)));
    }
    return json_array_size(names) ? json_pack("{s:o}", has_task ? "solutions" : "loaded", names)
                                  : (json_decref(names), json_object());
}

static int enter(struct run_session *s, const struct run_part *part, const struct runner_arguments *words,
                 const struct outcome *o, struct err *e)
{
    json_t *more = loaded_by(words);
    if (o->is_dishonest)
        json_object_set_new(more, "dishonest", json_true());
    const int rc = run_session_failure(s, part->role, part->index, o->why, more, e);
    json_decref(more);
    return rc;
}

/* ---- whose fault? ---- */

/* In a folder of its own, which goes with all that it leaves. */
static int try_alone(const struct run_session *s, const struct run_part *part, const struct runner_arguments *words,
                     const char *load, struct outcome *out, struct err *e)
{
    struct runner_arguments alone = {0}, there = {0};
    struct str folder;
    str_init(&folder);
    int rc = scratch_folder_make(&folder, e);
    if (!rc) {
        rc = solution_alone_words(&alone, words, load, e);
        if (!rc)
            rc = runner_arguments_in(&there, &alone, str_text(&folder), e);
        if (!rc)
            rc = run_words(s, part, &there, str_text(&folder), out, e);
        files_remove_tree(str_text(&folder), NULL);
    }
    runner_arguments_release(&alone);
    runner_arguments_release(&there);
    str_release(&folder);
    return rc;
}

/* All fail, and say why: then it is the fault of none. Without permission to count it is so. */
static bool is_shared(const struct outcome *tries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!tries[i].failed || tries[i].crashed || tries[i].is_dishonest)
            return false;
    return true;
}

static int leave_out(struct run_session *s, const char *load, struct err *e)
{
    const struct run_texts *loads = &s->request->loads;
    for (size_t i = 0; i < loads->count; i++) {
        if (strcmp(loads->items[i], load) != 0)
            continue;
        const char **slot = ARRAY_PUSH(&s->left_out);
        if (!slot)
            return err_memory(e);
        *slot = loads->items[i];
    }
    return 0;
}

static int enter_blamed(struct run_session *s, const struct run_part *part, const struct runner_arguments *words,
                        const char *load, const struct outcome *o, struct err *e)
{
    struct runner_arguments alone = {0};
    int rc = solution_alone_words(&alone, words, load, e);
    if (!rc)
        rc = enter(s, part, &alone, o, e);
    if (!rc)
        rc = leave_out(s, load, e);
    runner_arguments_release(&alone);
    return rc;
}

/* *blamed: solutions are left out from here on. */
static int blame(struct run_session *s, const struct run_part *part, const struct runner_arguments *words, bool *blamed,
                 struct err *e)
{
    struct solution_loads loads = {0};
    int rc = solution_loads_of(&loads, words, e);
    struct outcome *tries = calloc(loads.count + 1, sizeof *tries);
    if (!rc && !tries)
        rc = err_memory(e);
    for (size_t i = 0; i < loads.count && !rc && !stop_signal_first(); i++)
        rc = try_alone(s, part, words, loads.items[i], &tries[i], e);
    if (!rc && !stop_signal_first() && !is_shared(tries, loads.count))
        for (size_t i = 0; i < loads.count && !rc; i++)
            if (tries[i].failed) {
                *blamed = true;
                rc = enter_blamed(s, part, words, loads.items[i], &tries[i], e);
            }
    free(tries);
    solution_loads_release(&loads);
    return rc;
}

/* Without a Python solution others would be launched in another way than before. */
static bool can_be_blamed(const struct run_part *part, const struct runner_arguments *words)
{
    size_t solutions = 0;
    for (size_t i = 0; i < words->count; i++) {
        const char *load = runner_argument_value(words->items[i], "--load=");
        solutions += load && words_name_length(load);
        if (load && python_runner_takes(load) && !strcmp(part->role, "time"))
            return false;
    }
    return solutions > 1 && solution_alone_can(words);
}

/* ---- a process ---- */

/* The solutions that it is to have. *is_any: false where none is left for it. */
static int choose_words(const struct run_session *s, const struct runner_arguments *words, struct runner_arguments *out,
                        bool *is_any, struct err *e)
{
    struct runner_arguments alone = {0};
    bool is_alone = false;
    int rc = solution_alone_arguments(&alone, words, &is_alone, e);
    const struct runner_arguments *from = is_alone ? &alone : words;
    const struct solution_loads none = {0};
    const bool leaves_out = s->left_out.count && solution_alone_can(from);
    if (!rc)
        rc = solution_alone_without(out, from, leaves_out ? &s->left_out : &none, is_any, e);
    *is_any |= !leaves_out;
    runner_arguments_release(&alone);
    return rc;
}

/* Once. *again: solutions were left out, and the others have to run once more. */
static int run_once(struct run_session *s, const struct run_part *part, const struct runner_arguments *words,
                    bool *again, struct err *e)
{
    json_t *before = files_of(s->directory);
    struct outcome out;
    *again = false;
    int rc = run_words(s, part, words, s->directory, &out, e);
    if (!rc && out.failed && !stop_signal_first() && can_be_blamed(part, words))
        rc = blame(s, part, words, again, e);
    if (!rc && *again)
        rc = take_back(s->directory, before, e);
    else if (!rc && out.failed && !stop_signal_first())
        rc = enter(s, part, words, &out, e);
    s->ended += !rc && !out.failed;
    json_decref(before);
    return rc;
}

static int run_blaming(struct run_session *s, const struct run_part *part, const struct runner_arguments *words,
                       struct err *e)
{
    bool again = true;
    int rc = 0;
    while (again && !rc && !stop_signal_first()) {
        struct runner_arguments chosen = {0};
        bool is_any = false;
        rc = choose_words(s, words, &chosen, &is_any, e);
        again = is_any;
        if (!rc && is_any)
            rc = run_once(s, part, &chosen, &again, e);
        runner_arguments_release(&chosen);
    }
    return rc;
}

/* ---- the plan ---- */

static void add_loads(struct str *out, const struct runner_arguments *words)
{
    const char *between = ", with ";
    for (size_t i = 0; i < words->count; i++) {
        const char *load = runner_argument_value(words->items[i], "--load=");
        if (!load)
            continue;
        str_addf(out, "%s'%s'", between, load);
        between = ", ";
    }
}

/* Which solution ends a process that only loads it and looks at it? */
static int blame_plan(struct run_session *s, const struct run_part *part, const struct runner_arguments *words,
                      struct str *out, struct err *e)
{
    struct solution_loads loads = {0};
    size_t blamed = 0, tried = 0;
    int rc = can_be_blamed(part, words) ? solution_loads_of(&loads, words, e) : 0;
    for (size_t i = 0; i < loads.count && !rc && !stop_signal_first(); i++) {
        struct outcome alone;
        rc = try_alone(s, part, words, loads.items[i], &alone, e);
        tried += !rc;
        if (rc || !alone.crashed)
            continue;
        str_addf(out, "%s'%s' ends the process that loads it: %s", blamed++ ? "; " : "", loads.items[i], alone.why);
    }
    if (blamed == tried)
        str_clear(out); /* perhaps it is the task */
    solution_loads_release(&loads);
    return rc;
}

static int run_planning(struct run_session *s, const struct runner_arguments *words, const char *directory,
                        struct err *e)
{
    const struct run_part part = {.role = "plan"};
    struct outcome out;
    struct str blamed;
    str_init(&blamed);
    int rc = run_words(s, &part, words, directory, &out, e);
    if (!rc && out.crashed)
        rc = blame_plan(s, &part, words, &blamed, e);
    if (!rc && blamed.length) {
        rc = err_set(e, ERR_ENVIRONMENT, "%s", str_text(&blamed));
    } else if (!rc && out.crashed) {
        add_loads(&blamed, words);
        rc = err_set(e, ERR_ENVIRONMENT, "cpprof-runner failed to plan the run%s: %s", str_text(&blamed), out.why);
    } else if (!rc && out.failed) /* these are its words to the user */
        rc = err_set(e, out.exit_status == EXIT_USAGE ? ERR_USAGE : ERR_ENVIRONMENT, "%s", out.why);
    str_release(&blamed);
    return rc;
}

/* ---- a run ---- */

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
        rc = run_planning(s, &words, directory, e);
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

int run_session_failure(struct run_session *s, const char *role, long index, const char *detail, json_t *more,
                        struct err *e)
{
    json_t *failures = json_object_get(s->manifest, "failures");
    if (!failures) {
        failures = json_array();
        if (json_object_set_new(s->manifest, "failures", failures))
            return err_memory(e);
    }
    json_t *failure = json_pack("{s:s,s:I,s:o}", "role", role, "index", (json_int_t)index, "detail", json_text(detail));
    json_object_update(failure, more);
    return json_array_append_new(failures, failure) ? err_memory(e) : 0;
}

int run_session_process(struct run_session *s, const struct run_part *part, const char *what, struct err *e)
{
    struct runner_arguments words = {0};
    if (stop_signal_first())
        return 0;
    show_progress(s, what);
    int rc = add_arguments(&words, s, part, s->directory, e);
    if (!rc)
        rc = run_blaming(s, part, &words, e);
    runner_arguments_release(&words);
    return rc;
}
