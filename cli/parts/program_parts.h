/* program_parts.h - who reads the traces of this program, if not the processes of --jobs? */
#ifndef CPPROF_PROGRAM_PARTS_H
#define CPPROF_PROGRAM_PARTS_H

struct part_source;

/* Set once, before a command begins. NULL at first: nobody else. The caller keeps the source. */
void program_parts_set(struct part_source *source);
struct part_source *program_parts(void);

#endif
