/* guest_trigger.h - has what `--when` waits for happened?
 *
 * Until then nothing is recorded. Three conditions exist: certain occurrences of a range, an occurrence that took
 * longer than others before it (then those that follow it are recorded), and a file that appears. Ranges are reported
 * by the program's threads, the file is looked for by the thread that writes. The functions call nothing of CUPTI. */
#ifndef CPPROF_GUEST_TRIGGER_H
#define CPPROF_GUEST_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/json.h"
#include "core/base/trigger_rule.h"

/* Limits of `slower`: an occurrence is compared with the median of those before it, as many as are known; what follows
 * it is recorded, so many times in a process. */
enum {
    TRIGGER_COMPARED_MIN = 8,
    TRIGGER_COMPARED_MAX = 32,
    TRIGGER_FOLLOWING = 8,
    TRIGGER_TIMES_MAX = 3,
    TRIGGER_PIECES_MAX = 1000 /* that are listed; more are counted */
};

/* Waits for it from now on. `for_ns`: how long each touch of the file switches recording on. The texts must stay
 * valid. */
void guest_trigger_init(const struct trigger_rule *rule, const char *text, const char *directory, int64_t for_ns);

/* An occurrence with this number, counted from 1 over the process, begins or has ended. */
void guest_trigger_began(uint64_t number);
void guest_trigger_ended(uint64_t number, int64_t length_ns);

/* Has the file been touched since the last look? */
void guest_trigger_look(int64_t now_ns);

/* Is recording wanted at this time of CLOCK_MONOTONIC? */
bool guest_trigger_is_on(int64_t now_ns);

/* Returns when recording is to be switched off by the clock; INT64_MAX: never. */
int64_t guest_trigger_next_ns(int64_t now_ns);

/* Recording went on or off at this time of the events' clock. */
void guest_trigger_switched(bool on, int64_t time_ns);

/* Returns whether there is something new to report since the last call. */
bool guest_trigger_has_news(void);

/* Returns the member `when` of the report; NULL without a condition. */
json_t *guest_trigger_facts(void);

#endif
