/* Is a variant right every time, when other work and a full memory get in its way?
 *
 *   variant_stress [--load LIBRARY]... [--shape SHAPE]... [--iterations N] [--inputs N] [--streams N]
 *                  [--leave MIB] [--back-to-back N] [--graph] [--unchecked] VARIANT...
 *
 * Each VARIANT (name or glob) is set up with N inputs of different seeds, in turn at the shapes that are named
 * (default: each of its own). The first output of each must be right; what follows must be right again and have the
 * same bits: the inputs go round on concurrent streams, outputs poisoned before each launch, while memory is written
 * that fills the GPU but for LEAVE. With --iterations 0 each shape is set up, launched once and torn down, alone: for a
 * sanitizer. Collectives over several GPUs take --streams 1: two at a time may wait for each other. With --back-to-back
 * a launch is so many, one behind the other with nothing in between; with --graph they are captured once and replayed.
 * A shape that a variant refuses is left out of it. --unchecked is for what is only to be launched, as by a profiler.
 *
 * A line for each variant; exit 1 when one was wrong.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/cases.h"
#include "collector/runner/catalogue.h"

enum { NAMES_MAX = 128, STREAMS_MAX = 32, WRITES_PER_ROUND = 2 };
#define MIB           ((size_t)1 << 20)
#define WRITTEN_BYTES (256 * MIB)

struct names {
    const char *items[NAMES_MAX];
    size_t count;
};

struct stress {
    struct names loads, shapes, variants;
    long iterations, inputs, streams, leave_mib, back_to_back;
    bool in_graphs, is_unchecked;
    cudaStream_t stream[STREAMS_MAX], disturber;
    char *filler; /* the rest of the memory */
    size_t filler_bytes, written;
};

/* One input of a variant. */
struct input {
    struct run_case c;
    void *state;
    cudaStream_t stream;
    cudaGraphExec_t graph; /* NULL: not captured */
    bool is_warm;          /* launched before: what is done once is not captured */
    uint64_t hash;         /* of the first output; 0: not known */
};

struct tally {
    long launches, wrong, different;
    size_t refused;  /* shapes */
    char first[768]; /* what was wrong first */
};

/* ---- the command line ---- */

static const struct argp_option options[] = {
    {"load", 'l', "LIBRARY", 0, "a library of further variants", 0},
    {"shape", 's', "SHAPE", 0, "name or VALUES, as in cpprof run", 0},
    {"iterations", 'i', "N", 0, "launches of each variant (1000)", 0},
    {"inputs", 'n', "N", 0, "inputs that go round (16)", 0},
    {"streams", 'c', "N", 0, "concurrent streams (4)", 0},
    {"leave", 'm', "MIB", 0, "memory to leave free; 0: fill nothing (2048)", 0},
    {"back-to-back", 'b', "N", 0, "launches with nothing in between (1)", 0},
    {"graph", 'g', NULL, 0, "capture them once, and replay that", 0},
    {"unchecked", 'u', NULL, 0, "with --iterations 0: the first shape alone, and its result is not looked at", 0},
    {0},
};

static void add_name(struct argp_state *state, struct names *names, const char *name)
{
    if (names->count == NAMES_MAX)
        argp_error(state, "more than %d of one kind", NAMES_MAX);
    names->items[names->count++] = name;
}

static long number(struct argp_state *state, const char *text, long least, long most)
{
    char *end;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || value < least || value > most)
        argp_error(state, "'%s': expected a whole number from %ld to %ld", text, least, most);
    return value;
}

static int parse_option(int key, char *arg, struct argp_state *state)
{
    struct stress *s = state->input;
    switch (key) {
    case 'l': add_name(state, &s->loads, arg); return 0;
    case 's': add_name(state, &s->shapes, arg); return 0;
    case 'i': s->iterations = number(state, arg, 0, 100000000); return 0;
    case 'n': s->inputs = number(state, arg, 1, 4096); return 0;
    case 'c': s->streams = number(state, arg, 1, STREAMS_MAX); return 0;
    case 'm': s->leave_mib = number(state, arg, 0, 1 << 24); return 0;
    case 'b': s->back_to_back = number(state, arg, 1, 1000); return 0;
    case 'g': s->in_graphs = true; return 0;
    case 'u': s->is_unchecked = true; return 0;
    case ARGP_KEY_ARG: add_name(state, &s->variants, arg); return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which variants?"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- what is in the way ---- */

static int fail_cuda(const char *doing, int status)
{
    fprintf(stderr, "variant_stress: %s: %s\n", doing, cudaGetErrorString((cudaError_t)status));
    return EXIT_ENVIRONMENT;
}

/* What is free is not always there in one piece. */
static int fill_memory(struct stress *s, size_t bytes)
{
    int status = bytes > WRITTEN_BYTES ? cudaErrorMemoryAllocation : cudaSuccess; /* little is left: nothing to fill */
    for (; status == cudaErrorMemoryAllocation && bytes > WRITTEN_BYTES; bytes -= bytes / 16) {
        s->filler_bytes = bytes;
        status = cudaMalloc((void **)&s->filler, bytes);
    }
    cudaGetLastError(); /* what failed before is no matter for the launches */
    return status;
}

static int start(struct stress *s)
{
    int status = cudaStreamCreateWithFlags(&s->disturber, cudaStreamNonBlocking);
    for (long i = 0; i < s->streams && !status; i++)
        status = cudaStreamCreateWithFlags(&s->stream[i], cudaStreamNonBlocking);
    size_t available = 0, total = 0;
    const size_t leave = (size_t)s->leave_mib * MIB;
    if (!status)
        status = cudaMemGetInfo(&available, &total);
    if (!status && s->iterations && leave && available > leave)
        status = fill_memory(s, available - leave);
    return status ? fail_cuda("cannot start", status) : 0;
}

/* Writes another part of the filler: what the caches held is gone, and memory is busy. */
static int disturb(struct stress *s)
{
    if (!s->filler)
        return 0;
    if (s->written + WRITTEN_BYTES > s->filler_bytes)
        s->written = 0;
    const int status = cudaMemsetAsync(s->filler + s->written, 0xa5, WRITTEN_BYTES, s->disturber);
    s->written += WRITTEN_BYTES;
    return status;
}

/* ---- one input ---- */

/* As a graph of the runner holds them. */
static int launch_series(const struct input *in, long launches)
{
    const struct cpprof_variant *v = in->c.variant;
    const bool is_series = launches > 1 && cpprof_variant_forks_once(v);
    int status = is_series ? v->fork(in->state, in->stream) : 0;
    for (long i = 0; i < launches && !status; i++)
        status = v->launch(in->state, in->stream);
    return status || !is_series ? status : v->join(in->state, in->stream);
}

static int capture(struct input *in, long launches)
{
    cudaGraph_t graph = NULL;
    int status = cudaStreamBeginCapture(in->stream, cudaStreamCaptureModeThreadLocal);
    if (status)
        return status;
    const int launched = launch_series(in, launches);
    status = cudaStreamEndCapture(in->stream, &graph);
    if (!status && !launched)
        status = cudaGraphInstantiate(&in->graph, graph, 0);
    if (graph)
        cudaGraphDestroy(graph);
    return launched ? launched : status;
}

static int launch(const struct stress *s, struct input *in)
{
    int status = in->c.variant->poison(in->state, in->stream);
    if (!status && s->in_graphs && in->is_warm && !in->graph)
        status = capture(in, s->back_to_back);
    if (status)
        return status;
    return in->graph ? (int)cudaGraphLaunch(in->graph, in->stream) : launch_series(in, s->back_to_back);
}

static void tear_down(struct input *in)
{
    if (in->graph)
        cudaGraphExecDestroy(in->graph);
    if (in->state)
        in->c.variant->teardown(in->state);
    in->graph = NULL;
    in->state = NULL;
}

static void remember(struct tally *t, const struct input *in, const char *what, const struct cpprof_verification *v)
{
    if (*t->first)
        return;
    const struct cpprof_mismatch *m = v->mismatches;
    snprintf(t->first, sizeof t->first, "%s at %s, seed %llu%s%s%s%s", what, in->c.key,
             (unsigned long long)in->c.config.seed, v->mismatch_count ? ": " : "", v->mismatch_count ? m->where : "",
             *v->hint ? "; " : "", v->hint);
}

static int check(const struct stress *s, struct input *in, struct tally *t)
{
    struct cpprof_verification v = {0};
    const int status =
        s->is_unchecked ? (int)cudaStreamSynchronize(in->stream) : in->c.variant->verify(in->state, in->stream, &v);
    if (status)
        return status;
    t->launches += s->back_to_back;
    if (s->is_unchecked)
        return 0;
    if (!v.values || v.bad_ratio != 0) {
        t->wrong++;
        remember(t, in, "wrong", &v);
    } else if (in->hash && v.output_hash != in->hash) {
        t->different++;
        remember(t, in, "right, but of other bits than before", &v);
    }
    in->is_warm = true;
    if (!in->hash)
        in->hash = v.output_hash;
    return 0;
}

static int set_up(const struct stress *s, struct input *in, struct tally *t)
{
    int status = in->c.variant->setup(&in->c.config, in->stream, &in->state);
    if (!status)
        status = launch(s, in);
    return status ? status : check(s, in, t);
}

/* ---- one variant ---- */

/* All launches of a round are under way before the first is looked at. */
static int go_round(struct stress *s, struct input *inputs, size_t count, size_t round, struct tally *t)
{
    int status = 0;
    for (size_t i = 0; i < count && !status; i++) {
        if (i % ((count + WRITES_PER_ROUND - 1) / WRITES_PER_ROUND) == 0)
            status = disturb(s);
        if (!status)
            status = launch(s, &inputs[(i + round) % count]);
    }
    for (size_t i = 0; i < count && !status; i++)
        status = check(s, &inputs[i], t);
    return status;
}

static int run_inputs(struct stress *s, struct input *inputs, size_t count, struct tally *t)
{
    int status = 0;
    for (size_t i = 0; i < count && !status; i++) {
        status = set_up(s, &inputs[i], t);
        if (!s->iterations)
            tear_down(&inputs[i]);
    }
    for (size_t round = 0; !status && !t->wrong && t->launches < s->iterations; round++)
        status = go_round(s, inputs, count, round, t);
    return status;
}

static void say(const char *name, const struct tally *t, size_t inputs, bool is_unchecked)
{
    printf("%-28s %6ld launches of %zu inputs", name, t->launches, inputs);
    if (t->refused)
        printf(", %zu shapes refused", t->refused);
    printf(": ");
    if (t->wrong || t->different)
        printf("%ld wrong, %ld different; first: %s\n", t->wrong, t->different, t->first);
    else
        printf("%s\n", is_unchecked ? "not looked at" : "right, and the same bits");
}

/* Those that run here come to the front; `why` is of one that does not. */
static size_t keep_runnable(struct run_case *cases, size_t count, char *why, size_t why_bytes)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct run_case one = cases[i];
        if (one.variant->refuse && one.variant->refuse(&one.config, why, why_bytes))
            continue;
        cases[i] = cases[kept];
        cases[kept++] = one;
    }
    return kept;
}

/* `cases` are one variant's shapes. 0, 1 for wrong results, or EXIT_ENVIRONMENT. */
static int stress_variant(struct stress *s, struct run_case *cases, size_t all)
{
    const struct cpprof_variant *variant = cases->variant;
    char why[160];
    const size_t count = keep_runnable(cases, all, why, sizeof why);
    if (!count) {
        printf("%-28s not supported: %s\n", variant->name, why);
        return 0;
    }
    const size_t inputs = s->iterations ? (size_t)s->inputs : count;
    struct input *input = calloc(inputs, sizeof *input);
    if (!input)
        return EXIT_ENVIRONMENT;
    for (size_t i = 0; i < inputs; i++) {
        input[i].c = cases[i % count];
        input[i].c.config.seed = i;
        input[i].stream = s->stream[i % (size_t)s->streams];
    }
    struct tally t = {.refused = all - count};
    const int status = run_inputs(s, input, inputs, &t);
    for (size_t i = 0; i < inputs; i++)
        tear_down(&input[i]);
    free(input);
    if (status)
        return fail_cuda(variant->name, status);
    say(variant->name, &t, inputs, s->is_unchecked);
    return t.wrong || t.different ? EXIT_CHECK_FAILED : 0;
}

/* The variant's shapes: those that were named, or all that it has. */
static int stress_name(struct stress *s, const struct catalogue *catalogue, const struct cpprof_variant *variant)
{
    struct names all = s->shapes;
    for (size_t i = 0; !s->shapes.count && i < (s->is_unchecked ? 1 : variant->shape_count) && i < NAMES_MAX; i++)
        all.items[all.count++] = variant->shapes[i].name;
    const struct case_request request = {.catalogue = catalogue,
                                         .variants = &variant->name,
                                         .variant_count = 1,
                                         .shapes = all.items,
                                         .shape_count = all.count};
    struct case_list cases = {0};
    struct err e = {0};
    int status = case_list_expand(&cases, &request, &e);
    if (status)
        fprintf(stderr, "variant_stress: %s\n", e.text);
    else
        status = stress_variant(s, cases.items, cases.count);
    case_list_release(&cases);
    return status < 0 ? (int)err_exit_status(status) : status;
}

/* Which variants are meant, each once, in the order of the catalogue. */
static int choose(const struct stress *s, const struct catalogue *catalogue, struct case_list *chosen, struct err *e)
{
    const struct case_request request = {
        .catalogue = catalogue, .variants = s->variants.items, .variant_count = s->variants.count};
    return case_list_expand(chosen, &request, e);
}

static int run(struct stress *s, const struct catalogue *catalogue, const struct case_list *chosen)
{
    int worst = start(s);
    for (size_t i = 0; i < chosen->count && worst <= EXIT_CHECK_FAILED; i++) {
        const int status = stress_name(s, catalogue, chosen->items[i].variant);
        worst = status > worst ? status : worst;
        fflush(stdout);
    }
    cudaFree(s->filler);
    return worst;
}

int main(int argc, char **argv)
{
    static const struct argp parser = {options, parse_option, "VARIANT...", "Is a variant right every time?",
                                       NULL,    NULL,         NULL};
    struct stress s = {.iterations = 1000, .inputs = 16, .streams = 4, .leave_mib = 2048, .back_to_back = 1};
    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&parser, argc, argv, 0, NULL, &s))
        return EXIT_USAGE;
    struct catalogue catalogue = {0};
    struct case_list chosen = {0};
    struct err e = {0};
    int rc = catalogue_add_built_in(&catalogue, &e);
    for (size_t i = 0; i < s.loads.count && !rc; i++)
        rc = catalogue_load(&catalogue, s.loads.items[i], &e);
    if (!rc)
        rc = choose(&s, &catalogue, &chosen, &e);
    if (rc)
        fprintf(stderr, "variant_stress: %s\n", e.text);
    const int status = rc ? (int)err_exit_status(rc) : run(&s, &catalogue, &chosen);
    case_list_release(&chosen);
    catalogue_release(&catalogue);
    return status;
}
