/* merged_ranks.h - which rows of one file belong to which rank, where a merger has put the traces of several into it?
 *
 * Mergers change the pids of rows and leave device numbers and correlation ids as they are: a label before or behind a
 * pid ("[TP00] 4242"), a number added to it (10004242), or a name of the process ("rank 1"). In a trace of one process
 * the pid of a row of the GPU is its device number. */
#ifndef CPPROF_MERGED_RANKS_H
#define CPPROF_MERGED_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum { MERGED_PIDS_MAX = 1024, MERGED_SLOTS = 2 * MERGED_PIDS_MAX, MERGED_DEVICES_MAX = 64, MERGED_TEXT_MAX = 128 };

struct merged_pid {
    char text[MERGED_TEXT_MAX];   /* as the file writes it */
    char labels[MERGED_TEXT_MAX]; /* names of the process */
    bool is_number;
    int64_t number;
    bool has_calls, has_ranges, has_work, has_copies;
    int16_t devices[MERGED_DEVICES_MAX]; /* of its kernels */
    size_t device_count;
    int16_t rank; /* once it is decided; -1: of none */
};

/* How they are told apart. */
enum merged_by { MERGED_NOT, MERGED_BY_LABEL, MERGED_BY_OFFSET, MERGED_UNKNOWN };

struct merged_ranks { /* starts zeroed */
    struct merged_pid *items;
    size_t count, capacity;
    uint16_t slots[MERGED_SLOTS]; /* by the hash of the text: one more than the place of a pid; 0: free */
    size_t last;                  /* the one that was asked for last */
    bool is_full;
    size_t ranks; /* once it is decided */
};

void merged_ranks_release(struct merged_ranks *m);

/* Gives the place of a pid, which is added when it is new; SIZE_MAX when there are too many. */
int merged_ranks_find(struct merged_ranks *m, const char *text, size_t length, bool is_number, size_t *place,
                      struct err *e);
void merged_ranks_label(struct merged_ranks *m, size_t place, const char *text);
/* A copy or memset may run on another device than that of its pid. */
enum merged_row { MERGED_CALL, MERGED_RANGE, MERGED_WORK, MERGED_COPY };

/* `device` counts for work. */
void merged_ranks_note(struct merged_ranks *m, size_t place, enum merged_row row, int16_t device);

/* Decides when all rows are read. MERGED_UNKNOWN: calls of several processes are there, and nothing says which of them
 * started the work. */
enum merged_by merged_ranks_decide(struct merged_ranks *m);

#endif
