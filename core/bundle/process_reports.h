/* process_reports.h - the reports that the processes of a run leave next to its tables (process-ROLE-N.json), until
 * they are merged into the manifest. */
#ifndef CPPROF_PROCESS_REPORTS_H
#define CPPROF_PROCESS_REPORTS_H

#include <dirent.h>

#include "core/base/err.h"
#include "core/base/json.h"

/* Like json_read_file, for files of an untrusted bundle: a pipe, which would block the reader, is ERR_INPUT. */
int bundle_read_json(const char *file, json_t **out, struct err *e);

/* Lists the reports of a run directory in their order. Returns how many, or an error code. Free them with
 * process_reports_free. */
int process_reports_list(const char *path, struct dirent ***reports, struct err *e);
void process_reports_free(struct dirent **reports, int count);

/* Merges them into the manifest; a report that cannot be read becomes a failure there. */
int process_reports_merge(const char *path, struct dirent **reports, int count, json_t *manifest, struct err *e);
int process_reports_remove(const char *path, struct dirent **reports, int count, struct err *e);

#endif
