/* Which processes does a run of programs consist of, and what became of each? */
#define _GNU_SOURCE
#include "cli/record/program_session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/record/capture_session.h"
#include "cli/record/program_capture.h"
#include "cli/record/program_counters.h"
#include "cli/record/program_outputs.h"
#include "cli/record/program_rows.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/bundle/bundle.h"
#include "core/run/kernel_choice.h"
#include "core/trace/event_stream.h"
#include "core/trace/range_name.h"

struct arm_state {
    bool failed;                  /* it is not started again */
    struct program_samples first; /* of its first process: the kernels by name */
    bool has_first;
    json_t *kernels; /* what the device says of them; NULL: not counted */
};

struct program_session {
    const struct program_request *request;
    const char *directory;
    char aside[PATH_MAX]; /* absolute: programs may change their folder */
    json_t *manifest;
    struct capture_session capture;
    struct program_outputs outputs;
    struct arm_state arms[PROGRAM_ARMS_MAX];
    bool ran[PROGRAM_ARMS_MAX]; /* in the block that is under way */
    long order, reports;
    json_t *gpu; /* the first one that a guest saw */
    size_t step, steps;
    bool stopped; /* somebody asked us to end */
};

/* ---- what is entered into the manifest ---- */

static json_t *processes_of(const struct program_session *s, size_t arm)
{
    return json_object_get(json_array_get(json_object_get(s->manifest, "programs"), arm), "processes");
}

static int enter_process(const struct program_session *s, size_t arm, json_t *facts, struct err *e)
{
    return json_array_append_new(processes_of(s, arm), facts) ? err_memory(e) : 0;
}

static int enter_failure(struct program_session *s, size_t arm, long process, const struct program_end *end,
                         struct err *e)
{
    s->arms[arm].failed = true;
    return enter_process(s, arm,
                         json_pack("{s:I,s:o,s:o}", "process", (json_int_t)process, "failure",
                                   json_text(str_text(&end->failure)), "said", json_text(str_text(&end->said))),
                         e);
}

/* Each guest's report goes where the seal of the run finds it. */
static int keep_reports(struct program_session *s, size_t arm, const char *role, long process,
                        const struct program_end *end, struct err *e)
{
    const json_t *reports = end->reports;
    struct str path;
    str_init(&path);
    int rc = 0;
    for (size_t i = 0; i < json_array_size(reports) && !rc; i++) {
        json_t *report = json_array_get(reports, i);
        if (!json_is_object(report))
            continue;
        if (!s->gpu)
            s->gpu = json_incref(json_array_get(json_object_get(report, "gpus"), 0));
        str_clear(&path);
        str_addf(&path, "%s/process-%s-%ld.json", s->directory, role, s->reports);
        if (json_object_set_new(report, "role", json_string(role)) ||
            json_object_set_new(report, "index", json_integer(s->reports++)) ||
            json_object_set_new(report, "variant", json_text(s->request->arms[arm].name)) ||
            json_object_set_new(report, "process", json_integer(process)) ||
            (i == 0 && json_object_set_new(report, "wall_ns", json_integer(end->how.wall_ns))))
            rc = err_memory(e);
        else
            rc = json_write_file(str_text(&path), report, e);
    }
    str_release(&path);
    return rc;
}

/* ---- the samples of one process ---- */

static int add_caveats(json_t *facts, const struct caveat_list *caveats, struct err *e)
{
    json_t *list = json_array();
    for (size_t i = 0; i < caveats->count; i++)
        if (caveats->items[i].kind != CAVEAT_NOTE)
            json_array_append_new(list, json_text(caveats->items[i].text));
    return json_object_set_new(facts, "caveats", list) ? err_memory(e) : 0;
}

static int enter_samples(struct program_session *s, size_t arm, const struct program_place *place,
                         struct program_samples *samples, const struct caveat_list *caveats, struct err *e)
{
    int rc = program_samples_warm_up(samples, (size_t)s->request->warmup, e);
    if (!rc)
        rc = program_rows_samples(place, samples, e);
    json_t *facts = program_process_facts(place, samples);
    if (!rc)
        rc = add_caveats(facts, caveats, e);
    if (rc)
        json_decref(facts);
    else
        rc = enter_process(s, arm, facts, e);
    if (!rc && !s->arms[arm].has_first) {
        s->arms[arm].first = *samples; /* moved */
        s->arms[arm].has_first = true;
        program_samples_init(samples);
    }
    return rc;
}

/* The first reason that a guest gave; a program that has no GPU in it has no guest either. */
static const char *why_nothing(const json_t *reports, const char *what)
{
    for (size_t i = 0; i < json_array_size(reports); i++) {
        const json_t *missing = json_object_get(json_array_get(reports, i), "missing");
        if (json_array_size(missing))
            return json_get_text(json_array_get(missing, 0), "why", "the collector gave no reason");
    }
    if (!json_array_size(reports))
        return "the program did not load CUDA";
    return !strcmp(what, "trace") ? "the collector left no trace" : "no launch was counted";
}

static int enter_untraced(struct program_session *s, size_t arm, long process, const char *why, struct err *e)
{
    return enter_process(s, arm, json_pack("{s:I,s:o}", "process", (json_int_t)process, "untraced", json_text(why)), e);
}

static int read_samples(struct program_session *s, size_t arm, const struct program_place *place, const char *bundle,
                        const json_t *reports, struct err *e)
{
    struct event_stream *stream = NULL;
    struct program_samples samples;
    struct err why = {0};
    program_samples_init(&samples);
    int rc = 0;
    if (!bundle_has_trace(bundle))
        rc = err_set(&why, ERR_INPUT, "%s", why_nothing(reports, "trace"));
    if (!rc)
        rc = event_stream_open(&stream, bundle, &why);
    if (!rc)
        rc = program_samples_read(&samples, stream, &s->request->arms[arm].choice, &why);
    if (rc == ERR_INPUT)
        rc = enter_untraced(s, arm, place->process, why.text, e);
    else if (rc)
        err_set(e, rc, "%s", why.text);
    else
        rc = enter_samples(s, arm, place, &samples, event_stream_caveats(stream), e);
    program_samples_release(&samples);
    event_stream_free(stream);
    return rc;
}

/* ---- processes ---- */

static void show_progress(struct program_session *s, size_t arm, const char *what, long process)
{
    s->step++;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K[%zu/%zu] %s: %s %ld", s->step, s->steps, s->request->arms[arm].name, what,
                process + 1);
}

/* The trace of the first process stays beside the tables; the others' samples are in
 * them. No variant has an '@' in its name: 'a' and 'a-1' are never in each other's way. */
static const char *choose_bundle(const struct program_session *s, size_t arm, long process, struct str *path)
{
    const char *name = s->request->arms[arm].name;
    str_clear(path);
    if (process == 0)
        str_addf(path, "%s/%s.cpprof", s->directory, name);
    else
        str_addf(path, "%s/%s@%ld.cpprof", s->request->keep_traces ? s->directory : s->aside, name, process);
    return str_text(path);
}

/* Asked between two processes as well: what has run by then is kept. */
static bool is_stopped(struct program_session *s)
{
    s->stopped |= capture_session_asked_to_end(&s->capture) != 0;
    return s->stopped;
}

static int time_arm(struct program_session *s, size_t arm, long process, struct err *e)
{
    static const struct capture_scope everything;
    const struct program_place place = {s->directory, s->request->arms[arm].name, process, s->order++};
    struct program_end end;
    struct str bundle, output;
    str_init(&bundle);
    str_init(&output);
    choose_bundle(s, arm, process, &bundle);
    const struct program_process run = {.arm = &s->request->arms[arm],
                                        .directory = str_text(&bundle),
                                        .aside = s->aside,
                                        .output = program_output_path(&output, &s->outputs, arm, process),
                                        .scope = &everything};
    show_progress(s, arm, "process", process);
    int rc = program_capture(&s->capture, &run, &end, e);
    if (!rc)
        rc = keep_reports(s, arm, "capture", process, &end, e);
    s->stopped |= !rc && end.how.asked_to_end;
    if (!rc && end.how.asked_to_end) /* by us or by somebody else: nothing against the program */
        rc = enter_untraced(s, arm, process, str_text(&end.failure), e);
    else if (!rc && end.failure.length)
        rc = enter_failure(s, arm, process, &end, e);
    else if (!rc) {
        s->ran[arm] = true;
        rc = read_samples(s, arm, &place, str_text(&bundle), end.reports, e);
    }
    if (!rc && process > 0 && !s->request->keep_traces)
        rc = files_remove_tree(str_text(&bundle), e);
    program_end_release(&end);
    str_release(&bundle);
    str_release(&output);
    return rc;
}

/* What warms up or drifts must not hit the same program each time. */
static int time_block(struct program_session *s, long process, struct err *e)
{
    const size_t count = s->request->count;
    int rc = 0;
    memset(s->ran, 0, sizeof s->ran);
    for (size_t i = 0; i < count && !rc && !is_stopped(s); i++) {
        const size_t arm = process % 2 ? count - 1 - i : i;
        if (!s->arms[arm].failed)
            rc = time_arm(s, arm, process, e);
    }
    return rc ? rc : program_outputs_compare(&s->outputs, process, s->ran, e);
}

/* The collector knows a range by its name and domain alone, and counts what any thread launches. */
static void add_watched_range(struct str *out, const char *range)
{
    bool own_thread;
    if (range)
        str_add_bytes(out, range, range_words_length(range, &own_thread));
}

/* Replay changes every time: this process gives counters and nothing else. */
static int count_arm(struct program_session *s, size_t arm, struct err *e)
{
    struct arm_state *state = &s->arms[arm];
    const char *name = s->request->arms[arm].name;
    struct program_end end = {0};
    const struct work_choice *choice = &s->request->arms[arm].choice;
    struct str bundle, metrics, output, range; /* its array is like the others': nobody looks at it */
    struct str kernels, launches;
    str_init(&kernels);
    str_init(&launches);
    str_init(&bundle);
    str_init(&metrics);
    str_init(&output);
    str_init(&range);
    add_watched_range(&range, choice->range);
    if (choice->kernels) /* the guest knows names alone */
        str_add_bytes(&kernels, choice->kernels, kernel_choice_pattern_length(choice->kernels));
    str_addf(&launches, "%s/launches", s->aside);
    bool is_listed = false;
    str_addf(&bundle, "%s/%s-counters.cpprof", s->aside, name);
    str_addf(&output, "%s/%s-counters.npy", s->aside, name);
    int rc = program_counters_names(&metrics, s->request, e);
    if (!rc)
        rc = program_counters_list(str_text(&launches), choice, &state->first, &is_listed, e);
    const struct capture_scope scope = {.range = range.length ? str_text(&range) : NULL,
                                        .kernels = choice->kernels ? str_text(&kernels) : NULL,
                                        .launches = is_listed ? str_text(&launches) : NULL,
                                        .metrics = str_text(&metrics)};
    const struct program_process run = {.arm = &s->request->arms[arm],
                                        .directory = str_text(&bundle),
                                        .aside = s->aside,
                                        .output = str_text(&output),
                                        .scope = &scope};
    show_progress(s, arm, "counters, process", 0);
    if (!rc)
        rc = program_capture(&s->capture, &run, &end, e);
    s->stopped |= !rc && end.how.asked_to_end;
    if (!rc)
        rc = keep_reports(s, arm, "count", 0, &end, e);
    if (!rc && end.failure.length)
        rc = program_missing(s->manifest, "counters", name, str_text(&end.failure), e);
    else if (!rc)
        rc = program_counters_merge(str_text(&bundle), s->directory, name, &state->first,
                                    why_nothing(end.reports, "counters"), s->manifest, &state->kernels, e);
    program_end_release(&end);
    str_release(&bundle);
    str_release(&metrics);
    str_release(&output);
    str_release(&range);
    str_release(&kernels);
    str_release(&launches);
    return rc;
}

/* ---- the whole run ---- */

static bool has_samples(const struct program_session *s, size_t arm)
{
    return s->arms[arm].has_first && s->arms[arm].first.count && !s->arms[arm].failed;
}

static int count_arms(struct program_session *s, struct err *e)
{
    int rc = 0;
    for (size_t arm = 0; arm < s->request->count && s->request->counters && !rc && !is_stopped(s); arm++)
        if (has_samples(s, arm))
            rc = count_arm(s, arm, e);
    return rc;
}

static int write_resources(struct program_session *s, struct err *e)
{
    int rc = 0;
    for (size_t arm = 0; arm < s->request->count && !rc; arm++) {
        const struct program_place place = {.directory = s->directory, .variant = s->request->arms[arm].name};
        if (s->arms[arm].has_first)
            rc = program_rows_resources(&place, &s->arms[arm].first, s->arms[arm].kernels, e);
    }
    return rc;
}

static int note_stopped(struct program_session *s, struct err *e)
{
    if (!s->stopped)
        return 0;
    json_t *failures = json_pack("[{s:s,s:I,s:s}]", "role", "run", "index", (json_int_t)0, "detail",
                                 "it was interrupted before all programs had run");
    return json_object_set_new(s->manifest, "failures", failures) ? err_memory(e) : 0;
}

static int run_all(struct program_session *s, struct err *e)
{
    int rc = program_rows_variants(s->directory, s->request, e);
    for (long p = 0; p < s->request->processes && !rc && !is_stopped(s); p++)
        rc = time_block(s, p, e);
    if (!rc)
        rc = count_arms(s, e);
    if (!rc)
        rc = write_resources(s, e);
    if (!rc)
        rc = program_outputs_finish(&s->outputs, s->directory, s->manifest, e);
    if (!rc)
        rc = note_stopped(s, e);
    if (!rc && s->gpu && !json_object_get(s->manifest, "gpu") && json_object_set(s->manifest, "gpu", s->gpu))
        rc = err_memory(e);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return rc;
}

static int make_aside(struct program_session *s, struct err *e)
{
    struct str path;
    str_init(&path);
    int rc = files_make_directory(files_join(&path, s->directory, BUNDLE_ASIDE), e);
    if (!rc && !realpath(str_text(&path), s->aside))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot find the folder '%s': %s", str_text(&path), strerror(errno));
    str_release(&path);
    return rc;
}

static void release(struct program_session *s)
{
    for (size_t arm = 0; arm < s->request->count; arm++) {
        if (s->arms[arm].has_first)
            program_samples_release(&s->arms[arm].first);
        json_decref(s->arms[arm].kernels);
    }
    json_decref(s->gpu);
    program_outputs_release(&s->outputs);
    capture_session_release(&s->capture);
    free(s);
}

int program_session_run(const struct program_request *request, const char *directory, json_t *manifest, struct err *e)
{
    struct program_session *s = calloc(1, sizeof *s);
    if (!s)
        return err_memory(e);
    s->request = request;
    s->directory = directory;
    s->manifest = manifest;
    s->steps = request->count * ((size_t)request->processes + request->counters);
    program_outputs_init(&s->outputs, request, s->aside);
    int rc = capture_session_init(&s->capture, e);
    if (!rc)
        rc = make_aside(s, e);
    if (!rc)
        rc = run_all(s, e);
    if (!rc)
        rc = files_remove_tree(s->aside, e);
    release(s);
    return rc;
}

int program_session_check(struct err *e)
{
    struct capture_session session;
    const int rc = capture_session_init(&session, e);
    capture_session_release(&session);
    return rc;
}
