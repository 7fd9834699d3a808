/* What do these traces hold, and do they keep the rules? */
#include "cli/trace_check.h"

#include <stdlib.h>
#include <string.h>

#include "analyzers/ranks/ranks.h"
#include "cli/input_kind.h"
#include "cli/parts/part_option.h"
#include "cli/parts/program_parts.h"
#include "cli/record/messages.h"
#include "cli/scope_options.h"
#include "cli/trace_arguments.h"
#include "core/base/str.h"
#include "core/bundle/bundle_open.h"
#include "core/trace/parts/timeline_part.h"
#include "core/trace/parts/trace_measure.h"

enum { OPTION_ASSERT = 0x4a0, OPTION_RULES, OPTION_COMM, OPTION_FULL, OPTION_JOBS };

static const struct argp_option option_table[] = {
    {"assert", OPTION_ASSERT, "RULE", 0, "Check a rule, such as 'overlap(h2d, kernel) >= 80%'; may be repeated", 0},
    {"rules", OPTION_RULES, "FILE", 0, "Check the rules in FILE, one a line, # begins a comment line", 0},
    {"jobs", OPTION_JOBS, "N", 0, "Read N traces at once, each in a process of its own (default: 1)", 0},
    {"full", OPTION_FULL, NULL, 0, "Show each of many devices, not one for all that are alike", 0},
    COMM_OPTION(OPTION_COMM),
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct trace_check_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->scope; return 0;
    case OPTION_ASSERT:
    case OPTION_RULES: o->rules[o->rule_count++] = (struct rule_option){value, key == OPTION_RULES}; return 0;
    case OPTION_COMM: o->scope.comm = value; return 0;
    case OPTION_JOBS: o->jobs = trace_option_jobs(state, value); return 0;
    case OPTION_FULL: o->is_full = true; return 0;
    case ARGP_KEY_ARG: o->traces[o->trace_count++] = value; return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name a trace: an nsys CSV export or a bundle, - for standard input");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&scope_argp, 0, NULL, 0}, {0}};

const struct argp trace_check_argp = {option_table, parse_option, NULL, NULL, children, NULL, NULL};

int trace_check_options_init(struct trace_check_options *o, int words, struct err *e)
{
    *o = (struct trace_check_options){.traces = calloc((size_t)words, sizeof *o->traces),
                                      .rules = calloc((size_t)words, sizeof *o->rules)};
    return o->traces && o->rules ? 0 : err_memory(e);
}

void trace_check_options_release(struct trace_check_options *o)
{
    free(o->traces);
    free(o->rules);
}

/* The rule itself is its place: "--assert 'serial(kernels)':8: ...". */
static int read_assertion(const char *text, struct rule_list *rules, struct err *e)
{
    struct str where;
    str_init(&where);
    str_addf(&where, "--assert '%.200s'", text);
    int code = where.failed ? err_memory(e) : rule_list_add(rules, text, str_text(&where), e);
    str_release(&where);
    return code;
}

static int read_rules(struct trace_check *c, const struct trace_check_options *o, struct err *e)
{
    int code = comm_regex_check(o->scope.comm, e);
    if (!code)
        code = rule_list_new(&c->rules, e);
    if (!code)
        code = class_sets_init(&c->sets, &c->query, e);
    for (size_t i = 0; !code && i < o->rule_count; i++)
        code = o->rules[i].is_file ? rule_list_read(c->rules, o->rules[i].text, e)
                                   : read_assertion(o->rules[i].text, c->rules, e);
    return code ? code : rule_list_query(c->rules, &c->query, e);
}

static int refuse_run(struct trace_check *c, const struct trace_check_options *o, const struct input *in,
                      bool with_runs, struct err *e)
{
    const char *asking = rule_list_of_run(c->rules);
    if (rule_list_blame_of_run(c->rules, e))
        return ERR_MEMORY;
    const char *place = rule_list_place_of_run(c->rules), *colon = *place ? ": " : "";
    if (!with_runs)
        return err_set(e, ERR_USAGE, "%s%s'%s' asks about a variant of a run; use 'cpprof check' on the run's bundle",
                       place, colon, asking);
    if (o->trace_count > 1)
        return err_set(e, ERR_USAGE,
                       "%s%s'%s' asks about a variant of a run, and %zu inputs are the ranks of one trace; check one "
                       "run at a time",
                       place, colon, asking, o->trace_count);
    struct str what;
    str_init(&what);
    err_set(e, ERR_USAGE,
            "%s%s'%s' asks about a variant of a run, and '%s' is %s; give 'cpprof check' the bundle of a 'cpprof run'",
            place, colon, asking, o->traces[0], input_what(in, &what));
    str_release(&what);
    return ERR_USAGE;
}

/* The bundle of a run, opened only when a rule asks about its variants. What cannot be looked at has none. */
static int open_run(struct trace_check *c, const struct trace_check_options *o, bool with_runs, struct err *e)
{
    struct input in = {0};
    if (!rule_list_of_run(c->rules))
        return 0;
    int code = with_runs && o->trace_count == 1 ? input_look(&in, o->traces[0], e) : 0;
    if (!input_is_bundle(&in))
        code = refuse_run(c, o, &in, with_runs, e);
    else if (!code)
        code = analysed_open_begun(&c->run, &in.begun, NULL, e);
    c->has_run = !code;
    input_release(&in);
    return code || !part_option_is_given() ? code : part_option_refuse(e);
}

static const char *gpu_of(const struct bundle *b)
{
    return json_get_text(json_object_get(b->manifest, "gpu"), "name", "");
}

/* What another GPU can tell says nothing about this one. */
static int open_aa(struct trace_check *c, const char *path, struct err *e)
{
    struct input in;
    int code = input_open(&in, path, TAKER_AA, e);
    bundle_move(&c->aa_bundle, &in.begun);
    input_release(&in);
    if (!code)
        code = bundle_open_begun(&c->aa_bundle, e);
    if (!code)
        code = aa_comparisons_read(&c->aa, &c->aa_bundle, e);
    const char *damage = code ? NULL : caveat_first(&c->aa_bundle.caveats, CAVEAT_TRUNCATED);
    if (damage) /* what is left of it may find finer effects than the machine does */
        code = err_set(e, ERR_INPUT, "'%s' is damaged, no gate can rest on it: %s", path, damage);
    if (!code && strcmp(gpu_of(&c->aa_bundle), gpu_of(&c->run.bundle)) != 0)
        code = err_set(e, ERR_USAGE, "'%s' was recorded on '%s', the run on '%s'; record a pool there", path,
                       gpu_of(&c->aa_bundle), gpu_of(&c->run.bundle));
    c->run.analysis.aa = &c->aa;
    c->run.analysis.aa_doubt = caveat_first(&c->aa_bundle.caveats, CAVEAT_WEAKENS);
    return code ? err_context(e, "--aa") : 0;
}

static bool is_coarse(const struct trace_check *c)
{
    return c->stream && event_stream_time_error_ns(c->stream) && rule_list_has_of_trace(c->rules);
}

/* Every event as much longer as its times may be off; shorter below 0. */
static int measure_widened(struct trace_check *c, int64_t by_ns, struct timeline *out, struct err *e)
{
    struct timeline_query query = c->query;
    query.widen_ns = by_ns;
    int code = event_stream_rewind(c->stream, e);
    return code ? code : timeline_measure(c->stream, &query, out, e);
}

static int measure(struct trace_check *c, struct err *e)
{
    int code = timeline_measure(c->stream, &c->query, &c->timeline, e);
    if (code || !is_coarse(c))
        return code;
    const int64_t time_error_ns = event_stream_time_error_ns(c->stream);
    code = measure_widened(c, -time_error_ns, &c->narrow, e);
    return code ? code : measure_widened(c, time_error_ns, &c->wide, e);
}

/* ---- each of several traces on its own ---- */

static int measure_part(void *context, struct event_stream *stream, struct err *e)
{
    struct trace_check *c = context;
    c->stream = stream;
    return measure(c, e);
}

static int write_part(void *context, FILE *to, struct err *e)
{
    const struct trace_check *c = context;
    const bool with_edges = is_coarse(c);
    int rc = part_write(to, &with_edges, sizeof with_edges, e);
    if (!rc)
        rc = timeline_part_write(&c->timeline, &c->query, to, e);
    if (!rc && with_edges)
        rc = timeline_part_write(&c->narrow, &c->query, to, e);
    return rc || !with_edges ? rc : timeline_part_write(&c->wide, &c->query, to, e);
}

static int take_part(void *context, struct part_reader *from, const struct event_stream *stream, struct err *e)
{
    struct trace_check *c = context;
    bool with_edges = false;
    (void)stream;
    int rc = part_read(from, &with_edges, sizeof with_edges, e);
    if (!rc)
        rc = part_flags_are_good(e, 1, &with_edges);
    if (!rc)
        rc = timeline_part_take(&c->timeline, &c->query, from, e);
    if (!rc && with_edges)
        rc = timeline_part_take(&c->narrow, &c->query, from, e);
    return rc || !with_edges ? rc : timeline_part_take(&c->wide, &c->query, from, e);
}

static int finish_parts(struct trace_check *c, struct err *e)
{
    int rc = 0;
    timeline_parts_finish(&c->timeline);
    timeline_parts_finish(&c->narrow);
    timeline_parts_finish(&c->wide);
    for (size_t i = 0; !rc && i < c->query.set_count; i++)
        rc = selector_bind(c->query.sets[i], c->stream, e);
    return rc;
}

static void forget_parts(struct trace_check *c)
{
    timeline_release(&c->timeline);
    timeline_release(&c->narrow);
    timeline_release(&c->wide);
}

/* Why rules of ranks cannot be judged; NULL or "": nothing is known against them. The first kernels of a trace have the
 * wait for the profilers of all ranks. Without them that wait is time without communication, and makes the part of all
 * late ranks small. */
static const char *ranks_doubt(const struct trace_check *c, const struct trace_check_options *o)
{
    if (o->scope.skip_first)
        return "--skip-first takes kernels from all ranks, and the time that they took stays; leave it out here";
    return c->stream ? event_stream_ranks_doubt(c->stream) : NULL;
}

/* Which rank a trace has among all is not known where it is read. */
static bool asks_for_ranks(const struct timeline_query *q)
{
    for (size_t i = 0; i < q->set_count; i++)
        if (selector_is_by_rank(q->sets[i]))
            return true;
    return false;
}

/* Are all events needed once, in order, and nothing else before the last of them? */
static bool is_one_pass(const struct trace_check *c, const struct trace_check_options *o)
{
    bool is_one = !o->needs_events;
    for (size_t i = 0; i < c->query.set_count; i++)
        is_one &= !c->query.wants_launches[i] && !selector_is_by_range(c->query.sets[i]);
    return is_one;
}

static int open_traces(struct trace_check *c, const struct trace_check_options *o, bool on_demand, struct err *e)
{
    if (c->has_run && !rule_list_has_of_trace(c->rules))
        return 0;
    if (o->scope.has_window && rule_list_compares_ranks(c->rules))
        return err_set(e, ERR_USAGE,
                       "--window counts from the first event of each rank, and ranks may begin apart: skew, late "
                       "and transfer take --range");
    if (c->has_run)
        return event_stream_open_bundle(&c->stream, &c->run.bundle, e);
    const struct trace_measure parts = {.context = c, .measure = measure_part, .write = write_part, .take = take_part};
    const bool needs_events = o->needs_events || asks_for_ranks(&c->query);
    const struct event_stream_wish wish = {.notes = rule_list_wants_ranks(c->rules),
                                           .scope = &o->scope,
                                           .jobs = o->jobs,
                                           .may_fork = true,
                                           .source = program_parts(),
                                           .key = rule_list_key(c->rules),
                                           .measure = needs_events ? NULL : &parts,
                                           .on_demand = on_demand};
    timeline_parts_begin(&c->timeline);
    timeline_parts_begin(&c->narrow);
    timeline_parts_begin(&c->wide);
    return event_stream_open_as(&c->stream, o->traces, o->trace_count, &wish, e);
}

static int measure_traces(struct trace_check *c, const struct trace_check_options *o, struct err *e)
{
    if (!c->stream)
        return 0;
    if (event_stream_is_measured(c->stream))
        return finish_parts(c, e);
    forget_parts(c);
    int code = c->has_run ? event_stream_scope(c->stream, &o->scope, e) : 0;
    if (!code)
        code = measure(c, e);
    const bool wants_ranks =
        stream_scope_is_everything(&o->scope) ? rule_list_wants_ranks(c->rules) : rule_list_compares_ranks(c->rules);
    return !code && wants_ranks ? ranks_measure(c->stream, &c->ranks, e) : code;
}

static int open_and_measure(struct trace_check *c, const struct trace_check_options *o, struct err *e)
{
    struct err hasty = {0};
    int code = open_traces(c, o, is_one_pass(c, o), &hasty);
    if (!code)
        code = measure_traces(c, o, &hasty);
    if (!code || !c->stream || !event_stream_is_on_demand(c->stream))
        return code ? err_set(e, code, "%s", hasty.text) : 0;
    event_stream_free(c->stream);
    c->stream = NULL;
    forget_parts(c);
    code = open_traces(c, o, false, e);
    return code ? code : measure_traces(c, o, e);
}

int trace_check_do(struct trace_check *c, const struct trace_check_options *o, bool with_runs, struct err *e)
{
    int code = read_rules(c, o, e);
    if (!code)
        code = open_run(c, o, with_runs, e);
    if (!code && o->aa && c->has_run)
        code = open_aa(c, o->aa, e);
    if (!code)
        code = open_and_measure(c, o, e);
    if (code)
        return code;
    const struct rule_evidence evidence = {
        .query = &c->query,
        .timeline = &c->timeline,
        .narrow = is_coarse(c) ? &c->narrow : NULL,
        .wide = is_coarse(c) ? &c->wide : NULL,
        .caveats = c->stream ? event_stream_caveats(c->stream) : &c->run.bundle.caveats,
        .ranks = rule_list_wants_ranks(c->rules) ? &c->ranks : NULL,
        .is_scoped = !stream_scope_is_everything(&o->scope),
        .ranks_doubt = ranks_doubt(c, o),
        .run = c->has_run ? &c->run.analysis : NULL,
    };
    return rule_list_judge(c->rules, &evidence, &c->results, e);
}

void trace_check_release(struct trace_check *c)
{
    rule_results_release(&c->results);
    timeline_release(&c->timeline);
    ranks_release(&c->ranks);
    timeline_release(&c->narrow);
    timeline_release(&c->wide);
    event_stream_free(c->stream);
    rule_list_free(c->rules);
    class_sets_release(&c->sets);
    if (c->has_run)
        analysed_release(&c->run);
    aa_comparisons_release(&c->aa);
    bundle_release(&c->aa_bundle);
}

struct check_report trace_check_report(const struct trace_check *c, const struct trace_check_options *o)
{
    return (struct check_report){
        .source = c->stream ? event_stream_source(c->stream) : o->traces[0],
        .strings = c->stream ? event_stream_strings(c->stream) : NULL,
        .timeline = &c->timeline,
        .results = &c->results,
        .starts = c->stream ? event_stream_starts(c->stream) : NULL,
        .caveats = c->stream ? event_stream_caveats(c->stream) : &c->run.bundle.caveats,
        .is_full = o->is_full,
    };
}

enum exit_status trace_check_status(const struct trace_check *c)
{
    enum exit_status status = rule_results_status(&c->results);
    const bool truncated = (c->stream && caveat_has(event_stream_caveats(c->stream), CAVEAT_TRUNCATED)) ||
                           (c->has_run && caveat_has(&c->run.bundle.caveats, CAVEAT_TRUNCATED));
    if (truncated || (c->stream && !c->timeline.gpu_events))
        status = exit_status_worse(status, EXIT_UNUSABLE_INPUT);
    return status;
}

/* Notes stand in the result and change no status; they are said when they may explain that nothing is there. */
static void print_caveats(const struct caveat_list *caveats, bool with_notes)
{
    for (size_t i = 0; i < caveats->count; i++)
        if (with_notes || caveats->items[i].kind != CAVEAT_NOTE)
            message_note("%s", caveats->items[i].text);
}

void trace_check_print_caveats(const struct trace_check *c, const struct trace_check_options *o)
{
    if (c->stream)
        print_caveats(event_stream_caveats(c->stream), !c->timeline.gpu_events);
    else
        print_caveats(&c->run.bundle.caveats, false);
    if (!c->stream || c->timeline.gpu_events)
        return;
    if (stream_scope_is_everything(&o->scope) || !event_stream_count(c->stream))
        message_note("'%s' has no GPU events: nothing can be measured or checked", event_stream_source(c->stream));
    else
        message_note("'%s' has no GPU events in the part that is asked for: nothing can be measured or checked",
                     event_stream_source(c->stream));
}
