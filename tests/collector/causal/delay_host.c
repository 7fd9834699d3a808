/* What does a program do whose kernels are delayed? One that test_guest_delays.c starts: it plays CUPTI, tells the
 * library of launches, and looks at what the library has launched itself. It never prints. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/count_of.h"
#include "tests/collector/causal/fake_launches.h"
#include "tests/collector/fake_cupti.h"

/* A failed check ends the host with a status that no scenario has. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            _exit(__LINE__ % 100 + 100);                                                                               \
    } while (0)

static struct fake_launches *driver; /* NULL: an old one, which has no launches */

static const char tile[] = "_Z4tilePf", copy[] = "_Z4copyPf", other[] = "_Z5otherPf";

static void tell(CUpti_CallbackId call, CUpti_ApiCallbackSite site, const char *symbol, const void *parameters)
{
    const CUpti_CallbackData data = {.callbackSite = site, .symbolName = symbol, .functionParams = parameters};
    CHECK(fake_cupti_tell(CUPTI_CB_DOMAIN_DRIVER_API, call, &data));
}

/* The program launches a kernel. */
static void launch(const char *symbol, void *stream)
{
    const cuLaunchKernel_params parameters = {.gridDimX = 1, .hStream = stream};
    tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, symbol, &parameters);
    tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT, symbol, &parameters);
}

/* Our launch is a launch, too. */
static void launch_inside(void)
{
    launch(tile, (void *)0x10);
    launch("cpprof_delay", (void *)0x10);
}

/* The last launch of the library is a delay of this target on this stream. */
static const struct fake_launch *last(size_t count, void *stream, unsigned target)
{
    CHECK(driver->count == count);
    const struct fake_launch *launched = &driver->items[(count - 1) % FAKE_LAUNCHES_MAX];
    CHECK(launched->stream == stream && launched->y == target + 1 && launched->x >= 1 && launched->x <= 4);
    static const uint64_t waits_ns[] = {0, 20000, 60000, 0};
    CHECK(launched->wait_ns == waits_ns[launched->x - 1]);
    return launched;
}

static void start(void)
{
    void *loaded = dlopen(getenv("TEST_DRIVER"), RTLD_NOW),
         *library = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
    CHECK(loaded && library);
    driver = dlsym(loaded, "fake_launches");
    int (*entry)(void);
    *(void **)&entry = dlsym(library, "InitializeInjection");
    CHECK(entry && entry() == 1);
}

/* The first target has the first turn, as nobody else was launched. */
static int each_call(void)
{
    static const CUlaunchConfig config = {.gridDimX = 1, .hStream = (CUstream)0x30};
    static const cuLaunchKernelEx_params extended = {.config = &config}, broken = {.config = NULL};
    static const cuLaunchKernel_params of_thread = {.gridDimX = 1};
    static const cuLaunchCooperativeKernel_params together = {.hStream = (CUstream)0x40};
    start();
    CHECK(!driver->loads);
    launch(other, (void *)0x10); /* what waits is loaded before the program waits for a target */
    CHECK(!driver->count && driver->loads == 1 && driver->loaded_relaxed && !driver->mode);
    driver->during = launch_inside;
    launch(tile, (void *)0x10);
    CHECK(last(1, (void *)0x10, 0)->x < 4 && driver->loads == 1);
    launch(copy, (void *)0x20);
    CHECK(last(2, (void *)0x20, 1)->x == 4);
    launch(tile, NULL);
    last(3, NULL, 0);
    tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, CUPTI_API_ENTER, tile, &of_thread);
    last(4, (void *)CU_STREAM_PER_THREAD, 0);
    tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_API_ENTER, tile, &extended);
    last(5, (void *)0x30, 0);
    tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, CUPTI_API_ENTER, tile, &extended);
    last(6, (void *)0x30, 0);
    tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_API_ENTER, tile, &broken); /* which CUDA refuses */
    last(7, NULL, 0);
    tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, CUPTI_API_ENTER, tile, &together);
    last(8, (void *)0x40, 0);
    launch(tile, FAKE_CAPTURING);
    launch(tile, FAKE_UNKNOWN);
    tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, NULL, &of_thread);
    tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_ENTER, tile, NULL);
    CHECK(driver->count == 8 && driver->loads == 1);
    return 0;
}

static void sleep_us(long us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

/* Two targets in turns until each had each dose: in the order of the program, whatever the machine does meanwhile. */
static int all_doses(void)
{
    unsigned seen[2] = {0};
    start();
    for (size_t i = 0; (seen[0] != 0xf || seen[1] != 0xf) && i < 20000; i += 2) {
        launch(tile, (void *)0x10);
        const struct fake_launch *first = last(i + 1, (void *)0x10, 0);
        seen[0] |= 1u << (first->x - 1);
        launch(copy, (void *)0x20);
        const struct fake_launch *second = last(i + 2, (void *)0x20, 1);
        seen[1] |= 1u << (second->x - 1);
        sleep_us(500);
    }
    CHECK(seen[0] == 0xf && seen[1] == 0xf);
    return 0;
}

/* Targets: copy:h2d, the host before ^tile, ^tile, the host before copies from the device. */
enum { TO_DEVICE, HOST_OF_TILE, TILE, HOST_OF_BACK };

static void copy_to(CUpti_CallbackId call, const void *parameters)
{
    tell(call, CUPTI_API_ENTER, NULL, parameters);
    tell(call, CUPTI_API_EXIT, NULL, parameters);
}

/* A copy is delayed by where it goes, which the driver tells where the call does not. The host has waited when the
 * launch that tells of it comes, which itself takes no time. */
static int copies_and_the_host(void)
{
    static const cuMemcpyHtoDAsync_v2_params to = {.hStream = (CUstream)0x10};
    static const cuMemcpyDtoHAsync_v2_params back = {.hStream = (CUstream)0x20};
    static const cuMemcpyAsync_params up = {.dst = FAKE_ON_DEVICE, .src = 8, .hStream = (CUstream)0x30},
                                      within = {.dst = FAKE_ON_DEVICE, .src = FAKE_ON_DEVICE};
    static const cuMemcpyDtoH_v2_params waits = {.ByteCount = 1};
    static const CUDA_MEMCPY2D plane = {
        .srcMemoryType = CU_MEMORYTYPE_HOST, .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = FAKE_ON_DEVICE};
    static const cuMemcpy2DAsync_v2_params planes = {.pCopy = &plane, .hStream = (CUstream)0x40},
                                           broken = {.pCopy = NULL};
    static const cuMemcpyHtoDAsync_v2_params captured = {.hStream = FAKE_CAPTURING};
    start();
    copy_to(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, &to);
    last(1, (void *)0x10, TO_DEVICE);
    copy_to(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz, &(cuMemcpyHtoDAsync_v2_params){.ByteCount = 1});
    last(2, (void *)CU_STREAM_PER_THREAD, TO_DEVICE);
    copy_to(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2, &back);
    CHECK(driver->count == 3 && driver->items[2].y == HOST_OF_BACK + 1 && !driver->items[2].wait_ns);
    copy_to(CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2, &waits);
    CHECK(driver->count == 4 && driver->items[3].y == HOST_OF_BACK + 1 && !driver->items[3].stream);
    copy_to(CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync, &up);
    last(5, (void *)0x30, TO_DEVICE);
    copy_to(CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync, &within); /* within the device: nobody's */
    copy_to(CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2, &broken);
    CHECK(driver->count == 5);
    copy_to(CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2, &planes);
    last(6, (void *)0x40, TO_DEVICE);
    launch(tile, (void *)0x50); /* of the host first */
    CHECK(driver->count == 8 && driver->items[6].y == HOST_OF_TILE + 1 && driver->items[7].y == TILE + 1);
    launch(copy, (void *)0x50); /* a kernel that is called copy */
    CHECK(driver->count == 8);
    copy_to(CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, &captured);
    CHECK(driver->count == 8);
    return 0;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Launches until the host has waited for each dose: a call takes as long at least, and no longer where there is none.
 */
static int the_host_waits(void)
{
    static const int64_t doses_ns[] = {0, 20000, 60000, 0};
    unsigned seen = 0;
    start();
    for (size_t i = 0; seen != 7 && i < 20000; i++) {
        const int64_t from_ns = now_ns();
        launch(tile, (void *)0x10);
        const int64_t took_ns = now_ns() - from_ns;
        const struct fake_launch *told = &driver->items[i % FAKE_LAUNCHES_MAX];
        CHECK(driver->count == i + 1 && !told->wait_ns && told->x >= 1 && told->x <= 3);
        CHECK(took_ns >= doses_ns[told->x - 1]);
        seen |= 1u << (told->x - 1);
        sleep_us(500);
    }
    CHECK(seen == 7);
    return 0;
}

/* Whatever the library cannot do, the program launches. */
static int without(void)
{
    start();
    launch(tile, (void *)0x10);
    launch(copy, (void *)0x10);
    CHECK(!driver || !driver->count);
    return 0;
}

static void tell_numbered(CUpti_CallbackId call, const void *parameters, uint32_t correlation)
{
    CUpti_CallbackData data = {
        .callbackSite = CUPTI_API_ENTER, .functionParams = parameters, .correlationId = correlation};
    fake_cupti_set_time(correlation);
    CHECK(fake_cupti_tell(CUPTI_CB_DOMAIN_DRIVER_API, call, &data));
    data.callbackSite = CUPTI_API_EXIT;
    CHECK(fake_cupti_tell(CUPTI_CB_DOMAIN_DRIVER_API, call, &data));
}

static void record_event(uintptr_t event, void *stream, uint32_t correlation)
{
    const cuEventRecord_params parameters = {.hEvent = (CUevent)event, .hStream = stream};
    tell_numbered(CUPTI_DRIVER_TRACE_CBID_cuEventRecord, &parameters, correlation);
}

static void wait_for_event(void *stream, uintptr_t event, uint32_t correlation)
{
    const cuStreamWaitEvent_params parameters = {.hStream = stream, .hEvent = (CUevent)event};
    tell_numbered(CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent, &parameters, correlation);
}

/* What streams and the host wait for: the latest record of the event, in the numbers that records of work have. */
static int edges(void)
{
    static const cuEventRecordWithFlags_ptsz_params of_thread = {.hEvent = (CUevent)0x500000001};
    static const cuEventSynchronize_params waits = {.hEvent = (CUevent)0x100000001};
    start();
    CHECK(fake_cupti_subscribed());
    record_event(0x100000001, (void *)0x10, 20);
    wait_for_event((void *)0x20, 0x100000001, 21); /* 1 */
    wait_for_event((void *)0x20, 0x200000001, 22); /* never recorded */
    record_event(0x100000001, FAKE_FOREIGN, 23);
    wait_for_event(NULL, 0x100000001, 24); /* 2 */
    record_event(0x100000001, FAKE_CAPTURING, 25);
    wait_for_event(FAKE_CAPTURING, 0x100000001, 26);
    tell_numbered(CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize, &waits, 27); /* 3 */
    tell_numbered(CUPTI_DRIVER_TRACE_CBID_cuEventRecordWithFlags_ptsz, &of_thread, 28);
    wait_for_event((void *)CU_STREAM_LEGACY, 0x500000001, 29); /* 4 */
    return 0;
}

/* Nobody asked for delays: launches are not even seen. */
static int unasked(void)
{
    start();
    CHECK(!fake_cupti_subscribed());
    return 0;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } scenes[] = {{"each_call", each_call},
                  {"all_doses", all_doses},
                  {"without", without},
                  {"unasked", unasked},
                  {"edges", edges},
                  {"copies_and_the_host", copies_and_the_host},
                  {"the_host_waits", the_host_waits}};
    for (size_t i = 0; count == 2 && i < COUNT_OF(scenes); i++)
        if (!strcmp(scenes[i].name, arguments[1]))
            return scenes[i].run();
    return 99;
}
