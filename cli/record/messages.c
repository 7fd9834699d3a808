/* How do errors and notes reach people? */
#include "cli/record/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/str.h"
#include "core/base/utf8.h"

static void print_line(const char *text)
{
    struct str line;
    str_init(&line);
    utf8_add_visible(&line, text, strlen(text));
    fprintf(stderr, "cpprof: %s\n", str_text(&line));
    str_release(&line);
}

int message_error(const struct err *e)
{
    print_line(e->code ? e->text : "internal error: failed without a message");
    return (int)err_exit_status(e->code ? e->code : ERR_INTERNAL);
}

void message_note(const char *format, ...)
{
    struct str line;
    str_init(&line);
    va_list args;
    va_start(args, format);
    str_addv(&line, format, args);
    va_end(args);
    print_line(str_text(&line));
    str_release(&line);
}
