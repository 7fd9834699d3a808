/* demangle.h - prints C++ symbols as people write them. Only this module uses libiberty. */
#ifndef CPPROF_DEMANGLE_H
#define CPPROF_DEMANGLE_H

#include "core/base/str.h"

enum { DEMANGLED_BYTES_MAX = 128 * 1024 }; /* a symbol whose name would be longer is kept mangled */

/* Appends the demangled name with its parameters, or `symbol` unchanged when it cannot be demangled. */
void demangle_full(struct str *out, const char *symbol);

/* Appends the name without return type, template arguments and parameters:
 * "void ns::tile<3>(float *)" -> "ns::tile". */
void demangle_short(struct str *out, const char *symbol);

/* As demangle_short, but keeps the template arguments: "ns::tile<3>". */
void demangle_template(struct str *out, const char *symbol);

#endif
