/* expected_change.h - what was a variant expected to do to the counters, and did it?
 * Written down before it is measured: "tensor_cycles up; dram_bytes flat 3%". */
#ifndef CPPROF_EXPECTED_CHANGE_H
#define CPPROF_EXPECTED_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/verdict.h"
#include "gpu/thresholds.h"

enum change_direction { CHANGE_UP, CHANGE_DOWN, CHANGE_FLAT };

struct expected_change {
    char *metric; /* owned; ours or CUPTI's name */
    enum change_direction direction;
    double tolerance; /* share of the baseline's value: least change up or down, most change when flat; NAN: that of
                         the thresholds */
    char *text;       /* owned: "dram_bytes flat 3%", as written but for spaces */
};

void expected_change_release(struct expected_change *s);

/* Reads one expectation at `*at` and moves it behind it and the ';' that may
 * follow. ERR_USAGE with the problem in words; `*at` is the place then. */
int expected_change_parse(struct expected_change *out, const char **at, struct err *e);

/* The change as a share of the baseline's value; infinite from 0. NAN when one is not known. */
double counter_change(double base, double cand);

/* Two values of a counter that differ by less than its floor: bytes of device memory by less than they do between
 * repetitions (threshold dram_floor), as what a kernel whose data lies in L2 moves there is what other work pushes out;
 * bank conflicts by a small share of the instructions (conflict_floor). `metric` is ours or CUPTI's name,
 * `instructions` those of the kernel that has fewer; NAN unknown, and then what goes by them has no floor. */
bool counter_change_is_noise(const struct thresholds *t, const char *metric, double base, double cand,
                             double instructions);

/* VERDICT_PASS: confirmed, VERDICT_FAIL: refuted, VERDICT_INCONCLUSIVE: a value is not known, or it was to go up
 * or down and what differs is noise. */
enum verdict_status expected_change_judge(const struct thresholds *t, const struct expected_change *s, double base,
                                          double cand, double instructions);
const char *expected_change_verdict_name(enum verdict_status status); /* "confirmed", "refuted", "unknown" */

/* "up 60.1%", "unchanged", "up 217.4%, differs by less than 2.00 MiB", in the arena. */
const char *counter_change_words(struct arena *arena, const struct thresholds *t, const char *metric, double base,
                                 double cand, double instructions);

#endif
