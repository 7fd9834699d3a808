/* err.h - what went wrong, said once, with context added on the way up. */
#ifndef CPPROF_ERR_H
#define CPPROF_ERR_H

/* Every fallible function returns 0 (or a count) or one of these. The exit
 * status that each becomes stands in err.c's table. */
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
    int code; /* 0 = none */
    char text[1024];
};

/* Tells compilers and analysers, which do not look into err.c, that a failure is never taken for success. It makes no
 * code: err.c keeps the promise. */
static inline int err_below_zero(int code)
{
    if (code >= 0)
        __builtin_unreachable();
    return code;
}

/* Fills `e` (may be NULL) and returns `code`, so that callers write
 * `return err_set(e, ERR_INPUT, "...")`. A code that is no failure becomes
 * ERR_INTERNAL. Messages: lower case, problem first, the subject quoted, then
 * what to do. */
int err_set(struct err *e, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define err_set(...) err_below_zero(err_set(__VA_ARGS__))

/* Puts "context: " before the message and returns the code. */
int err_context(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define err_context(...) err_below_zero(err_context(__VA_ARGS__))

/* ERR_MEMORY with a fixed message. */
int err_memory(struct err *e);
#define err_memory(e) err_below_zero(err_memory(e))

enum exit_status err_exit_status(int code);

/* When several outcomes apply: 2, 4, 1, 5, 3, 0 (the more telling first). */
enum exit_status exit_status_worse(enum exit_status a, enum exit_status b);

#endif
