/* part_writer.h - a part of the traces is read, and what was measured is written to a file. */
#ifndef CPPROF_PART_WRITER_H
#define CPPROF_PART_WRITER_H

#include "cli/parts/part_archive.h"
#include "core/base/err.h"

/* From now on this program reads the traces of a part, writes its file when it has them, and ends. The head has the
 * part and the words, and is moved here; the path is needed until then. */
void part_writer_set(struct part_head *head, const char *path);

#endif
