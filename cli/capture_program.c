/* How is a program run and recorded, and what remains of it? */
#define _GNU_SOURCE
#include "cli/capture_program.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "build_stamp.h"
#include "cli/capture_summary.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/record/interrupt_watch.h"
#include "cli/record/messages.h"
#include "cli/record/replay_session.h"
#include "core/base/causal_plan.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/base/trigger_rule.h"
#include "core/base/units.h"
#include "core/bundle/bundle.h"
#include "core/bundle/bundle_write.h"
#include "core/bundle/capture_map.h"
#include "core/bundle/seal.h"

enum { NAME_BYTES_MAX = 64, NUMBER_MAX = 100000 };

/* ---- the command line ---- */

#define DAY_NS 86400e9

long capture_program_ms(struct argp_state *state, const char *option, const char *text)
{
    double value = 0;
    enum unit unit = UNIT_NONE;
    const size_t used = unit_parse(text, &value, &unit);
    if (!used || text[used] || unit != UNIT_NS || value < 1e6 || value > DAY_NS)
        argp_error(state, "--%s takes a time from 1ms to a day, such as 500ms or 2s, not '%s'", option, text);
    return (long)(value / 1e6);
}

static const char *parse_range(struct argp_state *state, const char *text)
{
    if (!*text || *text == '@')
        argp_error(state, "--range takes the name of an NVTX range, or NAME@DOMAIN");
    return text;
}

static void check_when(struct argp_state *state, const struct capture_scope *s)
{
    struct trigger_rule rule;
    struct err bad = {0};
    if (trigger_rule_read(s->when, &rule, &bad))
        argp_error(state, "--when: %s", bad.text);
    if (trigger_rule_counts(&rule) && !s->range)
        argp_error(state, "--when %s counts occurrences of a range: --range NAME says of which", s->when);
    if (trigger_rule_counts(&rule) && s->duration_ms)
        argp_error(state, "--when %s ends with an occurrence: --duration goes with --when file alone", s->when);
}

error_t capture_program_option(int key, char *value, struct argp_state *state, struct capture_options *o)
{
    switch (key) {
    case 'o': o->output = value; return 0;
    case 'q': o->quiet = true; return 0;
    case CAPTURE_OPTION_FORCE: o->force = true; return 0;
    case CAPTURE_OPTION_MIGRATIONS: o->scope.migrations = true; return 0;
    case CAPTURE_OPTION_RANGE: o->scope.range = parse_range(state, value); return 0;
    case CAPTURE_OPTION_WHEN: o->scope.when = value; return 0;
    case CAPTURE_OPTION_DURATION: o->scope.duration_ms = capture_program_ms(state, "duration", value); return 0;
    case ARGP_KEY_ARG: /* the first word of the program: all others are its own */
        o->program = state->argv + state->next - 1;
        o->program_words = (size_t)(state->argc - state->next + 1);
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END: check_when(state, &o->scope); return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which program? '%s [OPTION...] -- PROGRAM [ARGUMENT...]'", state->name);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the bundle ---- */

/* "train" for "./build/train"; what a shell or a terminal takes amiss is replaced. */
static void name_of_program(const char *program, struct str *name)
{
    size_t length = strlen(program);
    while (length > 1 && program[length - 1] == '/')
        length--;
    size_t begin = length;
    while (begin && program[begin - 1] != '/')
        begin--;
    for (size_t i = begin; i < length && name->length < NAME_BYTES_MAX; i++) {
        const unsigned char c = (unsigned char)program[i];
        const bool is_plain = isalnum(c) || c == '_' || c == '+' || (name->length && (c == '.' || c == '-'));
        str_add_char(name, is_plain ? (char)c : name->length ? '-' : '_'); /* never what looks like an option */
    }
    if (!name->length)
        str_add(name, "capture");
}

static json_t *text_or_null(const char *text)
{
    return text ? json_text(text) : json_null();
}

static json_t *scope_facts(const struct capture_scope *s)
{
    json_t *scope =
        json_pack("{s:s,s:s}", "trace", s->trace ? s->trace : "launch", "graphs", s->graphs ? s->graphs : "node");
    const struct {
        const char *name;
        long value;
    } numbers[] = {{"delay_ms", s->delay_ms},
                   {"duration_ms", s->duration_ms},
                   {"flush_ms", s->flush_ms},
                   {"memory_mb", s->memory_mb},
                   {"sample_ns", s->sample_ns}};
    json_object_set_new(scope, "range", text_or_null(s->range));
    json_object_set_new(scope, "when", text_or_null(s->when));
    json_object_set_new(scope, "kernels", text_or_null(s->kernels));
    json_object_set_new(scope, "from_start", json_boolean(!s->from_start_off));
    json_object_set_new(scope, "migrations", json_boolean(s->migrations));
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        json_object_set_new(scope, numbers[i].name, numbers[i].value ? json_integer(numbers[i].value) : json_null());
    return scope;
}

/* Writes the targets and the delays. A record of a delay has the number of each in these lists. */
static void add_causal(json_t *manifest, const struct capture_scope *s)
{
    struct causal_plan plan;
    json_t *targets = json_array(), *doses = json_array();
    if (!causal_plan_init(&plan, s->causal, s->doses ? s->doses : CAUSAL_DOSES, NULL)) {
        for (size_t i = 0; i < plan.target_count; i++)
            json_array_append_new(targets, json_text(plan.targets[i].text));
        for (size_t i = 0; i < plan.dose_count; i++)
            json_array_append_new(doses, json_integer(plan.doses_ns[i]));
    }
    causal_plan_release(&plan);
    json_object_set_new(json_object_get(manifest, "capture"), "causal",
                        json_pack("{s:o,s:o}", "targets", targets, "doses_ns", doses));
}

static json_t *new_manifest(const struct capture_options *o, int argc, char **argv)
{
    json_t *command = json_array();
    struct str program;
    json_array_append_new(command, json_string("cpprof"));
    for (int i = 0; i < argc; i++)
        json_array_append_new(command, json_text(argv[i]));
    str_init(&program);
    name_of_program(o->program[0], &program);
    json_t *manifest = json_pack("{s:s,s:o,s:I,s:{s:s,s:s,s:s},s:{s:o,s:o}}", "kind", CAPTURE_KIND, "command", command,
                                 "created_unix_s", (json_int_t)time(NULL), "cpprof", "version", CPPROF_VERSION,
                                 "commit", CPPROF_COMMIT, "build_flags", CPPROF_BUILD_FLAGS, "capture", "program",
                                 json_text(str_text(&program)), "scope", scope_facts(&o->scope));
    str_release(&program);
    if (o->scope.causal)
        add_causal(manifest, &o->scope);
    return manifest;
}

static int create_named(const struct capture_options *o, json_t *manifest, const char *path, struct str *aside,
                        struct err *e)
{
    if (!*path)
        return err_set(e, ERR_USAGE, "-o takes the name of the bundle to write");
    if (!o->force && files_exists(path))
        return err_set(e, ERR_USAGE, "'%s' exists already: choose another name with -o, or --force to replace it",
                       path);
    int rc = bundle_set_aside(path, aside, e);
    if (rc)
        return rc;
    rc = bundle_create(path, manifest, e);
    if (rc)
        bundle_put_back(path, aside);
    return rc;
}

/* What was asked for by name is that or nothing; the default takes the first free number. */
static int create_bundle(const struct capture_options *o, json_t *manifest, struct str *path, struct str *aside,
                         struct err *e)
{
    if (o->output) {
        str_add(path, o->output);
        return path->failed ? err_memory(e) : create_named(o, manifest, str_text(path), aside, e);
    }
    struct str name;
    str_init(&name);
    name_of_program(o->program[0], &name);
    int rc = ERR_USAGE;
    for (int n = 1; rc == ERR_USAGE && n <= NUMBER_MAX; n++) {
        str_clear(path);
        str_addf(path, n == 1 ? "%s.cpprof" : "%s-%d.cpprof", str_text(&name), n);
        rc = files_exists(str_text(path)) ? ERR_USAGE : bundle_create(str_text(path), manifest, e);
    }
    str_release(&name);
    return rc;
}

/* ---- the capture ---- */

static int enter_end(json_t *manifest, const struct capture_end *end, size_t outliving, struct err *e)
{
    json_t *capture = json_object_get(manifest, "capture");
    const bool failed =
        json_object_set_new(capture, "exit_status", end->signal ? json_null() : json_integer(end->exit_status)) ||
        json_object_set_new(capture, "signal", end->signal ? json_integer(end->signal) : json_null()) ||
        json_object_set_new(capture, "asked_to_end",
                            end->asked_to_end ? json_integer(end->asked_to_end) : json_null()) ||
        json_object_set_new(capture, "killed", json_boolean(end->killed)) ||
        json_object_set_new(capture, "wall_ns", json_integer(end->wall_ns)) ||
        json_object_set_new(capture, "outliving", json_integer((json_int_t)outliving));
    return failed ? err_memory(e) : 0;
}

/* Where no process called CUDA, the driver may be what is missing. It is not loaded otherwise. */
static int enter_driver(json_t *manifest, const char *path, struct err *e)
{
    json_t *processes = NULL;
    int rc = capture_session_left(path, &processes, e);
    void *driver = rc || json_array_size(processes) ? NULL : dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!rc && !json_array_size(processes) &&
        json_object_set_new(json_object_get(manifest, "capture"), "driver", json_boolean(driver)))
        rc = err_memory(e);
    if (driver)
        dlclose(driver);
    json_decref(processes);
    return rc;
}

enum seal_state { SEALING, SEALED, UNSEALED };

/* From the end of the program on. */
struct finish {
    const struct capture_options *options;
    const char *path;
    json_t *manifest;
    const struct str *aside;
    const struct capture_end *end;
    _Atomic int state; /* whoever takes it out of SEALING does what follows from it */
};

static bool settle(struct finish *f, enum seal_state state)
{
    int sealing = SEALING;
    return atomic_compare_exchange_strong(&f->state, &sealing, state);
}

/* What has recorded nothing is no replacement, sealed or not. */
static bool keeps_old(const struct finish *f)
{
    if (!f->aside->length || bundle_has_events(f->path))
        return false;
    bundle_undo(f->path, f->aside);
    message_note("nothing was recorded: '%s' is what it was before", f->path);
    return true;
}

static void print_unsealed(const struct finish *f)
{
    if (keeps_old(f))
        return;
    message_note("'%s' is left as it is: unsealed, but 'cpprof report' reads what is in it", f->path);
    if (f->aside->length)
        message_note("the bundle that it was to replace is kept as '%s'", f->aside->text);
}

/* Somebody wants us to end: on the second request we do, with the program's status. */
static void hear_interruption(void *context, bool again)
{
    struct finish *f = context;
    if (!again) {
        message_note(atomic_load(&f->state) == SEALED ? "once more leaves out the summary"
                                                      : "sealing '%s'; once more leaves it unsealed",
                     f->path);
        return;
    }
    if (settle(f, UNSEALED)) {
        seal_tidy(f->path, NULL);
        print_unsealed(f);
    } else if (atomic_load(&f->state) == UNSEALED) {
        return; /* sealing has failed: the end comes by itself */
    }
    _exit(capture_end_status(f->end));
}

/* It was a sign, and is no part of the bundle. */
static void remove_touched(const char *directory)
{
    struct str file;
    str_init(&file);
    unlink(files_join(&file, directory, TRIGGER_FILE));
    str_release(&file);
}

static int seal(const struct finish *f, struct err *e)
{
    size_t outliving = 0;
    struct err unsettled = {0};
    if (capture_session_settle(f->path, &outliving, &unsettled))
        message_note("%s", unsettled.text);
    if (f->options->scope.when)
        remove_touched(f->path);
    int rc = enter_end(f->manifest, f->end, outliving, e);
    if (!rc)
        rc = enter_driver(f->manifest, f->path, e);
    return rc ? rc : bundle_seal(f->path, f->manifest, e);
}

static void seal_and_summarise(struct finish *f)
{
    struct err e = {0};
    const int rc = seal(f, &e);
    while (!settle(f, rc ? UNSEALED : SEALED))
        pause(); /* we were told to end, and do now */
    if (rc) {
        message_error(&e);
        print_unsealed(f);
        return;
    }
    if (keeps_old(f))
        return;
    if (f->aside->length && files_remove_tree(f->aside->text, &e))
        message_error(&e);
    const bool is_profile = f->options->scope.sample_ns || f->options->scope.causal;
    if (!f->options->quiet && capture_summary(f->path, is_profile, &e))
        message_error(&e);
}

/* The program has run, so from here on its exit status is ours, whatever else
 * fails. A large trace takes its time: that may be cut short. */
static void finish(const struct capture_session *session, struct finish *f)
{
    struct interrupt_watch *watch;
    struct err e = {0};
    if (interrupt_watch_new(&watch, session, f->end->asked_to_end != 0, hear_interruption, f, &e))
        message_error(&e);
    seal_and_summarise(f);
    interrupt_watch_free(watch);
}

static long replay_ms_of(const struct capture_options *o, const struct capture_end *end)
{
    const double share_ms = o->replay_ratio * (double)end->wall_ns / 1e6;
    if (o->replay_ratio <= 0 || share_ms > (double)o->replay_ms)
        return o->replay_ms;
    return share_ms > 1 ? (long)share_ms : 1;
}

/* What has failed, or was told to end, is not run again. Without counters the capture is what it was. */
static void replay(const struct capture_options *o, const struct capture_session *session,
                   const struct capture_end *end, const char *path, json_t *manifest)
{
    json_t *capture = json_object_get(manifest, "capture");
    if (!o->replay_ms)
        return;
    if (end->exit_status || end->asked_to_end) {
        message_note("no launch is replayed, as the program did not end well");
        return;
    }
    const struct replay_request request = {.program = o->program,
                                           .name = json_get_text(capture, "program", ""),
                                           .scope = &o->scope,
                                           .limit_ms = replay_ms_of(o, end),
                                           .end = end,
                                           .is_quiet = o->quiet};
    json_t *facts = replay_session_run(session, &request, path);
    const json_t *missing = json_object_get(facts, "missing");
    for (size_t i = 0; i < json_array_size(missing); i++)
        message_note("not replayed: %s: %s", json_get_text(json_array_get(missing, i), "what", ""),
                     json_get_text(json_array_get(missing, i), "why", ""));
    json_object_set_new(capture, "replay", facts);
}

static int capture(const struct capture_options *o, json_t *manifest, int *status, struct err *e)
{
    struct capture_session session;
    struct capture_end end = {0};
    struct str path, aside;
    str_init(&path);
    str_init(&aside);
    int rc = capture_session_init(&session, e);
    if (!rc)
        rc = create_bundle(o, manifest, &path, &aside, e);
    if (!rc) {
        const struct capture_child child = {
            .program = {.argv = (const char *const *)o->program}, .directory = str_text(&path), .scope = &o->scope};
        rc = capture_session_run(&session, &child, &end, e);
        if (rc)
            bundle_undo(str_text(&path), &aside);
    }
    if (!rc) {
        *status = capture_end_status(&end);
        replay(o, &session, &end, str_text(&path), manifest);
        if (capture_session_other_plugin() && !o->quiet)
            message_note(
                "NCCL_PROFILER_PLUGIN names another plugin, which was left in place: collectives have no numbers");
        signal(SIGPIPE, SIG_IGN); /* nobody may be reading our notes any more */
        struct finish f = {.options = o, .path = str_text(&path), .manifest = manifest, .aside = &aside, .end = &end};
        finish(&session, &f);
    }
    capture_session_release(&session);
    str_release(&path);
    str_release(&aside);
    return rc;
}

int capture_program(const struct capture_options *o, int argc, char **argv)
{
    struct err e = {0};
    int status = EXIT_PASS;
    json_t *manifest = new_manifest(o, argc, argv);
    int rc = manifest ? capture(o, manifest, &status, &e) : err_memory(&e);
    json_decref(manifest);
    return rc ? message_error(&e) : status;
}
