/* kineto_ranks.h - of which rank is a row of a Chrome trace?
 *
 * While rows look like those of one process, they have no rank. A row with another pid gets the place of its pid
 * instead. When all rows are read, ranks are decided (core/trace/merged_ranks.h) and rows get them. */
#ifndef CPPROF_KINETO_RANKS_H
#define CPPROF_KINETO_RANKS_H

#include "core/base/str.h"
#include "core/trace/merged_ranks.h"
#include "core/trace/readers/reader.h"
#include "cpprof/event.h"

struct kineto_ranks { /* starts zeroed */
    struct merged_ranks pids;
    size_t first_host; /* the place of the first pid with rows of the host, and 1 more; 0: none yet */
    bool has_places;   /* rows have places for ranks */
    bool failed;       /* memory is out */
    char pid[MERGED_TEXT_MAX], label[MERGED_TEXT_MAX]; /* of the row */
    size_t pid_length;
    bool pid_is_number;
};

void kineto_ranks_release(struct kineto_ranks *k);
void kineto_ranks_begin_row(struct kineto_ranks *k);
void kineto_ranks_take_pid(struct kineto_ranks *k, const char *text, size_t length, bool is_number);

/* A row that names a process has a label, and then the name and phase of the row. */
void kineto_ranks_take_label(struct kineto_ranks *k, const char *text, size_t length);
void kineto_ranks_name_process(struct kineto_ranks *k, const char *name, const char *phase);

/* Give what the event of a row, or another row of the host, has for a rank until all is settled. */
int16_t kineto_ranks_of(struct kineto_ranks *k, const struct cpprof_event *event);
int16_t kineto_ranks_of_host(struct kineto_ranks *k);

/* Gives everything in the sink its rank. */
int kineto_ranks_settle(struct kineto_ranks *k, const char *path, struct reader_sink *sink, struct err *e);

#endif
