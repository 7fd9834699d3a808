/* err.h - what went wrong? One message, to which callers add context on the way up. */
#ifndef CPPROF_ERR_H
#define CPPROF_ERR_H

/* A fallible function returns 0 (or a count), or one of these. err.c has the table of exit statuses that they
 * become. */
enum err_code {
    ERR_USAGE = -1,       /* the command line or a rule is wrong */
    ERR_ENVIRONMENT = -2, /* no GPU, no permission, disk full, program missing */
    ERR_INPUT = -3,       /* a file is missing, malformed, truncated, empty or vacuous */
    ERR_MEMORY = -4,
    ERR_INTERNAL = -5 /* our bug */
};

enum exit_status {
    EXIT_PASS = 0,
    EXIT_CHECK_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_INCONCLUSIVE = 3,
    EXIT_ENVIRONMENT = 4,
    EXIT_UNUSABLE_INPUT = 5
};

struct err {
    int code; /* 0: no error */
    char text[1024];
};

/* Lets compilers and analysers, which do not see err.c, know that the code of an error is below 0. It generates no
 * instructions: err.c guarantees it. */
static inline int err_below_zero(int code)
{
    if (code >= 0)
        __builtin_unreachable();
    return code;
}

/* Fills `e` (may be NULL) and returns `code`, so that callers can write `return err_set(e, ERR_INPUT, "...")`. A code
 * that is not below 0 becomes ERR_INTERNAL. Messages are in lower case: the problem comes first, then the quoted
 * subject, then what to do. */
int err_set(struct err *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define err_set(...) err_below_zero(err_set(__VA_ARGS__))

/* Puts "context: " in front of the message and returns its code. */
int err_context(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define err_context(...) err_below_zero(err_context(__VA_ARGS__))

/* Fills `e` with a fixed message and returns ERR_MEMORY. */
int err_memory(struct err *e);
#define err_memory(e) err_below_zero(err_memory(e))

/* Returns the exit status of a process that ends with this code. */
enum exit_status err_exit_status(int code);

/* Returns the status to report when both apply. The order is 2, 4, 1, 5, 3, 0 (the more telling first). */
enum exit_status exit_status_worse(enum exit_status a, enum exit_status b);

#endif
