/* Does each launch end, and where are its warps if not? One launch of each build whose progress can be read; a launch
 * that does not end is the last one. -> inside_progress.csv
 *
 * While a launch hangs, most of CUDA would wait for it: what allocates, frees, synchronises or loads code, and what is
 * done in the default stream. All that reading needs is made before the launch. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cuda_runtime_api.h>

#include "collector/runner/runner.h"
#include "core/base/clock.h"

enum {
    POLL_NS = 1000000,
    MOVE_NS = 200000000, /* a warp that passes no mark in this time stands */
    READ_SECONDS = 10,   /* 84 MB for each device */
    ROWS_MAX = 16384     /* of warps in blocks that have ended; others are no more than what is on the GPUs */
};

/* One launch, and what reads its words while it runs. */
struct watch {
    struct runner *r;
    const struct run_case *run_case;
    struct arm arm;
    cudaEvent_t end;
    struct {
        cudaStream_t stream;
        struct cpprof_inside_warp *words; /* pinned */
    } of[CPPROF_INSIDE_DEVICES_MAX];
    int64_t waited_ns;
};

static int cuda_error(const struct watch *w, int status, const char *doing, struct err *e)
{
    device_error(status, doing, e);
    return err_context(e, "variant '%s' at '%s'", w->run_case->name, w->run_case->key);
}

/* With one device that one is current. */
static int enter(const struct watch *w, int device)
{
    return w->arm.rooms.count > 1 ? (int)cudaSetDevice(device) : 0;
}

/* ---- reading ---- */

static void pause_for(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static int is_read(const struct watch *w)
{
    for (int i = 0; i < w->arm.rooms.count; i++) {
        const int status = cudaStreamQuery(w->of[i].stream);
        if (status)
            return status;
    }
    return 0;
}

/* Reads the words of all warps, as they are now. */
static int read_words(struct watch *w, struct err *e)
{
    const struct inside_rooms *rooms = &w->arm.rooms;
    const int64_t end_ns = clock_now_ns() + READ_SECONDS * (int64_t)1000000000;
    int status = 0;
    for (int i = 0; i < rooms->count && !status; i++) {
        const struct inside_room *room = &rooms->of[i];
        status = enter(w, room->device);
        if (!status)
            status = cudaMemcpyAsync(w->of[i].words, room->settings.warps, inside_room_bytes(room),
                                     cudaMemcpyDeviceToHost, w->of[i].stream);
    }
    const int back = enter(w, rooms->home);
    status = status ? status : back;
    while (!status && (status = is_read(w)) == cudaErrorNotReady && clock_now_ns() < end_ns) {
        status = 0;
        pause_for(POLL_NS);
    }
    return status ? cuda_error(w, status, "read its progress", e) : 0;
}

/* ---- before the launch ---- */

/* One reading shows that it works, and is the first use of what CUDA makes when it is used first. */
static int open_watch(struct watch *w, struct err *e)
{
    const struct inside_rooms *rooms = &w->arm.rooms;
    int status = cudaEventCreateWithFlags(&w->end, cudaEventDisableTiming);
    for (int i = 0; i < rooms->count && !status; i++) {
        status = enter(w, rooms->of[i].device);
        if (!status)
            status = cudaStreamCreateWithFlags(&w->of[i].stream, cudaStreamNonBlocking);
        if (!status)
            status = cudaHostAlloc((void **)&w->of[i].words, inside_room_bytes(&rooms->of[i]), cudaHostAllocPortable);
    }
    const int back = enter(w, rooms->home);
    status = status ? status : back;
    return status ? cuda_error(w, status, "prepare to read its progress", e) : read_words(w, e);
}

/* Never while the launch may still run. */
static void close_watch(struct watch *w)
{
    for (int i = 0; i < w->arm.rooms.count; i++) {
        if (w->of[i].words)
            cudaFreeHost(w->of[i].words);
        if (w->of[i].stream)
            cudaStreamDestroy(w->of[i].stream);
    }
    if (w->end)
        cudaEventDestroy(w->end);
    arm_teardown(&w->arm);
}

/* ---- while it runs ---- */

/* Fills *ended; false: it ran for all of the time that it had. */
static int wait_for_end(struct watch *w, bool *ended, struct err *e)
{
    const int64_t start_ns = clock_now_ns(), most_ns = w->r->progress_s * 1000000000;
    int status = cudaEventRecord(w->end, w->r->device.stream);
    while (!status && (status = cudaEventQuery(w->end)) == cudaErrorNotReady) {
        status = 0;
        w->waited_ns = clock_now_ns() - start_ns;
        if (w->waited_ns >= most_ns)
            return 0;
        pause_for(POLL_NS);
    }
    *ended = !status;
    return status ? cuda_error(w, status, "run", e) : 0;
}

/* ---- rows ---- */

/* What begins at the last mark; "" where nothing does, and before the first one. */
static const char *phase_name(const struct watch *w, uint32_t role, uint32_t word)
{
    const struct cpprof_inside *inside = w->run_case->build->inside;
    for (size_t i = 0; word && i < inside->phase_count; i++)
        if (inside->phases[i].role == (int)role - 1 && inside->phases[i].mark == (int)((word - 1) % CPPROF_MARKS_MAX) &&
            inside_phase_is_of(&inside->phases[i], w->run_case->build->of->name))
            return inside->phases[i].name;
    return "";
}

static const char *role_name(const struct watch *w, uint32_t role)
{
    const struct cpprof_inside *inside = w->run_case->build->inside;
    for (size_t i = 0; i < inside->phase_count; i++)
        if (inside->phases[i].role == (int)role - 1 &&
            inside_phase_is_of(&inside->phases[i], w->run_case->build->of->name))
            return inside->phases[i].role_name;
    return "";
}

static struct cell *add_row(struct watch *w, int device, const char *state, struct err *e)
{
    struct table *t = &w->r->tables[BUNDLE_INSIDE_PROGRESS];
    struct cell *row = table_add_row(t);
    if (!row) {
        err_memory(e);
        return NULL;
    }
    row[INSIDE_PROGRESS_VARIANT] = cell_text(t, w->run_case->name);
    row[INSIDE_PROGRESS_SHAPE] = cell_text(t, w->run_case->key);
    row[INSIDE_PROGRESS_DEVICE] = cell_integer(device);
    row[INSIDE_PROGRESS_STATE] = cell_text(t, state);
    row[INSIDE_PROGRESS_WAITED_NS] = cell_integer(w->waited_ns);
    return row;
}

static int add_warp(struct watch *w, const struct inside_room *room, const struct cpprof_inside_warp *now,
                    const struct cpprof_inside_warp *before, size_t seat, struct err *e)
{
    struct table *t = &w->r->tables[BUNDLE_INSIDE_PROGRESS];
    const char *state = now->end_ns ? PROGRESS_ENDED : now->tiles ? PROGRESS_MARKED : PROGRESS_BEGUN;
    struct cell *row = add_row(w, room->device, state, e);
    if (!row)
        return e->code;
    const bool moves = now->tiles != before->tiles || now->end_ns != before->end_ns || now->role != before->role;
    row[INSIDE_PROGRESS_BLOCK] = cell_integer((int64_t)(seat / room->settings.seats_per_block));
    row[INSIDE_PROGRESS_WARP] = cell_integer(now->warp);
    row[INSIDE_PROGRESS_SM] = cell_integer(now->sm);
    row[INSIDE_PROGRESS_ROLE] = cell_integer((int64_t)now->role - 1);
    row[INSIDE_PROGRESS_ROLE_NAME] = cell_text(t, role_name(w, now->role));
    row[INSIDE_PROGRESS_PHASE] = cell_text(t, phase_name(w, now->role, now->tiles));
    row[INSIDE_PROGRESS_MOVES] = cell_text(t, moves ? "yes" : "no");
    if (now->tiles) {
        row[INSIDE_PROGRESS_TILE] = cell_integer((now->tiles - 1) / CPPROF_MARKS_MAX);
        row[INSIDE_PROGRESS_MARK] = cell_integer((now->tiles - 1) % CPPROF_MARKS_MAX);
    }
    return 0;
}

static bool has_begun(const struct cpprof_inside_warp *w)
{
    return w->role && w->role <= CPPROF_ROLES_MAX;
}

static bool is_open(const struct cpprof_inside_warp *seats, uint32_t count)
{
    for (uint32_t seat = 0; seat < count; seat++)
        if (has_begun(&seats[seat]) && !seats[seat].end_ns)
            return true;
    return false;
}

/* Blocks that have a warp that has not ended, or those that have none, whole. */
static int add_blocks(struct watch *w, int i, bool open, struct err *e)
{
    const struct inside_room *room = &w->arm.rooms.of[i];
    const uint32_t seats = room->settings.seats_per_block;
    const struct table *t = &w->r->tables[BUNDLE_INSIDE_PROGRESS];
    for (size_t block = 0; block < room->settings.blocks; block++) {
        const struct cpprof_inside_warp *now = w->of[i].words + block * seats, *before = room->warps + block * seats;
        if (is_open(now, seats) != open || (!open && table_rows(t) >= ROWS_MAX))
            continue;
        for (uint32_t seat = 0; seat < seats; seat++)
            if (has_begun(&now[seat]) && add_warp(w, room, &now[seat], &before[seat], block * seats + seat, e))
                return e->code;
    }
    return 0;
}

/* A GPU on which no warp has begun has a row that says so: others may wait for it. */
static int add_absent(struct watch *w, int i, struct err *e)
{
    const struct inside_room *room = &w->arm.rooms.of[i];
    const size_t count = (size_t)room->settings.blocks * room->settings.seats_per_block;
    for (size_t seat = 0; seat < count; seat++)
        if (has_begun(&w->of[i].words[seat]))
            return 0;
    return add_row(w, room->device, PROGRESS_ABSENT, e) ? 0 : e->code;
}

static int add_rows(struct watch *w, struct err *e)
{
    const struct inside_rooms *rooms = &w->arm.rooms;
    int rc = 0;
    for (int i = 0; i < rooms->count && !rc; i++)
        rc = add_absent(w, i, e);
    for (int open = 1; open >= 0; open--)
        for (int i = 0; i < rooms->count && !rc; i++)
            rc = add_blocks(w, i, open, e);
    return rc;
}

/* ---- a launch ---- */

/* Two readings tell warps that stand from those of a launch that is only long. */
static int tell(struct watch *w, struct err *e)
{
    int rc = read_words(w, e);
    for (int i = 0; i < w->arm.rooms.count && !rc; i++)
        memcpy(w->arm.rooms.of[i].warps, w->of[i].words, inside_room_bytes(&w->arm.rooms.of[i]));
    if (!rc) {
        pause_for(MOVE_NS);
        rc = read_words(w, e);
    }
    if (!rc)
        rc = add_rows(w, e);
    return rc ? err_context(e, "'%s' does not end after %lld s, and where it is cannot be told", w->run_case->name,
                            (long long)w->r->progress_s)
              : err_set(e, ERR_ENVIRONMENT, "'%s' at '%s' does not end after %lld s: %s has where its warps are",
                        w->run_case->build->of->name, w->run_case->key, (long long)w->r->progress_s,
                        bundle_table_file(BUNDLE_INSIDE_PROGRESS));
}

/* From the launch on an error says nothing of what still runs: then nothing of CUDA is called any more. */
static int watch_launch(struct watch *w, struct err *e)
{
    bool ended = false;
    w->r->is_stuck = true;
    int rc = arm_launch(w->r, &w->arm, e);
    if (!rc)
        rc = wait_for_end(w, &ended, e);
    if (rc)
        return rc;
    if (!ended)
        return tell(w, e);
    w->r->is_stuck = false;
    return 0;
}

static int watch_arm(struct runner *r, const struct run_case *c, struct err *e)
{
    struct watch w = {.r = r, .run_case = c};
    int rc = arm_setup(r, &w.arm, c, runner_seed(r, 0), e);
    if (rc)
        return rc;
    rc = open_watch(&w, e);
    if (!rc)
        rc = watch_launch(&w, e);
    if (!r->is_stuck)
        close_watch(&w);
    return rc;
}

/* Are there variants that are launched later on, and cannot be watched? */
static bool has_progress(const struct runner *r, const struct run_case *c)
{
    for (size_t i = 0; i < r->cases.count; i++)
        if (inside_build_progresses(r->cases.items[i].build) && r->cases.items[i].build->of == c->variant)
            return true;
    return false;
}

static void note_unwatched(struct runner *r)
{
    for (size_t i = 0; i < r->cases.count; i++)
        if (!r->cases.items[i].build && !has_progress(r, &r->cases.items[i])) {
            char what[CASE_NAME_BYTES + 32];
            snprintf(what, sizeof what, "the progress of '%s'", r->cases.items[i].name);
            runner_missing(r, what, "it has no build whose progress can be read (docs/inside.md)");
        }
}

int role_progress(struct runner *r, struct err *e)
{
    /* Else a launch waits for its kernel, or loads code, for which it waits, too. Read when CUDA starts. */
    unsetenv("CUDA_LAUNCH_BLOCKING");
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    int64_t ended = 0;
    int rc = runner_open_device(r, e);
    note_unwatched(r);
    for (size_t i = 0; i < r->cases.count && !rc; i++) {
        const struct run_case *c = &r->cases.items[i];
        char refusal[160];
        if (!inside_build_progresses(c->build) || runner_refusal(r, c, refusal, sizeof refusal))
            continue;
        rc = watch_arm(r, c, e);
        ended += !rc;
    }
    json_object_set_new(r->report, "ended", json_integer(ended));
    return rc;
}
