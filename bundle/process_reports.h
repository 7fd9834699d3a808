/* process_reports.h - what the processes of a run leave beside its tables (process-ROLE-N.json), until the manifest has
 * it. */
#ifndef CPPROF_PROCESS_REPORTS_H
#define CPPROF_PROCESS_REPORTS_H

#include <dirent.h>

#include "base/err.h"
#include "base/json.h"

/* As json_read_file. A bundle may come from a stranger: a pipe in it, which would block the reader, is ERR_INPUT. */
int bundle_read_json(const char *file, json_t **out, struct err *e);

/* The reports of a run directory in their order: how many, or an error code. Give them back with free. */
int process_reports_list(const char *path, struct dirent ***reports, struct err *e);
void process_reports_free(struct dirent **reports, int count);

/* Enters them into the manifest; one that cannot be read is a failure there. */
int process_reports_merge(const char *path, struct dirent **reports, int count, json_t *manifest, struct err *e);
int process_reports_remove(const char *path, struct dirent **reports, int count, struct err *e);

#endif
