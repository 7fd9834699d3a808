/* trace_words.h - what the reports on traces say in the same words. */
#ifndef CPPROF_TRACE_WORDS_H
#define CPPROF_TRACE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/caveat.h"
#include "core/base/json.h"
#include "core/bundle/capture_map.h"
#include "core/trace/short_names.h"
#include "reports/document/document.h"

enum { TRACE_SIDES = 2 };

/* One trace of a report that may show two side by side. */
struct trace_side {
    const char *source; /* the trace as given */
    const struct caveat_list *caveats;
    bool has_from;   /* times stand in the report, and all of the trace is of one rank */
    int64_t from_ns; /* its first event, from which --window counts */
    bool is_part;    /* of a larger document, which says elsewhere what it is measured on */
};

/* "rank 1, device 0"; "unknown device" and "host" below 0. */
const char *words_place(struct document *d, int32_t rank, int32_t device, bool is_host);

/* A fact with the reasons why processes lack some of what was asked for ("samples"), each once where neighbours have
 * the same; nothing if none lacks it. */
void words_missing(struct document *d, const struct capture_map *map, const char *what, const char *title);

/* A name of `names` in a style. Short ones longer than `columns` lose their namespaces, then their middle. */
const char *words_name(struct document *d, const struct short_names *names, uint32_t id, enum name_style style,
                       size_t columns);
/* Names of a document that differ still do, but for a short one behind a longer one that lost its namespaces. `text`
 * itself where it is short enough. */
const char *words_fitted(struct document *d, const char *text, size_t columns);
/* The same in a wide table's last column, which a terminal of 80 columns cuts further: namespaces go first. */
const char *words_fitted_last(struct document *d, const char *text, size_t columns);
const char *words_end(struct document *d, const char *text,
                      size_t columns); /* a text that is too long loses its beginning */

/* A paragraph with the answer, in one strong span: two in a row are no Markdown. Releases the text. */
void words_answer(struct document *d, struct str *text);

/* "1 launch", "1,234 launches". Returns `text`. */
char *words_count(char text[static UNITS_TEXT_BYTES], int64_t count, const char *one, const char *many);
void words_cell_signed(struct document *d, enum unit unit, double value); /* "+1.20 us", "n/a" */
double words_ratio(double part, double whole);                            /* NAN unless whole > 0 */

/* "Measured on `a.csv`." or "A is `a.csv`, B is `b.csv`." */
void words_sources(struct document *d, const struct trace_side *sides, size_t count);
/* Returns words for the front of an answer: "" unless kernels ran that are in no record, or times cannot be. */
const char *words_in_doubt(const struct caveat_list *caveats);
/* The section on caveats; nothing when there are none. With two sides each names its trace. */
void words_caveats(struct document *d, const struct trace_side *sides, size_t count);

json_t *json_trace_caveats(const struct caveat_list *caveats);
json_t *json_integer_or_null(int64_t value); /* null below 0 */
json_t *json_ns(double value);               /* whole numbers without a point; null when not finite */

#endif
