/* history_report.h - what `cpprof history` prints: each arm over the saved references, and where its level changed. */
#ifndef CPPROF_HISTORY_REPORT_H
#define CPPROF_HISTORY_REPORT_H

#include "analyzers/history/history.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "reports/document/document.h"

struct history_report {
    const char *name, *store;
    const struct history *history;
};

int report_history(const struct history_report *r, struct document *out, struct err *e);
json_t *json_history(const struct history_report *r); /* cpprof.history/1, docs/json.md */

#endif
