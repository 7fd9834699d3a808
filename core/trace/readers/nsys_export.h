/* nsys_export.h - the parts of the reader of nsys's SQLite exports: its state, and the tables that have events. */
#ifndef CPPROF_NSYS_EXPORT_H
#define CPPROF_NSYS_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/io/sqlite_rows.h"
#include "core/trace/identity.h"
#include "core/trace/readers/event_member.h"
#include "core/trace/readers/nsys_processes.h"
#include "core/trace/readers/nsys_strings.h"
#include "core/trace/readers/reader.h"

enum { NSYS_LABELS_MAX = 32, NSYS_EXTRA_MAX = 4, NSYS_MEMBERS_MAX = 18 };

struct nsys_place_used {
    int64_t process, device;
    int64_t gpu; /* -1: unknown */
};

struct nsys_export {
    const struct open_input *input;
    struct reader_sink *sink;
    struct sqlite_file *file;
    struct nsys_strings *strings;
    struct nsys_processes processes;
    ARRAY_OF(struct nsys_place_used) places; /* where processes have work (nsys_gpus.h) */
    uint32_t copy_names[NSYS_LABELS_MAX];    /* "[CUDA memcpy Host-to-Device]" by copyKind; 0: unknown kind */
    bool pageable[NSYS_LABELS_MAX];          /* by srcKind and dstKind */
    int64_t gpu_events, calls, launches, idle_process_calls;
    int64_t unplaced;       /* GPU work without a stream or device */
    int64_t graph_launches; /* recorded without the work in them */
};

/* The first columns of every table; those of `extra` and `members` follow. */
enum { NSYS_ROW_START, NSYS_ROW_END, NSYS_ROW_PROCESS, NSYS_ROW_EXTRA };

/* Completes an event whose times and members are set. */
typedef int nsys_complete(struct nsys_export *x, const struct sqlite_rows *row, struct cpprof_event *event,
                          struct err *e);

struct nsys_event_table {
    const char *name;
    uint16_t kind;
    const char *process; /* the column with the process or thread */
    const char *extra[NSYS_EXTRA_MAX];
    struct {
        const char *column;
        struct event_member member;
    } members[NSYS_MEMBERS_MAX];
    nsys_complete *complete;
};

/* In the order in which they are read: tables of GPU work come first. */
extern const struct nsys_event_table nsys_event_tables[];
extern const size_t nsys_event_table_count;

bool nsys_event_table_is_gpu(const struct nsys_event_table *t);

/* Returns false for rows of NVTX_EVENTS that are marks, categories or domains. */
bool nsys_row_is_event(const struct nsys_event_table *t, const struct sqlite_rows *row);

/* Adds the NVTX domains of all processes to x->processes. */
int nsys_export_find_domains(struct nsys_export *x, struct err *e);

#endif
