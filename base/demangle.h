/* demangle.h - C++ symbol names as people write them (libiberty, here only). */
#ifndef CPPROF_DEMANGLE_H
#define CPPROF_DEMANGLE_H

#include "base/str.h"

/* Appends the demangled name with its parameters, or the name as it is. */
void demangle_full(struct str *out, const char *symbol);

/* Appends the name without return type, template arguments and parameters:
 * "void ns::tile<3>(float *)" -> "ns::tile". */
void demangle_short(struct str *out, const char *symbol);

/* As demangle_short, but keeps the template arguments: "ns::tile<3>". */
void demangle_template(struct str *out, const char *symbol);

#endif
