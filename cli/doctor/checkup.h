/* checkup.h - what a machine allows: a list of checks, each with what was found
 * and what to do about it. `cli/doctor/` fills it, reports/ show it. */
#ifndef CPPROF_CHECKUP_H
#define CPPROF_CHECKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/json.h"

enum check_level {
    CHECK_OK,
    CHECK_NOTE,   /* everything works, but a person should know */
    CHECK_MISSING /* a command cannot do what it should */
};

/* What something missing stops. */
enum { STOPS_RUN = 1, STOPS_CAPTURE = 2, STOPS_BOTH = STOPS_RUN | STOPS_CAPTURE };

struct checkup_item {
    const char *group; /* a word: "gpu" */
    const char *name;  /* "persistence mode"; unique unless it is about one of several things */
    enum check_level level;
    unsigned stops; /* of STOPS_*; 0 unless the level is CHECK_MISSING */
    const char *found;
    const char *advice; /* what to do; "" when there is nothing to do */
};

struct checkup {
    struct checkup_item *items;
    size_t count, capacity;
    const char *group;      /* of the items that are added from now on */
    const json_t *probe;    /* the facts that the runner left, not owned; NULL without them */
    const json_t *ceilings; /* cpprof.ceilings/1, not owned; NULL when nobody asked */
    struct arena arena;     /* the texts */
    bool failed;            /* memory ran out */
};

void checkup_init(struct checkup *c, const json_t *probe);
void checkup_release(struct checkup *c);

/* Each adds an item; the texts are copied. */
void checkup_ok(struct checkup *c, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void checkup_note(struct checkup *c, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void checkup_missing(struct checkup *c, const char *name, unsigned stops, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Says of the last item what to do. */
void checkup_advise(struct checkup *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

size_t checkup_level_count(const struct checkup *c, enum check_level level);
unsigned checkup_stops(const struct checkup *c);      /* what cannot do what it should: of STOPS_* */
const char *check_level_name(enum check_level level); /* "ok", "note", "missing" */

#endif
