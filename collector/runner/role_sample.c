/* Where in its code does each arm spend its time, and what does it wait for? One process samples the program counter
 * while each arm is launched for a while. -> hotspots.csv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/str.h"
#include "collector/profiler/pc_sampler.h"
#include "collector/runner/cubin_lines.h"
#include "collector/runner/marks.h"
#include "collector/runner/runner.h"

/* One sample every 8192 cycles while about 60 ms of launches run: on a GPU with 132 SMs a million samples, so that a
 * share of 1% is known to 0.01 points. CUPTI keeps the samples of the last launches to itself (on an H200 those of
 * about 20 ms, and at least 35 launches of kernels of 0.5 ms or more), so fewer launches would give none. Instructions
 * beyond the hottest ones are summed by reason. */
enum {
    PERIOD_LOG2 = 13,
    SAMPLED_NS = 60000000,
    LAUNCHES_MIN = 48,
    LAUNCHES_MAX = 5000,
    WARM_LAUNCHES = 3,
    INSTRUCTIONS_MAX = 32
};

struct sampled {
    struct runner *r;
    struct arm arm;
    int64_t launches;
};

/* All samples of one instruction: items[first .. first + count) of the sorted list. */
struct hot {
    size_t first, count;
    uint64_t samples;
};

static int launch_some(void *context, struct err *e)
{
    struct sampled *s = context;
    mark_push(s->arm.run_case->name, s->arm.run_case->key, "sample");
    int rc = 0;
    for (int64_t i = 0; i < s->launches && !rc; i++)
        rc = arm_launch(s->r, &s->arm, e);
    if (!rc)
        rc = arm_synchronize(s->r, &s->arm, e);
    mark_pop();
    return rc;
}

/* Chooses a number of launches that takes long enough. */
static int choose_launches(struct sampled *s, struct err *e)
{
    s->launches = WARM_LAUNCHES;
    int rc = launch_some(s, e);
    const int64_t start_ns = clock_now_ns();
    if (!rc)
        rc = launch_some(s, e);
    const int64_t each_ns = (clock_now_ns() - start_ns) / WARM_LAUNCHES;
    s->launches = each_ns > 0 ? SAMPLED_NS / each_ns + 1 : LAUNCHES_MAX;
    if (s->launches < LAUNCHES_MIN)
        s->launches = LAUNCHES_MIN;
    if (s->launches > LAUNCHES_MAX)
        s->launches = LAUNCHES_MAX;
    return rc;
}

static int by_instruction(const void *a, const void *b)
{
    const struct pc_sample *one = a, *other = b;
    const int order = strcmp(one->symbol, other->symbol);
    if (order)
        return order;
    if (one->cubin_crc != other->cubin_crc)
        return one->cubin_crc < other->cubin_crc ? -1 : 1;
    if (one->offset != other->offset)
        return one->offset < other->offset ? -1 : 1;
    return strcmp(one->reason, other->reason);
}

static int by_samples(const void *a, const void *b)
{
    const struct hot *one = a, *other = b;
    if (one->samples != other->samples)
        return one->samples < other->samples ? 1 : -1;
    return one->first < other->first ? -1 : one->first > other->first;
}

static bool same_instruction(const struct pc_sample *a, const struct pc_sample *b)
{
    return a->offset == b->offset && a->cubin_crc == b->cubin_crc && !strcmp(a->symbol, b->symbol);
}

/* Sorts the samples by instruction. Returns the instructions, the hottest first, which the caller frees. */
static struct hot *rank(struct pc_samples *samples, size_t *count)
{
    struct hot *hot = calloc(samples->count + 1, sizeof *hot);
    *count = 0;
    if (!hot)
        return NULL;
    qsort(samples->items, samples->count, sizeof *samples->items, by_instruction);
    for (size_t i = 0; i < samples->count; i++) {
        if (!i || !same_instruction(&samples->items[i], &samples->items[i - 1]))
            hot[(*count)++] = (struct hot){.first = i};
        hot[*count - 1].count++;
        hot[*count - 1].samples += samples->items[i].samples;
    }
    qsort(hot, *count, sizeof *hot, by_samples);
    return hot;
}

static struct cell *add_row(struct sampled *s, const struct pc_sample *sample, uint64_t count)
{
    struct table *t = &s->r->tables[BUNDLE_HOTSPOTS];
    struct cell *row = table_add_row(t);
    if (!row)
        return NULL;
    row[HOTSPOTS_VARIANT] = cell_text(t, s->arm.run_case->name);
    row[HOTSPOTS_SHAPE] = cell_text(t, s->arm.run_case->key);
    row[HOTSPOTS_KERNEL] = cell_text(t, sample->symbol);
    row[HOTSPOTS_REASON] = cell_text(t, sample->reason);
    row[HOTSPOTS_SAMPLES] = cell_integer((int64_t)count);
    return row;
}

static int add_instruction(struct sampled *s, const struct pc_samples *samples, const struct hot *hot, struct err *e)
{
    struct table *t = &s->r->tables[BUNDLE_HOTSPOTS];
    const struct pc_sample *first = &samples->items[hot->first];
    struct str file;
    struct err why = {0};
    uint32_t line = 0;
    str_init(&file);
    const bool has_line = cubin_lines_source(first->cubin_crc, first->symbol, first->offset, &file, &line);
    const char *text = cubin_lines_instruction(first->cubin_crc, first->symbol, first->offset, &why);
    if (why.code)
        runner_missing(s->r, "instructions", why.text);
    int rc = file.failed ? err_memory(e) : 0;
    for (size_t i = 0; i < hot->count && !rc; i++) {
        struct cell *row = add_row(s, first + i, first[i].samples);
        if (!row) {
            rc = err_memory(e);
            break;
        }
        row[HOTSPOTS_OFFSET] = cell_integer((int64_t)first->offset);
        if (*text)
            row[HOTSPOTS_INSTRUCTION] = cell_text(t, text);
        if (has_line) {
            row[HOTSPOTS_FILE] = cell_text(t, str_text(&file));
            row[HOTSPOTS_LINE] = cell_integer(line);
        }
    }
    str_release(&file);
    return rc;
}

static bool same_reason(const struct pc_sample *a, const struct pc_sample *b)
{
    return !strcmp(a->reason, b->reason) && !strcmp(a->symbol, b->symbol);
}

/* Adds the samples of all other instructions: a row for each kernel and reason, without an offset. */
static int add_rest(struct sampled *s, const struct pc_samples *samples, const struct hot *hot, size_t count,
                    struct err *e)
{
    struct pc_samples sums;
    pc_samples_init(&sums);
    bool enough = true;
    for (size_t h = INSTRUCTIONS_MAX; h < count && enough; h++)
        for (size_t i = hot[h].first; i < hot[h].first + hot[h].count && enough; i++) {
            size_t at = 0;
            while (at < sums.count && !same_reason(&sums.items[at], &samples->items[i]))
                at++;
            struct pc_sample *slot = at < sums.count ? &sums.items[at] : ARRAY_PUSH(&sums);
            enough = slot != NULL;
            if (slot)
                *slot = (struct pc_sample){samples->items[i].symbol, 0, 0, samples->items[i].reason,
                                           slot->samples + samples->items[i].samples};
        }
    for (size_t i = 0; i < sums.count && enough; i++)
        enough = add_row(s, &sums.items[i], sums.items[i].samples) != NULL;
    pc_samples_release(&sums);
    return enough ? 0 : err_memory(e);
}

static int add_hotspots(struct sampled *s, struct pc_samples *samples, struct err *e)
{
    size_t count;
    struct hot *hot = rank(samples, &count);
    int rc = hot ? 0 : err_memory(e);
    for (size_t i = 0; i < count && i < INSTRUCTIONS_MAX && !rc; i++)
        rc = add_instruction(s, samples, &hot[i], e);
    if (!rc)
        rc = add_rest(s, samples, hot, count, e);
    free(hot);
    return rc;
}

static void report_losses(struct sampled *s, const struct pc_samples *samples)
{
    char what[CASE_NAME_BYTES + CASE_KEY_BYTES + 32], why[96];
    snprintf(what, sizeof what, "samples of %s at %s", s->arm.run_case->name, s->arm.run_case->key);
    if (!samples->total)
        runner_missing(s->r, what, "none came: its launches are too long or too few for CUPTI");
    else if (samples->overflowed)
        runner_missing(s->r, what, "the hardware's buffer was full");
    else if (samples->dropped) {
        snprintf(why, sizeof why, "the hardware dropped %llu of %llu", (unsigned long long)samples->dropped,
                 (unsigned long long)samples->total);
        runner_missing(s->r, what, why);
    }
}

static int sample_case(struct runner *r, struct pc_sampler *p, const struct run_case *c, struct err *e)
{
    struct sampled s = {.r = r};
    struct pc_samples samples;
    pc_samples_init(&samples);
    int rc = arm_setup(r, &s.arm, c, runner_seed(r, 0), e);
    if (!rc)
        rc = choose_launches(&s, e);
    if (!rc)
        rc = pc_sampler_collect(p, launch_some, &s, &samples, e);
    if (!rc)
        rc = add_hotspots(&s, &samples, e);
    if (!rc)
        report_losses(&s, &samples);
    arm_teardown(&s.arm);
    pc_samples_release(&samples);
    return rc;
}

/* Only the current GPU is sampled, and a kernel that waits for another GPU's kernel would wait while that one is
 * sampled. */
static bool is_elsewhere(struct runner *r, const struct run_case *c)
{
    char what[CASE_NAME_BYTES + CASE_KEY_BYTES + 32];
    if (!run_case_is_on_several(c))
        return false;
    snprintf(what, sizeof what, "samples of %s at %s", c->name, c->key);
    runner_missing(r, what, "one GPU only is sampled: it runs on several, whose kernels wait for each other");
    return true;
}

static int sample_all(struct runner *r, const struct cupti_api *api, struct err *e)
{
    CUcontext context = NULL;
    struct pc_sampler *p = NULL;
    int rc = device_context(&context, e);
    if (!rc)
        rc = pc_sampler_new(&p, api, context, PERIOD_LOG2, e);
    for (size_t i = 0; i < r->cases.count && !rc; i++) {
        char refusal[160];
        if (!runner_refusal(r, &r->cases.items[i], refusal, sizeof refusal) && !is_elsewhere(r, &r->cases.items[i]))
            rc = sample_case(r, p, &r->cases.items[i], e);
    }
    pc_sampler_free(p);
    return rc;
}

int role_sample(struct runner *r, struct err *e)
{
    struct cupti_api api;
    int rc = cupti_api_load_pc(&api, e);
    if (!rc)
        rc = cubin_lines_start(&api, e);
    if (!rc)
        rc = runner_open_device(r, e);
    if (!rc)
        rc = sample_all(r, &api, e);
    if (!rc)
        json_object_set_new(r->report, "cupti",
                            json_pack("{s:i,s:s}", "version", (int)api.version, "library", api.found));
    else
        runner_missing(r, "hotspots", e->text);
    cubin_lines_clear();
    return rc;
}
