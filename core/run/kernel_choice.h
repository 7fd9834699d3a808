/* kernel_choice.h - which launches does `--kernels REGEX@grid=64x64,block=256` choose?
 *
 * The regular expression is searched in the demangled name. What stands behind the last '@' is a filter if it is a list
 * of grid=, block= and shared=; otherwise it belongs to the expression. */
#ifndef CPPROF_KERNEL_CHOICE_H
#define CPPROF_KERNEL_CHOICE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "cpprof/event.h"

enum { KERNEL_SIZES = 3 };

/* A size that a launch must have. */
struct launch_size {
    bool is_asked;
    uint64_t extent[3]; /* of y and z 1, where only x is given */
};

struct kernel_choice {
    regex_t pattern;
    struct launch_size sizes[KERNEL_SIZES]; /* grid, block, shared bytes */
};

/* Returns how many bytes of the text are the regular expression. */
size_t kernel_choice_pattern_length(const char *text);

/* Compiles the text. ERR_USAGE names what is wrong; the caller frees `out` after success alone. */
int kernel_choice_compile(struct kernel_choice *out, const char *text, struct err *e);
void kernel_choice_free(struct kernel_choice *choice);

bool kernel_choice_takes_name(const struct kernel_choice *choice, const char *symbol);
bool kernel_choice_takes_size(const struct kernel_choice *choice, const struct cpprof_event *kernel);

#endif
