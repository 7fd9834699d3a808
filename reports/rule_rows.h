/* rule_rows.h - the results of rules in words, for every report that shows them. */
#ifndef CPPROF_RULE_ROWS_H
#define CPPROF_RULE_ROWS_H

#include "reports/reports.h"

/* A name as people write it; "(no name)" for 0. */
const char *event_label(struct arena *arena, const struct strtab *strings, uint32_t id);
/* The events of an example, "(pageable)" behind copies that are from or to such memory. */
const char *example_label(struct arena *arena, const struct strtab *strings, const struct timeline_example *x);
const char *example_other_label(struct arena *arena, const struct strtab *strings, const struct timeline_example *x);
/* "rank 1, device 0", "device 0", "host" ... */
const char *place_label(struct arena *arena, int rank, int device, bool has_gpu_work);
/* "pass", "fail", "fail (new)", "fail (baseline fails too)", "vacuous", "inconclusive". */
const char *row_status(struct arena *arena, const struct rule_result *row);
/* Where a row was judged: a place, a config, "all devices", "anywhere". */
const char *row_place(struct arena *arena, const struct check_report *r, const struct rule_result *row);
/* rule_numbers.c: the number with its unit, or the word. Sizes stand in the units that the rule is written in; two
 * numbers that differ look different. */
const char *row_value(struct arena *arena, const struct rule_result *row);
const char *row_threshold(struct arena *arena, const struct rule_result *row);
/* "40.0% on device 0, compared with 80.0%", or why it cannot be judged. */
const char *row_sentence(struct arena *arena, const struct check_report *r, const struct rule_result *row);

/* The time since the first event of a rank's trace, as --window counts; "unknown" of a rank without one. */
const char *moment_label(struct arena *arena, const struct rank_starts *starts, int rank, int64_t start_ns);
/* A counterexample of a row on one line: start, length, stream, names as given; of a gap the work on both sides. */
const char *example_line(struct arena *arena, const struct check_report *r, const struct rule_result *row,
                         const struct timeline_example *x, const char *name, const char *other);

/* The first result that does not pass, in one paragraph; `all_hold` when there is none. */
void rule_rows_headline(const struct check_report *r, const char *all_hold, struct document *out);
/* The table of results and the counterexamples of each. */
void rule_rows_add(const struct check_report *r, struct document *out);
void rule_rows_examples(const struct check_report *r, int rank, const struct timeline_example *examples, size_t count,
                        struct document *out);
/* A heading and a bullet for each; nothing when there are none. */
void rule_rows_caveats(const struct check_report *r, struct document *out);

/* What must be said about results beside their rows: caveats of the input, events that could not be measured, devices
 * on which a rule was not judged. Each is one line. */
struct check_caveat {
    enum caveat_kind kind;
    const char *text;
};
size_t check_caveat_count(const struct check_report *r);
struct check_caveat check_caveat(struct arena *arena, const struct check_report *r, size_t i);

json_t *json_assertions(const struct check_report *r);
json_t *json_caveats(const struct check_report *r);

#endif
