/* record.cuh - marks in a kernel, for its builds: off, delay, record and progress (docs/inside.md, inside.h).
 * For nvcc and compute capability 8.0 and newer; nothing to link with, no shared memory.
 *
 *   CPPROF_NAMES(LOADS, MULTIPLIES);                     roles: warps that do different things
 *   CPPROF_NAMES(WAIT, MATH, END);                       marks of a role, passed once a tile, at most 8
 *
 *   __global__ void kernel(struct problem p CPPROF_PARAM)
 *   {
 *       CPPROF_RECORDER(r, MULTIPLIES);                  where the role begins
 *       for (...) {
 *           CPPROF_PHASE(r, WAIT);
 *           ...                                          wait for the tile
 *           CPPROF_PHASE(r, MATH);
 *           ...                                          work on it
 *           CPPROF_PHASE(r, END);
 *           CPPROF_TILE_END(r);
 *       }
 *       CPPROF_RECORDER_END(r);                          where it ends, for every warp that began it
 *   }
 *   kernel<<<grid, threads>>>(p CPPROF_ARG);
 *
 *   CPPROF_PHASE_TABLE({"multiplies", "wait", MULTIPLIES, WAIT, CPPROF_PHASE_WAIT, 0, 0}, ...);    once in a library
 *
 * -DCPPROF_INSIDE=2 builds with records. -DCPPROF_INSIDE=1 -DCPPROF_DELAY_MARK=N builds with a delay at the mark
 * N = role * 8 + mark alone. -DCPPROF_INSIDE=4 builds with the last mark of each warp in memory, for a launch that does
 * not end.
 *
 * Every role goes through all tiles of its block in the same order, so that CPPROF_TILE_END
 * is also passed for a tile that a role skips. Only a role whose phases are all CPPROF_PHASE_OTHER counts tiles of its
 * own, one a launch for example. A warp has one role: where all warps do the same, CPPROF_RECORDER_IF(r, role, is_here)
 * gives some of them another one to record. In a delay build it makes no difference: all warps have both roles.
 *
 * The compiler moves no memory access across a mark, and ptxas moves little else: marks next to waits and barriers are
 * cheap, marks in the middle of math are not. Where a phase ends with a value in a register, CPPROF_HOLD_F(x) or
 * CPPROF_HOLD_R(n) before the mark keeps the instructions for that value before it. A load that is still on its way is
 * not waited for: it has arrived at a mark when something before the mark used it, a store or a barrier behind a store.
 */
#ifndef CPPROF_RECORD_CUH
#define CPPROF_RECORD_CUH

#include <cuda_runtime.h>

#include "cpprof/inside.h"

#ifndef CPPROF_INSIDE
#define CPPROF_INSIDE CPPROF_INSIDE_OFF
#endif

#if CPPROF_INSIDE == CPPROF_INSIDE_OFF

#define CPPROF_NAMES(...)                     static_assert(true, "")
#define CPPROF_PHASE_TABLE(...)               static_assert(true, "")
#define CPPROF_RECORDER(r, role)              ((void)0)
#define CPPROF_RECORDER_IF(r, role, is_here)  ((void)0)
#define CPPROF_PHASE(r, mark)                 ((void)0)
#define CPPROF_TILE_END(r)                    ((void)0)
#define CPPROF_RECORDER_END(r)                ((void)0)
#define CPPROF_POLL(r, mark, barrier, parity) ((void)0)
#define CPPROF_HOLD_F(x)                      ((void)0)
#define CPPROF_HOLD_R(x)                      ((void)0)
#define CPPROF_TAKES(r, role)
#define CPPROF_GIVES(r)
#define CPPROF_PARAM
#define CPPROF_ARG
#define CPPROF_ARG_ADDRESS
#define CPPROF_ANY_REGISTERS

#else

#if CPPROF_INSIDE == CPPROF_INSIDE_RECORD || CPPROF_INSIDE == CPPROF_INSIDE_PROGRESS
#define CPPROF_DELAY_MARK -1
#elif CPPROF_INSIDE != CPPROF_INSIDE_DELAY
#error "-DCPPROF_INSIDE is 0 (off), 1 (delay), 2 (record) or 4 (progress)"
#elif !defined(CPPROF_DELAY_MARK)
#error "a delay build needs -DCPPROF_DELAY_MARK=N, N = role * 8 + mark"
#endif

/* Roles or marks, counted from 0. */
#define CPPROF_NAMES(...)  enum { __VA_ARGS__ }

/* What launches on each device are given, from all translation units of a library; a graph keeps what it was captured
 * with. Devices behind the last one do nothing. */
struct cpprof_inside_slot {
    struct cpprof_inside_settings settings = {NULL, NULL, 0, 0, 0, 0, 0, 0, -1};
};
inline __attribute__((visibility("hidden"))) struct cpprof_inside_slot cpprof_inside_now[CPPROF_INSIDE_DEVICES_MAX];
inline __attribute__((visibility("hidden"))) struct cpprof_inside_slot cpprof_inside_none;

/* The settings of the current device. */
static inline const struct cpprof_inside_settings *cpprof_inside_here(void)
{
    int device = -1;
    const bool is_known = cudaGetDevice(&device) == cudaSuccess && device >= 0 && device < CPPROF_INSIDE_DEVICES_MAX;
    return &(is_known ? cpprof_inside_now[device] : cpprof_inside_none).settings;
}

static inline int cpprof_inside_set(const struct cpprof_inside_settings *settings)
{
    int device = -1;
    const cudaError_t rc = cudaGetDevice(&device);
    if (rc)
        return rc;
    if (device < 0 || device >= CPPROF_INSIDE_DEVICES_MAX)
        return cudaErrorInvalidDevice;
    cpprof_inside_now[device].settings = *settings;
    return 0;
}

/* The last parameter of a kernel, and what a launch gives for it. The device that it runs on must be current. */
#define CPPROF_PARAM       , const __grid_constant__ struct cpprof_inside_settings cpprof_inside
#define CPPROF_ARG         , *cpprof_inside_here()
#define CPPROF_ARG_ADDRESS , (void *)cpprof_inside_here() /* in the array of arguments of cudaLaunchKernelExC */

#define CPPROF_PHASE_TABLE(...)                                                                                        \
    static const struct cpprof_phase cpprof_phase_rows[] = {__VA_ARGS__};                                              \
    extern "C" __attribute__((visibility("default"))) const struct cpprof_inside *cpprof_phases(void)                  \
    {                                                                                                                  \
        static const struct cpprof_inside inside = {sizeof inside,                                                     \
                                                    CPPROF_INSIDE,                                                     \
                                                    CPPROF_DELAY_MARK,                                                 \
                                                    cpprof_phase_rows,                                                 \
                                                    sizeof cpprof_phase_rows / sizeof cpprof_phase_rows[0],            \
                                                    cpprof_inside_set,                                                 \
                                                    CPPROF_MEASURE,                                                    \
                                                    CPPROF_INSIDE_LAYOUT};                                             \
        return &inside;                                                                                                \
    }                                                                                                                  \
    static_assert(true, "")

/* ---- what a thread knows of itself ---- */

static __device__ __forceinline__ uint32_t cpprof_cycle(void)
{
    uint32_t cycle;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycle)::"memory");
    return cycle;
}

static __device__ __forceinline__ uint64_t cpprof_timer_ns(void)
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

static __device__ __forceinline__ unsigned cpprof_sm(void)
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

/* Its number in the block. */
static __device__ __forceinline__ unsigned cpprof_warp(void)
{
    return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32;
}

/* The seat of its warp. Below 0: it does not write, because it is not the first active lane of a warp that was chosen
 * and has room. */
static __device__ __forceinline__ int cpprof_seat(const struct cpprof_inside_settings &s)
{
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned bit = 1u << cpprof_warp(), place = (unsigned)__popc(s.warp_mask & (bit - 1));
    unsigned lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    const bool writes = lane + 1 == (unsigned)__ffs((int)__activemask());
    const bool has_room = block < s.blocks && place < s.seats_per_block;
    return writes && has_room && (s.warp_mask & bit) ? (int)(block * s.seats_per_block + place) : -1;
}

/* Is the phase of this parity of an mbarrier over? */
static __device__ __forceinline__ bool cpprof_is_over(const uint64_t *barrier, unsigned parity)
{
    uint32_t over;
    asm volatile("{\n\t.reg .pred over;\n\tmbarrier.test_wait.parity.shared.b64 over, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, over;\n\t}"
                 : "=r"(over)
                 : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity)
                 : "memory");
    return over;
}

#define CPPROF_HOLD_F(x)      asm volatile("" : "+f"(x)::"memory")
#define CPPROF_HOLD_R(x)      asm volatile("" : "+r"(x)::"memory")

/* For a function with marks that a role calls: void f(int tile CPPROF_TAKES(r, LOADS)), f(tile CPPROF_GIVES(r)). */
#define CPPROF_TAKES(r, role) , struct cpprof_recorder<role> &r
#define CPPROF_GIVES(r)       , r

#if CPPROF_INSIDE == CPPROF_INSIDE_DELAY

/* Waits until this many cycles have passed. A round of the first loop takes some 33 cycles, so it stops before the last
 * one. The rest is a chain of up to 11 instructions, each of which needs the result of the one before: 4 cycles each.
 * They leave `cycles` as it is, which ptxas cannot know and the next tile needs. */
static __device__ __forceinline__ void cpprof_wait_cycles(int &cycles)
{
    asm volatile("{\n\t.reg .u32 start, passed, mask;\n\t.reg .s32 left;\n\t.reg .pred on;\n\t"
                 "LINKS: .branchtargets L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11;\n\t"
                 "mov.u32 start, %%clock;\n\tor.b32 mask, start, %0;\n"
                 "AGAIN:\n\tmov.u32 passed, %%clock;\n\tsub.u32 passed, passed, start;\n\t"
                 "sub.s32 left, %0, passed;\n\tsetp.gt.s32 on, left, 44;\n\t@on bra AGAIN;\n\t"
                 "max.s32 left, left, 0;\n\tshr.s32 left, left, 2;\n\tbrx.idx left, LINKS;\n"
                 "L11:\n\tand.b32 %0, %0, mask;\nL10:\n\tand.b32 %0, %0, mask;\n"
                 "L9:\n\tand.b32 %0, %0, mask;\nL8:\n\tand.b32 %0, %0, mask;\n"
                 "L7:\n\tand.b32 %0, %0, mask;\nL6:\n\tand.b32 %0, %0, mask;\n"
                 "L5:\n\tand.b32 %0, %0, mask;\nL4:\n\tand.b32 %0, %0, mask;\n"
                 "L3:\n\tand.b32 %0, %0, mask;\nL2:\n\tand.b32 %0, %0, mask;\n"
                 "L1:\n\tand.b32 %0, %0, mask;\nL0:\n\t}"
                 : "+r"(cycles)::"memory");
}

/* One mark waits, and the others are no code: marks that only ask whether they are the one make a kernel slower. */
template <int ROLE> struct cpprof_recorder {
    int cycles; /* in a register: to read memory at each mark would cost more than the mark */

    __device__ __forceinline__ void begin(const struct cpprof_inside_settings &s)
    {
        cycles = s.delay_cycles;
        if (CPPROF_DELAY_MARK / CPPROF_MARKS_MAX == ROLE)
            CPPROF_HOLD_R(cycles);
    }

    template <int MARK> __device__ __forceinline__ void mark(void)
    {
        static_assert(MARK >= 0 && MARK < CPPROF_MARKS_MAX, "a role has 8 marks");
        if (CPPROF_DELAY_MARK == ROLE * CPPROF_MARKS_MAX + MARK && cycles >= 0)
            cpprof_wait_cycles(cycles);
    }
};

template <int MARK>
static __global__ void cpprof_wait_chain(int rounds, uint32_t *cycles,
                                         const __grid_constant__ struct cpprof_inside_settings settings)
{
    struct cpprof_recorder<MARK / CPPROF_MARKS_MAX> r;
    r.begin(settings);
    const uint32_t start = cpprof_cycle();
#pragma unroll 1
    for (int i = 0; i < rounds; i++)
        r.template mark<MARK % CPPROF_MARKS_MAX>();
    if (threadIdx.x == 0)
        *cycles = cpprof_cycle() - start;
}

/* The first launch loads the code. */
template <int MARK> static int cpprof_measure(int32_t delay_cycles, double *cycles)
{
    const int rounds = 256;
    struct cpprof_inside_settings settings = {NULL, NULL, 0, 0, 0, 0, 0, 0, delay_cycles};
    uint32_t *sum = NULL, read = 0;
    cudaError_t rc = cudaMalloc((void **)&sum, sizeof *sum);
    for (int i = 0; i < 2 && !rc; i++) {
        cpprof_wait_chain<MARK><<<1, 128>>>(rounds, sum, settings);
        rc = cudaGetLastError();
    }
    if (!rc)
        rc = cudaMemcpy(&read, sum, sizeof read, cudaMemcpyDeviceToHost);
    cudaFree(sum);
    *cycles = (double)read / rounds;
    return rc;
}
#define CPPROF_MEASURE cpprof_measure<CPPROF_DELAY_MARK>
#define CPPROF_ANY_REGISTERS

#define CPPROF_RECORDER(r, role)                                                                                       \
    struct cpprof_recorder<role> r;                                                                                    \
    (r).begin(cpprof_inside)
#define CPPROF_RECORDER_IF(r, role, is_here)   CPPROF_RECORDER(r, role)
#define CPPROF_PHASE(r, which)                 (r).template mark<which>()
#define CPPROF_TILE_END(r)                     ((void)0)
#define CPPROF_RECORDER_END(r)                 ((void)0)
#define CPPROF_POLL(r, which, barrier, parity) ((void)0)

#elif CPPROF_INSIDE == CPPROF_INSIDE_PROGRESS

#define CPPROF_MEASURE NULL
#define CPPROF_ANY_REGISTERS

/* Each mark is one store. It needs neither fence nor atomic: each warp has a word of its own, whose newest value is all
 * that is asked for. The host reads it while the kernel runs, hence the scope of the store. */
template <int ROLE> struct cpprof_recorder {
    struct cpprof_inside_warp *warps; /* a parameter of the kernel: it takes no register */
    int seat;                         /* below 0 in lanes that do not write */
    uint32_t first;                   /* what mark 0 of this tile writes */

    __device__ __forceinline__ void begin(const struct cpprof_inside_settings &s, bool is_here)
    {
        warps = s.warps;
        seat = is_here ? cpprof_seat(s) : -1;
        first = 1;
        if (seat >= 0) {
            warps[seat].sm = cpprof_sm();
            warps[seat].role = ROLE + 1;
            warps[seat].warp = cpprof_warp();
        }
    }

    __device__ __forceinline__ void end(void) const
    {
        if (seat >= 0)
            warps[seat].end_ns = cpprof_timer_ns();
    }

    template <int MARK> __device__ __forceinline__ void mark(void) const
    {
        static_assert(MARK >= 0 && MARK < CPPROF_MARKS_MAX, "a role has 8 marks");
        asm volatile(
            "{\n\t.reg .pred writes;\n\t.reg .b64 warp;\n\tsetp.ge.s32 writes, %0, 0;\n\t"
            "mad.wide.s32 warp, %0, %3, %1;\n\t@writes st.relaxed.sys.global.u32 [warp+%4], %2;\n\t}" ::"r"(seat),
            "l"(warps), "r"(first + MARK), "n"(sizeof(struct cpprof_inside_warp)),
            "n"(offsetof(struct cpprof_inside_warp, tiles))
            : "memory");
    }

    __device__ __forceinline__ void end_tile(void)
    {
        first += CPPROF_MARKS_MAX;
    }

    template <int MARK> __device__ __forceinline__ void poll(const uint64_t *barrier, unsigned parity) const
    {
        mark<MARK>();
        while (!cpprof_is_over(barrier, parity))
            ;
        mark<MARK + 1>();
    }
};

#define CPPROF_RECORDER(r, role) CPPROF_RECORDER_IF(r, role, true)
#define CPPROF_RECORDER_IF(r, role, is_here)                                                                           \
    struct cpprof_recorder<role> r;                                                                                    \
    (r).begin(cpprof_inside, is_here)
#define CPPROF_PHASE(r, which)                 (r).template mark<which>()
#define CPPROF_TILE_END(r)                     (r).end_tile()
#define CPPROF_RECORDER_END(r)                 (r).end()
#define CPPROF_POLL(r, which, barrier, parity) (r).template poll<which>(barrier, parity)

#else /* record */

#define CPPROF_MEASURE       NULL

/* For a kernel that a recorder would make spill: __launch_bounds__(threads CPPROF_ANY_REGISTERS) gives a record build
 * as many registers as it needs. Fewer of its blocks may then fit on an SM. */
#define CPPROF_ANY_REGISTERS , 1

/* What is kept between marks: the seat, below 0 in lanes that do not write; where the next record lies; the number of
 * the tile; and the clocks of this tile, which two stores at its end write. Of these only the marks that a role has
 * take a register, and only their half is stored. */
template <int ROLE> struct cpprof_recorder {
    int seat;
    uint32_t *to;
    uint32_t tile, limit, every_mask;
    bool is_recorded;
    uint32_t passed; /* marks of this tile: known to the compiler where no mark is in a branch */
    uint32_t cycles[CPPROF_MARKS_MAX];

    __device__ __forceinline__ void begin_tile(uint32_t number)
    {
        for (int mark = 0; mark < CPPROF_MARKS_MAX; mark++)
            cycles[mark] = 0;
        tile = number;
        passed = 0;
        is_recorded = tile < limit && (tile / CPPROF_WINDOW_TILES & every_mask) == 0;
    }

    __device__ __forceinline__ void begin(const struct cpprof_inside_settings &s, bool is_here)
    {
        seat = is_here ? cpprof_seat(s) : -1;
        to = s.records + (size_t)(seat < 0 ? 0 : seat) * s.tiles * CPPROF_MARKS_MAX;
        limit = seat < 0 ? 0 : s.limit;
        every_mask = s.every_mask;
        CPPROF_HOLD_R(limit);
        CPPROF_HOLD_R(every_mask);
        if (seat >= 0) {
            /* stored now: held until the end, they take seven registers of sdpa/wgmma, which has eleven left */
            s.warps[seat].begin_ns = cpprof_timer_ns();
            s.warps[seat].begin_cycle = cpprof_cycle();
        }
        begin_tile(0);
    }

    __device__ __forceinline__ void end(const struct cpprof_inside_settings &s) const
    {
        if (seat >= 0) {
            struct cpprof_inside_warp *warp = s.warps + seat;
            warp->end_ns = cpprof_timer_ns();
            warp->end_cycle = cpprof_cycle();
            warp->sm = cpprof_sm();
            warp->role = ROLE + 1;
            warp->tiles = tile;
            warp->warp = cpprof_warp();
        }
    }

    template <int MARK> __device__ __forceinline__ void put(uint32_t cycle)
    {
        static_assert(MARK >= 0 && MARK < CPPROF_MARKS_MAX, "a role has 8 marks");
        cycles[MARK] = cycle;
        passed |= 1u << MARK;
    }

    template <int MARK> __device__ __forceinline__ void mark(void)
    {
        put<MARK>(cpprof_cycle());
    }

    /* Four marks, by a predicate: no branch. */
    template <int FIRST> __device__ __forceinline__ void store(void) const
    {
        asm volatile("{\n\t.reg .pred is_recorded;\n\tsetp.ne.u32 is_recorded, %5, 0;\n\t"
                     "@is_recorded st.global.v4.u32 [%0], {%1, %2, %3, %4};\n\t}" ::"l"(to + FIRST),
                     "r"(cycles[FIRST]), "r"(cycles[FIRST + 1]), "r"(cycles[FIRST + 2]), "r"(cycles[FIRST + 3]),
                     "r"((uint32_t)is_recorded)
                     : "memory");
    }

    __device__ __forceinline__ void end_tile(void)
    {
        static_assert(CPPROF_MARKS_MAX == 8, "two stores");
        if (passed & 0x0f)
            store<0>();
        if (passed & 0xf0)
            store<4>();
        to += is_recorded ? CPPROF_MARKS_MAX : 0;
        begin_tile(tile + 1);
    }

    /* Asks an mbarrier until the phase of a parity is over; between the two clocks it was. */
    template <int MARK> __device__ __forceinline__ void poll(uint64_t *barrier, unsigned parity)
    {
        uint32_t not_yet = 0, asked;
        while (asked = cpprof_cycle(), !cpprof_is_over(barrier, parity))
            not_yet = asked;
        put<MARK>(not_yet);
        put<MARK + 1>(asked);
    }
};

#define CPPROF_RECORDER(r, role) CPPROF_RECORDER_IF(r, role, true)
#define CPPROF_RECORDER_IF(r, role, is_here)                                                                           \
    struct cpprof_recorder<role> r;                                                                                    \
    (r).begin(cpprof_inside, is_here)
#define CPPROF_PHASE(r, which)                 (r).template mark<which>()
#define CPPROF_TILE_END(r)                     (r).end_tile()
#define CPPROF_RECORDER_END(r)                 (r).end(cpprof_inside)
#define CPPROF_POLL(r, which, barrier, parity) (r).template poll<which>(barrier, parity)

#endif
#endif
#endif
