/* Which code can a guest see, and when? CUDA loads this library (CUDA_INJECTION64_PATH). It prints a line for each
 * module that CUPTI's callback or record tells of, for each kernel record, and whether device launches are named in it.
 */
#define _GNU_SOURCE
#include <cupti.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const char *const entries[] = {"cudaCDP2LaunchDevice", "cnpv2LaunchDevice", "cudaLaunchDevice",
                                      "cudaGraphLaunch", "__cudaCDP"};
enum { ENTRIES = sizeof entries / sizeof entries[0], BUFFER_BYTES = 1 << 22 };

#define NAMES(X)                                                                                                       \
    X(cuptiSubscribe)                                                                                                  \
    X(cuptiEnableCallback)                                                                                             \
    X(cuptiActivityEnable)                                                                                             \
    X(cuptiActivityRegisterCallbacks)                                                                                  \
    X(cuptiActivityFlushAll)                                                                                           \
    X(cuptiActivityGetNextRecord)

#define MEMBER(name) static __typeof__(name) *p_##name;
NAMES(MEMBER)

int InitializeInjection(void);

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void tell(const char *how, unsigned id, const unsigned char *bytes, size_t size)
{
    const double begin_us = now_us();
    unsigned found[ENTRIES];
    for (int i = 0; i < ENTRIES; i++)
        found[i] = bytes && memmem(bytes, size, entries[i], strlen(entries[i]));
    const double took_us = now_us() - begin_us;
    unsigned type = 0;
    if (bytes && size > 64)
        memcpy(&type, bytes + 16, 2);
    printf("probe: %s module %u, %zu bytes, %s, type %u, scan %.1f us:", how, id, size,
           bytes && !memcmp(bytes, "\177ELF", 4) ? "ELF" : "no ELF", type, took_us);
    for (int i = 0; i < ENTRIES; i++)
        if (found[i])
            printf(" %s", entries[i]);
    printf("\n");
    const char *dump = getenv("PROBE_DUMP");
    char path[512];
    snprintf(path, sizeof path, "%s/%s-%u.cubin", dump ? dump : "", how, id);
    FILE *file = dump && found[0] ? fopen(path, "w") : NULL;
    if (file) {
        fwrite(bytes, 1, size, file);
        fclose(file);
    }
}

static void CUPTIAPI called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    (void)user;
    const CUpti_ResourceData *resource = data;
    if (domain != CUPTI_CB_DOMAIN_RESOURCE || !resource || !resource->resourceDescriptor)
        return;
    const CUpti_ModuleResourceData *module = resource->resourceDescriptor;
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
        tell("callback", module->moduleId, (const unsigned char *)module->pCubin, module->cubinSize);
}

static void CUPTIAPI requested(uint8_t **bytes, size_t *size, size_t *records)
{
    *bytes = malloc(BUFFER_BYTES);
    *size = BUFFER_BYTES;
    *records = 0;
}

static void tell_module(const CUpti_ActivityModule *module)
{
    unsigned char *copy = malloc(module->cubinSize + 1);
    struct iovec to = {copy, module->cubinSize}, from = {(void *)module->cubin, module->cubinSize};
    const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    tell("record", module->id, got > 0 ? copy : NULL, got > 0 ? (size_t)got : 0);
    free(copy);
}

static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t *bytes, size_t size, size_t valid)
{
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)size;
    while (p_cuptiActivityGetNextRecord(bytes, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind == CUPTI_ACTIVITY_KIND_MODULE)
            tell_module((const CUpti_ActivityModule *)record);
        else if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
            printf("probe: kernel %.120s\n", ((const CUpti_ActivityKernel10 *)record)->name);
        else
            printf("probe: record of kind %d\n", (int)record->kind);
    }
    free(bytes);
}

static void at_exit(void)
{
    p_cuptiActivityFlushAll(1);
}

int InitializeInjection(void)
{
    void *library = dlopen("libcupti.so.13", RTLD_NOW);
#define FIND(name) *(void **)&p_##name = library ? dlsym(library, #name) : NULL;
    NAMES(FIND)
    if (!library)
        return printf("probe: no CUPTI\n"), 1;
    static CUpti_SubscriberHandle subscriber;
    const char *only = getenv("PROBE_ONLY");
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!only || !strcmp(only, "callback")) {
        printf("probe: subscribe %d\n", p_cuptiSubscribe(&subscriber, called, NULL));
        printf("probe: enable %d\n",
               p_cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED));
    }
    if (!only || !strcmp(only, "record")) {
        p_cuptiActivityRegisterCallbacks(requested, completed);
        printf("probe: kind module %d, kernel %d, cdp kernel %d\n", p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MODULE),
               p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL),
               p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CDP_KERNEL));
        atexit(at_exit);
    }
    return 1;
}
