/* chart_text.h - what the charts share: names that are inert in a script for gnuplot. */
#ifndef CPPROF_CHART_TEXT_H
#define CPPROF_CHART_TEXT_H

#include "base/str.h"

/* Appends `text`, cut to the room that a label has, for between double quotes. */
void chart_add_quoted(struct str *out, const char *text);

#endif
