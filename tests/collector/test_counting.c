/* Which launches of a program are counted, and what is told of the others? CUPTI,
 * the profiler and the driver are played here; the callbacks are the real ones. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"
#include <generated_nvtx_meta.h>
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/counters/counting.h"
#include "collector/counters/driver_questions.h"
#include "collector/profiler/range_profiler.h"
#include "core/base/files.h"
#include "core/base/json.h"

enum { METRICS = 2, TEXT_BYTES_MAX = 1 << 20 };

/* ---- what is played ---- */

struct range_profiler {
    int begun;
};

static struct range_profiler profiler;
static CUpti_CallbackFunc callback;
static int refusal;       /* of the profiler */
static size_t ranges = 1; /* that it counts in a launch */
static bool capturing, slow_profiler;

static CUptiResult CUPTIAPI subscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc function, void *user)
{
    (void)user;
    *subscriber = NULL;
    callback = function;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI enable(uint32_t on, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                   CUpti_CallbackId id)
{
    (void)on, (void)subscriber, (void)domain, (void)id;
    return CUPTI_SUCCESS;
}

int cupti_api_load(struct cupti_api *api, struct err *e)
{
    (void)e;
    *api = (struct cupti_api){.cuptiSubscribe = subscribe, .cuptiEnableCallback = enable};
    return 0;
}

int cupti_error(const struct cupti_api *api, CUptiResult result, const char *doing, struct err *e)
{
    (void)api, (void)result;
    return err_set(e, ERR_ENVIRONMENT, "CUPTI failed to %s", doing);
}

int range_profiler_new(struct range_profiler **out, const struct range_profiler_request *request, bool *accepted,
                       struct err *e)
{
    if (refusal)
        return err_set(e, refusal, "counters need the right to profile");
    for (size_t i = 0; i < request->count; i++)
        accepted[i] = strncmp(request->names[i], "unknown", 7) != 0;
    *out = &profiler;
    return 0;
}

size_t range_profiler_passes(const struct range_profiler *p)
{
    (void)p;
    return 7;
}

static void call(CUpti_CallbackId id, CUpti_ApiCallbackSite site, const char *symbol, const void *params,
                 CUcontext context)
{
    const CUpti_CallbackData data = {
        .callbackSite = site, .symbolName = symbol, .functionParams = params, .context = context};
    callback(NULL, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}

static const cuLaunchKernel_params params = {
    .gridDimX = 264, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 256, .blockDimY = 1, .blockDimZ = 1};

/* CUPTI may launch kernels of its own in there. */
int range_profiler_begin(struct range_profiler *p, struct err *e)
{
    (void)e;
    p->begun++;
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, "cupti_internal", &params, (CUcontext)1);
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, "cupti_internal", &params, (CUcontext)1);
    return 0;
}

/* The values are the running number of the launch, and one that is not known. */
int range_profiler_end(struct range_profiler *p, double **values, size_t *kernel_count, struct err *e)
{
    (void)e;
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, "cupti_internal", &params, (CUcontext)1);
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, "cupti_internal", &params, (CUcontext)1);
    *kernel_count = ranges;
    if (slow_profiler)
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    *values = calloc(METRICS, sizeof **values);
    assert_non_null(*values);
    (*values)[0] = p->begun;
    (*values)[1] = NAN;
    return 0;
}

int driver_current_device(void)
{
    return 0;
}

bool driver_is_capturing(CUstream stream)
{
    (void)stream;
    return capturing;
}

json_t *driver_describe_gpu(int ordinal)
{
    return json_pack("{s:s,s:i}", "name", "NVIDIA Test", "sm_count", 132 + ordinal);
}

json_t *driver_describe_launch(CUfunction function, const struct launch_shape *shape, int ordinal)
{
    (void)function, (void)ordinal;
    return json_pack("{s:I}", "grid_blocks", (json_int_t)shape->grid_blocks);
}

/* ---- the program ---- */

static void launch_in(const char *symbol, CUcontext context)
{
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, symbol, &params, context);
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, symbol, &params, context);
}

static void launch(const char *symbol)
{
    launch_in(symbol, (CUcontext)1);
}

static void launch_graph(void)
{
    const cuGraphLaunch_params graph = {0};
    call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_API_ENTER, NULL, &graph, (CUcontext)1);
    call(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_API_EXIT, NULL, &graph, (CUcontext)1);
}

static void push(const char *name)
{
    const nvtxRangePushA_params range = {name};
    const CUpti_NvtxData data = {.functionParams = &range};
    callback(NULL, CUPTI_CB_DOMAIN_NVTX, CUPTI_CBID_NVTX_nvtxRangePushA, &data);
}

static void pop(void)
{
    const CUpti_NvtxData data = {0};
    callback(NULL, CUPTI_CB_DOMAIN_NVTX, CUPTI_CBID_NVTX_nvtxRangePop, &data);
}

static void all_kinds(void)
{
    for (int i = 0; i < 6; i++) {
        launch("_Z4gemmPf");   /* counted: 0 (left out), 1, 2, 3 */
        launch("_Z7softmaxv"); /* counted: 0, 1, 2 */
    }
    launch("_Z4fillv");
}

static void only_gemm(void)
{
    all_kinds();
}

static void once(void)
{
    launch("_Z4gemmPf");
}

/* Of gemm the launches 2 and 4 are wanted, of softmax none: the very first one of gemm warms up. While a graph is
 * recorded nothing runs, so launches into it have no number. */
static void chosen_ones(void)
{
    launch("_Z7softmaxv");
    for (int i = 0; i < 3; i++)
        launch("_Z4gemmPf");
    capturing = true;
    launch("_Z4gemmPf");
    capturing = false;
    launch("_Z4gemmPf");
    launch("_Z4gemmPf");
    launch("_Z4gemmPf");
}

static void choose_launches(void)
{
    static const char path[] = "/tmp/cpprof-counting-list", list[] = "2?,4 264x1x1 256x1x1 _Z4gemmPf\n"
                                                                     "0 264x1x1 128x1x1 _Z7softmaxv\n";
    assert_int_equal(files_write_atomic(path, list, strlen(list), NULL), 0);
    setenv("CPPROF_CAPTURE_LAUNCHES", path, 1);
}

static void choose_for_no_time(void)
{
    choose_launches();
    setenv("CPPROF_CAPTURE_REPLAY_MS", "1", 1); /* less than the first replay takes */
    slow_profiler = true;
}

static void in_range(void)
{
    launch("_Z4gemmPf");
    push("attention");
    launch("_Z7softmaxv");
    pop();
    push("other");
    launch("_Z4gemmPf");
    pop();
}

/* Before CUDA: a domain that is wanted and one that is not. */
static char domains[2];

static void create_domains(void)
{
    static const char *const names[] = {"torch", "jax"};
    char why[256] = "";
    assert_int_equal(counting_watch(why, sizeof why), 0);
    for (size_t i = 0; i < 2; i++) {
        const nvtxDomainCreateA_params domain = {names[i]};
        const void *const handle = &domains[i];
        const CUpti_NvtxData data = {.functionParams = &domain, .functionReturnValue = &handle};
        callback(NULL, CUPTI_CB_DOMAIN_NVTX, CUPTI_CBID_NVTX_nvtxDomainCreateA, &data);
    }
    launch("too_early");
}

static void in_domains(void)
{
    static const nvtxEventAttributes_t step = {.version = NVTX_VERSION,
                                               .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                               .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                               .message.ascii = "step"};
    static const char *const kernels[] = {"_Z4gemmPf", "_Z7softmaxv"};
    for (size_t i = 0; i < 2; i++) {
        const nvtxDomainRangePushEx_params range = {(nvtxDomainHandle_t)(void *)&domains[i], {&step}};
        const CUpti_NvtxData pushed = {.functionParams = &range};
        callback(NULL, CUPTI_CB_DOMAIN_NVTX, CUPTI_CBID_NVTX_nvtxDomainRangePushEx, &pushed);
        launch(kernels[i]);
        const nvtxDomainRangePop_params end = {range.domain};
        const CUpti_NvtxData popped = {.functionParams = &end};
        callback(NULL, CUPTI_CB_DOMAIN_NVTX, CUPTI_CBID_NVTX_nvtxDomainRangePop, &popped);
    }
}

/* CUDA answers with an error, and so is it left. */
static void without_a_configuration(void)
{
    const cuLaunchKernelEx_params none = {0};
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_API_ENTER, "_Z4gemmPf", &none, (CUcontext)1);
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_API_EXIT, "_Z4gemmPf", &none, (CUcontext)1);
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, "_Z4gemmPf", NULL, (CUcontext)1);
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, "_Z4gemmPf", NULL, (CUcontext)1);
    launch("_Z4gemmPf");
}

static void not_replayable(void)
{
    launch("ncclDevKernel_AllReduce");
    launch_graph();
    launch_graph();
    launch("_Z4gemmPf");
    launch_in("_Z4gemmPf", (CUcontext)2);
    capturing = true;
    launch("_Z7softmaxv");
}

static void refused(void)
{
    refusal = ERR_ENVIRONMENT;
    all_kinds();
}

static void several(void)
{
    ranges = 2;
    all_kinds();
}

static void in_a_child(void)
{
    if (!fork()) {
        launch("_Z4gemmPf");
        _exit(profiler.begun);
    }
    int status;
    wait(&status);
    assert_int_equal(status, 0);
}

static void *launch_on_thread(void *unused)
{
    launch("_Z7softmaxv");
    return unused;
}

/* Another thread waits for its turn, and whoever ends the program for that thread. */
static void ends_in_a_launch(void)
{
    const struct timespec moment = {.tv_nsec = 100000000};
    pthread_t thread;
    alarm(20);
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, "_Z4gemmPf", &params, (CUcontext)1);
    assert_int_equal(pthread_create(&thread, NULL, launch_on_thread, NULL), 0);
    nanosleep(&moment, NULL);
    counting_finish();
    call(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, "_Z4gemmPf", &params, (CUcontext)1);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* ---- what is told ---- */

static char folder[] = "/tmp/cpprof-counting-XXXXXX";

static void read_back(pid_t pid, struct str *rows, json_t **report)
{
    struct str path;
    struct err e = {0};
    str_init(&path);
    str_addf(&path, "%s/metrics-%d.csv", folder, (int)pid);
    if (files_exists(str_text(&path)) && files_read(str_text(&path), TEXT_BYTES_MAX, rows, &e))
        fail_msg("%s", e.text);
    str_clear(&path);
    str_addf(&path, "%s/counters-%d.json", folder, (int)pid);
    if (json_read_file(str_text(&path), report, &e))
        fail_msg("%s", e.text);
    str_release(&path);
}

/* The state is the process's: each program runs in one of its own. */
static void run(void (*program)(void), void (*before)(void), const char *kernels, const char *range, struct str *rows,
                json_t **report)
{
    const pid_t pid = fork();
    if (!pid) {
        if (kernels)
            setenv("CPPROF_CAPTURE_KERNELS", kernels, 1);
        if (range)
            setenv("CPPROF_CAPTURE_RANGE", range, 1);
        char why[256] = "";
        if (before)
            before();
        if (counting_start(folder, "dram__throughput.avg,unknown_metric", why, sizeof why)) {
            fprintf(stderr, "%s\n", why);
            _exit(1);
        }
        program();
        counting_finish();
        launch("after_the_end");
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    read_back(pid, rows, report);
}

TEST(programs)
{
    static const struct {
        void (*program)(void);
        const char *kernels, *range;
        const char *rows;    /* of dram__throughput.avg, without its name; NULL: no file */
        const char *missing; /* what and why of all, each ended by a newline */
        size_t kernel_count;
        void (*before)(void); /* CUDA begins */
    } cases[] = {
        {in_domains, NULL, "step@torch", "_Z4gemmPf,0=1 ", "unknown_metric: this chip has no metric of that name\n", 1,
         create_domains},
        {without_a_configuration, NULL, NULL, "_Z4gemmPf,0=1 ",
         "unknown_metric: this chip has no metric of that name\n", 1, NULL},
        {all_kinds, NULL, NULL,
         "_Z7softmaxv,0=2 _Z4gemmPf,1=3 _Z7softmaxv,1=4 _Z4gemmPf,2=5 _Z7softmaxv,2=6 _Z4gemmPf,3=7 _Z4fillv,0=8 ",
         "unknown_metric: this chip has no metric of that name\n", 3, NULL},
        {only_gemm, "^gemm\\(", NULL, "_Z4gemmPf,1=2 _Z4gemmPf,2=3 _Z4gemmPf,3=4 ",
         "unknown_metric: this chip has no metric of that name\n", 1, NULL},
        {chosen_ones, NULL, NULL, "264x1x1 256x1x1 _Z4gemmPf,2=2 264x1x1 256x1x1 _Z4gemmPf,4=3 ",
         "unknown_metric: this chip has no metric of that name\n", 1, choose_launches},
        {chosen_ones, NULL, NULL, "",
         "unknown_metric: this chip has no metric of that name\n"
         "counters: the time for replays was over: --replay=TIME gives them more\n",
         1, choose_for_no_time},
        {once, NULL, NULL, "_Z4gemmPf,0=1 ", "unknown_metric: this chip has no metric of that name\n", 1, NULL},
        {in_range, NULL, "attention", "_Z7softmaxv,0=1 ", "unknown_metric: this chip has no metric of that name\n", 1,
         NULL},
        {in_range, "gemm", "attention", NULL, "", 0, NULL},
        {not_replayable, NULL, NULL, "_Z4gemmPf,0=1 ",
         "ncclDevKernel_AllReduce: it waits for other GPUs, and would for ever while it is replayed\n"
         "counters of CUDA graphs: the kernels of a graph are not launched one by one: run without graphs to count them\n"
         "unknown_metric: this chip has no metric of that name\n"
         "_Z4gemmPf: it runs in another context than the first one: counters are read of one GPU\n"
         "_Z7softmaxv: it is launched while a CUDA graph is recorded: only replays of the graph run it\n",
         1, NULL},
        {refused, NULL, NULL, NULL, "counters: counters need the right to profile\n", 0, NULL},
        {several, NULL, NULL, NULL,
         "unknown_metric: this chip has no metric of that name\ncounters: CUPTI counted 2 kernels in one launch\n", 1,
         NULL},
        {in_a_child, NULL, NULL, NULL, "", 0, NULL},
        {ends_in_a_launch, NULL, NULL, NULL, "", 0, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str rows, told, counted;
        json_t *report = NULL;
        str_init(&rows);
        str_init(&told);
        str_init(&counted);
        run(cases[i].program, cases[i].before, cases[i].kernels, cases[i].range, &rows, &report);
        char *rest = NULL, kernel[64];
        long which;
        double value;
        for (char *line = rows.text ? strtok_r(rows.text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
            if (sscanf(line, "%63[^,],%ld,dram__throughput.avg,%lf", kernel, &which, &value) == 3)
                str_addf(&counted, "%s,%ld=%g ", kernel, which, value);
        const json_t *missing = json_object_get(report, "missing");
        for (size_t k = 0; k < json_array_size(missing); k++)
            str_addf(&told, "%s: %s\n", json_get_text(json_array_get(missing, k), "what", ""),
                     json_get_text(json_array_get(missing, k), "why", ""));
        assert_string_equal(str_text(&counted), cases[i].rows ? cases[i].rows : "");
        assert_string_equal(str_text(&told), cases[i].missing);
        assert_int_equal(json_array_size(json_object_get(report, "kernels")), cases[i].kernel_count);
        if (cases[i].rows) {
            assert_int_equal(json_get_integer(json_object_get(report, "gpu"), "sm_count", 0), 132);
            assert_int_equal(json_get_integer(json_object_get(report, "counters"), "passes", 0), 7);
        }
        json_decref(report);
        str_release(&rows);
        str_release(&told);
        str_release(&counted);
    }
}

int main(void)
{
    assert_non_null(mkdtemp(folder));
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    files_remove_tree(folder, NULL);
    return failed;
}
