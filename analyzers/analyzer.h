/* analyzer.h - one question, one file, one line in the table. */
#ifndef CPPROF_ANALYZER_H
#define CPPROF_ANALYZER_H

#include "base/err.h"
#include "model/analysis.h"

struct analyzer {
    const char *name;
    const char *question;
    int (*run)(struct analysis *a, struct err *e); /* nothing to go by is no error: it adds what it can */
};

/* In the order in which they run: each may read what earlier ones said. */
extern const struct analyzer analyzer_table[];
extern const size_t analyzer_count;

int analyzers_run(struct analysis *a, struct err *e);

#endif
