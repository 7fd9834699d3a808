/* record.cuh - marks in a kernel, for three builds of it: off, delay and record (inside.h says what they are for).
 * For nvcc and compute capability 8.0 and newer; nothing to link with, no shared memory.
 *
 *   enum { LOADS, MULTIPLIES };                          roles: warps that do different things
 *   enum { WAIT, MATH, END };                            marks of a role, passed once a tile, at most 8
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
 * Every role goes through the tiles of its block in the same order: CPPROF_TILE_END also for a tile that is none of its
 * own. And `.inside = CPPROF_INSIDE_OF(phases)` in the variant, with a table of struct cpprof_phase.
 *
 * A mark is where the compiler may not move memory accesses across, and ptxas moves little else: marks beside waits and
 * barriers are cheap, marks in the middle of math are not. Where a phase ends with a value in a register, say so:
 * CPPROF_HOLD_F(x) or CPPROF_HOLD_R(n) before the mark keeps what makes x before it.
 */
#ifndef CPPROF_RECORD_CUH
#define CPPROF_RECORD_CUH

#include <cuda_runtime.h>

#include "cpprof/inside.h"

#ifndef CPPROF_INSIDE
#define CPPROF_INSIDE CPPROF_INSIDE_OFF
#endif

#if CPPROF_INSIDE == CPPROF_INSIDE_OFF

#define CPPROF_RECORDER(r, role)              static_assert((role) >= 0, "roles count from 0")
#define CPPROF_PHASE(r, mark)                 ((void)0)
#define CPPROF_TILE_END(r)                    ((void)0)
#define CPPROF_RECORDER_END(r)                ((void)0)
#define CPPROF_POLL(r, mark, barrier, parity) ((void)0)
#define CPPROF_HOLD_F(x)                      ((void)0)
#define CPPROF_HOLD_R(x)                      ((void)0)
#define CPPROF_INSIDE_OF(phases)              NULL
#define CPPROF_TAKES(r, role)
#define CPPROF_GIVES(r)
#define CPPROF_PARAM
#define CPPROF_ARG

#else

/* What launches from this translation unit are given; a graph keeps what it was captured with. */
static struct cpprof_inside_settings cpprof_inside_now = {NULL, NULL, 0, 0, 0, 0, 0, 0, -1, 0};

static inline int cpprof_inside_set(const struct cpprof_inside_settings *settings)
{
    cpprof_inside_now = *settings;
    return 0;
}

/* The last parameter of a kernel, and what a launch gives for it. */
#define CPPROF_PARAM , const __grid_constant__ struct cpprof_inside_settings cpprof_inside
#define CPPROF_ARG   , cpprof_inside_now

#define CPPROF_INSIDE_OF(table)                                                                                        \
    ([]() -> const struct cpprof_inside * {                                                                            \
        static const struct cpprof_inside inside = {sizeof inside, CPPROF_INSIDE, table,                               \
                                                    sizeof table / sizeof table[0], cpprof_inside_set};                \
        return &inside;                                                                                                \
    }())

/* ---- the clock ---- */

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

#define CPPROF_HOLD_F(x)      asm volatile("" : "+f"(x)::"memory")
#define CPPROF_HOLD_R(x)      asm volatile("" : "+r"(x)::"memory")

/* Of a function with marks that a role calls: void work(int tile CPPROF_TAKES(r, MATH)), work(tile CPPROF_GIVES(r)). */
#define CPPROF_TAKES(r, role) , struct cpprof_recorder<role> &r
#define CPPROF_GIVES(r)       , r

#if CPPROF_INSIDE == CPPROF_INSIDE_DELAY

/* Always through the loop at least once: with 0 cycles it costs what it costs with any. */
static __device__ __forceinline__ void cpprof_wait_cycles(int cycles)
{
    asm volatile("{\n\t.reg .u32 start, now;\n\t.reg .pred on;\n\tmov.u32 start, %%clock;\n"
                 "AGAIN:\n\tmov.u32 now, %%clock;\n\tsub.u32 now, now, start;\n\tsetp.lt.s32 on, now, %0;\n\t"
                 "@on bra AGAIN;\n\t}" ::"r"(cycles)
                 : "memory");
}

/* What is looked at on each mark is in registers: to ask memory again would cost more than the mark. */
template <int ROLE> struct cpprof_recorder {
    int which, cycles;

    __device__ __forceinline__ void begin(const struct cpprof_inside_settings &s)
    {
        which = s.delayed - ROLE * CPPROF_MARKS_MAX;
        cycles = s.delay_cycles;
        CPPROF_HOLD_R(which);
        CPPROF_HOLD_R(cycles);
    }

    __device__ __forceinline__ void mark(int mark) const
    {
        if (which == mark)
            cpprof_wait_cycles(cycles);
    }
};

#define CPPROF_RECORDER(r, role)                                                                                       \
    struct cpprof_recorder<role> r;                                                                                    \
    (r).begin(cpprof_inside)
#define CPPROF_PHASE(r, which)                 (r).mark(which)
#define CPPROF_TILE_END(r)                     ((void)0)
#define CPPROF_RECORDER_END(r)                 ((void)0)
#define CPPROF_POLL(r, which, barrier, parity) ((void)0)

#else /* record */

/* What is kept between marks: where the next record lies, the number of the tile, and below which number tiles are
 * recorded, 0 in lanes that do not write. Each clock is stored at once, by a predicate: no branch, no register for it.
 */
template <int ROLE> struct cpprof_recorder {
    uint32_t *to;
    uint32_t tile, limit, every_mask;
    bool is_recorded;

    static __device__ __forceinline__ int find_seat(const struct cpprof_inside_settings &s)
    {
        const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        unsigned lane, sm;
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        const bool writes = lane + 1 == (unsigned)__ffs((int)__activemask());
        const bool has_room = block < s.blocks && thread / 32 < s.warps_per_block;
        return writes && has_room && s.sm_step && sm % s.sm_step == 0 ? (int)(block * s.warps_per_block + thread / 32)
                                                                      : -1;
    }

    __device__ __forceinline__ void begin_tile(uint32_t number)
    {
        tile = number;
        is_recorded = tile < limit && (tile / CPPROF_WINDOW_TILES & every_mask) == 0;
    }

    __device__ __forceinline__ void begin(const struct cpprof_inside_settings &s)
    {
        const int seat = find_seat(s);
        to = s.records + (size_t)(seat < 0 ? 0 : seat) * s.tiles * CPPROF_MARKS_MAX;
        limit = seat < 0 ? 0 : s.limit;
        every_mask = s.every_mask;
        CPPROF_HOLD_R(limit);
        CPPROF_HOLD_R(every_mask);
        if (seat >= 0) {
            struct cpprof_inside_warp *warp = s.warps + seat;
            warp->begin_ns = cpprof_timer_ns();
            warp->begin_cycle = cpprof_cycle();
            asm volatile("mov.u32 %0, %%smid;" : "=r"(warp->sm));
            warp->role = ROLE + 1;
        }
        begin_tile(0);
    }

    __device__ __forceinline__ void end(const struct cpprof_inside_settings &s) const
    {
        const int seat = find_seat(s);
        if (seat >= 0) {
            struct cpprof_inside_warp *warp = s.warps + seat;
            warp->end_ns = cpprof_timer_ns();
            warp->end_cycle = cpprof_cycle();
            warp->tiles = tile;
        }
    }

    template <int MARK> __device__ __forceinline__ void put(uint32_t cycle) const
    {
        static_assert(MARK >= 0 && MARK < CPPROF_MARKS_MAX, "a role has 8 marks");
        asm volatile("{\n\t.reg .pred is_recorded;\n\tsetp.ne.u32 is_recorded, %2, 0;\n\t"
                     "@is_recorded st.global.u32 [%0], %1;\n\t}" ::"l"(to + MARK),
                     "r"(cycle), "r"((uint32_t)is_recorded)
                     : "memory");
    }

    template <int MARK> __device__ __forceinline__ void mark(void) const
    {
        put<MARK>(cpprof_cycle());
    }

    __device__ __forceinline__ void end_tile(void)
    {
        to += is_recorded ? CPPROF_MARKS_MAX : 0;
        begin_tile(tile + 1);
    }

    /* Asks an mbarrier until the phase of a parity is over; between the two clocks it was. */
    template <int MARK> __device__ __forceinline__ void poll(uint64_t *barrier, unsigned parity) const
    {
        const unsigned address = (unsigned)__cvta_generic_to_shared(barrier);
        uint32_t not_yet = 0, asked, passed = 0;
        for (;;) {
            asked = cpprof_cycle();
            asm volatile("{\n\t.reg .pred over;\n\tmbarrier.test_wait.parity.shared.b64 over, [%1], %2;\n\t"
                         "selp.u32 %0, 1, 0, over;\n\t}"
                         : "=r"(passed)
                         : "r"(address), "r"(parity)
                         : "memory");
            if (passed)
                break;
            not_yet = asked;
        }
        put<MARK>(not_yet);
        put<MARK + 1>(asked);
    }
};

#define CPPROF_RECORDER(r, role)                                                                                       \
    struct cpprof_recorder<role> r;                                                                                    \
    (r).begin(cpprof_inside)
#define CPPROF_PHASE(r, which)                 (r).template mark<which>()
#define CPPROF_TILE_END(r)                     (r).end_tile()
#define CPPROF_RECORDER_END(r)                 (r).end(cpprof_inside)
#define CPPROF_POLL(r, which, barrier, parity) (r).template poll<which>(barrier, parity)

#endif
#endif
#endif
