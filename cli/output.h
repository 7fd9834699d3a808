/* output.h - where results go: standard output or a file. */
#ifndef CPPROF_OUTPUT_H
#define CPPROF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/byte_sink.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "reports/document/document.h"

/* Writes a result. `path` NULL or "-" is standard output; a file is written
 * whole or not at all, and one that exists is refused without `force`
 * (ERR_USAGE). Pipes and devices are written to as they are. */
int output_write(const char *path, bool force, const char *text, size_t length, struct err *e);

/* As output_write, for what is too much for memory: the sink is to be finished
 * and freed. Only a new file is compressed, when its name ends in .gz. */
int output_open(const char *path, bool force, struct byte_sink **out, struct err *e);

/* From now on this process writes no result, nor to a file: another one does, with the same words. */
int output_silence(struct err *e);

/* Refuses what output_write would refuse: ask before a long computation. */
int output_check(const char *path, bool force, struct err *e);

/* Refuses to write what is no text to a terminal, which would obey the bytes that look like commands. */
int output_check_binary(const char *path, const char *format, struct err *e);

/* A format of one command, besides those of documents (reports/document/formats.c) and JSON, which all know. Lists of
 * them end with a NULL name, and may be NULL. */
struct other_format {
    const char *name;   /* "csv" */
    const char *ending; /* ".csv"; NULL: no file is called so */
};

/* The format that a file is called by: "html" for "x.html", "md", "json", "text" for "x.txt"; `otherwise` for a name
 * without an ending, for a device, and for none. Of any other name its ending (".pdf"), which output_check_format
 * refuses. */
const char *output_format_of(const char *path, const struct other_format *others, const char *otherwise);

/* Of a page to read that nobody named a format for: "text" where it goes to a terminal, else "md". */
const char *output_page_format(const char *path);

/* ERR_USAGE for what is no format, with the names of all. */
int output_check_format(const char *format, const struct other_format *others, struct err *e);

/* In the help of an option this word becomes the names of all formats, "text, md, html or json". output_help is the
 * help_filter of an argp; one with other formats has its own, which calls the second. */
#define FORMATS "FORMATS"
char *output_help(int key, const char *text, void *input);
char *output_help_formats(const char *text, const struct other_format *others);

/* Renders and writes. On a terminal "text" is as wide as it is, or as COLUMNS says, and has colours unless NO_COLOR is
 * set or TERM is dumb. In a pipe COLUMNS and CLICOLOR_FORCE ask for the same, in a file nothing does. */
int output_document(const struct document *d, const char *format, const char *path, bool force, struct err *e);

/* The same, of what `view` looks at; where it goes decides about colours and the width. */
int output_view(const struct document *d, const struct document_view *view, const char *format, const char *path,
                bool force, struct err *e);

/* The same of a report of which nobody asked more or less: all sections, their tables cut to what people read. */
int output_sections(const struct document *d, const char *format, const char *path, bool force, struct err *e);

/* The same of all there is; Markdown of more than 1 MiB is cut, and a note says so. */
int output_everything(const struct document *d, const char *format, const char *path, bool force, struct err *e);

/* The first screen as plain text on standard error, as wide as the terminal there, or as COLUMNS says. */
int output_summary(const struct document *d, struct err *e);

/* Refuses what output_pictures would refuse: ask before anything is written. */
int output_check_pictures(const struct document *d, const char *folder, bool force, struct err *e);

/* Writes each picture as FOLDER/NAME.svg; makes the folder. */
int output_pictures(const struct document *d, const char *folder, bool force, struct err *e);

/* Writes a JSON value and gives up the caller's reference to it. NULL is
 * ERR_MEMORY. */
int output_json(json_t *value, const char *path, bool force, struct err *e);

#endif
