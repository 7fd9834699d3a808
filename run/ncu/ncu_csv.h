/* ncu_csv.h - the CSV of Nsight Compute: the pages details and raw, of --metrics
 * or of whole sections. */
#ifndef CPPROF_NCU_CSV_H
#define CPPROF_NCU_CSV_H

#include <stdbool.h>

#include "io/input_file.h"
#include "run/imported_launches.h"

/* Has the beginning of the input a header of such a table? Output of the program may stand before it. */
bool ncu_csv_recognise(const struct open_input *input);

/* Adds the launches of the input, each complete up to where the file is good. */
int ncu_csv_read(const struct open_input *input, struct imported_launches *out, struct err *e);

/* What is this input, in which no such table is? ERR_INPUT, with what to do.
 * `error` is the first line that starts with ==ERROR==, or "". */
int ncu_refuse(const struct open_input *input, const char *error, struct err *e);

#endif
