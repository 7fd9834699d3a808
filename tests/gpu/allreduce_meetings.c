/* Do the ranks of an all-reduce meet before they read, and before they go?
 *
 *   allreduce_meetings [--load LIBRARY]... [--shape SHAPE]... VARIANT...
 *
 * Late writers: each rank clears its output and writes new inputs in its stream right before the launch, and destroys
 * them right behind it; one of them some milliseconds late. Whoever reads without the first meeting adds up old inputs
 * of that rank, and whoever writes into its output is overwritten.
 *
 * Early leavers: all messages lie in the memory of the last rank's GPU, so that it has added up long before the
 * others, which read over the link. It destroys its input and its output as soon as its stream lets it. Who lets it go
 * without the last meeting reads what is destroyed.
 *
 * A GPU for each rank is needed: on one, a launch begins and ends for all ranks at once, and nothing is decided. A line
 * for each variant and shape; exit 1 when one was wrong, 77 where there are not enough GPUs.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/runner/cases.h"
#include "collector/runner/catalogue.h"
#include "kernels/allreduce/allreduce_bench.h"

enum { NAMES_MAX = 64, ROUNDS = 8, LATE_US = 2000, EXIT_NOT_DECIDED = 77 };

struct names {
    const char *items[NAMES_MAX];
    size_t count;
};

struct request {
    struct names loads, shapes, variants;
};

/* One variant at one shape. Its state begins with what all of the family share. */
struct meeting {
    const struct run_case *c;
    struct allreduce_run *run;
    struct CUstream_st *stream;
    bool is_series;                                           /* each rank's stream on its own from launch to launch */
    void *in[ALLREDUCE_RANKS_MAX], *out[ALLREDUCE_RANKS_MAX]; /* of the early leavers */
    int wrong[2], rounds[2];
    char first[256];
};

enum scenario { LATE_WRITERS, EARLY_LEAVERS };

/* ---- the command line ---- */

static const struct argp_option options[] = {
    {"load", 'l', "LIBRARY", 0, "a library of further variants", 0},
    {"shape", 's', "SHAPE", 0, "name or VALUES, as in cpprof run", 0},
    {0},
};

static void add_name(struct argp_state *state, struct names *names, const char *name)
{
    if (names->count == NAMES_MAX)
        argp_error(state, "more than %d of one kind", NAMES_MAX);
    names->items[names->count++] = name;
}

static int parse_option(int key, char *arg, struct argp_state *state)
{
    struct request *q = state->input;
    switch (key) {
    case 'l': add_name(state, &q->loads, arg); return 0;
    case 's': add_name(state, &q->shapes, arg); return 0;
    case ARGP_KEY_ARG: add_name(state, &q->variants, arg); return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which variants?"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- a round ---- */

static void sleep_in_stream(void *microseconds)
{
    usleep(*(const unsigned *)microseconds);
}

/* On the stream of a rank whose device is current. */
static int be_late(struct CUstream_st *own)
{
    static const unsigned late_us = LATE_US;
    return cudaLaunchHostFunc(own, sleep_in_stream, (void *)&late_us);
}

static int destroy(void *message, const struct meeting *m, struct CUstream_st *own)
{
    return cudaMemsetAsync(message, 0xff, allreduce_message_bytes(m->run), own);
}

static int wait_for_all(const struct meeting *m)
{
    int status = 0;
    for (int k = 0; k < m->run->devices && !status; k++) {
        status = cudaSetDevice(m->run->device[k]);
        if (!status)
            status = cudaDeviceSynchronize();
    }
    allreduce_home(m->run);
    return status;
}

/* New inputs of every rank, and outputs without anything, one of them late; -1: none. */
static int write_inputs(const struct meeting *m, uint64_t seed, int late)
{
    int status = 0;
    for (int k = 0; k < m->run->problem.ranks && !status; k++) {
        struct CUstream_st *own;
        status = allreduce_enter(m->run, k, m->stream, &own);
        if (!status && k == late)
            status = be_late(own);
        if (!status)
            status = destroy(m->run->problem.out[k], m, own);
        if (!status)
            status = allreduce_fill_rank(m->run, k, seed, own);
    }
    allreduce_home(m->run);
    m->run->seed = seed; /* of what the outputs are compared with */
    return status;
}

static int destroy_inputs(const struct meeting *m)
{
    int status = 0;
    for (int k = 0; k < m->run->problem.ranks && !status; k++) {
        struct CUstream_st *own;
        status = allreduce_enter(m->run, k, m->stream, &own);
        if (!status)
            status = destroy((void *)m->run->problem.in[k], m, own);
    }
    allreduce_home(m->run);
    return status;
}

static int judge(struct meeting *m, enum scenario which, int who)
{
    static const char *const words[] = {"rank %d wrote late: %s %s%s%s", "rank %d left early: %s %s%s%s"};
    struct cpprof_verification v = {0};
    const int status = m->c->variant->verify(m->run, m->stream, &v);
    m->rounds[which]++;
    if (status || (v.values && v.bad_ratio == 0))
        return status;
    m->wrong[which]++;
    if (!*m->first) {
        const char *place = v.mismatch_count ? v.mismatches[0].where : "";
        snprintf(m->first, sizeof m->first, words[which], who, "wrong at", place, *v.hint ? "; " : "", v.hint);
    }
    return 0;
}

/* In a series every rank can be the late one. Without, a launch waits for what the first rank's stream has to do. */
static int write_late(struct meeting *m, int round)
{
    const struct cpprof_variant *v = m->c->variant;
    const int ranks = m->run->problem.ranks, late = m->is_series ? round % ranks : 1 + round % (ranks - 1);
    int status = m->is_series ? v->fork(m->run, m->stream) : 0;
    if (!status)
        status = write_inputs(m, 1000 + (uint64_t)round, late);
    if (!status)
        status = v->launch(m->run, m->stream);
    if (!status)
        status = destroy_inputs(m);
    if (!status && m->is_series)
        status = v->join(m->run, m->stream);
    if (!status)
        status = wait_for_all(m);
    return status ? status : judge(m, LATE_WRITERS, late);
}

/* The last rank's output is another rank's, once it is destroyed: all are the same. */
static int leave_early(struct meeting *m, int round)
{
    struct allreduce_problem *p = &m->run->problem;
    const struct cpprof_variant *v = m->c->variant;
    const int near = p->ranks - 1;
    struct CUstream_st *own;
    int status = write_inputs(m, 2000 + (uint64_t)round, -1);
    if (!status)
        status = wait_for_all(m);
    if (!status)
        status = v->launch(m->run, m->stream);
    if (!status)
        status = allreduce_enter(m->run, near, m->stream, &own);
    if (!status)
        status = destroy((void *)p->in[near], m, own);
    if (!status)
        status = destroy(p->out[near], m, own);
    allreduce_home(m->run);
    if (!status)
        status = wait_for_all(m);
    if (!status)
        status = cudaMemcpy(p->out[near], p->out[0], allreduce_message_bytes(m->run), cudaMemcpyDefault);
    return status ? status : judge(m, EARLY_LEAVERS, near);
}

/* ---- a variant at a shape ---- */

/* Whoever needed no access to its peers' memory before needs it for messages that are all in one. */
static int move_messages(struct meeting *m)
{
    struct allreduce_problem *p = &m->run->problem;
    const int near = m->run->device[p->ranks - 1];
    int status = 0;
    for (int k = 0; k < p->ranks - 1 && !status; k++) {
        status = cudaSetDevice(m->run->device[k]);
        if (!status)
            status = cudaDeviceEnablePeerAccess(near, 0);
        if (status == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError();
            status = 0;
        }
        if (!status)
            status = cudaSetDevice(near);
        if (!status)
            status = cudaMalloc(&m->in[k], allreduce_message_bytes(m->run));
        if (!status)
            status = cudaMalloc(&m->out[k], allreduce_message_bytes(m->run));
        if (!status) {
            p->in[k] = m->in[k];
            p->out[k] = m->out[k];
        }
    }
    allreduce_home(m->run);
    return status;
}

static int go_rounds(struct meeting *m)
{
    int status = 0;
    for (int round = 0; round < ROUNDS && !status && !m->wrong[LATE_WRITERS]; round++)
        status = write_late(m, round);
    if (!status)
        status = move_messages(m);
    for (int round = 0; round < ROUNDS && !status && !m->wrong[EARLY_LEAVERS]; round++)
        status = leave_early(m, round);
    return status;
}

static int say(const struct meeting *m)
{
    printf("%-34s %d GPUs: late writers %d rounds, %d wrong; early leavers %d rounds, %d wrong%s%s\n",
           m->c->variant->name, m->run->devices, m->rounds[LATE_WRITERS], m->wrong[LATE_WRITERS],
           m->rounds[EARLY_LEAVERS], m->wrong[EARLY_LEAVERS], *m->first ? "; first: " : "", m->first);
    fflush(stdout);
    return m->wrong[LATE_WRITERS] || m->wrong[EARLY_LEAVERS] ? EXIT_CHECK_FAILED : 0;
}

/* 0, 1 for wrong results, 77 where ranks share a GPU, or EXIT_ENVIRONMENT. */
static int meet(const struct run_case *c, struct CUstream_st *stream)
{
    struct meeting m = {.c = c, .stream = stream, .is_series = cpprof_variant_forks_once(c->variant)};
    char why[160];
    void *state = NULL;
    if (c->variant->refuse && c->variant->refuse(&c->config, why, sizeof why)) {
        printf("%-34s not supported: %s\n", c->variant->name, why);
        return 0;
    }
    int status = c->variant->setup(&c->config, stream, &state), result = EXIT_NOT_DECIDED;
    m.run = state;
    if (!status && m.run->devices > 1) {
        status = go_rounds(&m);
        result = say(&m);
    }
    if (state)
        c->variant->teardown(state);
    for (int k = 0; k < ALLREDUCE_RANKS_MAX; k++) {
        cudaFree(m.in[k]);
        cudaFree(m.out[k]);
    }
    if (status)
        fprintf(stderr, "allreduce_meetings: %s: %s\n", c->variant->name, cudaGetErrorString((cudaError_t)status));
    return status ? EXIT_ENVIRONMENT : result;
}

static bool is_allreduce(const struct cpprof_variant *v)
{
    return v->axis_count == ALLREDUCE_AXIS_COUNT && !strcmp(v->axes[ALLREDUCE_AXIS_GPUS].name, "gpus");
}

static int meet_all(const struct case_list *cases)
{
    struct CUstream_st *stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)) {
        fprintf(stderr, "allreduce_meetings: no stream\n");
        return EXIT_ENVIRONMENT;
    }
    int worst = 0;
    for (size_t i = 0; i < cases->count && worst <= EXIT_CHECK_FAILED; i++) {
        const int status = is_allreduce(cases->items[i].variant) ? meet(&cases->items[i], stream) : EXIT_USAGE;
        worst = status > worst ? status : worst;
    }
    if (worst == EXIT_NOT_DECIDED)
        printf("SKIPPED: a GPU for each rank is needed\n");
    cudaStreamDestroy(stream);
    return worst;
}

int main(int argc, char **argv)
{
    static const struct argp parser = {
        options, parse_option, "VARIANT...", "Do the ranks of an all-reduce wait where they must?", NULL, NULL, NULL};
    struct request q = {0};
    struct catalogue catalogue = {0};
    struct case_list cases = {0};
    struct err e = {0};
    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&parser, argc, argv, 0, NULL, &q))
        return EXIT_USAGE;
    int rc = catalogue_add_built_in(&catalogue, &e);
    for (size_t i = 0; i < q.loads.count && !rc; i++)
        rc = catalogue_load(&catalogue, q.loads.items[i], &e);
    const struct case_request request = {.catalogue = &catalogue,
                                         .variants = q.variants.items,
                                         .variant_count = q.variants.count,
                                         .shapes = q.shapes.items,
                                         .shape_count = q.shapes.count};
    if (!rc)
        rc = case_list_expand(&cases, &request, &e);
    if (rc)
        fprintf(stderr, "allreduce_meetings: %s\n", e.text);
    const int status = rc ? (int)err_exit_status(rc) : meet_all(&cases);
    case_list_release(&cases);
    catalogue_release(&catalogue);
    return status;
}
