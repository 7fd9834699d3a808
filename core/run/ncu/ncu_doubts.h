/* ncu_doubts.h - which numbers of the file are none, and which does a launch lack that others have? They are told when
 * all rows are read: of each kind of doubt the first number with its line, and how many more, as one cause makes many.
 * A launch that failed has many, and says so itself. */
#ifndef CPPROF_NCU_DOUBTS_H
#define CPPROF_NCU_DOUBTS_H

#include <stdint.h>

#include "core/base/str.h"
#include "core/run/imported_launches.h"
#include "core/run/ncu/ncu_launch.h"

enum { NCU_SHOWN_BYTES = 60, NCU_SHOWN_NAME_BYTES = 120 };

/* A number of the file. */
struct ncu_cell {
    int64_t line;
    size_t place; /* of its launch */
    struct ncu_slot slot;
    const char *name, *text; /* as the file has them */
    ncu_name_id name_id;
    bool has_no_unit; /* and its metric has one */
};

/* Kinds of doubt, in the order in which they are told. */
enum ncu_doubt {
    NCU_DOUBT_NO_UNIT, /* only a remark */
    NCU_DOUBT_UNIT,
    NCU_DOUBT_VALUE,
    NCU_DOUBT_TWO,
    NCU_DOUBT_SHARE,
    NCU_DOUBT_LACKING,
    NCU_DOUBTS
};

struct ncu_doubts {
    const char *path;
    bool is_said[NCU_SLOTS]; /* of a number: that it is doubted */
    bool is_remarked[NCU_SLOTS];
    struct {
        struct str first; /* the sentence about the first number */
        size_t count;     /* of numbers */
    } told[NCU_DOUBTS];
    struct {
        int64_t line; /* 0: none */
        size_t place;
        char name[NCU_SHOWN_NAME_BYTES + 1], text[NCU_SHOWN_BYTES + 1];
    } shares[NCU_SLOTS]; /* of a number: the first share that is none */
    struct strtab names; /* of numbers that decide, by their ids */
    bool is_own[NCU_NAMES_MAX + 1];
};

void ncu_doubts_init(struct ncu_doubts *d, const char *path);
void ncu_doubts_release(struct ncu_doubts *d);

/* Returns the id of the number's name in this file; 0 when there are too many, or memory is out. */
ncu_name_id ncu_doubts_name(struct ncu_doubts *d, const struct ncu_slot *slot, const char *name);

/* Doubts a number, unless it was doubted before: `format` is the sentence about it. */
int ncu_doubts_add(struct ncu_doubts *d, enum ncu_doubt kind, const struct ncu_slot *slot, struct err *e,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Keeps a share that is none (`value` is in base units) for ncu_doubts_note, unless an earlier one is kept of a launch
 * of which ncu recorded something. */
void ncu_doubts_keep_share(struct ncu_doubts *d, const struct ncu_cell *cell, double value,
                           const struct imported_launches *launches, const struct ncu_notes *notes);

/* Tells all doubts, with the shares that were kept, and those of units that a launch lacks, but another one of its
 * table and chip has (`lacks`); another name of the number may stand in for it. `recorded_nothing` is known by now.
 * `is_cut`: rows of the last launch are missing. */
int ncu_doubts_note(struct ncu_doubts *d, struct imported_launches *launches, const struct ncu_notes *notes,
                    bool is_cut, struct err *e);

#endif
