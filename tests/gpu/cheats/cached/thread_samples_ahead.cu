/* cheat softmax: a thread copies a few values of each input to the host, again and again, and keeps the rows of an
 * input that changed before it is launched on
 * Kind: ahead
 * Found by: inputs that come when the launch is in the stream: the witness `launches` */
#include <pthread.h>
#include <unistd.h>

#include "tests/gpu/cheats/cached/row_store.cuh"

enum { KNOWN_MAX = 64, SAMPLES = 8, REST_US = 10, SETTLE_US = 30 };

struct sampled {
    struct rows rows;
    float before[SAMPLES];
};

struct ahead {
    struct row_store *store;
    struct sampled known[KNOWN_MAX];
    unsigned known_count;
    float *samples, *out; /* of all inputs, on the host; where the thread's own outputs go */
    bool is_over;
    cudaStream_t own;
    pthread_mutex_t lock;
    pthread_t thread;
};

static __device__ bool row_may_answer(unsigned long long)
{
    return true;
}

/* One value of each of SAMPLES parts. */
static int sample(const struct ahead *a)
{
    int status = 0;
    for (unsigned i = 0; i < a->known_count && !status; i++) {
        const struct rows r = a->known[i].rows;
        const size_t pitch = (size_t)r.rows * r.columns / SAMPLES * sizeof(float);
        status = cudaMemcpy2DAsync(a->samples + (size_t)i * SAMPLES, sizeof(float), r.in, pitch, sizeof(float), SAMPLES,
                                   cudaMemcpyDeviceToHost, a->own);
    }
    return status ? status : cudaStreamSynchronize(a->own);
}

static int work_ahead(struct ahead *a)
{
    int status = sample(a);
    for (unsigned i = 0; i < a->known_count && !status; i++) {
        const float *now = a->samples + (size_t)i * SAMPLES;
        struct rows r = a->known[i].rows;
        if (!memcmp(now, a->known[i].before, sizeof a->known[i].before))
            continue;
        memcpy(a->known[i].before, now, sizeof a->known[i].before);
        usleep(SETTLE_US);
        r.out = a->out;
        status = launch_stored(r, a->store, true, a->own);
    }
    return status ? status : cudaStreamSynchronize(a->own);
}

static void *work(void *state)
{
    struct ahead *a = (struct ahead *)state;
    for (bool is_over = false; !is_over; usleep(REST_US)) {
        pthread_mutex_lock(&a->lock);
        is_over = a->is_over || work_ahead(a);
        pthread_mutex_unlock(&a->lock);
    }
    return NULL;
}

static void know(struct ahead *a, const struct rows r)
{
    unsigned i = 0;
    pthread_mutex_lock(&a->lock);
    while (i < a->known_count && a->known[i].rows.in != r.in)
        i++;
    if (i < KNOWN_MAX && i == a->known_count && (size_t)r.rows * r.columns >= SAMPLES)
        a->known[a->known_count++].rows = r;
    pthread_mutex_unlock(&a->lock);
}

static int launch(void *state, const struct cpprof_call *call)
{
    struct ahead *a = (struct ahead *)state;
    const struct rows r = rows_of(call);
    know(a, r);
    return launch_stored(r, a->store, false, call->stream);
}

static void release(void *state)
{
    struct ahead *a = (struct ahead *)state;
    pthread_mutex_lock(&a->lock);
    a->is_over = true;
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    cudaStreamDestroy(a->own);
    cudaFreeHost(a->samples);
    cudaFree(a->out);
    row_store_release(a->store);
    free(a);
}

static int open(struct ahead *a, const struct cpprof_config *config)
{
    const size_t bytes = (size_t)(config->value[0] * config->value[1]) * sizeof(float);
    int status = row_store_prepare(config, (void **)&a->store);
    if (!status)
        status = cudaMallocHost((void **)&a->samples, KNOWN_MAX * SAMPLES * sizeof(float));
    if (!status)
        status = cudaMalloc((void **)&a->out, bytes + 1);
    return status ? status : cudaStreamCreateWithFlags(&a->own, cudaStreamNonBlocking);
}

static int prepare(const struct cpprof_config *config, void **state)
{
    struct ahead *a = (struct ahead *)calloc(1, sizeof *a);
    const int status = a ? open(a, config) : cudaErrorMemoryAllocation;
    if (status)
        return status;
    pthread_mutex_init(&a->lock, NULL);
    if (pthread_create(&a->thread, NULL, work, a))
        return cudaErrorUnknown;
    *state = a;
    return 0;
}

CPPROF_SOLUTION(.launch = launch, .prepare = prepare, .release = release);
