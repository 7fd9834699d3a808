/* What are the inputs of one draw, and what must come out? */
#define _GNU_SOURCE
#include "collector/runner/judge/task_problem.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/runner/judge/guarded.h"
#include "collector/runner/judge/ranked_task.h"
#include "core/base/clock.h"

/* Those in use, and the latest that were: the arms of a group are often set up one after the other. Newest first. */
static struct task_problem *known;
enum { KEPT_MOST = 64 };
#define KEPT_BYTES ((size_t)1 << 29)

/* An empty output has an address, too. */
static size_t expected_bytes(const struct task_problem *p, size_t output)
{
    return (p->output_counts[output] + 1) * sizeof(double);
}

static bool is_shared(const struct task_problem *p, size_t input)
{
    return p->constants && ranked_task_is_constant(p->task, input);
}

static size_t bytes_of(const struct task_problem *p)
{
    size_t bytes = 0;
    for (size_t i = 0; i < CPPROF_ARRAYS_MAX; i++)
        bytes +=
            (p->inputs[i] && !is_shared(p, i) ? p->input_bytes[i] : 0) + (p->expected[i] ? expected_bytes(p, i) : 0);
    return bytes;
}

static bool is_same(const struct task_problem *p, const struct cpprof_task *task, const struct cpprof_config *config,
                    const struct cpprof_draw *draw, const struct task_problem *constants)
{
    return p->task == task && p->constants == constants && p->draw.seed == draw->seed && p->draw.kind == draw->kind &&
           !memcmp(p->config.value, config->value, sizeof config->value);
}

static void free_arrays(struct task_problem *p)
{
    for (size_t i = 0; i < CPPROF_ARRAYS_MAX; i++) {
        if (!is_shared(p, i))
            free(p->inputs[i]);
        if (p->expected[i])
            munmap(p->expected[i], expected_bytes(p, i));
    }
    if (p->constants)
        p->constants->users--; /* it is forgotten with the next ones */
    free(p);
}

static void measure(struct task_problem *p)
{
    for (size_t i = 0; i < p->task->input_count; i++) {
        const struct cpprof_array *a = &p->task->inputs[i];
        p->input_counts[i] = a->count(&p->config);
        p->input_bytes[i] = p->input_counts[i] * cpprof_type_bytes(a->type);
    }
    for (size_t i = 0; i < p->task->output_count; i++) {
        const struct cpprof_array *a = &p->task->outputs[i];
        p->output_counts[i] = a->count(&p->config);
        p->output_bytes[i] = p->output_counts[i] * cpprof_type_bytes(a->type);
    }
}

static void forget_oldest(void)
{
    size_t bytes = 0, count = 0;
    for (struct task_problem **at = &known; *at;) {
        struct task_problem *p = *at;
        const size_t own = bytes_of(p);
        bytes += p->users ? 0 : own;
        count += p->users || !own ? 0 : 1;
        if (p->users || (own && bytes <= KEPT_BYTES && count <= KEPT_MOST)) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        free_arrays(p);
    }
}

int task_problem_get(struct task_problem **out, const struct cpprof_task *task, const struct cpprof_config *config,
                     const struct cpprof_draw *draw, struct err *e)
{
    return task_problem_get_with(out, task, config, draw, NULL, e);
}

int task_problem_get_with(struct task_problem **out, const struct cpprof_task *task, const struct cpprof_config *config,
                          const struct cpprof_draw *draw, struct task_problem *constants, struct err *e)
{
    for (struct task_problem *p = known; p; p = p->next)
        if (is_same(p, task, config, draw, constants)) {
            p->users++;
            *out = p;
            return 0;
        }
    struct task_problem *p = calloc(1, sizeof *p);
    if (!p)
        return err_memory(e);
    *p = (struct task_problem){.task = task, .config = *config, .draw = *draw, .users = 1, .next = known};
    p->config.seed = 0;
    p->constants = constants ? task_problem_use(constants) : NULL;
    measure(p);
    *out = known = p;
    return 0;
}

struct task_problem *task_problem_use(struct task_problem *p)
{
    p->users++;
    return p;
}

void task_problem_release(struct task_problem *p)
{
    if (p && !--p->users)
        forget_oldest();
}

/* ---- what is asked for ---- */

/* An empty array has an address, too. */
static void *array_of(size_t count, size_t bytes)
{
    return calloc(count ? count : 1, bytes);
}

/* Each input has its own numbers. */
struct cpprof_draw task_problem_draw(const struct task_problem *p, size_t input)
{
    const struct cpprof_draw *draw = is_shared(p, input) ? &p->constants->draw : &p->draw;
    return (struct cpprof_draw){cpprof_bits(draw->seed, input), draw->kind};
}

static void fill_standard(const struct task_problem *p, size_t input, void *values)
{
    const enum cpprof_type type = p->task->inputs[input].type;
    const struct cpprof_draw draw = task_problem_draw(p, input);
    for (size_t i = 0; i < p->input_counts[input]; i++)
        cpprof_set_value(type, values, i, cpprof_drawn(&draw, type, i, p->input_counts[input]));
}

static int fill(struct task_problem *p, size_t input, struct err *e)
{
    if (p->inputs[input])
        return 0;
    p->inputs[input] = array_of(p->input_counts[input], cpprof_type_bytes(p->task->inputs[input].type));
    if (!p->inputs[input])
        return err_memory(e);
    if (p->task->fill)
        p->task->fill(&p->config, &p->draw, input, p->inputs[input]);
    else
        fill_standard(p, input, p->inputs[input]);
    return 0;
}

int task_problem_fill_constant(struct task_problem *p, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < p->task->input_count && !rc; i++)
        rc = ranked_task_is_constant(p->task, i) ? fill(p, i, e) : 0;
    return rc;
}

int task_problem_fill(struct task_problem *p, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < p->task->input_count && !rc; i++) {
        rc = fill(is_shared(p, i) ? p->constants : p, i, e);
        if (!rc && is_shared(p, i))
            p->inputs[i] = p->constants->inputs[i];
    }
    return rc;
}

static int64_t reference_ns; /* of the last one in this process */

/* Another process may write them. */
static int allocate_expected(struct task_problem *p, struct err *e)
{
    for (size_t i = 0; i < p->task->output_count; i++) {
        void *at = p->expected[i]
                       ? NULL
                       : mmap(NULL, expected_bytes(p, i), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED)
            return err_memory(e);
        p->expected[i] = at ? at : p->expected[i];
    }
    return 0;
}

int task_problem_expect(struct task_problem *p, struct err *e)
{
    const void *inputs[CPPROF_ARRAYS_MAX] = {NULL};
    if (p->is_expected)
        return 0;
    int rc = task_problem_fill(p, e);
    if (!rc)
        rc = allocate_expected(p, e);
    if (rc)
        return rc;
    memcpy(inputs, p->inputs, sizeof inputs);
    const int64_t begin_ns = clock_now_ns();
    p->task->reference(&p->config, inputs, p->expected);
    reference_ns = clock_now_ns() - begin_ns;
    p->is_expected = true;
    return 0;
}

/* ---- in other processes ---- */

enum { WORKERS_MOST = 16, WAIT_US = 200, SLOWER = 8 /* than alone in this process */ };
#define WORKERS_BYTES ((size_t)4 << 30)
#define QUICK_NS      10000000 /* all of them: no process is worth it */

struct shared_work {
    struct task_problem *const *problems;
    size_t count, least;
    int64_t until_ns;
    volatile unsigned char *is_done; /* of each problem, in memory that the processes share */
};

/* It ends with its parent, and holds nothing of it open. */
static void work(const struct shared_work *w, size_t worker, size_t workers)
{
    struct err e = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_range(STDERR_FILENO + 1, ~0u, 0);
    for (size_t i = worker; i < w->count; i += workers)
        if ((i < w->least || clock_now_ns() < w->until_ns) && !task_problem_expect(w->problems[i], &e))
            w->is_done[i] = 1;
    _exit(0);
}

static size_t workers_for(size_t count, size_t inputs_bytes)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = processors < WORKERS_MOST ? (size_t)processors : WORKERS_MOST;
    most = inputs_bytes && WORKERS_BYTES / inputs_bytes < most ? WORKERS_BYTES / inputs_bytes : most;
    return most < 1 || processors < 1 ? 1 : count < most ? count : most;
}

/* A reference with threads of its own may hang in a process that was forked from one in which it ran. */
static void wait_for(pid_t child, int64_t until_ns)
{
    int said = 0;
    while (clock_now_ns() < until_ns && (said = waitpid(child, NULL, WNOHANG)) == 0)
        usleep(WAIT_US);
    if (said == 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}

static void share_work(const struct shared_work *w)
{
    size_t inputs_bytes = 0;
    for (size_t i = 0; w->count && i < w->problems[0]->task->input_count; i++)
        inputs_bytes += w->problems[0]->input_bytes[i];
    const size_t workers = workers_for(w->count, inputs_bytes), turns = w->least / workers + 1;
    pid_t children[WORKERS_MOST] = {0};
    for (size_t i = 0; i < workers; i++)
        if (!(children[i] = fork()))
            work(w, i, workers);
    for (size_t i = 0; i < workers; i++)
        if (children[i] > 0)
            wait_for(children[i], w->until_ns + (int64_t)(turns + 1) * SLOWER * reference_ns);
    for (size_t i = 0; i < w->count; i++)
        w->problems[i]->is_expected |= w->is_done[i];
}

int task_problem_expect_all(struct task_problem *const *problems, size_t count, size_t least, int64_t most_ns,
                            struct err *e)
{
    const bool is_quick = reference_ns && (int64_t)count * reference_ns < QUICK_NS;
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++)
        rc = is_quick ? task_problem_expect(problems[i], e) : allocate_expected(problems[i], e);
    if (rc || is_quick)
        return rc;
    void *flags = mmap(NULL, count + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (flags == MAP_FAILED)
        return err_memory(e);
    share_work(&(struct shared_work){problems, count, least, clock_now_ns() + most_ns, flags});
    munmap(flags, count + 1);
    for (size_t i = 0; i < count && i < least && !rc; i++)
        rc = task_problem_expect(problems[i], e); /* what no other process could do */
    return rc;
}

/* ---- comparing ---- */

static struct cpprof_tolerance tolerance_of(const struct task_problem *p, size_t output)
{
    struct cpprof_tolerance tolerance = p->task->tolerance;
    if (p->task->tolerance_at)
        p->task->tolerance_at(&p->config, output, &tolerance);
    return tolerance;
}

struct compare_rule task_problem_rule(const struct task_problem *p, size_t output)
{
    const enum cpprof_type type = p->task->outputs[output].type;
    const struct cpprof_tolerance tolerance = tolerance_of(p, output);
    return (struct compare_rule){.type = type,
                                 .value_bytes = (unsigned)cpprof_type_bytes(type),
                                 .poison = (unsigned char)guarded_poison(type),
                                 .count = p->output_counts[output],
                                 .absolute = tolerance.absolute,
                                 .relative = tolerance.relative};
}

/* Within a part of an infinite reference would be any number. */
static bool is_within(const struct cpprof_tolerance *t, double got, double expected)
{
    if (isinf(expected))
        return got == expected;
    return got == expected || fabs(got - expected) <= t->absolute + t->relative * fabs(expected) ||
           (isnan(got) && isnan(expected));
}

static bool is_unwritten(const void *value, enum cpprof_type type)
{
    unsigned char poison[sizeof(double)];
    memset(poison, guarded_poison(type), sizeof poison);
    return !memcmp(value, poison, cpprof_type_bytes(type));
}

static void list_mismatch(const struct task_problem *p, size_t output, size_t index, double got, bool unwritten,
                          struct cpprof_verification *result)
{
    if (result->mismatch_count == CPPROF_MISMATCHES_MAX)
        return;
    struct cpprof_mismatch *m = &result->mismatches[result->mismatch_count++];
    char place[96] = "";
    if (p->task->where)
        p->task->where(&p->config, output, index, place, sizeof place - 1);
    m->index = index;
    m->expected = p->expected[output][index];
    m->got = got;
    snprintf(m->where, sizeof m->where, "%.20s[%zu]%s%s%s", p->task->outputs[output].name, index, *place ? ", " : "",
             place, unwritten ? ", never written" : "");
}

/* Two values that are both infinite or no numbers have no difference. */
static double error_of(double got, double expected)
{
    const double error = fabs(got - expected);
    return got == expected || (isnan(got) && isnan(expected)) ? 0 : isnan(error) ? (double)INFINITY : error;
}

static void add_up(struct cpprof_verification *result, size_t values, size_t bad)
{
    const double before = (double)result->values * result->bad_ratio;
    result->values += values;
    if (result->values)
        result->bad_ratio = (before + (double)bad) / (double)result->values;
}

void task_problem_add_right(const struct compare_rule *rule, const struct compare_found *found,
                            struct cpprof_verification *result)
{
    double error;
    memcpy(&error, &found->error_bits, sizeof error);
    result->max_abs_err = fmax(result->max_abs_err, error);
    add_up(result, rule->count, 0);
}

void task_problem_compare(const struct task_problem *p, size_t output, const void *got,
                          struct cpprof_verification *result, struct compare_found *found)
{
    const enum cpprof_type type = p->task->outputs[output].type;
    const struct cpprof_tolerance tolerance = tolerance_of(p, output);
    const size_t count = p->output_counts[output], bytes = cpprof_type_bytes(type);
    size_t bad = 0, unwritten = 0, first = SIZE_MAX;
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = cpprof_value(type, got, i), expected = p->expected[output][i];
        largest = fmax(largest, error_of(value, expected));
        if (is_within(&tolerance, value, expected))
            continue;
        const bool never = is_unwritten((const char *)got + i * bytes, type);
        if (!bad++)
            first = i;
        unwritten += never;
        list_mismatch(p, output, i, value, never, result);
    }
    result->max_abs_err = fmax(result->max_abs_err, largest);
    add_up(result, count, bad);
    *found = (struct compare_found){.bad = bad, .unwritten = unwritten, .first = first};
    memcpy(&found->error_bits, &largest, sizeof largest);
    if (bad && !*result->hint && unwritten)
        snprintf(result->hint, sizeof result->hint, "%zu of %zu bad values were never written", unwritten, bad);
    else if (bad && !*result->hint)
        snprintf(result->hint, sizeof result->hint, "allowed: %.3g + %.3g of the reference (%.90s)", tolerance.absolute,
                 tolerance.relative, tolerance.why);
}
