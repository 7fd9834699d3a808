/* analyse.h - a bundle opened and everything asked of it, for every command
 * that shows or judges one. */
#ifndef CPPROF_ANALYSE_H
#define CPPROF_ANALYSE_H

#include "base/err.h"
#include "model/analysis.h"
#include "model/bundle.h"
#include "model/thresholds.h"

/* `analysis` points at `bundle`: not to be copied or moved. */
struct analysed {
    struct bundle bundle;
    struct analysis analysis;
};

/* Opens and analyses; on an error there is nothing to release. What is no
 * bundle is ERR_INPUT, with the command that would read it. */
int analysed_open(struct analysed *out, const char *path, struct err *e);
/* The same with another margin of the comparisons than the default one. */
int analysed_open_at(struct analysed *out, const char *path, double margin, struct err *e);
/* Has everything that is opened from now on judged at the thresholds of a file
 * (NULL: at the embedded ones). `keep` must live as long as the process judges. */
int analyse_at_thresholds(struct threshold_overrides *keep, const char *path, struct err *e);
#define THRESHOLDS_OPTION(key)                                                                                         \
    {"thresholds", key, "FILE", 0, "judge at the thresholds of FILE, in the format of 'cpprof list --thresholds --format csv'", 0}
/* EXIT_UNUSABLE_INPUT when a part of the bundle is damaged or gone (what is good
 * is still shown), said on standard error; else EXIT_PASS. */
bool analyse_note_damage(const struct caveat_list *caveats, const struct caveat_list *said); /* `said` before, or NULL */
int analysed_damage(const struct analysed *a);
void analysed_release(struct analysed *a);

#endif
