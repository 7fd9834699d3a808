/* expected_change.h - how was a variant expected to change the counters, and did it? An expectation is written before
 * it is measured: "tensor_cycles up; dram_bytes flat 3%". */
#ifndef CPPROF_EXPECTED_CHANGE_H
#define CPPROF_EXPECTED_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/verdict.h"
#include "core/gpu/thresholds.h"

enum change_direction { CHANGE_UP, CHANGE_DOWN, CHANGE_FLAT };

struct expected_change {
    char *metric; /* owned; our id or CUPTI's name */
    enum change_direction direction;
    /* Share of the baseline's value: the least change for up or down, the largest for flat. NAN: as the thresholds
     * say. */
    double tolerance;
    char *text; /* owned: "dram_bytes flat 3%", as written except for spaces */
};

void expected_change_release(struct expected_change *s);

/* Reads one expectation at `*at` and moves `*at` past it and past a ';' that follows. Returns ERR_USAGE with a
 * description of the problem; `*at` is then the place. */
int expected_change_parse(struct expected_change *out, const char **at, struct err *e);

/* Returns the change as a share of the baseline's value; infinite from 0. NAN when one is not known. */
double counter_change(double base, double cand);

/* Do two values of a counter differ by less than its floor? The floor of bytes of device memory is how much they vary
 * between repetitions (threshold dram_floor): a kernel whose data lies in L2 moves there only what other work pushes
 * out. The floor of bank conflicts is a small share of the instructions (conflict_floor). `metric` is our id or CUPTI's
 * name. `instructions` is the count of the kernel that has fewer; NAN: not known, and then such counters have no
 * floor. */
bool counter_change_is_noise(const struct thresholds *t, const char *metric, double base, double cand,
                             double instructions);

/* Returns VERDICT_PASS when it is confirmed and VERDICT_FAIL when it is refuted. VERDICT_INCONCLUSIVE: a value is not
 * known, or it was expected to go up or down and the difference is noise. */
enum verdict_status expected_change_judge(const struct thresholds *t, const struct expected_change *s, double base,
                                          double cand, double instructions);
const char *expected_change_verdict_name(enum verdict_status status); /* "confirmed", "refuted", "unknown" */

/* Returns a text in the arena: "up 60.1%", "unchanged", "up 217.4%, differs by less than 2.00 MiB". */
const char *counter_change_words(struct arena *arena, const struct thresholds *t, const char *metric, double base,
                                 double cand, double instructions);

#endif
