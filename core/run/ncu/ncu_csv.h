/* ncu_csv.h - reads the CSV of Nsight Compute: the pages details and raw, made with --metrics or with whole
 * sections. */
#ifndef CPPROF_NCU_CSV_H
#define CPPROF_NCU_CSV_H

#include <stdbool.h>

#include "core/io/input_file.h"
#include "core/run/imported_launches.h"

/* Does the input have the header of such a table near its beginning? Output of the program may come before it. */
bool ncu_csv_recognise(const struct open_input *input);

/* Adds the launches of the input, up to the place where the file is damaged. */
int ncu_csv_read(const struct open_input *input, struct imported_launches *out, struct err *e);

/* Returns ERR_INPUT for an input without such a table, with a message that states what the input is and what to do.
 * `error` is the first line that starts with ==ERROR==, or "". */
int ncu_refuse(const struct open_input *input, const char *error, struct err *e);

#endif
