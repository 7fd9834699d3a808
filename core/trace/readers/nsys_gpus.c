/* Which devices of several processes are one GPU? */
#include "core/trace/readers/nsys_gpus.h"

#include <string.h>

#include "core/base/array.h"

enum { PID_BITS = 24, GPUS_MAX = 4096 };

/* A row of TARGET_INFO_CUDA_DEVICE. */
enum { COLUMN_GPU, COLUMN_DEVICE, COLUMN_PID, COLUMN_UUID, COLUMNS };

int nsys_gpus_note(struct nsys_export *x, int64_t global_pid, int64_t device, struct err *e)
{
    const int64_t process = (int64_t)((uint64_t)global_pid >> PID_BITS);
    for (size_t i = x->places.count; i-- > 0;)
        if (x->places.items[i].process == process && x->places.items[i].device == device)
            return 0;
    struct nsys_place_used *slot = x->places.count < NSYS_PROCESSES_MAX ? ARRAY_PUSH(&x->places) : NULL;
    if (!slot)
        return x->places.count < NSYS_PROCESSES_MAX
                   ? err_memory(e)
                   : err_set(e, ERR_INPUT, "more than %d devices of processes", NSYS_PROCESSES_MAX);
    *slot = (struct nsys_place_used){.process = process, .device = device, .gpu = -1};
    return 0;
}

/* Sets the GPU of the device that the row is about. GPUs are the same by UUID, and by number where there is none. */
static int take_row(struct nsys_export *x, const struct sqlite_rows *row, struct err *e)
{
    size_t length;
    const char *uuid = sqlite_rows_text(row, COLUMN_UUID, &length);
    const int64_t number = sqlite_rows_integer(row, COLUMN_GPU);
    int64_t gpu = sqlite_rows_type(row, COLUMN_GPU) == SQLITE_CELL_INTEGER && number < GPUS_MAX ? number : -1;
    if (sqlite_rows_type(row, COLUMN_UUID) == SQLITE_CELL_TEXT && length) {
        const uint32_t id = strtab_add_bytes(x->sink->strings, uuid, length);
        if (!id)
            return err_memory(e);
        gpu = GPUS_MAX + id; /* behind all numbers */
    }
    for (size_t i = 0; i < x->places.count; i++) {
        struct nsys_place_used *p = &x->places.items[i];
        if ((p->process & ((1 << PID_BITS) - 1)) == sqlite_rows_integer(row, COLUMN_PID) &&
            p->device == sqlite_rows_integer(row, COLUMN_DEVICE))
            p->gpu = gpu;
    }
    return 0;
}

static int read_devices(struct nsys_export *x, struct err *e)
{
    static const char *const columns[COLUMNS] = {"gpuId", "cudaId", "pid", "uuid"};
    struct sqlite_rows *rows = NULL;
    int rc = sqlite_file_has(x->file, "TARGET_INFO_CUDA_DEVICE", e);
    if (rc != SQLITE_TABLE_USABLE)
        return rc < 0 ? rc : 0;
    rc = sqlite_rows_open(&rows, x->file, "TARGET_INFO_CUDA_DEVICE", columns, COLUMNS, e);
    while (rows && !rc && (rc = sqlite_rows_next(rows, e)) == 1)
        rc = take_row(x, rows, e);
    sqlite_rows_close(rows);
    return rc;
}

static int count_gpus(struct nsys_export *x, int64_t *count, struct err *e)
{
    static const char *const columns[] = {"id"};
    struct sqlite_rows *rows = NULL;
    int rc = sqlite_file_has(x->file, "TARGET_INFO_GPU", e);
    if (rc != SQLITE_TABLE_USABLE)
        return rc < 0 ? rc : 0;
    rc = sqlite_rows_open(&rows, x->file, "TARGET_INFO_GPU", columns, 1, e);
    while (rows && !rc && (rc = sqlite_rows_next(rows, e)) == 1) {
        ++*count;
        rc = 0;
    }
    sqlite_rows_close(rows);
    return rc;
}

/* May a device be that of another process? It may whatever its number: each process sees the GPUs that it was given, in
 * its own order. */
static bool is_unknown(const struct nsys_export *x)
{
    bool lacks_gpu = false, has_others = false;
    for (size_t i = 0; i < x->places.count; i++) {
        lacks_gpu |= x->places.items[i].gpu < 0;
        has_others |= x->places.items[i].process != x->places.items[0].process;
    }
    return lacks_gpu && has_others;
}

static int note_unknown(struct nsys_export *x, struct err *e)
{
    x->sink->is_mixed = true;
    return caveat_add(x->sink->caveats, CAVEAT_WEAKENS, e,
                      "%s: several processes use GPUs, and no table says which GPU each of their devices is "
                      "(TARGET_INFO_CUDA_DEVICE): export it with a recent nsys",
                      x->input->path);
}

static int tell_all(struct nsys_export *x, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < x->places.count; i++) {
        const struct nsys_place_used *p = &x->places.items[i];
        const int16_t rank = nsys_processes_rank(&x->processes, (int64_t)((uint64_t)p->process << PID_BITS));
        if (p->gpu >= 0 && p->device >= 0 && p->device <= INT16_MAX)
            rc = gpu_places_add(x->sink->gpus, rank, (int16_t)p->device, p->gpu, e);
    }
    return rc ? rc : gpu_places_note_shared(x->sink->gpus, x->input->path, x->sink->caveats, e);
}

int nsys_gpus_tell(struct nsys_export *x, struct err *e)
{
    int64_t gpus = 0;
    if (x->processes.count < 2 || !x->sink->gpus)
        return 0;
    int rc = read_devices(x, e);
    if (!rc)
        rc = count_gpus(x, &gpus, e);
    if (rc)
        return rc == ERR_INPUT ? 0 : rc; /* tables that cannot be read say nothing */
    for (size_t i = 0; gpus == 1 && i < x->places.count; i++)
        if (x->places.items[i].gpu < 0)
            x->places.items[i].gpu = 0;
    return is_unknown(x) ? note_unknown(x, e) : tell_all(x, e);
}
