/* host_scopes.h - which operator, module, Python frame or range was open on a thread at a time?
 *
 * A scope is open from its start up to its end. Of the scopes that are open, the innermost is the one that began last
 * and, of those that began together, the one that ends first or, if they end together, that the input has last. */
#ifndef CPPROF_HOST_SCOPES_H
#define CPPROF_HOST_SCOPES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/io/record_spool.h"

enum host_scope_kind {
    HOST_SCOPE_OPERATOR = 1, /* PyTorch's cpu_op */
    HOST_SCOPE_MODULE = 2,   /* nn.Module: NAME */
    HOST_SCOPE_FRAME = 3,    /* a function in a Python file that is not PyTorch's own */
    HOST_SCOPE_RANGE = 4     /* NVTX range, user_annotation */
};

/* Limits of open_scopes: scopes that it keeps, which are those that are open and some that have just ended, 48 bytes
 * each, and threads. Beyond these it returns ERR_INPUT. */
enum { OPEN_SCOPES_MAX = 1024 * 1024, OPEN_SCOPES_THREADS_MAX = 65536 };

/* Records are written as bytes: no padding. */
struct host_scope {
    int64_t start_ns, end_ns;
    int64_t place;    /* in the input, among scopes */
    int64_t sequence; /* of an operator: autograd's number, up to UINT32_MAX; -1: it has none */
    uint32_t name;    /* string id of the stream */
    uint32_t thread;
    uint32_t forward_thread; /* of an operator in a backward pass: a number of the thread that ran forward; else 0 */
    int16_t rank;
    uint16_t kind; /* enum host_scope_kind */
};

/* Makes a spool of struct host_scope, which gives them in the order of their starts, outer ones first. */
int host_scope_spool_new(struct record_spool **out, struct err *e);

/* Returns the kind of a python_function by its name; 0 for functions in C and in PyTorch's own files. */
uint16_t host_scope_kind_of_function(const char *name, size_t length);

struct open_scopes;

int open_scopes_new(struct open_scopes **out, struct err *e);
void open_scopes_free(struct open_scopes *o);

/* Adds a scope to those of a lane. Scopes come in the order of a spool. */
int open_scopes_add(struct open_scopes *o, int16_t rank, uint32_t thread, const struct host_scope *scope,
                    struct err *e);

/* Returns the innermost scope of the lane at that time, valid until the next call; NULL when none is open. Times never
 * decrease from call to call, and every scope that begins up to then was added. */
const struct host_scope *open_scopes_innermost(struct open_scopes *o, int16_t rank, uint32_t thread, int64_t time_ns);

#endif
