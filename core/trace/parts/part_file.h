/* part_file.h - what one process has measured of one trace goes to another process through a file.
 *
 * Both processes are the same program, so values have their layout in memory. A reader still trusts nothing: the file
 * may be a damaged one that the user named. */
#ifndef CPPROF_PART_FILE_H
#define CPPROF_PART_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"

int part_write(FILE *to, const void *bytes, size_t count, struct err *e);
int part_write_text(FILE *to, const char *text, size_t length, struct err *e);

/* The part of a trace that is being read, and what its names and ranks are in the process that reads it. */
struct part_reader {
    FILE *from;
    uint32_t *ids; /* for string i of the part; ids[0] is 0 */
    int64_t strings;
    struct {
        int16_t own, here;
    } * ranks; /* own: as the trace states it; -1: it states none */
    size_t rank_count;
};

void part_reader_release(struct part_reader *r); /* the caller closes the file */

/* Return ERR_INPUT when the file ends early, or holds what makes no sense. */
int part_read(struct part_reader *r, void *bytes, size_t count, struct err *e);
int part_read_count(struct part_reader *r, int64_t max, int64_t *count, struct err *e);
int part_read_text(struct part_reader *r, char **text, size_t *length, struct err *e); /* the caller frees it */
int part_read_end(struct part_reader *r, struct err *e);                               /* nothing may follow */
int part_makes_no_sense(struct err *e);                                                /* returns ERR_INPUT */

/* Are these `count` bools, given by their addresses, true or false, and no other byte? ERR_INPUT if not. */
int part_flags_are_good(struct err *e, int count, ...);

/* Turn what the trace calls a string or a rank into what it is here. An unknown string is no string. */
uint32_t part_string(const struct part_reader *r, uint32_t id);
int part_rank_of(const struct part_reader *r, int32_t *rank, struct err *e);

#endif
