/* Where in its code does each arm spend its time, and what does it wait for? One process samples the program counter
 * while each arm is launched for a while. -> hotspots.csv */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "collector/profiler/pc_sampler.h"
#include "collector/runner/cubin_lines.h"
#include "collector/runner/hot_rows.h"
#include "collector/runner/marks.h"
#include "collector/runner/runner.h"
#include "collector/runner/source_text.h"
#include "core/base/arena.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/str.h"

/* One sample every 8192 cycles while about 60 ms of launches run: on a GPU with 132 SMs a million samples, so that a
 * share of 1% is known to 0.01 points. CUPTI keeps the samples of the last launches to itself (on an H200 those of
 * about 20 ms, and at least 35 launches of kernels of 0.5 ms or more), so fewer launches would give none. */
enum { PERIOD_LOG2 = 13, SAMPLED_NS = 60000000, LAUNCHES_MIN = 48, LAUNCHES_MAX = 5000, WARM_LAUNCHES = 3 };

struct sampled {
    struct runner *r;
    struct arm arm;
    int64_t launches;
    struct timespec built;        /* the program that has its code */
    struct source_texts *sources; /* of all arms */
    struct arena texts;
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

/* The program or library that has the variant, and its kernels: sources that changed later are not theirs. */
static struct timespec built_at(const struct cpprof_variant *variant)
{
    Dl_info about;
    struct stat file;
    union {
        int (*launch)(void *, struct CUstream_st *);
        const void *address;
    } code = {variant->launch};
    const bool found = dladdr(code.address, &about) && about.dli_fname && !stat(about.dli_fname, &file);
    return found || !stat("/proc/self/exe", &file) ? file.st_mtim : (struct timespec){0};
}

/* *text stays "" where the machine has no such source. */
static int find_text(struct sampled *s, const struct pc_sample *sample, const struct cubin_source *source,
                     const char **text, struct err *e)
{
    struct compiled_source asked = {
        .folder = str_text(&source->folder), .name = str_text(&source->name), .built = s->built};
    asked.size_count =
        cubin_lines_sizes(sample->cubin_crc, files_name(str_text(&source->name)), asked.sizes, SOURCE_SIZES_MAX);
    const struct source_text *file = source_texts_find(s->sources, &asked);
    if (!file)
        return err_memory(e);
    struct str line;
    str_init(&line);
    source_text_line(file, source->line, &line);
    *text = arena_copy(&s->texts, str_text(&line));
    str_release(&line);
    return 0;
}

static int find_place(void *context, const struct pc_sample *sample, bool with_instruction, struct hot_place *place,
                      struct err *e)
{
    struct sampled *s = context;
    struct cubin_source source;
    struct err why = {0};
    int rc = 0;
    cubin_source_init(&source);
    if (cubin_lines_source(sample->cubin_crc, sample->symbol, sample->offset, &source)) {
        place->file = arena_copy(&s->texts, files_name(str_text(&source.name)));
        place->line = source.line;
        rc = find_text(s, sample, &source, &place->text, e);
    }
    if (with_instruction)
        place->instruction = cubin_lines_instruction(sample->cubin_crc, sample->symbol, sample->offset, &why);
    if (why.code)
        runner_missing(s->r, "instructions", why.text);
    cubin_source_release(&source);
    return rc;
}

static void report_changed(struct runner *r, const struct source_texts *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        struct str what;
        str_init(&what);
        str_addf(&what, "source lines of %s", files_name(sources->items[i].compiled.name));
        if (sources->items[i].state == SOURCE_CHANGED)
            runner_missing(r, str_text(&what), "the file changed after the program was built: build it again");
        str_release(&what);
    }
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

static int sample_case(struct runner *r, struct pc_sampler *p, const struct run_case *c, struct source_texts *sources,
                       struct err *e)
{
    struct sampled s = {.r = r, .built = built_at(c->variant), .sources = sources};
    struct pc_samples samples;
    arena_init(&s.texts);
    pc_samples_init(&samples);
    int rc = arm_setup(r, &s.arm, c, runner_seed(r, 0), e);
    if (!rc)
        rc = choose_launches(&s, e);
    if (!rc)
        rc = pc_sampler_collect(p, launch_some, &s, &samples, e);
    if (!rc)
        rc = hot_rows_add(&r->tables[BUNDLE_HOTSPOTS], c->name, c->key, &samples, find_place, &s, e);
    if (!rc)
        report_losses(&s, &samples);
    arm_teardown(&s.arm);
    pc_samples_release(&samples);
    arena_release(&s.texts);
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
    struct source_texts sources = {0};
    int rc = device_context(&context, e);
    if (!rc)
        rc = pc_sampler_new(&p, api, context, PERIOD_LOG2, e);
    for (size_t i = 0; i < r->cases.count && !rc; i++) {
        char refusal[160];
        if (!runner_refusal(r, &r->cases.items[i], refusal, sizeof refusal) && !is_elsewhere(r, &r->cases.items[i]))
            rc = sample_case(r, p, &r->cases.items[i], &sources, e);
    }
    report_changed(r, &sources);
    source_texts_release(&sources);
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
