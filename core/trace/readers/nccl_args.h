/* nccl_args.h - what do the arguments of a row of Kineto say of a collective?
 *
 * PyTorch writes them to kernels of NCCL: "Collective name", "dtype", "In msg nelems", "Out msg nelems", "Group size",
 * "Process Group Name", "Process Group Ranks" and, in newer versions, "Seq". */
#ifndef CPPROF_NCCL_ARGS_H
#define CPPROF_NCCL_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/str.h"
#include "core/base/strtab.h"
#include "core/io/json_walk.h"
#include "core/trace/collective_notes.h"

enum { NCCL_WORD_BYTES = 48 };

struct nccl_args {
    int key;       /* whose value comes next; -1: of none */
    unsigned seen; /* a bit for each key with a value that makes sense */
    int64_t numbers[4];
    char operation[NCCL_WORD_BYTES], type[NCCL_WORD_BYTES];
    struct str name;  /* as it is */
    struct str ranks; /* without blanks and quotes; "..." stands for those that are too many */
    bool is_cut;      /* it does */
};

void nccl_args_init(struct nccl_args *a);
void nccl_args_release(struct nccl_args *a);
void nccl_args_clear(struct nccl_args *a); /* before each row */

/* Take a key of the arguments, and a value behind it: text, a number, or a number in a list. Keys that say nothing of a
 * collective are ignored, and so is a value that makes no sense: it is not known then. */
void nccl_args_key(struct nccl_args *a, const struct json_token *token);
void nccl_args_value(struct nccl_args *a, const struct json_token *token);

/* Fills what the note says of the collective; its kernel is the caller's. Returns 1, 0 when the arguments do not name
 * the communicator, or an error code. */
int nccl_args_note(const struct nccl_args *a, struct strtab *strings, struct collective_note *out, struct err *e);

#endif
