/* part_archive.h - the file of a part: what one of several calls has measured of its share of the traces.
 *
 * docs/formats.md describes it. What is measured is stored as this very build has it in memory, and read by no other.
 */
#ifndef CPPROF_PART_ARCHIVE_H
#define CPPROF_PART_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/trace/trace_operands.h"

enum { PARTS_MAX = 16384 };

/* What all parts of a call have in common, and which one this is. */
struct part_head {
    uint32_t part, parts; /* part 1 of 8 has traces 0, 8, 16 ... */
    uint32_t key;         /* part_source.h */
    uint32_t wants_all;
    struct {
        char **items;
        size_t count, capacity;
    } words; /* the command and what followed it, without the file and the part */
    struct trace_operand_list operands;
};

int part_head_add_word(struct part_head *h, const char *word, struct err *e);
void part_head_release(struct part_head *h);

/* Returns how many traces this part has, and which one number i of them is. */
size_t part_head_traces(const struct part_head *h);
size_t part_head_trace(const struct part_head *h, size_t i);

int part_archive_write_head(const struct part_head *h, FILE *to, struct err *e);
/* Writes what is known of the next trace: the whole file, or why there is none. */
int part_archive_write_trace(FILE *from, const struct err *why, FILE *to, struct err *e);
int part_archive_write_end(FILE *to, struct err *e);

/* A part that was found whole. */
struct part_archive {
    const char *path; /* as it was given */
    FILE *file;
    struct part_head head;
};

/* Opens a file and reads all of it once. Returns ERR_INPUT when it is no part, damaged, or of another build; release
 * even then. The caller keeps the path. */
int part_archive_open(struct part_archive *out, const char *path, struct err *e);
void part_archive_release(struct part_archive *a);

/* Copies what is known of the next trace to `to`. Returns ERR_INPUT with the reason when there is nothing. */
int part_archive_next(struct part_archive *a, FILE *to, struct err *e);

#endif
