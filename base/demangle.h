/* demangle.h - C++ symbol names as people write them (libiberty, here only). */
#ifndef CPPROF_DEMANGLE_H
#define CPPROF_DEMANGLE_H

#include "base/str.h"

enum { DEMANGLED_BYTES_MAX = 128 * 1024 }; /* a symbol that stands for more is kept as it is */

/* Appends the demangled name with its parameters, or the name as it is. */
void demangle_full(struct str *out, const char *symbol);

/* Appends the name without return type, template arguments and parameters:
 * "void ns::tile<3>(float *)" -> "ns::tile". */
void demangle_short(struct str *out, const char *symbol);

/* As demangle_short, but keeps the template arguments: "ns::tile<3>". */
void demangle_template(struct str *out, const char *symbol);

#endif
