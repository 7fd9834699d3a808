/* analyse.h - what every command does that shows or judges a bundle. */
#ifndef CPPROF_ANALYSE_H
#define CPPROF_ANALYSE_H

#include "analyzers/analysed.h"
#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/gpu/thresholds.h"

/* Reads the thresholds of a file, for analysed_open and counted_open. Where the file is NULL there are none, and `out`,
 * which is zero, overrides nothing. */
int analyse_read_thresholds(struct threshold_overrides *out, const char *path, struct err *e);
#define THRESHOLDS_OPTION(key)                                                                                         \
    {                                                                                                                  \
        "thresholds", key, "FILE", 0,                                                                                  \
            "judge at the thresholds of FILE, in the format of 'cpprof list --thresholds --format csv'", 0             \
    }
/* EXIT_UNUSABLE_INPUT when a part of the bundle is damaged or gone (what is good
 * is still shown), said on standard error; else EXIT_PASS. */
bool analyse_note_damage(const struct caveat_list *caveats,
                         const struct caveat_list *said); /* `said` before, or NULL */
int analysed_damage(const struct analysed *a);

#endif
