/* Is each variant right every time: on several streams at once, with new inputs, while memory is scarce and busy?
 * -> stress.json */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/judge/judged.h"
#include "collector/runner/runner.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/str.h"

/* A round launches BURST times on each stream, then verifies each. Inputs are new every few rounds. */
enum { STREAMS = 4, BURST = 4, ROUNDS_PER_INPUT = 4, FIRST_TEXT_BYTES = 400 };
#define ALL_NS        (150 * INT64_C(1000000000)) /* of all cases together */
#define LEFT_BYTES    ((size_t)2 << 30)
#define WRITTEN_BYTES ((size_t)64 << 20)

/* Most of the free memory; its parts are written in turn, so that the caches lose what they held. */
struct filler {
    char *memory;
    size_t bytes, written;
    cudaStream_t stream;
};

struct tally {
    int64_t launches, checks, wrong, other_bits;
    bool is_whole; /* as many launches as were asked for */
    char first[FIRST_TEXT_BYTES];
};

struct stress {
    struct runner *r;
    const struct run_case *run_case;
    struct arm arms[STREAMS];
    cudaStream_t streams[STREAMS];
    uint64_t hashes[STREAMS];
    uint64_t seeds[STREAMS];
    size_t count; /* streams in use */
    uint64_t next_seed;
    struct filler filler;
    struct tally tally;
};

static int check(int status, const char *doing, struct err *e)
{
    return status ? device_error(status, doing, e) : 0;
}

/* ---- memory ---- */

/* What is free is not always there in one piece. */
static void fill_memory(struct filler *f)
{
    size_t available = 0, total = 0;
    if (f->memory || cudaMemGetInfo(&available, &total) || available <= LEFT_BYTES + WRITTEN_BYTES)
        return;
    for (f->bytes = available - LEFT_BYTES; f->bytes > WRITTEN_BYTES && cudaMalloc((void **)&f->memory, f->bytes);
         f->bytes -= f->bytes / 16)
        f->memory = NULL;
    cudaGetLastError(); /* an allocation that failed is no failure of what follows */
}

static int disturb(struct filler *f, struct err *e)
{
    if (!f->memory)
        return 0;
    if (f->written + WRITTEN_BYTES > f->bytes)
        f->written = 0;
    const int status = cudaMemsetAsync(f->memory + f->written, 0xa5, WRITTEN_BYTES, f->stream);
    f->written += WRITTEN_BYTES;
    return check(status, "write memory beside the launches", e);
}

static void empty_memory(struct filler *f)
{
    if (f->memory)
        cudaFree(f->memory);
    f->memory = NULL;
}

/* ---- one round ---- */

/* All that an arm does goes to the stream of the device. */
static void use_stream(struct stress *s, size_t i)
{
    s->r->device.stream = s->streams[i];
}

static void tear_down(struct stress *s)
{
    for (size_t i = 0; i < s->count; i++)
        arm_teardown(&s->arms[i]);
}

static int take_new_inputs(struct stress *s, struct err *e)
{
    int rc = 0;
    tear_down(s);
    for (size_t i = 0; i < s->count && !rc; i++) {
        use_stream(s, i);
        s->hashes[i] = 0;
        s->seeds[i] = cpprof_bits(runner_seed(s->r, 0), s->next_seed++);
        rc = arm_setup(s->r, &s->arms[i], s->run_case, s->seeds[i], e);
    }
    return rc;
}

static int launch_all(struct stress *s, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < s->count && !rc; i++) {
        use_stream(s, i);
        rc = arm_poison(s->r, &s->arms[i], e);
    }
    if (!rc)
        rc = disturb(&s->filler, e);
    for (size_t k = 0; k < BURST * s->count && !rc; k++) {
        use_stream(s, k % s->count);
        rc = arm_launch(s->r, &s->arms[k % s->count], e);
        s->tally.launches += !rc;
    }
    return rc;
}

static void note_wrong(struct stress *s, size_t i, const struct cpprof_verification *v)
{
    struct tally *t = &s->tally;
    if (t->wrong++)
        return;
    snprintf(t->first, sizeof t->first, "launch %lld, seed %llu: %s%s%s", (long long)t->launches,
             (unsigned long long)s->seeds[i], v->mismatch_count ? v->mismatches[0].where : "",
             v->mismatch_count && *v->hint ? "; " : "", v->hint);
}

/* Other bits of a right result are honest where additions come in any order: they are counted alone. */
static int verify_all(struct stress *s, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < s->count && !rc; i++) {
        use_stream(s, i);
        rc = arm_synchronize(s->r, &s->arms[i], e);
        struct cpprof_verification v;
        if (!rc)
            rc = arm_look(s->r, &s->arms[i], &v, e);
        if (rc)
            return rc;
        s->tally.checks++;
        if (!verification_passes(&v))
            note_wrong(s, i, &v);
        else if (s->hashes[i] && v.output_hash != s->hashes[i])
            s->tally.other_bits++;
        s->hashes[i] = v.output_hash;
    }
    return rc;
}

/* ---- one case ---- */

static int go_rounds(struct stress *s, int64_t deadline_ns, struct err *e)
{
    int rc = 0;
    for (int64_t round = 0; s->tally.launches < s->r->iterations && !rc; round++) {
        if (round && clock_now_ns() > deadline_ns)
            return 0;
        if (round % ROUNDS_PER_INPUT == 0)
            rc = take_new_inputs(s, e);
        if (!rc && round == 0)
            fill_memory(&s->filler);
        if (!rc)
            rc = launch_all(s, e);
        if (!rc)
            rc = verify_all(s, e);
    }
    s->tally.is_whole = !rc;
    return rc;
}

static json_t *row_of(const struct run_case *c, const struct tally *t, const char *refusal)
{
    return json_pack("{s:o,s:o,s:I,s:I,s:I,s:I,s:b,s:o,s:o}", "variant", json_text(c->name), "shape", json_text(c->key),
                     "launches", (json_int_t)t->launches, "checks", (json_int_t)t->checks, "wrong",
                     (json_int_t)t->wrong, "other_bits", (json_int_t)t->other_bits, "is_whole", t->is_whole, "first",
                     json_text(t->first), "refused", json_text(refusal ? refusal : ""));
}

/* Kernels on several GPUs wait for each other: two launches of them at once may never end. */
static int stress_case(struct stress *s, const struct run_case *c, int64_t deadline_ns, json_t *rows, struct err *e)
{
    char text[160];
    const char *refusal = runner_refusal(s->r, c, text, sizeof text);
    s->run_case = c;
    s->count = run_case_is_on_several(c) ? 1 : STREAMS;
    s->tally = (struct tally){0};
    memset(s->arms, 0, sizeof s->arms);
    int rc = refusal ? 0 : go_rounds(s, deadline_ns, e);
    tear_down(s);
    empty_memory(&s->filler);
    if (!rc && json_array_append_new(rows, row_of(c, &s->tally, refusal)))
        rc = err_memory(e);
    return rc;
}

static int open_streams(struct stress *s, struct err *e)
{
    int rc = check(cudaStreamCreateWithFlags(&s->filler.stream, cudaStreamNonBlocking), "create a stream", e);
    for (size_t i = 0; i < STREAMS && !rc; i++)
        rc = check(cudaStreamCreateWithFlags(&s->streams[i], cudaStreamNonBlocking), "create a stream", e);
    return rc;
}

static void close_streams(struct stress *s)
{
    for (size_t i = 0; i < STREAMS; i++)
        if (s->streams[i])
            cudaStreamDestroy(s->streams[i]);
    if (s->filler.stream)
        cudaStreamDestroy(s->filler.stream);
}

static int stress_all(struct stress *s, json_t *rows, struct err *e)
{
    struct runner *r = s->r;
    cudaStream_t own = r->device.stream;
    int rc = open_streams(s, e);
    for (size_t i = 0; i < r->cases.count && !rc; i++) {
        const int64_t now_ns = clock_now_ns(), left_ns = r->start_ns + ALL_NS - now_ns;
        const int64_t share_ns = left_ns > 0 ? left_ns / (int64_t)(r->cases.count - i) : 0;
        rc = stress_case(s, &r->cases.items[i], now_ns + share_ns, rows, e);
    }
    r->device.stream = own;
    close_streams(s);
    return rc;
}

int role_stress(struct runner *r, struct err *e)
{
    struct stress s = {.r = r};
    struct str path;
    json_t *rows = json_array();
    str_init(&path);
    int rc = rows ? stress_all(&s, rows, e) : err_memory(e);
    if (!rc)
        rc = json_write_file(files_join(&path, r->directory, "stress.json"), rows, e);
    json_decref(rows);
    str_release(&path);
    return rc;
}
