/* export_lanes.h - under which names does the inside of a kernel go, and what of it is left out? */
#ifndef CPPROF_EXPORT_LANES_H
#define CPPROF_EXPORT_LANES_H

#include "analyzers/inside/lane_rows.h"
#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/base/str.h"
#include "core/run/run.h"

/* The first process of an inside: above those of all ranks (export_tracks.h). */
enum { EXPORT_INSIDE_PROCESS = 2000000000 };

/* Append the name of an arm's process ("inside VARIANT, SM 3"), what of the arm it shows, and the name of a lane. */
void export_inside_name(struct str *out, const struct inside_lanes *l);
void export_inside_labels(struct str *out, const struct inside_lanes *l);
void export_lane_name(struct str *out, const struct lane *lane);

/* Adds a note for each arm of which recorded tiles are left out. */
int export_lanes_note(const struct inside_lanes_list *l, struct caveat_list *losses, struct err *e);
/* Adds a note when the run has samples, which the format cannot hold. */
int export_samples_note(const struct run *run, struct caveat_list *losses, struct err *e);
/* Adds a note when `path` is a run with lanes or samples, none of which is written. `why` ends the sentence. */
int export_inside_note(const char *path, const char *why, struct caveat_list *losses, struct err *e);

#endif
