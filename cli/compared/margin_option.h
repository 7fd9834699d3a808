/* margin_option.h - the option --margin of commands that compare. */
#ifndef CPPROF_MARGIN_OPTION_H
#define CPPROF_MARGIN_OPTION_H

#include <argp.h>

/* Reads "1%" or "0.5 %" as a ratio. Half of the time or more is no margin: ends with a message, as argp_error. */
void margin_option_parse(struct argp_state *state, const char *text, double *margin);

#endif
